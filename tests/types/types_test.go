// Package types checks the type table of internal/schema with the real DuckDB. Every declared type
// is written to Parquet in its storage type, and read back with the relation's cast.
package types

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/scoterdb/scoter/internal/schema"
)

// pair is one value: as JSON of the storage type (see array.FromJSON), and as a DuckDB expression.
type pair struct{ stored, sql string }

var cases = []struct {
	declared string
	values   []pair
}{
	{"BOOLEAN", []pair{{"true", "true"}, {"false", "false"}}},
	{"TINYINT", []pair{{"-128", "-128"}, {"127", "127"}}},
	{"SMALLINT", []pair{{"-32768", "-32768"}, {"32767", "32767"}}},
	{"INTEGER", []pair{{"-2147483648", "-2147483648"}, {"2147483647", "2147483647"}}},
	{"BIGINT", []pair{{"-9223372036854775808", "-9223372036854775808"}, {"9223372036854775807", "9223372036854775807"}}},
	{"UTINYINT", []pair{{"0", "0"}, {"255", "255"}}},
	{"USMALLINT", []pair{{"65535", "65535"}}},
	{"UINTEGER", []pair{{"4294967295", "4294967295"}}},
	{"UBIGINT", []pair{{"18446744073709551615", "18446744073709551615"}}},
	{"HUGEINT", []pair{
		{`"-170141183460469231731687303715884105728"`, "'-170141183460469231731687303715884105728'"},
		{`"170141183460469231731687303715884105727"`, "'170141183460469231731687303715884105727'"}, {`"0"`, "0"}}},
	{"UHUGEINT", []pair{{`"340282366920938463463374607431768211455"`, "'340282366920938463463374607431768211455'"}}},
	{"FLOAT", []pair{{"1.5", "1.5"}, {"3.4028234e38", "'3.4028234e38'"}, {"1e-45", "'1e-45'"}}},
	{"DOUBLE", []pair{{"0.1", "0.1"}, {"1.7976931348623157e308", "'1.7976931348623157e308'"}, {"5e-324", "'5e-324'"}}},
	{"DECIMAL(4,1)", []pair{{`"-999.9"`, "-999.9"}, {`"0.1"`, "0.1"}}},
	{"DECIMAL(9,2)", []pair{{`"9999999.99"`, "9999999.99"}}},
	{"DECIMAL(18,18)", []pair{{`"0.123456789012345678"`, "'0.123456789012345678'"}}},
	{"DECIMAL(38,0)", []pair{{`"-99999999999999999999999999999999999999"`, "'-99999999999999999999999999999999999999'"}}},
	{"DECIMAL(38,10)", []pair{{`"9999999999999999999999999999.9999999999"`, "'9999999999999999999999999999.9999999999'"}}},
	{"VARCHAR", []pair{{`""`, "''"}, {`"a'b\u0000ü🦆"`, "'a''b' || chr(0) || 'ü🦆'"}}},
	{"BLOB", []pair{{`""`, "''::BLOB"}, {`"AP9h"`, `'\x00\xFFa'::BLOB`}}},
	{"UUID", []pair{
		{`"00000000-0000-0000-0000-000000000000"`, "'00000000-0000-0000-0000-000000000000'"},
		{`"ffffffff-ffff-ffff-ffff-ffffffffffff"`, "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
		{`"7f0e1d2c-3b4a-5968-8776-655443322110"`, "'7f0e1d2c-3b4a-5968-8776-655443322110'"}}},
	{"DATE", []pair{{`"1969-12-31"`, "'1969-12-31'"}, {`"9999-12-31"`, "'9999-12-31'"}}},
	{"TIME", []pair{{`"00:00:00"`, "'00:00:00'"}, {`"23:59:59.999999"`, "'23:59:59.999999'"}}},
	{"TIMETZ", []pair{{`"12:00:00+02"`, "'12:00:00+02'"}, {`"23:59:59.999999-15:59:59"`, "'23:59:59.999999-15:59:59'"}}},
	{"TIMESTAMP", []pair{{`"1969-12-31 23:59:59.999999"`, "'1969-12-31 23:59:59.999999'"}, {`"9999-12-31 23:59:59.999999"`, "'9999-12-31 23:59:59.999999'"}}},
	{"TIMESTAMP_S", []pair{{`"1969-12-31 23:59:59"`, "'1969-12-31 23:59:59'"}, {`"9999-12-31 23:59:59"`, "'9999-12-31 23:59:59'"}}},
	{"TIMESTAMP_MS", []pair{{`"1969-12-31 23:59:59.999"`, "'1969-12-31 23:59:59.999'"}, {`"9999-12-31 23:59:59.001"`, "'9999-12-31 23:59:59.001'"}}},
	{"TIMESTAMP_NS", []pair{{`"1969-12-31 23:59:59.999999999"`, "'1969-12-31 23:59:59.999999999'"}, {`"2262-04-11 23:47:16.854775806"`, "'2262-04-11 23:47:16.854775806'"}}},
	{"TIMESTAMPTZ", []pair{{`"2024-03-09 10:00:00.000001Z"`, "'2024-03-09 10:00:00.000001+00'"}}},
	{"INTERVAL", []pair{
		{`"00:00:00"`, "'0 days'"}, {`"1 year 2 months 3 days 04:05:06.000007"`, "'14 months 3 days 04:05:06.000007'"},
		{`"-1 year -2 months 3 days -100:00:00"`, "'-14 months 3 days -100:00:00'"},
		{`"2147483647 days"`, "to_days(2147483647)"},
		{`"999999999:59:59.999999"`, "to_microseconds(3599999999999999999 // 1000000 * 1000000 + 999999)"}, {`"1 month"`, "'1 month'"}}},
	{"BIT", []pair{{`"0"`, "'0'"}, {`"0101011010101"`, "'0101011010101'"}}},
	{"JSON", []pair{{`"{\"a\": [1, null, \"x\"]}"`, `'{"a": [1, null, "x"]}'`}, {`"1e999"`, "'1e999'"}, {`"null"`, "'null'"}}},
	{"ENUM('b', 'a', 'it''s', '')", []pair{{`"b"`, "'b'"}, {`"it's"`, "'it''s'"}, {`""`, "''"}}},
	{"INTEGER[]", []pair{{"[1, null, 3]", "[1, NULL, 3]"}, {"[]", "[]"}}},
	{"INTEGER[3]", []pair{{"[1, null, 3]", "[1, NULL, 3]"}}},
	{"HUGEINT[2][]", []pair{{`[["1", "2"], null, ["3", null]]`, "[[1, 2], NULL, [3, NULL]]"}, {"[]", "[]"}}},
	{"ENUM('x', 'y')[]", []pair{{`["y", null]`, "['y', NULL]"}}},
	{"UUID[]", []pair{{`["7f0e1d2c-3b4a-5968-8776-655443322110", null]`, "['7f0e1d2c-3b4a-5968-8776-655443322110', NULL]"}}},
	{`STRUCT(a INTEGER, "b c" VARCHAR[])`, []pair{{`{"a": 1, "b c": ["x", null]}`, `{'a': 1, 'b c': ['x', NULL]}`}, {`{"a": null, "b c": null}`, `{'a': NULL, 'b c': NULL}`}}},
	{"STRUCT(h HUGEINT, i INTERVAL, u UUID, t TIMESTAMP_S, d DECIMAL(5,2), s STRUCT(b BIT))", []pair{{
		`{"h": "5", "i": "3 days", "u": "7f0e1d2c-3b4a-5968-8776-655443322110", "t": "2024-01-02 03:04:05", "d": "1.25", "s": {"b": "101"}}`,
		`{'h': 5::HUGEINT, 'i': INTERVAL 3 DAY, 'u': '7f0e1d2c-3b4a-5968-8776-655443322110'::UUID, 't': '2024-01-02 03:04:05'::TIMESTAMP_S, 'd': 1.25, 's': {'b': '101'::BIT}}`}}},
	{"MAP(VARCHAR, INTEGER)", []pair{{`[{"key": "a", "value": 1}, {"key": "b", "value": null}]`, "MAP {'a': 1, 'b': NULL}"}, {"[]", "MAP {}"}}},
	{"MAP(HUGEINT, STRUCT(j JSON)[])", []pair{{`[{"key": "7", "value": [{"j": "[1]"}]}]`, `MAP {7::HUGEINT: [{'j': '[1]'::JSON}]}`}}},
}

func TestEveryTypeComesBackFromParquetAsDeclared(t *testing.T) {
	db := open(t)
	for _, c := range cases {
		t.Run(c.declared, func(t *testing.T) {
			declared, err := schema.Parse(c.declared)
			if err != nil {
				t.Fatal(err)
			}
			values := append([]pair{{"null", "NULL"}}, c.values...)
			values = append(values, pair{"null", "NULL"})
			path := writeParquet(t, declared, values)

			var name, got string
			row := db.QueryRow(fmt.Sprintf("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(%s))", schema.QuoteString(path)))
			if err := row.Scan(&name, &got); err != nil {
				t.Fatal(err)
			}
			stored, err := schema.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			if !stored.Equal(declared.StorageType()) {
				t.Fatalf("read_parquet gives %s, the type table says %s", got, declared.StorageSQL())
			}
			for i, v := range values {
				var same, back bool
				var text sql.NullString
				query := fmt.Sprintf(`SELECT CAST(c AS %[1]s) IS NOT DISTINCT FROM CAST(%[2]s AS %[1]s), CAST(CAST(%[2]s AS %[1]s) AS %[3]s) IS NOT DISTINCT FROM c,
					CAST(c AS VARCHAR) FROM read_parquet(%[4]s) WHERE file_row_number = %[5]d`,
					declared, v.sql, declared.StorageSQL(), schema.QuoteString(path), i)
				if err := db.QueryRow(query).Scan(&same, &back, &text); err != nil {
					t.Fatalf("%s: %v", v.sql, err)
				}
				if !same {
					t.Errorf("%s reads back as %s", v.sql, text.String)
				}
				if !back {
					t.Errorf("%s: CAST to the storage type does not give the stored %s", v.sql, text.String)
				}
			}
		})
	}
}

// TestInfinitiesComeBack checks infinite dates and timestamps. They have no text in Arrow's JSON,
// and are the extreme numbers.
func TestInfinitiesComeBack(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		declared     string
		minus, infin any
	}{
		{"DATE", int32(-1<<31 + 1), int32(1<<31 - 1)},
		{"TIMESTAMP", int64(-1<<63 + 1), int64(1<<63 - 1)},
		{"TIMESTAMP_S", int64(-1<<63 + 1), int64(1<<63 - 1)},
		{"TIMESTAMP_MS", int64(-1<<63 + 1), int64(1<<63 - 1)},
		{"TIMESTAMP_NS", int64(-1<<63 + 1), int64(1<<63 - 1)},
		{"TIMESTAMPTZ", int64(-1<<63 + 1), int64(1<<63 - 1)},
	} {
		declared, err := schema.Parse(c.declared)
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewBuilder(memory.DefaultAllocator, declared.Arrow())
		switch b := b.(type) {
		case *array.Date32Builder:
			b.AppendValues([]arrow.Date32{arrow.Date32(c.minus.(int32)), arrow.Date32(c.infin.(int32))}, nil)
		case *array.TimestampBuilder:
			b.AppendValues([]arrow.Timestamp{arrow.Timestamp(c.minus.(int64)), arrow.Timestamp(c.infin.(int64))}, nil)
		}
		path := writeArray(t, declared, b.NewArray())
		var got string
		query := fmt.Sprintf("SELECT string_agg(CAST(CAST(c AS %s) AS VARCHAR), ' ') FROM read_parquet(%s)", declared, schema.QuoteString(path))
		if err := db.QueryRow(query).Scan(&got); err != nil {
			t.Fatalf("%s: %v", declared, err)
		}
		if got != "-infinity infinity" {
			t.Errorf("%s: got %s", declared, got)
		}
	}
}

func TestEverySpellingOfDuckDBParses(t *testing.T) {
	db := open(t)
	for _, c := range cases {
		declared, err := schema.Parse(c.declared)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("CREATE OR REPLACE TABLE spelled (c " + declared.String() + ")"); err != nil {
			t.Fatalf("DuckDB refuses %s: %v", declared, err)
		}
		var printed string
		if err := db.QueryRow("SELECT data_type FROM duckdb_columns() WHERE table_name = 'spelled'").Scan(&printed); err != nil {
			t.Fatal(err)
		}
		parsed, err := schema.Parse(printed)
		if err != nil {
			t.Errorf("%s: %v", printed, err)
		} else if !parsed.Equal(declared) {
			t.Errorf("DuckDB prints %s for %s, which parses as %s", printed, declared, parsed)
		}
	}
}

// TestEveryAliasOfDuckDBMeansTheSame checks that every type name of DuckDB is either parsed to the
// same type or refused.
func TestEveryAliasOfDuckDBMeansTheSame(t *testing.T) {
	db := open(t)
	rows, err := db.Query("SELECT DISTINCT type_name FROM duckdb_types() WHERE database_name = 'system' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		parsed, err := schema.Parse(name)
		var canonical string
		if duckErr := db.QueryRow("SELECT typeof(CAST(NULL AS " + name + "))").Scan(&canonical); duckErr != nil {
			continue // needs parameters, or is a name without a type
		}
		if err != nil {
			t.Logf("%s (%s): %v", name, canonical, err)
			continue
		}
		if want, err := schema.Parse(canonical); err != nil || !want.Equal(parsed) {
			t.Errorf("%s: DuckDB says %s, Parse says %s (%v)", name, canonical, parsed, err)
		}
	}
}

// TestStoredValuesOfAnOlderTypeCastToTheWidenedOne checks parts that were written before a column
// was widened. They are read by casting their type to the new one.
func TestStoredValuesOfAnOlderTypeCastToTheWidenedOne(t *testing.T) {
	db := open(t)
	for _, c := range []struct{ from, to, stored, want string }{
		{"INTEGER", "BIGINT", "5", "5"},
		{"UBIGINT", "HUGEINT", "18446744073709551615", "18446744073709551615"},
		{"INTEGER", "DOUBLE", "-2147483648", "-2147483648"},
		{"DECIMAL(4,1)", "DECIMAL(12,3)", `"1.5"`, "1.500"},
		{"ENUM('a')", "ENUM('a', 'b')", `"a"`, "'a'"},
		{"ENUM('a')", "VARCHAR", `"a"`, "'a'"},
		{"TIMESTAMP_S", "TIMESTAMP", `"2024-01-01 00:00:00"`, "'2024-01-01 00:00:00'"},
		{"INTEGER[2]", "BIGINT[]", "[1, 2]", "[1, 2]"},
		{"STRUCT(a INTEGER)", "STRUCT(a BIGINT, b VARCHAR)", `{"a": 1}`, "{'a': 1, 'b': NULL}"},
		{"STRUCT(a INTEGER)[]", "STRUCT(a BIGINT, b HUGEINT)[]", `[{"a": 1}]`, "[{'a': 1, 'b': NULL}]"},
		{"MAP(VARCHAR, INTEGER)", "MAP(VARCHAR, BIGINT)", `[{"key": "k", "value": 1}]`, "MAP {'k': 1}"},
	} {
		from, to := mustParse(t, c.from), mustParse(t, c.to)
		if widened, ok := schema.Widen(from, to); !ok || !widened.Equal(to) {
			t.Errorf("%s does not widen to %s but to %s, %v", from, to, widened, ok)
			continue
		}
		path := writeParquet(t, from, []pair{{c.stored, ""}})
		var same bool
		query := fmt.Sprintf("SELECT CAST(c AS %[1]s) IS NOT DISTINCT FROM CAST(%[2]s AS %[1]s) FROM read_parquet(%[3]s)", to, c.want, schema.QuoteString(path))
		if err := db.QueryRow(query).Scan(&same); err != nil || !same {
			t.Errorf("%s -> %s: %v %v", from, to, same, err)
		}
	}
}

func mustParse(t *testing.T, text string) schema.Type {
	t.Helper()
	parsed, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET threads = 1"); err != nil {
		t.Fatal(err)
	}
	return db
}

func writeParquet(t *testing.T, declared schema.Type, values []pair) string {
	t.Helper()
	stored := make([]string, len(values))
	for i, v := range values {
		stored[i] = v.stored
	}
	arr, _, err := array.FromJSON(memory.DefaultAllocator, declared.Arrow(), strings.NewReader("["+strings.Join(stored, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	return writeArray(t, declared, arr)
}

func writeArray(t *testing.T, declared schema.Type, arr arrow.Array) string {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: declared.Arrow(), Nullable: true}}, nil)
	rec := array.NewRecordBatch(s, []arrow.Array{arr}, int64(arr.Len()))
	var buf bytes.Buffer
	w, err := pqarrow.NewFileWriter(s, &buf, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.parquet")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
