package emit

import (
	"reflect"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestPlaceholdersFollowTheDriver(t *testing.T) {
	param := func(i int, cast bool) ir.Segment { return ir.Segment{Kind: ir.ParamRef, Param: i, Cast: cast} }
	text := func(s string) ir.Segment { return ir.Segment{Kind: ir.Code, Text: s} }
	quoted := func(s string) ir.Segment { return ir.Segment{Kind: ir.Quoted, Text: s} }
	typ := ir.Type{Kind: ir.UUID, Native: "uuid"}
	q := &ir.Query{
		Segments: []ir.Segment{text("SELECT 5 % 2, doc ? "), quoted("'a?b%'"), text(" LIMIT"), param(0, false), text(" OR "), param(0, true), text(" = "), param(1, false)},
		Params:   []ir.Param{{Name: ir.NewName("a"), Type: typ}, {Name: ir.NewName("b"), Type: ir.Type{Kind: ir.List, Native: "uuid[]", Elem: &typ}}},
	}
	for _, c := range []struct {
		style Style
		want  string
		binds []int
	}{
		{Question, "SELECT 5 % 2, doc ? 'a?b%' LIMIT ? OR ? = ?", []int{0, 0, 1}},
		{QuestionJDBC, "SELECT 5 % 2, doc ?? 'a?b%' LIMIT ? OR CAST(? AS uuid) = ?", []int{0, 0, 1}},
		{Dollar, "SELECT 5 % 2, doc ? 'a?b%' LIMIT $1 OR CAST($1 AS uuid) = $2", []int{0, 1}},
		{Percent, "SELECT 5 %% 2, doc ? 'a?b%%' LIMIT %(p1)s OR CAST(%(p1)s AS uuid) = %(p2)s", []int{0, 1}},
		{DollarText, "SELECT 5 % 2, doc ? 'a?b%' LIMIT CAST($1 AS uuid) OR CAST($1 AS uuid) = CAST(CAST($2 AS JSON) AS uuid[])", []int{0, 1}},
	} {
		if got := Render(q, c.style); got.Text != c.want || !reflect.DeepEqual(got.Binds, c.binds) {
			t.Errorf("style %d:\ngot  %s %v\nwant %s %v", c.style, got.Text, got.Binds, c.want, c.binds)
		}
	}
	bare := &ir.Query{Segments: []ir.Segment{text("SELECT 5 % 2")}}
	if got := Render(bare, Percent).Text; got != "SELECT 5 % 2" {
		t.Errorf("without parameters psycopg leaves %% alone: %s", got)
	}
}

func TestBulkStatementsFindNullKeysAndKeepTheLastOfEqualKeys(t *testing.T) {
	integer := ir.Type{Kind: ir.Int64, Native: "bigint"}
	table := &ir.Table{
		Name: ir.NewName("t"), SQLName: "s.t", Insert: []int{0, 1, 2}, Key: []int{0, 1}, Set: []int{2},
		Columns: []ir.TableColumn{{SQLName: `"a"`, Type: integer}, {SQLName: `"b"`, Type: integer, Nullable: true}, {SQLName: `"c"`, Type: integer}},
	}
	row := BulkSQL(ir.SQLite, table, ir.OpUpdate)
	if row.Row != `UPDATE s.t SET "c" = ? WHERE "a" = ? AND "b" IS ?` || !reflect.DeepEqual(row.RowOrder, []int{2, 0, 1}) {
		t.Errorf("SQLite: %s %v", row.Row, row.RowOrder)
	}
	if got, want := BulkSQL(ir.DuckDB, table, ir.OpDelete).Apply, `DELETE FROM s.t AS t USING "_scoter_t_delete" AS s WHERE t."a" = s."a" AND t."b" IS NOT DISTINCT FROM s."b"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	nullable := `ARRAY[t."b"] = ARRAY[s."b"] AND (t."b" = s."b" OR t."b" IS NULL AND s."b" IS NULL)`
	b := BulkSQL(ir.Postgres, table, ir.OpUpdate)
	if want := `UPDATE s.t AS t SET "c" = s."c" FROM "_scoter_t_update" AS s WHERE t."a" = s."a" AND ` + nullable; b.Apply != want {
		t.Errorf("got  %s\nwant %s", b.Apply, want)
	}
	if want := `DELETE FROM "_scoter_t_update" AS t USING (SELECT "a", "b", max(ctid) AS "_scoter_last" FROM "_scoter_t_update" GROUP BY "a", "b" HAVING count(*) > 1) AS s` +
		` WHERE t."a" = s."a" AND ` + nullable + ` AND t.ctid < s."_scoter_last"`; b.Deduplicate != want {
		t.Errorf("got  %s\nwant %s", b.Deduplicate, want)
	}
	table.Set = nil
	if got := BulkSQL(ir.SQLite, table, ir.OpUpsert).Row; got != `INSERT INTO s.t ("a", "b", "c") VALUES (?, ?, ?) ON CONFLICT ("a", "b") DO NOTHING` {
		t.Errorf("an upsert that has nothing to set: %s", got)
	}
}

func TestInstantsInsideOfOtherValuesBecomeText(t *testing.T) {
	instant, integer := ir.Type{Kind: ir.TimestampTZ, Native: "TIMESTAMP WITH TIME ZONE"}, ir.Type{Kind: ir.Int32, Native: "INTEGER"}
	column := func(name string, t ir.Type) ir.Column { return ir.Column{Name: ir.NewName(name), Type: t} }
	list := ir.Type{Kind: ir.List, Native: "visit[]", Elem: &ir.Type{Kind: ir.StructKind, Native: "visit", Ref: "visit"}}
	p := &Plan{Module: &ir.Module{Structs: []ir.Struct{
		{Ref: "visit", Fields: []ir.Field{{Name: ir.NewName(`a"b`), Type: instant}, {Name: ir.NewName("n"), Type: integer}}},
	}}}
	q := &Query{Query: &ir.Query{Columns: []ir.Column{
		column("one", instant), column("visits", list), column("pair", ir.Type{Kind: ir.Array, Native: "x", Elem: &instant, Length: 2}),
		column("m", ir.Type{Kind: ir.Map, Native: "x", Key: &integer, Elem: &instant}), column("numbers", ir.Type{Kind: ir.List, Native: "INTEGER[]", Elem: &integer}),
	}}, SQL: SQL{Text: "FROM t"}}
	text := func(v string) string {
		return "CASE WHEN isfinite(" + v + ") THEN CAST(make_timestamp(epoch_us(" + v + ")) AS VARCHAR) || '+00' ELSE CAST(" + v + " AS VARCHAR) END"
	}
	want := `SELECT * REPLACE ([CASE WHEN v1 IS NOT NULL THEN struct_pack("a""b" := ` + text(`struct_extract(v1, 'a"b')`) + `, "n" := struct_extract(v1, 'n')) END for v1 in "visits"] AS "visits", ` +
		`[` + text("v1") + ` for v1 in "pair"] AS "pair", ` +
		`CASE WHEN "m" IS NOT NULL THEN map([v1 for v1 in map_keys("m")], [` + text("v1") + ` for v1 in map_values("m")]) END AS "m") FROM (
FROM t
)`
	if got := p.InnerTimestampsAsText(q); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	q.Columns = q.Columns[:1]
	if got := p.InnerTimestampsAsText(q); got != "FROM t" {
		t.Errorf("got %s", got)
	}
}

func TestIdentifiersAreNeverReservedAndNeverBeginWithADigit(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{Field(Java, ir.NewName("class")), "class_"}, {Field(Java, ir.NewName("toString")), "toString_"}, {Field(Java, ir.NewName("9x")), "_9x"},
		{Field(Python, ir.NewName("from")), "from_"}, {Field(Python, ir.NewName("my col")), "my_col"}, {Field(TypeScript, ir.NewName("my col")), "my col"},
		{Field(Go, ir.NewName("9x")), "X9x"}, {Field(Go, ir.NewName("日本")), "X日本"}, {Param(Go, ir.NewName("func")), "func_"},
		{Param(TypeScript, ir.NewName("user_id")), "user_id"}, {Param(TypeScript, ir.NewName("a b")), "aB"}, {Param(TypeScript, ir.NewName("await")), "await_"},
		{Method(Java, ir.NewName("get_user")), "getUser"}, {Type(Python, ir.NewName("none")), "None_"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestOneStatementTakesAnArrayPerColumnAndKeepsTheLastOfEqualKeys(t *testing.T) {
	text := ir.Type{Kind: ir.Text, Native: "text"}
	table := &ir.Table{
		Name: ir.NewName("t"), SQLName: "s.t", Insert: []int{0, 1, 2}, Key: []int{0}, Set: []int{1, 2},
		Columns: []ir.TableColumn{{SQLName: `"a"`, Type: ir.Type{Kind: ir.Decimal, Native: "numeric(6,2)"}, Nullable: true},
			{SQLName: `"b"`, Type: ir.Type{Kind: ir.Text, Native: "character varying(10)"}}, {SQLName: `"c"`, Type: ir.Type{Kind: ir.List, Native: "text[]", Elem: &text}}},
	}
	last := `FROM (SELECT DISTINCT ON (s."a") * FROM unnest(CAST($1 AS numeric(6,2)[]), CAST($2 AS varchar[]), CAST($3 AS text[])) WITH ORDINALITY AS s ("a", "b", "c", "_scoter_n") ORDER BY s."a", s."_scoter_n" DESC) AS s`
	for op, want := range map[ir.Op]string{
		ir.OpInsert: `INSERT INTO s.t ("a", "b", "c") SELECT s."a", s."b", CAST(s."c" AS text[]) FROM unnest(CAST($1 AS numeric(6,2)[]), CAST($2 AS varchar[]), CAST($3 AS text[])) AS s ("a", "b", "c")`,
		ir.OpUpdate: `UPDATE s.t AS t SET "b" = s."b", "c" = CAST(s."c" AS text[]) ` + last + ` WHERE ARRAY[t."a"] = ARRAY[s."a"] AND (t."a" = s."a" OR t."a" IS NULL AND s."a" IS NULL)`,
		ir.OpDelete: `DELETE FROM s.t AS t USING unnest(CAST($1 AS numeric(6,2)[])) AS s ("a") WHERE ARRAY[t."a"] = ARRAY[s."a"] AND (t."a" = s."a" OR t."a" IS NULL AND s."a" IS NULL)`,
		ir.OpUpsert: `INSERT INTO s.t ("a", "b", "c") SELECT s."a", s."b", CAST(s."c" AS text[]) ` + last + ` ORDER BY s."_scoter_n" ON CONFLICT ("a") DO UPDATE SET "b" = excluded."b", "c" = excluded."c"`,
	} {
		if got := UnnestSQL(table, op, DollarMark); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", op, got, want)
		}
	}
	// A key that is too long for its column must be an error. The temporary table gives that error,
	// but a single statement would not.
	table.Key, table.Set = []int{1}, []int{0}
	if got := UnnestSQL(table, ir.OpUpdate, DollarMark); got != "" {
		t.Errorf("a key of limited length: %s", got)
	}
}

func TestACompositeIsNotTakenApartByUnnest(t *testing.T) {
	table := &ir.Table{Name: ir.NewName("t"), SQLName: "s.t", Insert: []int{0, 1}, Key: []int{0}, Set: []int{1},
		Columns: []ir.TableColumn{{SQLName: `"a"`, Type: ir.Type{Kind: ir.Int32, Native: "integer"}}, {SQLName: `"p"`, Type: ir.Type{Kind: ir.StructKind, Native: "pt", Ref: "pt"}}}}
	for op, want := range map[ir.Op]bool{ir.OpInsert: false, ir.OpUpdate: false, ir.OpUpsert: false, ir.OpDelete: true} {
		if got := UnnestSQL(table, op, DollarMark); (got != "") != want {
			t.Errorf("%s: %q", op, got)
		}
	}
}

func TestTextStandsForAKindInsideOfOtherValues(t *testing.T) {
	doc, number := ir.Type{Kind: ir.JSON, Native: "JSON"}, ir.Type{Kind: ir.Int32, Native: "INTEGER"}
	list := func(e ir.Type) ir.Type { return ir.Type{Kind: ir.List, Native: e.Native + "[]", Elem: &e} }
	m := &ir.Module{Structs: []ir.Struct{{Ref: "s", Fields: []ir.Field{{Name: ir.NewName(`a "b"`), Type: list(doc)}, {Name: ir.NewName("n"), Type: number}}}}}
	p := &Plan{Module: m}
	column := func(name string, t ir.Type) ir.Column { return ir.Column{Name: ir.NewName(name), Type: t} }
	pairs := ir.Type{Kind: ir.Map, Native: "MAP(INTEGER, JSON)", Key: &number, Elem: &doc}
	q := &Query{Query: &ir.Query{Name: ir.NewName("q"), Columns: []ir.Column{column("n", number), column("d", doc), column("s", list(ir.Type{Kind: ir.StructKind, Native: "S", Ref: "s"})),
		column("m", ir.Type{Kind: ir.Array, Native: "M[3]", Elem: &pairs, Length: 3})}}, SQL: SQL{Text: "SELECT 1"}}
	want := `SELECT * REPLACE (CAST("d" AS VARCHAR) AS "d", CAST("s" AS STRUCT("a ""b""" VARCHAR[], "n" INTEGER)[]) AS "s", CAST("m" AS MAP(INTEGER, VARCHAR)[3]) AS "m") FROM (` + "\nSELECT 1\n)"
	if got := p.TextSQL(q, []ir.Kind{ir.JSON}, ir.JSON); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.Queries = []*Query{q}
	if err := p.CheckText("Go", ir.JSON, func(*Query) bool { return true }); err != nil {
		t.Error(err)
	}
	if err := p.CheckText("Go", ir.JSON, func(*Query) bool { return false }); err == nil {
		t.Error("a statement that cannot be wrapped")
	}
	// Types whose values cannot be written.
	m.Structs = append(m.Structs,
		ir.Struct{Ref: "u", Fields: []ir.Field{{Name: ir.NewName("u"), Type: ir.Type{Kind: ir.Any, Native: "UNION"}}, {Name: ir.NewName("d"), Type: doc}}})
	for _, ref := range []string{"u"} {
		q.Columns = []ir.Column{column("d", doc), column("x", list(ir.Type{Kind: ir.StructKind, Native: "S", Ref: ref}))}
		if err := p.CheckText("Go", ir.JSON, func(*Query) bool { return true }); err == nil {
			t.Errorf("%s is read as it is", ref)
		}
		if err := p.CheckText("Go", ir.Interval, func(*Query) bool { return true }); err != nil {
			t.Error(err)
		}
	}
}

func TestFieldsWithoutNamesGetThem(t *testing.T) {
	integer, text := ir.Type{Kind: ir.Int32, Native: "INTEGER"}, ir.Type{Kind: ir.Text, Native: "VARCHAR"}
	row := ir.Type{Kind: ir.StructKind, Native: "STRUCT(INTEGER, VARCHAR)", Ref: "row"}
	p := &Plan{Module: &ir.Module{Engine: ir.DuckDB, Structs: []ir.Struct{
		{Ref: "row", Fields: []ir.Field{{Name: ir.NewName("f1"), Type: integer, Unnamed: true}, {Name: ir.NewName("f2"), Type: text, Unnamed: true}}},
	}}}
	query := func(s ir.Statement) *Query {
		return &Query{Query: &ir.Query{Statement: s, Columns: []ir.Column{{Name: ir.NewName("n"), Type: integer},
			{Name: ir.NewName("rows"), Type: ir.Type{Kind: ir.List, Native: "STRUCT(INTEGER, VARCHAR)[]", Elem: &row}}}}, SQL: SQL{Text: "FROM t"}}
	}
	q := query(ir.StatementSelect)
	if err := p.nameFields(q); err != nil || q.SQL.Text != `SELECT * REPLACE (CAST("rows" AS STRUCT("f1" INTEGER, "f2" VARCHAR)[]) AS "rows") FROM (`+"\nFROM t\n)" {
		t.Error(q.SQL.Text, err)
	}
	if err := p.nameFields(query(ir.StatementInsert)); err == nil {
		t.Error("a statement that cannot be wrapped")
	}
}

func TestWhatIsInfiniteIsAnErrorForPython(t *testing.T) {
	day := ir.Type{Kind: ir.Date, Native: "DATE"}
	p := &Plan{Module: &ir.Module{Engine: ir.DuckDB}}
	q := &Query{Query: &ir.Query{Columns: []ir.Column{{Name: ir.NewName("d"), Type: day}, {Name: ir.NewName("l"), Type: ir.Type{Kind: ir.List, Native: "DATE[]", Elem: &day}}}}, SQL: SQL{Text: "FROM t"}}
	want := `SELECT * REPLACE (CASE WHEN NOT isfinite("d") THEN error(CAST("d" AS VARCHAR) || ' is not a day or moment of Python') ELSE "d" END AS "d", CAST("l" AS VARCHAR[]) AS "l") FROM (` + "\nFROM t\n)"
	if got := p.PythonSQL(q); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
