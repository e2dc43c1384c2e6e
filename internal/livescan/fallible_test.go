package livescan

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/schema"
)

// refusedShapes choose the rows of the test file that have a value which functions refuse.
var refusedShapes = map[string]func(row uint32) bool{
	"row = 7":     func(row uint32) bool { return row == 7 },
	"row % 7 = 0": func(row uint32) bool { return row%7 == 0 },
	"row < 6000":  func(row uint32) bool { return row < 6000 }, // adjacent
}

// count returns the only number of a query's result.
func (f *fixture) count(sql string) (string, error) {
	rows, err := f.conn.Query(context.Background(), sql)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	rec, err := rows.Next(context.Background())
	if err != nil {
		return "", err
	}
	defer rec.Release()
	return rec.Column(0).ValueStr(0), nil
}

// TestFunctionsDoNotFailForRowsThatAreLeftOut checks functions that may fail for some values. The
// values of rows that are left out are still in the column's dictionary, and DuckDB evaluates
// functions that it takes for never failing for all values of the dictionary.
func TestFunctionsDoNotFailForRowsThatAreLeftOut(t *testing.T) {
	f := newFixture(t)
	files := 0
	for condition, refused := range refusedShapes {
		files++ // each file has a new name, because what DuckDB caches about a file stays valid
		path := filepath.Join(filepath.Dir(f.paths[0]), fmt.Sprintf("refused%d.parquet", files))
		rows := fmt.Sprintf(`SELECT row, CASE WHEN %[1]s THEN -1 ELSE hash(row) %% 10 END::BIGINT AS n, CASE WHEN %[1]s THEN -1 ELSE hash(row) %% 10 END::INTEGER AS code,
			CASE WHEN %[1]s THEN 'longer' ELSE 'x' || hash(row) %% 10 END AS word,
			CASE WHEN %[1]s THEN repeat('[', 1500) || repeat(']', 1500) ELSE '["' || hash(row) %% 10 || '"]' END AS doc FROM range(%[2]d) r(row)`, condition, rowsPerFile)
		if err := f.conn.Exec("COPY (" + rows + ") TO '" + path + "' (FORMAT parquet)"); err != nil {
			t.Fatal(err)
		}
		var hidden []uint32
		for row := range uint32(rowsPerFile) {
			if refused(row) {
				hidden = append(hidden, row)
			}
		}
		filter := Without([]File{{Path: path, Rows: Hidden(hidden, rowsPerFile)}})
		t.Cleanup(filter.Close)
		for _, from := range []string{Parquet([]string{path}, filter, false), "(FROM " + Parquet([]string{path}, nil, false) + " WHERE NOT (" + condition + "))"} {
			for _, sql := range []string{
				"SELECT count(DISTINCT to_base(n, 2)) FROM ",
				"SELECT count(DISTINCT chr(code)) FROM ",
				"SELECT count(DISTINCT json_merge_patch(doc, doc)) FROM ",
				"SELECT count(DISTINCT word || hamming(word, 'x3')) FROM ",
				"SELECT count(DISTINCT list_transform(string_split(word, 'x'), n -> ('0' || n)::INTEGER)) FROM ",
			} {
				if got, err := f.count(sql + from); err != nil || got != "10" {
					t.Errorf("%s: %s: %s, %v", condition, sql+from, got, err)
				}
			}
		}
		if got, err := f.count("SELECT count(DISTINCT n) FROM " + Parquet([]string{path}, filter, false) + " WHERE to_base(n, 2) != '101010'"); err != nil || got != "10" {
			t.Errorf("%s: in a condition: %s, %v", condition, got, err)
		}
	}
}

// edges has for each type a value that functions accept, and one that some of them refuse.
var edges = map[string]struct{ taken, refused string }{
	"TINYINT":                  {"1, 2", "-1, 0, -128, 127"},
	"SMALLINT":                 {"1, 2", "-1, 0, -32768, 32767"},
	"INTEGER":                  {"1, 2", "-1, 0, -2147483648, 2147483647"},
	"BIGINT":                   {"1, 2", "-1, 0, -9223372036854775808, 9223372036854775807"},
	"UTINYINT":                 {"1, 2", "0, 255"},
	"USMALLINT":                {"1, 2", "0, 65535"},
	"UINTEGER":                 {"1, 2", "0, 4294967295"},
	"UBIGINT":                  {"1, 2", "0, 18446744073709551615"},
	"FLOAT":                    {"0.5, 1", "-5, 0, 'nan', 'inf', '-inf', 3e38"},
	"DOUBLE":                   {"0.5, 1", "-5, 0, 'nan', 'inf', '-inf', 1e300, 1e18"},
	"DECIMAL(18,3)":            {"0.5, 1", "-5, 0, 999999999999999.999"},
	"VARCHAR":                  {"'10', '20'", "'', '(', 'abc', '-1', '{', '%', '\\', '1999-13-13', '💩'"},
	"BLOB":                     {"'10', '20'", `'', '\xFF\xFE', '(', 'abc'`},
	"DATE":                     {"'2000-01-01', '2000-01-02'", "'infinity', '-infinity', '5881580-07-10', '5877642-06-25 (BC)'"},
	"TIMESTAMP":                {"'2000-01-01', '2000-01-02'", "'infinity', '-infinity', '294247-01-10 04:00:54', '290309-12-22 (BC) 00:00:00'"},
	"TIMESTAMP WITH TIME ZONE": {"'2000-01-01', '2000-01-02'", "'infinity', '-infinity', '294247-01-10 04:00:54+00', '290309-12-22 (BC) 00:00:00+00'"},
	"TIMESTAMP_NS":             {"'2000-01-01', '2000-01-02'", "'infinity', '-infinity', '2262-04-11 23:47:16.854775806', '1677-09-22'"},
	"TIME":                     {"'01:00:00', '02:00:00'", "'24:00:00', '00:00:00'"},
	"INTERVAL":                 {"'1 month', '2 months'", "'0 days', '178000000 years', '1 month 1 day 1 second'"},
	"UUID":                     {"'00000000-0000-1000-8000-000000000001', '00000000-0000-1000-8000-000000000002'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
}

// TestFunctionsThatMayFailSayThatTheyDo calls each function with each of its arguments from a
// column. The column's dictionary has values that are in no row of the result.
func TestFunctionsThatMayFailSayThatTheyDo(t *testing.T) {
	f := newFixture(t)
	path, taken := filepath.Join(filepath.Dir(f.paths[0]), "edges.parquet"), filepath.Join(filepath.Dir(f.paths[0]), "taken.parquet")
	var columns []string
	for kind, e := range edges {
		columns = append(columns, fmt.Sprintf(`CASE WHEN row < 1000 THEN list_value(%s)[row %% %d + 1] ELSE list_value(%s)[row %% 2 + 1] END::%s AS "%s"`,
			quoted(e.refused), len(strings.Split(e.refused, ", ")), quoted(e.taken), kind, kind))
	}
	slices.Sort(columns)
	if err := f.conn.Exec("COPY (SELECT row, " + strings.Join(columns, ", ") + " FROM range(4000) r(row)) TO '" + path + "' (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	if err := f.conn.Exec("COPY (FROM '" + path + "' WHERE row >= 1000) TO '" + taken + "' (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
	// These functions refuse only patterns, formats and lengths, and these are rarely columns.
	constants := regexp.MustCompile("^regexp_|_regex$|^substr|^left|^right|^array_extract$|^strftime$")
	functions := f.rows(`SELECT DISTINCT function_name, array_to_string(parameter_types, ';') FROM duckdb_functions() WHERE function_type = 'scalar' AND len(parameter_types) > 0
		AND function_name NOT IN ('error', 'sleep_ms', 'write_log') ORDER BY ALL`)
	asked := 0
	for line := range strings.Lines(functions) {
		name, kinds, _ := strings.Cut(strings.TrimSuffix(line, "|\n"), "|")
		types := strings.Split(kinds, ";")
		for i := range types {
			switch types[i] {
			case "ANY", "T", "V", "K":
				types[i] = "VARCHAR"
			case "DECIMAL":
				types[i] = "DECIMAL(18,3)"
			}
		}
		for column := range types {
			if column > 0 && constants.MatchString(name) {
				break
			}
			var arguments []string
			for i, kind := range types {
				if i == column {
					arguments = append(arguments, schema.Quote(kind))
				} else if first, _, _ := strings.Cut(edges[kind].taken, ", "); kind == "VARCHAR" && strings.HasPrefix(name, "date") {
					arguments = append(arguments, "'day'")
				} else {
					arguments = append(arguments, "CAST("+first+" AS "+kind+")")
				}
			}
			call := fmt.Sprintf(`SELECT count(DISTINCT "%s"(%s)::VARCHAR) FROM `, name, strings.Join(arguments, ", "))
			if _, err := f.count(call + "(FROM '" + path + "' WHERE row >= 1000)"); err == nil {
				asked++
			} else if _, otherwise := f.count(call + "'" + taken + "'"); otherwise == nil {
				t.Errorf("%s: %v", call, err)
			} // any other error is about types or constants that the function never accepts
		}
	}
	if asked < 1000 {
		t.Errorf("%d calls", asked)
	}
}

func quoted(values string) string {
	out := strings.Split(values, ", ")
	for i, v := range out {
		out[i] = "'" + strings.Trim(v, "'") + "'"
	}
	return strings.Join(out, ", ")
}
