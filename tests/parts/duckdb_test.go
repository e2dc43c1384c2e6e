// Package parts checks that DuckDB can read the files that internal/part writes.
package parts

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

func openDuckDB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "?threads=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func tableOf(columns ...schema.Column) schema.Table {
	for i := range columns {
		columns[i].ID = base.ColumnID(i + 1)
	}
	return schema.Table{ID: 1, Database: "d", Schema: "main", Name: "t", Version: 1, NextColumnID: base.ColumnID(len(columns) + 1), Columns: columns}
}

// values has, for each declared type, values as Arrow's JSON and as SQL.
var values = []struct{ typ, json, sql string }{
	{"BOOLEAN", `[true, false, null]`, `true, false, NULL`},
	{"TINYINT", `[-128, 127, null]`, `-128, 127, NULL`},
	{"SMALLINT", `[-32768, 32767, null]`, `-32768, 32767, NULL`},
	{"INTEGER", `[-2147483648, 2147483647, null]`, `-2147483648, 2147483647, NULL`},
	{"BIGINT", `["-9223372036854775808", "9223372036854775807", null]`, `-9223372036854775808, 9223372036854775807, NULL`},
	{"UTINYINT", `[0, 255, null]`, `0, 255, NULL`},
	{"USMALLINT", `[0, 65535, null]`, `0, 65535, NULL`},
	{"UINTEGER", `[0, 4294967295, null]`, `0, 4294967295, NULL`},
	{"UBIGINT", `["0", "18446744073709551615", null]`, `0, 18446744073709551615, NULL`},
	{"HUGEINT", `["-170141183460469231731687303715884105728", "5", null]`, `'-170141183460469231731687303715884105728', '5', NULL`},
	{"FLOAT", `[1.5, -0.25, null]`, `1.5, -0.25, NULL`},
	{"DOUBLE", `[1.5e300, -0.1, null]`, `1.5e300, -0.1, NULL`},
	{"DECIMAL(4,1)", `["999.9", "-0.1", null]`, `999.9, -0.1, NULL`},
	{"DECIMAL(9,2)", `["-9999999.99", "0.01", null]`, `-9999999.99, 0.01, NULL`},
	{"DECIMAL(18,3)", `["-999999999999999.999", "0.001", null]`, `-999999999999999.999, 0.001, NULL`},
	{"DECIMAL(38,10)", `["-9999999999999999999999999999.9999999999", "0.0000000001", null]`, `-9999999999999999999999999999.9999999999, 0.0000000001, NULL`},
	{"VARCHAR", `["", "größer 日本", null]`, `'', 'größer 日本', NULL`},
	{"BLOB", `["AP+A", "", null]`, `'\x00\xFF\x80'::BLOB, ''::BLOB, NULL`},
	{"UUID", `["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "00000000-0000-0000-0000-000000000000", null]`, `'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '00000000-0000-0000-0000-000000000000', NULL`},
	{"DATE", `["1969-12-31", "9999-12-31", null]`, `'1969-12-31', '9999-12-31', NULL`},
	{"TIME", `["00:00:00", "23:59:59.999999", null]`, `'00:00:00', '23:59:59.999999', NULL`},
	{"TIMESTAMP_S", `["1969-12-31 23:59:59", "2024-02-29 12:00:00", null]`, `'1969-12-31 23:59:59', '2024-02-29 12:00:00', NULL`},
	{"TIMESTAMP", `["1969-12-31 23:59:59.999999", "2262-05-01 12:00:00.000001", null]`, `'1969-12-31 23:59:59.999999', '2262-05-01 12:00:00.000001', NULL`},
	{"TIMESTAMP_NS", `["1969-12-31 23:59:59.999999999", "2024-02-29 12:00:00.000000001", null]`, `'1969-12-31 23:59:59.999999999', '2024-02-29 12:00:00.000000001', NULL`},
	{"TIMESTAMP WITH TIME ZONE", `["1969-12-31 23:59:59.999999Z", "2024-02-29 12:00:00Z", null]`, `'1969-12-31 23:59:59.999999+00', '2024-02-29 12:00:00+00', NULL`},
	{"INTERVAL", `["1 month", "00:00:01", null]`, `'1 month', '00:00:01', NULL`},
	{"JSON", `["{\"a\": 1}", "[]", null]`, `'{"a": 1}', '[]', NULL`},
	{"ENUM('a', 'b')", `["a", "b", null]`, `'a', 'b', NULL`},
	{"INTEGER[]", `[[1, null, 3], [], null]`, `[1, NULL, 3], [], NULL`},
	{"VARCHAR[][]", `[[["a", null], [], null], [], null]`, `[['a', NULL], [], NULL], [], NULL`},
	{"DOUBLE[3]", `[[1, 2, 3], [0, null, 0], null]`, `[1, 2, 3], [0, NULL, 0], NULL`},
	{"STRUCT(a INTEGER, b VARCHAR)", `[{"a": 1, "b": "x"}, {"a": null, "b": null}, null]`, `{'a': 1, 'b': 'x'}, {'a': NULL, 'b': NULL}, NULL`},
	{"STRUCT(s STRUCT(x DOUBLE[], y BOOLEAN))", `[{"s": {"x": [1.5], "y": true}}, {"s": null}, null]`, `{'s': {'x': [1.5], 'y': true}}, {'s': NULL}, NULL`},
	{"MAP(VARCHAR, INTEGER)", `[[{"key": "a", "value": 1}, {"key": "b", "value": null}], [], null]`, `MAP {'a': 1, 'b': NULL}, MAP {}, NULL`},
	{"STRUCT(u UUID, t TIMESTAMP WITH TIME ZONE)[]", `[[{"u": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "t": "2024-02-29 12:00:00Z"}, null], [], null]`,
		`[{'u': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 't': '2024-02-29 12:00:00+00'}, NULL], [], NULL`},
}

func TestDuckDBReadsEveryType(t *testing.T) {
	var columns []schema.Column
	var arrays []arrow.Array
	for i, v := range values {
		typ, err := schema.Parse(v.typ)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, schema.Column{Name: fmt.Sprintf("c%d", i), Type: typ})
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ.Arrow(), strings.NewReader(v.json))
		if err != nil {
			t.Fatalf("%s: %v", v.typ, err)
		}
		arrays = append(arrays, a)
	}
	table := tableOf(columns...)
	path := filepath.Join(t.TempDir(), "p.parquet")
	batch := array.NewRecordBatch(table.Arrow(), arrays, 3)
	const copies = 40 // so that the profile Best uses dictionaries
	for _, profile := range []part.Profile{part.Fast, part.Best} {
		if _, err := part.WriteBatches(vfs.OS, path, table, slices.Repeat([]arrow.RecordBatch{batch}, copies), part.Options{Profile: profile}); err != nil {
			t.Fatal(err)
		}
		db := openDuckDB(t)
		for i, c := range table.Columns {
			var typ string
			var equal int
			storage := c.Type.StorageSQL()
			query := fmt.Sprintf(`SELECT any_value(typeof(p.c%d)), count(*) FILTER (p.c%d IS NOT DISTINCT FROM v.x) FROM (SELECT *, file_row_number AS r FROM read_parquet('%s')) p
				JOIN (SELECT CAST(x AS %s) AS x, row_number() OVER () - 1 AS r FROM (SELECT unnest([%s]) AS x)) v ON v.r = p.r %% 3`, i, i, path, storage, values[i].sql)
			if err := db.QueryRow(query).Scan(&typ, &equal); err != nil {
				t.Errorf("%s: %v", c.Type, err)
			} else if typ != strings.ReplaceAll(storage, `"`, ``) || equal != 3*copies {
				t.Errorf("%s: DuckDB reads it as %s, %d of %d values right; expected %s", c.Type, typ, equal, 3*copies, storage)
			}
		}
	}
}

// manyRows returns a table with a sorted timestamp, a dictionary string and a number, with rows for
// several row groups.
func manyRows(rows int) (schema.Table, []arrow.RecordBatch) {
	table := tableOf(
		schema.Column{Name: "ts", Type: schema.Of(schema.Timestamp), NotNull: true},
		schema.Column{Name: "host", Type: schema.Of(schema.Varchar)},
		schema.Column{Name: "v", Type: schema.Of(schema.Double)},
	)
	table.SortKey = []schema.SortField{{Column: 2}, {Column: 1}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	codes, names := array.NewUint32Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 100 {
		names.Append(fmt.Sprintf("host-%02d", i))
	}
	for i := range rows {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + int64(i)*1000))
		codes.Append(uint32(i * 100 / rows))
		b.Field(1).AppendNull()
		b.Field(2).(*array.Float64Builder).Append(float64(i))
	}
	plain := b.NewRecordBatch()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	host := array.NewDictionaryArray(typ, codes.NewArray(), names.NewArray())
	fields := plain.Schema().Fields()
	fields[1].Type = typ
	return table, []arrow.RecordBatch{array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{plain.Column(0), host, plain.Column(2)}, int64(rows))}
}

func TestDuckDBFindsStatisticsAndPrunesRowGroups(t *testing.T) {
	const groups = 4
	table, batches := manyRows(groups * part.RowGroupRows)
	path := filepath.Join(t.TempDir(), "p.parquet")
	if _, err := part.WriteBatches(vfs.OS, path, table, batches, part.Options{}); err != nil {
		t.Fatal(err)
	}
	db := openDuckDB(t)
	var withBounds, fieldIDs int
	if err := db.QueryRow(fmt.Sprintf(`SELECT count(*) FROM parquet_metadata('%s')
		WHERE stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL AND stats_null_count = 0`, path)).Scan(&withBounds); err != nil {
		t.Fatal(err)
	}
	if withBounds != 3*groups {
		t.Errorf("%d column chunks have bounds, expected %d", withBounds, 3*groups)
	}
	if err := db.QueryRow(fmt.Sprintf(`SELECT count(*) FROM parquet_schema('%s') WHERE field_id IN (1, 2, 3)`, path)).Scan(&fieldIDs); err != nil || fieldIDs != 3 {
		t.Errorf("%d field ids, %v", fieldIDs, err)
	}
	// Overwrite everything that DuckDB should not read.
	for _, c := range []struct {
		where string
		group int // the only group that has such rows
		rows  int
	}{
		{"host = 'host-99'", 3, 4915},
		{"host < 'host-01'", 0, 4916},
		{"ts < make_timestamp(1700000000005000)", 0, 5},
		{"v >= 491519", 3, 1},
		{"v BETWEEN 122880 AND 122889", 1, 10},
	} {
		damaged := damageOtherGroups(t, db, path, c.group)
		var count int
		if err := db.QueryRow(fmt.Sprintf(`SELECT count(v + 1) FROM read_parquet('%s') WHERE %s`, damaged, c.where)).Scan(&count); err != nil {
			t.Errorf("%s: another row group than %d was read: %v", c.where, c.group, err)
		} else if count != c.rows {
			t.Errorf("%s: %d rows, expected %d", c.where, count, c.rows)
		}
		if err := db.QueryRow(fmt.Sprintf(`SELECT sum(v) FROM read_parquet('%s')`, damaged)).Scan(&count); err == nil {
			t.Error("reading damaged row groups is not noticed: the test proves nothing")
		}
	}
}

// damageOtherGroups copies a part and overwrites the pages of all row groups except one.
func damageOtherGroups(t *testing.T, db *sql.DB, path string, keep int) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(fmt.Sprintf(`SELECT coalesce(dictionary_page_offset, data_page_offset), total_compressed_size
		FROM parquet_metadata('%s') WHERE row_group_id <> %d`, path, keep))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var offset, size int64
		if err := rows.Scan(&offset, &size); err != nil {
			t.Fatal(err)
		}
		copy(data[offset:offset+size], bytes.Repeat([]byte{0xff}, int(size)))
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	damaged := filepath.Join(t.TempDir(), "damaged.parquet")
	if err := os.WriteFile(damaged, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return damaged
}

// TestDuckDBReadsRowGroupsWithoutValues reads columns that have values only in the second and the
// fourth row group. They are encoded as deltas, and as dictionary indices.
func TestDuckDBReadsRowGroupsWithoutValues(t *testing.T) {
	table := tableOf(schema.Column{Name: "n", Type: schema.Of(schema.BigInt)}, schema.Column{Name: "s", Type: schema.Of(schema.Varchar)}, schema.Column{Name: "l", Type: schema.ListOf(schema.Of(schema.Double))})
	b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	for i := range 4 * part.RowGroupRows {
		if i/part.RowGroupRows%2 == 0 {
			for _, f := range b.Fields() {
				f.AppendNull()
			}
			continue
		}
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("text ", i%4))
		list := b.Field(2).(*array.ListBuilder)
		list.Append(true)
		list.ValueBuilder().(*array.Float64Builder).Append(float64(i % 3))
	}
	rec := b.NewRecordBatch()
	for _, profile := range []part.Profile{part.Fast, part.Best} {
		path := filepath.Join(t.TempDir(), "p.parquet")
		if _, err := part.WriteBatches(vfs.OS, path, table, []arrow.RecordBatch{rec}, part.Options{Profile: profile}); err != nil {
			t.Fatal(err)
		}
		db := openDuckDB(t)
		var right, empty, encodings int
		query := fmt.Sprintf(`SELECT count(*) FILTER (n = i AND s = 'text ' || i %% 4 AND l = [i %% 3]), count(*) FILTER (n IS NULL AND s IS NULL AND l IS NULL)
			FROM (SELECT *, file_row_number AS i FROM read_parquet('%s'))`, path)
		if err := db.QueryRow(query).Scan(&right, &empty); err != nil || right != 2*part.RowGroupRows || empty != 2*part.RowGroupRows {
			t.Errorf("%d rows are right, %d empty, %v", right, empty, err)
		}
		query = fmt.Sprintf(`SELECT count(*) FROM parquet_metadata('%s') WHERE row_group_id %% 2 = 1
			AND contains(encodings, CASE path_in_schema WHEN 'n' THEN 'DELTA_BINARY_PACKED' ELSE 'RLE_DICTIONARY' END)`, path)
		if err := db.QueryRow(query).Scan(&encodings); err != nil || encodings != 6 {
			t.Errorf("%d of 6 column chunks are encoded as expected, %v", encodings, err)
		}
	}
}
