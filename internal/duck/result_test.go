package duck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

func connect(t testing.TB) *Conn {
	t.Helper()
	inst, err := Open(Settings{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	c, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestFieldsCarryTheirExactType(t *testing.T) {
	c := connect(t)
	for _, want := range []string{
		"BOOLEAN", "TINYINT", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL(4,1)", "DECIMAL(38,10)",
		"VARCHAR", "JSON", "BLOB", "BIT", "UUID", "DATE", "TIME", "TIME WITH TIME ZONE", "TIMESTAMP", "TIMESTAMP_S",
		"TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "ENUM('a', 'it''s')", "INTEGER[]", "VARCHAR[][]",
		"INTEGER[3]", `STRUCT("a" INTEGER, "b c" ENUM('x')[])`, "MAP(VARCHAR, TIMESTAMP_S)", "MAP(UUID, BOOLEAN)[]", `UNION("i" INTEGER, "s" VARCHAR)`,
	} {
		rows, err := c.Query(context.Background(), "SELECT CAST(NULL AS "+want+") AS v")
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if got, _ := rows.Schema().Field(0).Metadata.GetValue(schema.TypeKey); got != want {
			t.Errorf("type %q, want %q", got, want)
		}
		rec, err := rows.Next(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if !rec.Schema().Equal(rows.Schema()) {
			t.Errorf("%s: a batch has schema %v, the result %v", want, rec.Schema(), rows.Schema())
		}
		rec.Release()
		rows.Close()
	}
}

func TestMembersOfMapsKeepTheirMeaning(t *testing.T) {
	for sql, want := range map[string]string{
		"MAP {'00000000-0000-0000-0000-00000000000a'::UUID: true}": "map<extension<arrow.uuid>, bool, items_nullable>",
		"MAP {1::HUGEINT: '{}'::JSON}":                             "map<extension<arrow.opaque[storage_type=fixed_size_binary[16], type_name=hugeint, vendor_name=DuckDB]>, extension<arrow.json[storage_type=utf8]>, items_nullable>",
		"{a: [MAP {'x': MAP {'y': false}}]}":                       "struct<a: list<l: map<utf8, map<utf8, bool, items_nullable>, items_nullable>, nullable> nullable>",
		"[{key: 1::HUGEINT, value: true}]":                         "list<l: struct<key: extension<arrow.opaque[storage_type=fixed_size_binary[16], type_name=hugeint, vendor_name=DuckDB]> nullable, value: bool nullable>, nullable>",
	} {
		c := connect(t)
		rows, err := c.Query(context.Background(), "SELECT "+sql+" AS v")
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got := rows.Schema().Field(0).Type.String(); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
		rec, err := rows.Next(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if !arrow.TypeEqual(rec.Column(0).DataType(), rows.Schema().Field(0).Type) {
			t.Errorf("%s: an array of %s", sql, rec.Column(0).DataType())
		}
		rec.Release()
		rows.Close()
	}
}

// TestMembersOfUnionsKeepTheirMeaning checks that members of unions have the same types as columns.
func TestMembersOfUnionsKeepTheirMeaning(t *testing.T) {
	c := connect(t)
	types := []string{"BOOLEAN", "UUID", "HUGEINT", "UHUGEINT", "BIGNUM", "BIT", "TIME WITH TIME ZONE", "JSON", "INTEGER", "BOOLEAN[]", "BOOLEAN[2]",
		"STRUCT(a UUID)", "MAP(UUID, BOOLEAN)", "UNION(b BOOLEAN, u UUID)"}
	var columns, members []string
	for i, sqlType := range types {
		columns = append(columns, fmt.Sprintf("NULL::%s AS m%d", sqlType, i))
		members = append(members, fmt.Sprintf("m%d %s", i, sqlType))
	}
	alone, err := c.Query(context.Background(), "SELECT "+strings.Join(columns, ", "))
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	for _, form := range []string{"v", "[v]", "{'a': v}", "MAP {1: v}"} {
		rows, err := connect(t).Query(context.Background(), fmt.Sprintf(`SELECT %s FROM (SELECT
			unnest([union_value(m0 := true)::UNION(%[2]s), union_value(m9 := [false, NULL, true])::UNION(%[2]s), union_value(m0 := false)::UNION(%[2]s)]) AS v)`, form, strings.Join(members, ", ")))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := rows.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !arrow.TypeEqual(rec.Column(0).DataType(), rows.Schema().Field(0).Type) {
			t.Errorf("%s: an array of %s, the result says %s", form, rec.Column(0).DataType(), rows.Schema().Field(0).Type)
		}
		var u *array.SparseUnion
		switch v := rec.Column(0).(type) {
		case *array.SparseUnion:
			u = v
		case *array.Struct:
			u = v.Field(0).(*array.SparseUnion)
		case *array.Map:
			u = v.Items().(*array.SparseUnion)
		case *array.List:
			u = v.ListValues().(*array.SparseUnion)
		}
		for i, f := range u.UnionType().Fields() {
			if want := alone.Schema().Field(i).Type; !arrow.TypeEqual(f.Type, want) {
				t.Errorf("%s: %s is %s, want %s", form, types[i], f.Type, want)
			}
		}
		if b := u.Field(0).(*array.Boolean); !b.Value(0) || b.Value(2) || u.ChildID(1) != 9 {
			t.Errorf("%s: %v", form, u)
		}
		if l := u.Field(9).(*array.List); l.ValueStr(1) != "[false,null,true]" {
			t.Errorf("%s: %s", form, l.ValueStr(1))
		}
		rec.Release()
		rows.Close()
	}
}

// first returns the first value of the result of a cached statement, as text.
func first(t *testing.T, c *Conn, sql string) string {
	t.Helper()
	stmt, err := c.PrepareCached(sql)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := stmt.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	rec, err := rows.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return strings.Clone(rec.Column(0).ValueStr(0))
}

func TestCachedStatementsSeeTimePass(t *testing.T) {
	c := connect(t)
	before := first(t, c, "SELECT now()")
	deadline := time.Now().Add(10 * time.Second)
	for first(t, c, "SELECT now()") == before {
		if time.Now().After(deadline) {
			t.Fatal("now() stands still")
		}
	}
}

func TestConnectionServesOnAfterWhateverEndedAQuery(t *testing.T) {
	c := connect(t)
	const endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b"
	alive := func(after string) {
		t.Helper()
		if got := first(t, c, "SELECT 42"); got != "42" {
			t.Errorf("after %s: %s", after, got)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Query(ctx, endless); base.KindOf(err) != base.Timeout {
		t.Errorf("timeout: %v", err)
	}
	alive("a timeout")

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.Query(ctx, endless); base.KindOf(err) != base.Canceled {
		t.Errorf("cancellation: %v", err)
	}
	alive("a cancellation")

	if _, err := c.Query(context.Background(), "SELECT error('boom')"); err == nil || base.KindOf(err) != base.Invalid {
		t.Errorf("failing query: %v", err)
	}
	alive("a failure")

	rows, err := c.Query(context.Background(), "SELECT range FROM range(100000000)")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := rows.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rec.Release()
	rows.Close()
	alive("an abandoned result")

	ctx, cancel = context.WithCancel(context.Background())
	rows, err = c.Query(ctx, "SELECT range FROM range(100000000)")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for err == nil {
		if rec, err = rows.Next(ctx); err == nil {
			rec.Release()
		}
	}
	if errors.Is(err, io.EOF) || base.KindOf(err) != base.Canceled {
		t.Errorf("cancellation half way: %v", err)
	}
	rows.Close()
	alive("a cancellation half way")
}

func TestErrorsHaveKindPositionAndHint(t *testing.T) {
	c := connect(t)
	f := func(sql string, kind base.Kind, position int, hint string) {
		t.Helper()
		rows, err := c.Query(context.Background(), sql)
		if err == nil {
			_, err = rows.Next(context.Background())
			rows.Close()
		}
		e := new(base.Error)
		if !errors.As(err, &e) || e.Kind != kind || e.Position != position || e.Hint != hint || e.Message[0] == '{' {
			t.Errorf("%s: %+v", sql, err)
		}
	}
	f("SELECT a FRM t", base.Invalid, 14, "")
	f("SELECT b FROM (SELECT 1 AS bb)", base.Invalid, 8, "did you mean bb?")
	f("SELECT b FROM (SELECT 1 AS scoter_b, 2 AS bb, 3 AS scoter_bb)", base.Invalid, 8, "did you mean bb?")
	f("SELECT 'x'::INTEGER", base.Invalid, 11, "")
	f("SELECT error('boom')", base.Invalid, 0, "")
}

func TestParseSelectOfCastsToTypesThatHoldAnEnum(t *testing.T) {
	c := connect(t)
	node, err := c.ParseSelect("SELECT CAST(['a'] AS ENUM('a', 'b)')[]), x::STRUCT(e ENUM('q'))[] FROM t")
	if err != nil {
		t.Fatal(err)
	}
	table, _ := node["from_table"].(Node)
	if table["table_name"] != "t" || table["query_location"] != json.Number("71") {
		t.Errorf("%v", table)
	}
	if _, err := c.ParseSelect("INSERT INTO t VALUES (1)"); !errors.Is(err, ErrNotSelect) {
		t.Errorf("%v", err)
	}
}

func TestCheckSyntax(t *testing.T) {
	c := connect(t)
	for _, sql := range []string{
		"UPDATE t SET a = 1 FROM u WHERE t.k = u.k RETURNING *", "DELETE FROM t USING u", "MERGE INTO t USING u USING (k) WHEN MATCHED THEN DELETE",
		"INSERT INTO t VALUES (['a']::ENUM('a')[])", "CREATE TABLE t AS PIVOT u ON k USING sum(v)", "SELECT 1; -- and no more",
	} {
		if err := c.CheckSyntax(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for sql, position := range map[string]int{"UPDATE t SET a = = 1": 18, "DELETE FRM t": 8, "": 0} {
		e := new(base.Error)
		if err := c.CheckSyntax(sql); !errors.As(err, &e) || e.Kind != base.Invalid || e.Position != position || e.Message == "" {
			t.Errorf("%s: %+v", sql, err)
		}
	}
}

// TestWhatFailsLateIsAnError checks that an error after the first rows is returned as an error, and
// never looks like the end of the result. DuckDB sometimes loses the reason of the error.
func TestWhatFailsLateIsAnError(t *testing.T) {
	c := connect(t)
	for range 200 {
		rows, err := c.Query(context.Background(), "SELECT CASE WHEN range > 300000 THEN error('no further') ELSE range END AS v FROM range(600000)")
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			var rec arrow.RecordBatch
			if rec, err = rows.Next(context.Background()); err == nil {
				rec.Release()
			}
		}
		rows.Close()
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "no further") && !strings.Contains(err.Error(), "did not keep the reason") {
			t.Fatal(err)
		}
	}
}

func TestGatheredBatchesHaveTheSameRowsAsSmallOnes(t *testing.T) {
	c := connect(t)
	read := func(sql string, gather bool) (text []string, batches int, err error) {
		rows, err := c.Query(context.Background(), sql)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		if gather {
			rows.FullBatches()
		}
		for {
			rec, err := rows.Next(context.Background())
			if err == io.EOF {
				return text, batches, nil
			}
			if err != nil {
				return text, batches, err
			}
			for i := range int(rec.NumRows()) {
				line := ""
				for _, column := range rec.Columns() {
					if e, ok := column.(array.ExtensionArray); ok {
						column = e.Storage()
					}
					line += column.ValueStr(i) + "|"
				}
				text = append(text, line)
			}
			batches++
			rec.Release()
		}
	}
	const values = `i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'a text that is not short ' || i END, i::DECIMAL(38,3), [i, NULL, i + 1], {'a': i, 'b': [i::VARCHAR]},
		MAP {i: 'x'}, (i % 2)::VARCHAR::ENUM('0', '1'), i::HUGEINT, 'same', DATE '2020-01-01' + i::INTEGER`
	for _, from := range []string{
		"(SELECT range AS i FROM range(200000)) WHERE i % 700 = 3", "(SELECT range AS i FROM range(200000)) WHERE i % 700 = 3 OR i > 190000",
		"(SELECT range AS i FROM range(200000)) WHERE i % 2 = 1", "(SELECT range AS i FROM range(200000)) WHERE i = 77777", "(SELECT range AS i FROM range(10)) WHERE i > 10",
	} {
		small, many, err := read("SELECT "+values+" FROM "+from, false)
		if err != nil {
			t.Fatal(err)
		}
		gathered, few, err := read("SELECT "+values+" FROM "+from, true)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(small, gathered) {
			t.Errorf("%s: %d rows are not the %d of small batches", from, len(gathered), len(small))
		}
		if many > 50 && len(small) < 10*2048 && few > many/5 {
			t.Errorf("%s: %d batches of %d", from, few, many)
		}
	}
	if _, _, err := read("SELECT CASE WHEN i = 199003 THEN error('boom') ELSE i END FROM (SELECT range AS i FROM range(2000000)) WHERE i % 1000 = 3", true); base.KindOf(err) != base.Invalid {
		t.Errorf("a result that fails at its end: %v", err)
	}
}

func BenchmarkCheckSyntax(b *testing.B) {
	c := connect(b)
	const sql = "UPDATE lineitem SET l_discount = 0.02, l_extendedprice = l_extendedprice + 100, l_returnflag = 'A' WHERE l_orderkey = 17 AND l_linenumber = 1"
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if err := c.CheckSyntax(sql); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.ParseSelect(sql); !errors.Is(err, ErrNotSelect) {
				b.Fatal(err)
			}
		}
	})
}

// TestLargeValuesAreNotGathered reads large texts, some of them within lists, a few rows at a time.
// No batch may have many of them.
func TestLargeValuesAreNotGathered(t *testing.T) {
	const size, atOnce, groups = 5_000, 100, 100 // DuckDB itself joins fewer than 64 rows
	c := connect(t)
	for _, value := range []string{"repeat('x', %d)", "[NULL, repeat('x', %d)]", "{'a': 1, 'b': {'c': [repeat('x', %d)]}}", "MAP {i: repeat('x', %d)}", "array_value('a', repeat('x', %d))", "CASE WHEN i %% 2 = 0 THEN repeat('x', %d) END"} {
		rows, err := c.Query(t.Context(), fmt.Sprintf("SELECT i, "+value+" FROM range(%d) r(i) WHERE i %% 2048 < %d", size, groups*2048, atOnce))
		if err != nil {
			t.Fatal(err)
		}
		rows.FullBatches()
		n := int64(0)
		for {
			rec, err := rows.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(value, err)
			}
			if n += rec.NumRows(); rec.NumRows() > atOnce+2*(1<<20)/size {
				t.Fatalf("%s: a batch of %d rows", value, rec.NumRows())
			}
			rec.Release()
		}
		if n != atOnce*groups {
			t.Errorf("%s: %d rows", value, n)
		}
		rows.Close()
	}
}

func TestIntervalsThatArrowCannotHoldAreErrors(t *testing.T) {
	c := connect(t)
	read := func(sql string, gather bool) error {
		rows, err := c.Query(context.Background(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer rows.Close()
		if gather {
			rows.FullBatches()
		}
		for {
			rec, err := rows.Next(context.Background())
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			rec.Release()
		}
	}
	for _, gather := range []bool{false, true} {
		for _, sql := range []string{
			"INTERVAL '3000000 hours'", "INTERVAL '-3000000 hours'", "to_microseconds(9223372036854776)", "[NULL, INTERVAL 1 HOUR, to_hours(3000000)]",
			"{a: 1, b: {c: to_hours(3000000)}}", "MAP {'x': to_hours(3000000)}", "array_value(INTERVAL 1 HOUR, to_hours(3000000))",
			"union_value(i := to_hours(3000000))", "[{a: [to_hours(3000000)]}]", "list_transform(range(5), lambda x: to_hours(x * 1000000))",
			"CASE WHEN n = 2999 THEN [{a: to_hours(3000000)}] END", "list_slice([to_hours(n), to_hours(n * 1001)], 1, 2)",
		} {
			err := read("SELECT n, "+sql+" AS much FROM range(3000) t(n)", gather)
			if base.KindOf(err) != base.Invalid || err == nil || !strings.Contains(err.Error(), `column "much"`) {
				t.Errorf("%s: %v", sql, err)
			}
		}
		for _, sql := range []string{
			"to_microseconds(9223372036854775)", "to_microseconds(-9223372036854775)", "INTERVAL '178000000 years 2000000000 days'", "NULL::INTERVAL",
			"list_filter([to_hours(3000000), to_hours(n)], lambda x: x < to_hours(3000000))", "[NULL::INTERVAL]", "MAP {1: NULL::INTERVAL[]}",
		} {
			if err := read("SELECT n, "+sql+" AS much FROM range(3000) t(n)", gather); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}
