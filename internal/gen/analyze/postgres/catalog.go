package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// relation is a table or view as PostgreSQL's catalog describes it.
type relation struct {
	oid          uint32
	schema, name string
	visible      bool
	// kind is the kind of relation, with the letters of pg_class: r table, p partitioned table, v
	// view, m materialized view, f foreign table.
	kind        string
	hasChildren bool
	attributes  []attribute
	// view[i] says whether column i of a view can be NULL. view is nil until it is needed.
	view []bool
	busy bool
}

type attribute struct {
	number int
	name   string
	typ    uint32
	typmod int32
	dims   int
	// notNull says that no row has NULL in this column, not even a row of a child table.
	notNull bool
	// refusesNull says that NULL cannot be written: the column has a NOT NULL constraint, or its
	// type is a domain with one.
	refusesNull bool
	identity    string
	computed    string
	hasDef      bool
	def         string
}

func (r *relation) attribute(number int) *attribute {
	for i := range r.attributes {
		if r.attributes[i].number == number {
			return &r.attributes[i]
		}
	}
	return nil
}

// relation returns the table or view with the given OID (PostgreSQL's id). It reads the catalog
// once for each OID, and caches the result.
func (e *Engine) relation(ctx context.Context, oid uint32) (*relation, error) {
	if r := e.tables[oid]; r != nil {
		return r, nil
	}
	r := &relation{oid: oid}
	err := e.conn.QueryRow(ctx, `SELECT n.nspname, c.relname, c.relkind::text, c.relhassubclass, pg_table_is_visible(c.oid)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`, oid).
		Scan(&r.schema, &r.name, &r.kind, &r.hasChildren, &r.visible)
	if err != nil {
		return nil, fmt.Errorf("read relation %d: %w", oid, err)
	}
	// NOT NULL constraints that were never validated (PostgreSQL 18) are left out, because rows may
	// break them.
	rows, err := e.conn.Query(ctx, `SELECT a.attnum, a.attname, a.atttypid, a.atttypmod, a.attndims,
		a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated AND a.attnum = ANY (k.conkey)),
		a.attnotnull OR EXISTS (WITH RECURSIVE domain AS (
			SELECT t.typtype, t.typnotnull, t.typbasetype FROM pg_type t WHERE t.oid = a.atttypid
			UNION ALL SELECT t.typtype, t.typnotnull, t.typbasetype FROM domain JOIN pg_type t ON t.oid = domain.typbasetype WHERE domain.typtype = 'd')
			SELECT FROM domain WHERE typtype = 'd' AND typnotnull),
		a.attidentity::text, a.attgenerated::text, a.atthasdef, coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, oid)
	if err != nil {
		return nil, fmt.Errorf("read columns of %s: %w", r.name, err)
	}
	r.attributes, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a attribute, err error) {
		err = row.Scan(&a.number, &a.name, &a.typ, &a.typmod, &a.dims, &a.notNull, &a.refusesNull, &a.identity, &a.computed, &a.hasDef, &a.def)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("read columns of %s: %w", r.name, err)
	}
	// NOT NULL proves nothing here. Foreign tables do not enforce constraints. A child table of
	// plain inheritance may allow NULL in columns that its parent does not.
	if r.kind == "f" || r.kind == "r" && r.hasChildren {
		for i := range r.attributes {
			r.attributes[i].notNull = false
		}
	}
	e.tables[oid] = r
	return r, nil
}

// catalogNames returns the names of all built-in functions, or of all built-in operators, by OID.
// catalog is the name of the system table to read, such as pg_proc. The names are cached.
func (e *Engine) catalogNames(ctx context.Context, catalog string) (map[uint32]string, error) {
	if names := e.names[catalog]; names != nil {
		return names, nil
	}
	query := `SELECT oid, proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace`
	if catalog == "pg_operator" {
		query = `SELECT oid, oprname FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace`
	}
	rows, err := e.conn.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", catalog, err)
	}
	names := map[uint32]string{}
	var oid uint32
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&oid, &name}, func() error { names[oid] = name; return nil }); err != nil {
		return nil, fmt.Errorf("read %s: %w", catalog, err)
	}
	e.names[catalog] = names
	return names, nil
}

// Table describes a table by its name.
func (e *Engine) Table(ctx context.Context, name []string) (*analyze.TableInfo, error) {
	var oid *uint32
	schema := ""
	if len(name) > 1 {
		schema = name[len(name)-2]
	}
	table := name[len(name)-1]
	// A table with exactly this name is preferred. Otherwise the name is taken as an unquoted
	// identifier, which means lower case.
	err := e.conn.QueryRow(ctx, `SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'f') AND (c.relname = $1 OR c.relname = lower($1))
		AND CASE WHEN $2 = '' THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2 OR n.nspname = lower($2) END
		ORDER BY c.relname = $1 DESC, n.nspname = $2 DESC LIMIT 1`, table, schema).Scan(&oid)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up table %s: %w", table, err)
	}
	return e.table(ctx, *oid, schema != "")
}

// table describes the table or view with the given OID. The SQLName in the result includes the
// schema if qualified is set, or if the name alone would not find the table.
func (e *Engine) table(ctx context.Context, oid uint32, qualified bool) (*analyze.TableInfo, error) {
	r, err := e.relation(ctx, oid)
	if err != nil {
		return nil, err
	}
	info := &analyze.TableInfo{Schema: r.schema, Name: r.name, SQLName: e.Quote(r.name), View: r.kind == "v"}
	if !r.visible || qualified {
		info.SQLName = e.Quote(r.schema) + "." + info.SQLName
	}
	at := map[int]int{}
	for _, a := range r.attributes {
		t, err := e.typ(ctx, a.typ, a.typmod, a.dims)
		if err != nil {
			return nil, err
		}
		c := analyze.TableColumnInfo{Name: a.name, Type: t, Nullable: !a.notNull, RefusesNull: a.refusesNull, Default: a.def, HasDefault: a.hasDef || a.identity != ""}
		switch {
		case a.computed == "s":
			c.Generated, c.HasDefault = ir.GeneratedStored, false
		case a.computed == "v":
			c.Generated, c.HasDefault = ir.GeneratedVirtual, false
		case a.identity == "a":
			c.Generated = ir.IdentityAlways
		case a.identity == "d", strings.HasPrefix(a.def, "nextval("):
			c.Generated = ir.IdentityByDefault
		}
		at[a.number] = len(info.Columns)
		info.Columns = append(info.Columns, c)
	}
	rows, err := e.conn.Query(ctx, `SELECT i.indisprimary, (i.indkey::int2[])[0:i.indnkeyatts-1] FROM pg_index i
		WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indimmediate
		ORDER BY i.indisprimary DESC, i.indexrelid`, r.oid)
	if err != nil {
		return nil, fmt.Errorf("read indexes of %s: %w", r.name, err)
	}
	var primary bool
	var columns []int16
	_, err = pgx.ForEachRow(rows, []any{&primary, &columns}, func() error {
		var unique []int
		for _, n := range columns {
			unique = append(unique, at[int(n)])
		}
		if primary {
			info.HasPrimary = true
			for _, i := range unique {
				info.Columns[i].PrimaryKey = true
			}
		}
		info.Unique = append(info.Unique, unique)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read indexes of %s: %w", r.name, err)
	}
	return info, nil
}

// Tables returns the names of the tables and views that the method Table can find.
func (e *Engine) Tables(ctx context.Context) ([]string, error) {
	rows, err := e.conn.Query(ctx, `SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE relkind IN ('r', 'p', 'v', 'f') AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Quote returns name as an SQL identifier in double quotes. It always adds the quotes, because any
// word may be a keyword in another version of PostgreSQL.
func (e *Engine) Quote(name string) string { return ir.QuoteName(name) }
