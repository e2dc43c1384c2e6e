package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// tree returns the parse tree of a statement; its root is a Query node. It returns nil for a
// statement that has no such tree (DDL). To get the tree, it creates a function that contains the
// statement, reads the tree of the function from the catalog, and rolls back. The function never
// runs.
func (e *Engine) tree(ctx context.Context, sql string, prepared *pgconn.StatementDescription) (*node, error) {
	if firstWordClass(sql) == ir.StatementDDL {
		return nil, nil
	}
	var names []string
	for _, oid := range prepared.ParamOIDs {
		name, err := e.formatType(ctx, oid, -1)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	var text string
	err := e.guarded(ctx, false, func() error {
		result := "SETOF record" // accepts any columns, but at least one
		if len(prepared.Fields) == 0 {
			result = "void"
		}
		create := "CREATE FUNCTION pg_temp.scoter_probe(" + strings.Join(names, ", ") + ") RETURNS " + result +
			" LANGUAGE sql BEGIN ATOMIC\n" + sql + "\n; END"
		if _, err := e.conn.PgConn().Exec(ctx, create).ReadAll(); err != nil {
			return err
		}
		return e.conn.QueryRow(ctx, `SELECT prosqlbody::text FROM pg_proc WHERE proname = 'scoter_probe' AND pronamespace = pg_my_temp_schema()`).Scan(&text)
	})
	var pg *pgconn.PgError
	// insufficient_privilege, read_only_sql_transaction
	if errors.As(err, &pg) && (pg.Code == "42501" || pg.Code == "25006") {
		return nil, base.Errorf(base.Unavailable, "read the parse tree: %s", pg.Message).
			WithHint("the analysis creates a temporary function and rolls it back: GRANT TEMPORARY ON DATABASE, and use the primary, not a replica")
	}
	if errors.As(err, &pg) {
		// PREPARE accepted the statement, so it is valid. But without a tree, it stays unknown
		// which of its columns can be NULL.
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the parse tree: %w", err)
	}
	n, err := parseNode(text)
	if err != nil {
		return nil, err
	}
	// The root of the function's tree is a list, ((QUERY)) or (QUERY). The loop finds the only
	// statement in it.
	for n != nil && n.isList && len(n.items) > 0 {
		n = n.items[0]
	}
	if n == nil || n.tag != "QUERY" {
		return nil, nil
	}
	return n, nil
}

// firstWord returns the first word of a statement in upper case.
func firstWord(sql string) string {
	word := strings.ToUpper(strings.TrimLeft(sql, " \t\r\n("))
	for i, r := range word {
		if (r < 'A' || r > 'Z') && r != '_' {
			return word[:i]
		}
	}
	return word
}

// firstWordClass returns the class of a statement that has no parse tree, such as CREATE TABLE,
// judging by its first word. It returns "" if statements that begin with this word do not change
// the schema.
func firstWordClass(sql string) ir.Statement {
	switch firstWord(sql) {
	case "CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "GRANT", "REVOKE", "REINDEX":
		return ir.StatementDDL
	}
	return ""
}

// statementClass returns the class of a statement, from its parse tree, and whether it is
// read-only. A SELECT is read-only if it locks no rows and calls no function that may change data.
func (e *Engine) statementClass(ctx context.Context, query *node) (class ir.Statement, readOnly bool, err error) {
	switch query.num("commandType") {
	case 1:
		changes := false
		var functions []int64
		query.walk(func(n *node) {
			switch n.tag {
			case "QUERY":
				changes = changes || n.flag("hasModifyingCTE") || n.list("rowMarks") != nil
			case "FUNCEXPR":
				functions = append(functions, int64(n.num("funcid")))
			case "OPEXPR":
				functions = append(functions, int64(n.num("opfuncid")))
			}
		})
		if !changes && len(functions) > 0 {
			changes, err = e.anyVolatile(ctx, functions)
		}
		return ir.StatementSelect, !changes, err
	case 2:
		return ir.StatementUpdate, false, nil
	case 3:
		return ir.StatementInsert, false, nil
	case 4:
		return ir.StatementDelete, false, nil
	case 5:
		return ir.StatementMerge, false, nil
	}
	return ir.StatementOther, false, nil
}

// sideEffectFree are the built-in functions that are declared volatile but change nothing in the
// database.
const sideEffectFree = "'random', 'random_normal', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'currval', 'lastval', 'pg_backend_pid', " +
	"'pg_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_total_relation_size', 'pg_database_size', 'pg_tablespace_size', " +
	"'pg_is_in_recovery', 'pg_current_wal_lsn', 'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_blocking_pids', 'pg_sleep'"

// anyVolatile reports whether one of the functions, given by OID, is declared volatile and so may
// change data. The functions of the extension uuid-ossp do not count: they only generate ids. The
// extension may be in any schema.
func (e *Engine) anyVolatile(ctx context.Context, functions []int64) (volatile bool, err error) {
	err = e.conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_proc WHERE oid = ANY ($1::oid[]) AND provolatile = 'v'
		AND NOT (pronamespace = 'pg_catalog'::regnamespace AND proname IN (`+sideEffectFree+`))
		AND NOT (proname LIKE 'uuid\_generate\_%' AND probin = '$libdir/uuid-ossp'))`, functions).Scan(&volatile)
	if err != nil {
		return false, fmt.Errorf("read pg_proc: %w", err)
	}
	return volatile, nil
}
