package model

import (
	"fmt"
	"math/rand/v2"
)

// kind is a type of columns.
type kind struct {
	sql      string
	literal  func(r *rand.Rand) string // few different values, so that rows match
	changes  []string                  // expressions of a new value from the old one, $
	sortable bool
	wider    string // the type to which it can be changed
	caseless bool   // DuckDB supports neither CASE nor coalesce for it
}

func integers(r *rand.Rand) string { return fmt.Sprint(r.IntN(40) - 10) }

func naturals(r *rand.Rand) string { return fmt.Sprint(r.IntN(40)) }

var words = []string{"''", "'a'", "'b'", "'größe'", "'a longer text than fits into twelve bytes'", "'x,y'", "'0'"}

func text(r *rand.Rand) string { return words[r.IntN(len(words))] }

func day(r *rand.Rand) string {
	return fmt.Sprintf("DATE '20%02d-%02d-%02d'", 18+r.IntN(5), 1+r.IntN(12), 1+r.IntN(28))
}

func moment(r *rand.Rand) string {
	return fmt.Sprintf("TIMESTAMP '20%02d-0%d-11 12:%02d:07'", 18+r.IntN(5), 1+r.IntN(9), r.IntN(60))
}

var kinds = []kind{
	{sql: "BOOLEAN", literal: func(r *rand.Rand) string { return fmt.Sprint(r.IntN(2) == 0) }, changes: []string{"NOT $"}, sortable: true},
	{sql: "TINYINT", literal: integers, changes: []string{"$ + 1", "-$"}, sortable: true, wider: "BIGINT"},
	{sql: "SMALLINT", literal: integers, changes: []string{"$ * 2"}, sortable: true, wider: "BIGINT"},
	{sql: "INTEGER", literal: integers, changes: []string{"$ + id", "$ % 7"}, sortable: true, wider: "BIGINT"},
	{sql: "BIGINT", literal: integers, changes: []string{"$ + 1", "id"}, sortable: true},
	{sql: "UTINYINT", literal: naturals, changes: []string{"$ // 2"}, sortable: true, wider: "BIGINT"},
	{sql: "USMALLINT", literal: naturals, changes: []string{"$ + 1"}, sortable: true, wider: "BIGINT"},
	{sql: "UINTEGER", literal: naturals, changes: []string{"$ * 3"}, sortable: true, wider: "BIGINT"},
	{sql: "UBIGINT", literal: func(r *rand.Rand) string { return fmt.Sprint(r.Uint64()) }, changes: []string{"$ // 2"}, sortable: true},
	{sql: "HUGEINT", literal: func(r *rand.Rand) string { return fmt.Sprint(int64(r.Uint64()), "000000") }, changes: []string{"$ // 3"}},
	{sql: "UHUGEINT", literal: func(r *rand.Rand) string { return fmt.Sprint(r.Uint64(), "0000000000") }, changes: []string{"$ // 3"}},
	{sql: "FLOAT", literal: func(r *rand.Rand) string { return fmt.Sprintf("%d.5", r.IntN(9)) }, changes: []string{"$ / 2"}, sortable: true, wider: "DOUBLE"},
	{sql: "DOUBLE", literal: func(r *rand.Rand) string { return fmt.Sprintf("%d.25", r.IntN(9)) }, changes: []string{"$ * 2", "-$"}, sortable: true},
	{sql: "DECIMAL(9,2)", literal: func(r *rand.Rand) string { return fmt.Sprintf("%d.%02d", r.IntN(50), r.IntN(100)) }, changes: []string{"$ + 1.01"}, sortable: true},
	{sql: "DECIMAL(25,4)", literal: func(r *rand.Rand) string { return fmt.Sprintf("%d.%04d", r.IntN(50), r.IntN(10000)) }, changes: []string{"$ * 2"}, sortable: true},
	{sql: "VARCHAR", literal: text, changes: []string{"$ || '+'", "upper($)", "left($, 20)"}, sortable: true},
	{sql: "BLOB", literal: func(r *rand.Rand) string { return fmt.Sprintf(`'\x%02X\x00z'::BLOB`, r.IntN(256)) }, changes: []string{"$ || 'q'::BLOB"}},
	{sql: "DATE", literal: day, changes: []string{"$ + 1", "$ - INTERVAL 2 MONTH"}, sortable: true},
	{sql: "TIME", literal: func(r *rand.Rand) string { return fmt.Sprintf("TIME '01:%02d:03.5'", r.IntN(60)) }, sortable: true},
	{sql: "TIMETZ", literal: func(r *rand.Rand) string {
		return fmt.Sprintf("'01:%02d:03.5%+03d'::TIMETZ", r.IntN(60), r.IntN(20)-10)
	}},
	{sql: "TIMESTAMP", literal: moment, changes: []string{"$ + INTERVAL 1 YEAR"}, sortable: true},
	{sql: "TIMESTAMP_S", literal: moment, sortable: true},
	{sql: "TIMESTAMP_MS", literal: moment, sortable: true},
	{sql: "TIMESTAMP_NS", literal: moment, sortable: true},
	{sql: "TIMESTAMPTZ", literal: func(r *rand.Rand) string { return moment(r) + " AT TIME ZONE 'UTC'" }, changes: []string{"$ + INTERVAL 1 HOUR"}, sortable: true},
	{sql: "INTERVAL", literal: func(r *rand.Rand) string { return fmt.Sprintf("INTERVAL %d DAYS", r.IntN(50)) }, changes: []string{"$ + INTERVAL 1 MONTH"}},
	{sql: "UUID", literal: func(r *rand.Rand) string { return fmt.Sprintf("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a%02d'", r.IntN(20)) }, sortable: true},
	{sql: "INTEGER[]", literal: func(r *rand.Rand) string { return []string{"[]", "[1]", "[1, NULL, 3]", "[7, 7]"}[r.IntN(4)] }, changes: []string{"list_append($, id)", "list_reverse($)"}},
	{sql: "INTEGER[3]", literal: func(r *rand.Rand) string { return []string{"[1, 2, 3]", "[NULL, 0, -1]"}[r.IntN(2)] }, changes: []string{"[id, $[1], NULL]"}, caseless: true},
	{sql: "JSON", literal: func(r *rand.Rand) string { return []string{"'null'", "'1'", `'{"a": [1, "x"]}'`}[r.IntN(3)] }, changes: []string{"json_array($, id)"}},
	{sql: "STRUCT(x INTEGER, y VARCHAR)", literal: func(r *rand.Rand) string { return fmt.Sprintf("{'x': %s, 'y': %s}", integers(r), text(r)) }, changes: []string{"{'x': id, 'y': $.y}"}},
	{sql: "MAP(VARCHAR, INTEGER)", literal: func(r *rand.Rand) string { return fmt.Sprintf("MAP {'k': %s, 'l': NULL}", integers(r)) }, changes: []string{"MAP {'n': id}"}},
	{sql: "VARCHAR[][]", literal: func(r *rand.Rand) string { return []string{"[]", "[['a'], []]", "[NULL, ['b', NULL]]"}[r.IntN(3)] }},
	{sql: "ENUM('low', 'mid', 'high')", literal: func(r *rand.Rand) string { return []string{"'low'", "'mid'", "'high'"}[r.IntN(3)] }},
	{sql: "BIT", literal: func(r *rand.Rand) string { return []string{"'0'", "'101'", "'1111'"}[r.IntN(3)] }},
}
