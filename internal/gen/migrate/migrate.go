package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	// stdlib makes pgx, the PostgreSQL driver, usable through database/sql, so that the same code
	// serves all engines.
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ncruces/go-sqlite3/driver" // SQLite without cgo

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Result says what one run of migrations did. All three lists have the ids of migrations, in the
// order in which migrations are applied.
type Result struct {
	// Applied are the ids of the migrations that this run applied. In a dry run they were rolled
	// back.
	Applied []string `json:"applied"`
	// Present are the ids of the migrations that were applied before this run.
	Present []string `json:"present"`
	// Unknown are the ids of migrations that were applied to the database for this project, but are
	// not in the project's files. That means that the database was migrated with newer files.
	Unknown []string `json:"unknown"`
}

// dialect has the SQL that differs between the database engines when migrations are applied.
type dialect struct {
	// begin are the statements that open the transaction for migrations and take a lock.
	begin []string
	// columns is a query that lists the columns of the migration table. It has no rows if the table
	// does not exist.
	columns string
	// param returns the placeholder of argument n of a statement, such as $1. Arguments are counted
	// from 1.
	param func(int) string
	// alterNeedsOwnTransaction means that the engine cannot alter a table and write to it in the
	// same transaction. The migration table is then altered in a transaction of its own.
	alterNeedsOwnTransaction bool
}

var dialects = map[ir.Engine]dialect{
	ir.SQLite: {
		begin:   []string{"BEGIN IMMEDIATE"},
		columns: "SELECT name FROM pragma_table_info('_sqg_migrations')",
		param:   func(n int) string { return fmt.Sprintf("?%d", n) },
	},
	ir.DuckDB: {
		begin: []string{"BEGIN TRANSACTION"},
		columns: "SELECT column_name FROM duckdb_columns() WHERE table_name = '_sqg_migrations' " +
			"AND schema_name = current_schema() AND database_name = current_database()",
		param:                    func(n int) string { return fmt.Sprintf("$%d", n) },
		alterNeedsOwnTransaction: true,
	},
	ir.Postgres: {
		begin:   []string{"BEGIN", "SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))"},
		columns: "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('_sqg_migrations') AND attnum > 0 AND NOT attisdropped",
		param:   func(n int) string { return fmt.Sprintf("$%d", n) },
	},
}

const (
	create = "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
		"applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))"
	addChecksum = "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT"
)

// Run applies, in one transaction, the migrations that the database does not have yet. A dry run
// does the same and rolls back; it creates no file. The error is Invalid if a migration was changed
// after it was applied, or if the database refuses a statement. It is Unavailable if the database
// cannot be reached or stays locked.
func Run(ctx context.Context, t Target, project string, all []ir.Migration, dryRun bool) (result *Result, err error) {
	conn, shut, err := connect(ctx, t, dryRun)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, shut()) }()
	r := &runner{conn: conn, dialect: dialects[t.Engine], project: project}
	result, err = r.run(ctx, all, dryRun)
	if err != nil {
		return nil, fmt.Errorf("migrate %s: %w", project, err)
	}
	return result, nil
}

// connect opens one connection to the database, and returns it with a function that closes it. In a
// dry run, a file that does not exist is replaced by a database in memory.
func connect(ctx context.Context, t Target, dryRun bool) (*sql.Conn, func() error, error) {
	var db *sql.DB
	var err error
	switch t.Engine {
	case ir.SQLite:
		path := escape(t.Where)
		if dryRun && t.New {
			path = ":memory:"
		}
		// Foreign keys are turned off. Otherwise DROP TABLE would delete the rows that refer to the
		// table.
		db, err = driver.Open("file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(0)", sqlite.Extend)
	case ir.DuckDB:
		path := t.Where
		if dryRun && t.New {
			path = ":memory:"
		}
		db, err = openDuckDB(path)
	case ir.Postgres:
		config, parseErr := pgx.ParseConfig(t.Where)
		if parseErr != nil {
			return nil, nil, base.Errorf(base.Invalid, "PostgreSQL URL: %w", parseErr)
		}
		// Statements are not prepared: each statement of a migration runs once, so preparing it
		// would only cost time.
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		db = stdlib.OpenDB(*config)
	default:
		return nil, nil, base.Errorf(base.Internal, "engine %s has no migrations", t.Engine)
	}
	if err != nil {
		return nil, nil, unavailable(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(unavailable(err), db.Close())
	}
	return conn, func() error { return errors.Join(conn.Close(), db.Close()) }, nil
}

func unavailable(err error) error {
	if e := new(base.Error); errors.As(err, &e) {
		return err
	}
	return base.Errorf(base.Unavailable, "open the database: %w", err)
}

// escape returns a path for a file: URI of SQLite. It escapes the characters that have a meaning in
// such a URI.
func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

type runner struct {
	conn    *sql.Conn
	dialect dialect
	project string
}

func (r *runner) exec(ctx context.Context, statement string, args ...any) error {
	_, err := r.conn.ExecContext(ctx, statement, args...)
	return err
}

func (r *runner) run(ctx context.Context, all []ir.Migration, dryRun bool) (result *Result, err error) {
	if r.dialect.alterNeedsOwnTransaction && !dryRun {
		columns, err := r.columns(ctx)
		if err == nil && len(columns) > 0 && !slices.Contains(columns, "checksum") {
			err = r.exec(ctx, addChecksum)
		}
		if err != nil {
			return nil, fmt.Errorf("migration table: %w", err)
		}
	}
	for _, s := range r.dialect.begin {
		if err := r.exec(ctx, s); err != nil {
			return nil, errors.Join(base.Errorf(base.Unavailable, "lock the migrations: %w", err), r.rollback())
		}
	}
	result, err = r.pending(ctx, all, dryRun)
	if err != nil || dryRun {
		return result, errors.Join(err, r.rollback())
	}
	if err := r.exec(ctx, "COMMIT"); err != nil {
		return nil, errors.Join(fmt.Errorf("commit: %w", err), r.rollback())
	}
	return result, nil
}

// rollback rolls back the transaction if one is open. It also works if the context of the run was
// cancelled.
func (r *runner) rollback() error {
	_, err := r.conn.ExecContext(context.Background(), "ROLLBACK")
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no transaction") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

func (r *runner) columns(ctx context.Context) ([]string, error) {
	rows, err := r.conn.QueryContext(ctx, r.dialect.columns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

// pending applies the migrations that the database does not have yet. The transaction must be open.
func (r *runner) pending(ctx context.Context, all []ir.Migration, dryRun bool) (*Result, error) {
	applied, err := r.prepare(ctx, dryRun)
	if err != nil {
		return nil, fmt.Errorf("migration table: %w", err)
	}
	result := &Result{Applied: []string{}, Present: []string{}, Unknown: []string{}}
	known := map[string]bool{}
	for _, m := range all {
		known[m.ID] = true
		if sum, done := applied[m.ID]; done && sum != "" && sum != m.Checksum {
			return nil, base.Errorf(base.Invalid, "migration %s (%s:%d) was changed after it had been applied", m.ID, m.Pos.File, m.Pos.Line).
				WithHint("restore its text and add a new migration")
		}
	}
	for id := range applied {
		if !known[id] {
			result.Unknown = append(result.Unknown, id)
		}
	}
	slices.Sort(result.Unknown)
	record := fmt.Sprintf("INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (%s, %s, %s)", r.dialect.param(1), r.dialect.param(2), r.dialect.param(3))
	adopt := fmt.Sprintf("UPDATE _sqg_migrations SET checksum = %s WHERE project = %s AND migration_id = %s", r.dialect.param(1), r.dialect.param(2), r.dialect.param(3))
	for _, m := range all {
		sum, done := applied[m.ID]
		switch {
		case done:
			result.Present = append(result.Present, m.ID)
			if sum == "" && !dryRun { // applied by SQG, which records no checksum
				err = r.exec(ctx, adopt, m.Checksum, r.project, m.ID)
			}
		default:
			result.Applied = append(result.Applied, m.ID)
			if err := r.apply(ctx, m); err != nil {
				return nil, err
			}
			if !dryRun {
				err = r.exec(ctx, record, r.project, m.ID, m.Checksum)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("migration table: %w", err)
		}
	}
	return result, nil
}

// prepare creates the migration table, or adds columns that an old table lacks. In a dry run it
// does neither. It returns the checksums of the migrations that were applied before, by id. A
// checksum is "" if none was recorded.
func (r *runner) prepare(ctx context.Context, dryRun bool) (map[string]string, error) {
	columns, err := r.columns(ctx)
	if err != nil {
		return nil, err
	}
	checksum := slices.Contains(columns, "checksum")
	switch {
	case dryRun && len(columns) == 0:
		return nil, nil
	case dryRun || checksum:
	case len(columns) == 0:
		err, checksum = r.exec(ctx, create), true
	default:
		err, checksum = r.exec(ctx, addChecksum), true
	}
	if err != nil {
		return nil, err
	}
	sum := "''"
	if checksum {
		sum = "coalesce(checksum, '')"
	}
	rows, err := r.conn.QueryContext(ctx, "SELECT migration_id, "+sum+" FROM _sqg_migrations WHERE project = "+r.dialect.param(1), r.project)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	applied := map[string]string{}
	for rows.Next() {
		var id, sum string
		if err := rows.Scan(&id, &sum); err != nil {
			return nil, err
		}
		applied[id] = sum
	}
	return applied, rows.Err()
}

// apply runs the statements of one migration.
func (r *runner) apply(ctx context.Context, m ir.Migration) error {
	for _, s := range m.Statements {
		if err := r.exec(ctx, s); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			e := base.Errorf(base.Invalid, "migration %s (%s:%d): %w", m.ID, m.Pos.File, m.Pos.Line, err)
			var pg *pgconn.PgError
			if errors.As(err, &pg) && pg.Hint != "" {
				return e.WithHint("%s", pg.Hint)
			}
			return e.WithHint("nothing was applied: all migrations are one transaction")
		}
	}
	return nil
}
