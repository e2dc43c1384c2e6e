package postgres

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	analyzetest.Oracle(t, ir.Postgres, e, e.nulls)
}

// nulls runs a query and returns which values are NULL.
func (e *Engine) nulls(sql string, _ int) (out [][]bool, err error) {
	ctx := context.Background()
	err = e.guarded(ctx, false, func() error {
		rows, err := e.conn.Query(ctx, sql)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row []bool
			for _, v := range rows.RawValues() {
				row = append(row, v == nil)
			}
			out = append(out, row)
		}
		return rows.Err()
	})
	return out, err
}

func TestCallsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	literals := map[string][]string{
		"boolean": {"t", "f"}, "smallint": {"0", "-32768"}, "integer": {"0", "-1", "2147483647"}, "bigint": {"0", "9223372036854775807"}, "numeric": {"0", "NaN", "Infinity", "-Infinity", "1.50"},
		"real": {"0", "NaN", "Infinity"}, "double precision": {"0", "NaN", "Infinity", "-Infinity", "1e308"}, "text": {"", "abc", "null", "UTC", "year", "1"}, "character varying": {"", "x"}, "character": {"", "x"},
		"name": {"", "pg_class"}, "bytea": {"", "\\x00"}, "date": {"2024-02-29", "infinity", "-infinity"}, "time without time zone": {"00:00", "24:00"}, "time with time zone": {"00:00+01"},
		"timestamp without time zone": {"2024-02-29", "infinity", "-infinity"}, "timestamp with time zone": {"2024-02-29+00", "infinity", "-infinity"}, "interval": {"0", "-1 month", "infinity"},
		"uuid": {"00000000-0000-0000-0000-000000000000"}, "json": {"null", "{}", "[null]", "1"}, "jsonb": {"null", "{}", "[null]", "1", "{\"a\": null}"}, "bit": {"0"}, "bit varying": {"", "101"},
		"inet": {"0.0.0.0/0", "::1"}, "cidr": {"10.0.0.0/8"}, "macaddr": {"00:00:00:00:00:00"}, "point": {"(0,0)", "(NaN,Infinity)"}, "box": {"(0,0),(0,0)"}, "path": {"[(0,0)]"}, "polygon": {"((0,0))"}, "circle": {"<(0,0),0>"},
		"line": {"{1,0,0}"}, "lseg": {"[(0,0),(0,0)]"}, "integer[]": {"{}", "{NULL}", "{1,2}"}, "text[]": {"{}", "{NULL}", "{a}"}, "int4range": {"empty", "(,)", "[1,5)", "(,5)"}, "numrange": {"empty", "(,)"},
		"tstzrange": {"empty", "(,infinity)"}, "int4multirange": {"{}", "{(,)}"}, "tsvector": {"", "a:1"}, "tsquery": {"", "a & b"}, "xml": {""}, "money": {"0"}, "oid": {"0", "1259"}, "regclass": {"pg_class"},
	}
	values := map[string][]string{}
	for typ, texts := range literals {
		for _, text := range texts {
			values[typ] = append(values[typ], "'"+text+"'::"+typ)
		}
	}
	concrete := strings.NewReplacer("anycompatible", "any", "anyarray", "integer[]", "anyrange", "int4range", "anymultirange", "int4multirange", "anyelement", "integer", "anynonarray", "integer")
	var calls []analyzetest.Call
	rows, err := e.conn.Query(context.Background(), `SELECT proname, prokind::text, proargtypes::regtype[]::text[] FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a') AND provolatile <> 'v' AND NOT proretset`)
	if err != nil {
		t.Fatal(err)
	}
	var name, kind string
	var args []string
	if _, err := pgx.ForEachRow(rows, []any{&name, &kind, &args}, func() error {
		for i := range args {
			args[i] = concrete.Replace(args[i])
		}
		c := analyzetest.Function(`"`+name+`"`, args...)
		c.Aggregate = kind == "a"
		calls = append(calls, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if rows, err = e.conn.Query(context.Background(), `SELECT oprname, oprleft::regtype::text, oprright::regtype::text FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprkind = 'b'`); err != nil {
		t.Fatal(err)
	}
	var left, right string
	if _, err := pgx.ForEachRow(rows, []any{&name, &left, &right}, func() error {
		calls = append(calls, analyzetest.Call{Format: "%s " + strings.ReplaceAll(name, "%", "%%") + " %s", Args: []string{concrete.Replace(left), concrete.Replace(right)}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for typ := range values {
		calls = append(calls, analyzetest.Call{Format: "CAST(%s AS " + typ + ")", Args: make([]string, 1)}, analyzetest.Call{Format: "%s IN (%s, %s)", Args: []string{typ, typ, typ}},
			analyzetest.Call{Format: "greatest(%s, %s)", Args: []string{typ, typ}}, analyzetest.Call{Format: "CASE WHEN %s THEN %s ELSE %s END", Args: []string{"boolean", typ, typ}},
			analyzetest.Call{Format: "%s BETWEEN %s AND %s", Args: []string{typ, typ, typ}})
	}
	analyzetest.Edges(t, e, calls, values, e.nulls)
}
