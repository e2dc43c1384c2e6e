package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// SubstituteSchema returns DuckDB statements that create the tables of this PostgreSQL database,
// empty, in an in-memory catalog of DuckDB. The columns get the types and constraints that DuckDB's
// postgres extension gives them when it attaches the database. So queries over an attached database
// can be analysed without the extension and without a server.
func (e *Engine) SubstituteSchema(ctx context.Context, source ir.Source) ([]string, error) {
	rows, err := e.conn.Query(ctx, `SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	type relation struct {
		oid          uint32
		schema, name string
	}
	relations, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r relation, err error) {
		err = row.Scan(&r.oid, &r.schema, &r.name)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	out, short := []string{"ATTACH ':memory:' AS " + source.SQLName}, []string{}
	schemas := map[string]bool{}
	for _, r := range relations {
		schema := source.SQLName + "." + e.Quote(r.schema)
		if !schemas[r.schema] {
			schemas[r.schema] = true
			out = append(out, "CREATE SCHEMA IF NOT EXISTS "+schema)
		}
		info, err := e.table(ctx, r.oid, true)
		if err != nil {
			return nil, err
		}
		if len(info.Columns) == 0 {
			continue
		}
		var columns []string
		for _, c := range info.Columns {
			column := e.Quote(c.Name) + " " + duckType(c.Type)
			if !c.Nullable {
				column += " NOT NULL"
			}
			columns = append(columns, column)
		}
		list := e.Quote(r.name) + " (" + strings.Join(columns, ", ") + ")"
		out = append(out, "CREATE TABLE "+schema+"."+list)
		if r.schema == "public" {
			// The default schema of an attached PostgreSQL database is public, and that of an
			// in-memory catalog is main. The table is created in main too, so that the name
			// source.table works.
			short = append(short, "CREATE TABLE IF NOT EXISTS "+source.SQLName+".main."+list)
		}
	}
	return append(out, short...), nil
}

// duckNames are the DuckDB types for kinds of values whose types have no parameters such as a
// length.
var duckNames = map[ir.Kind]string{
	ir.Bool: "BOOLEAN", ir.Int16: "SMALLINT", ir.Int32: "INTEGER", ir.Int64: "BIGINT", ir.Uint32: "UINTEGER", ir.Float32: "FLOAT", ir.Float64: "DOUBLE",
	ir.Blob: "BLOB", ir.UUID: "UUID", ir.Date: "DATE", ir.Time: "TIME", ir.TimeTZ: "TIMETZ", ir.Timestamp: "TIMESTAMP", ir.TimestampTZ: "TIMESTAMPTZ", ir.Interval: "INTERVAL",
}

// duckType returns the DuckDB type that DuckDB's postgres extension gives a PostgreSQL column of
// type t. The extension reads types that it does not know as text, including JSON.
func duckType(t analyze.Type) string {
	switch t.Kind {
	case ir.Decimal:
		if t.Precision > 0 && t.Precision <= 38 && t.Scale >= 0 && t.Scale <= t.Precision {
			return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
		}
		return "DOUBLE" // the type numeric without a precision
	case ir.List:
		return duckType(*t.Elem) + "[]"
	case ir.EnumKind:
		var values []string
		for _, v := range t.Values {
			values = append(values, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		}
		return "ENUM(" + strings.Join(values, ", ") + ")"
	case ir.StructKind:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, ir.QuoteName(f.Name)+" "+duckType(f.Type))
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	}
	if name, ok := duckNames[t.Kind]; ok {
		return name
	}
	return "VARCHAR"
}
