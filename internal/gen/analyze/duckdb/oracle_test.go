//go:build cgo

package duckdb

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	analyzetest.Oracle(t, ir.DuckDB, e, e.nulls)
}

// nulls runs a query and returns which values are NULL.
func (e *Engine) nulls(sql string, columns int) ([][]bool, error) {
	var names, tests []string
	for i := range columns {
		names = append(names, fmt.Sprintf("n%d", i))
		tests = append(tests, fmt.Sprintf("n%d IS NULL", i))
	}
	rows, err := e.db.strings("SELECT CAST(to_json([" + strings.Join(tests, ", ") + "]) AS VARCHAR) FROM (" + sql + ") AS q(" + strings.Join(names, ", ") + ")")
	if err != nil {
		return nil, err
	}
	var out [][]bool
	for _, r := range rows {
		var row []bool
		if err := json.Unmarshal([]byte(r), &row); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func TestCallsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	values := map[string][]string{
		"BOOLEAN": {"true", "false"}, "TINYINT": {"0::TINYINT", "(-128)::TINYINT"}, "INTEGER": {"0", "-1", "2147483647"}, "BIGINT": {"0::BIGINT", "9223372036854775807"},
		"UBIGINT": {"0::UBIGINT", "18446744073709551615"}, "HUGEINT": {"0::HUGEINT", "170141183460469231731687303715884105727"},
		"DOUBLE": {"0::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "1e308"}, "FLOAT": {"0::FLOAT", "'nan'::FLOAT", "'inf'::FLOAT"},
		"DECIMAL(10,2)": {"0.00::DECIMAL(10,2)", "-12345678.90::DECIMAL(10,2)"}, "VARCHAR": {"''", "'abc'", "'null'", "'NULL'", "'[1, NULL]'", "'{}'", "'1'", "'Europe/Rome'", "'year'"},
		"BLOB": {"''::BLOB", "'\\x00'::BLOB"}, "BIT": {"'0'::BIT", "'101'::BIT"}, "UUID": {"'00000000-0000-0000-0000-000000000000'::UUID"},
		"DATE": {"'2024-02-29'::DATE", "'infinity'::DATE", "'-infinity'::DATE"}, "TIME": {"'00:00'::TIME", "'24:00:00'::TIME"}, "TIMETZ": {"'00:00:00+01'::TIMETZ"},
		"TIMESTAMP": {"'2024-02-29'::TIMESTAMP", "'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMP"}, "TIMESTAMP WITH TIME ZONE": {"'2024-02-29'::TIMESTAMPTZ", "'infinity'::TIMESTAMPTZ"},
		"TIMESTAMP_NS": {"'2024-02-29'::TIMESTAMP_NS", "'infinity'::TIMESTAMP_NS"}, "INTERVAL": {"INTERVAL 0 DAY", "INTERVAL (-1) MONTH"},
		"INTEGER[]": {"[]::INTEGER[]", "[NULL]::INTEGER[]", "[1, 2]"}, "VARCHAR[]": {"[]::VARCHAR[]", "[NULL]::VARCHAR[]", "['a']"}, "INTEGER[2]": {"array_value(1, NULL)::INTEGER[2]"},
		"STRUCT(a INTEGER, b VARCHAR)": {"{'a': NULL, 'b': NULL}::STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': 'x'}"}, "MAP(VARCHAR, INTEGER)": {"MAP {}::MAP(VARCHAR, INTEGER)", "MAP {'a': NULL}::MAP(VARCHAR, INTEGER)"},
		"UNION(n INTEGER, s VARCHAR)": {"union_value(n := NULL::INTEGER)::UNION(n INTEGER, s VARCHAR)", "union_value(s := 'x')::UNION(n INTEGER, s VARCHAR)"},
		"JSON":                        {"'null'::JSON", "'{}'::JSON", "'[null]'::JSON", "'1'::JSON"}, "ENUM('', 'a')": {"''::ENUM('', 'a')"},
	}
	rows, err := e.db.strings(`SELECT CAST(to_json({name: function_name, kind: function_type, args: parameter_types, rest: varargs}) AS VARCHAR) FROM duckdb_functions()
		WHERE function_type IN ('scalar', 'aggregate') AND NOT regexp_matches(function_name, '^(write_|sleep|pg_|current_setting|getenv|error|setseed)')`)
	if err != nil {
		t.Fatal(err)
	}
	var calls []analyzetest.Call
	for _, row := range rows {
		var f struct {
			Name, Kind, Rest string
			Args             []string
		}
		if err := json.Unmarshal([]byte(row), &f); err != nil {
			t.Fatal(err)
		}
		if f.Rest != "" {
			f.Args = append(f.Args, f.Rest, f.Rest)
		}
		c := analyzetest.Function(f.Name, f.Args...)
		if f.Name[0] < 'a' || f.Name[0] > 'z' { // an operator
			c.Format = strings.ReplaceAll(f.Name, "%", "%%") + " %s"
			if len(f.Args) == 2 {
				c.Format = "%s " + c.Format
			}
		}
		c.Aggregate = f.Kind == "aggregate"
		calls = append(calls, c)
	}
	for typ := range values {
		calls = append(calls, analyzetest.Call{Format: "CAST(%s AS " + typ + ")", Args: make([]string, 1)}, analyzetest.Call{Format: "%s = %s", Args: []string{typ, typ}},
			analyzetest.Call{Format: "%s < %s", Args: []string{typ, typ}}, analyzetest.Call{Format: "%s IN (%s, %s)", Args: []string{typ, typ, typ}},
			analyzetest.Call{Format: "%s NOT BETWEEN %s AND %s", Args: []string{typ, typ, typ}}, analyzetest.Call{Format: "CASE WHEN %s THEN %s ELSE %s END", Args: []string{"BOOLEAN", typ, typ}})
	}
	analyzetest.Edges(t, e, calls, values, e.nulls)
}
