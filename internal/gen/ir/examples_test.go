package ir

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew from the examples in this file")

func ty(k Kind, native string) Type { return Type{Kind: k, Native: native} }

func list(elem Type, native string, elemNullable bool) Type {
	return Type{Kind: List, Native: native, Elem: &elem, ElemNullable: elemNullable}
}

func col(name string, t Type, nullable bool, origin ...string) Column {
	c := Column{Name: NewName(name), Type: t, Nullable: nullable}
	if len(origin) == 2 {
		c.Origin = &Origin{Schema: origin[0], Table: origin[1], Column: name}
	}
	return c
}

func code(s string) Segment        { return Segment{Kind: Code, Text: s} }
func quoted(s string) Segment      { return Segment{Kind: Quoted, Text: s} }
func param(i int) Segment          { return Segment{Kind: ParamRef, Param: i} }
func castParam(i int) Segment      { return Segment{Kind: ParamRef, Param: i, Cast: true} }
func value(n string, t Type) Param { return Param{Name: NewName(n), Type: t, Binding: BindValue} }

func without(columns []Column) []Column {
	out := append([]Column{}, columns...)
	for i := range out {
		out[i].Origin = nil
	}
	return out
}

func tableColumn(name, sqlName string, t Type, nullable bool) TableColumn {
	return TableColumn{Name: NewName(name), SQLName: sqlName, Type: t, Nullable: nullable}
}

func sqliteExample() *Module {
	integer, text := ty(Int64, "INTEGER"), ty(Text, "TEXT")
	user := []Column{
		col("id", integer, false, "main", "users"), col("name", text, false, "main", "users"),
		col("email", text, true, "main", "users"), col("active", ty(Bool, "BOOLEAN"), false, "main", "users"),
		col("born", ty(Date, "DATE"), true, "main", "users"), col("class", text, true, "main", "users"),
	}
	byID := value("id", integer)
	name := value("name", text)
	email := value("email", text)
	email.Nullable = true
	ids := Param{Name: NewName("ids"), Type: list(integer, "", false), In: true, Binding: BindJSON}
	optional := value("stmt", integer)
	optional.Nullable = true
	return &Module{
		FormatVersion: 1, Project: "my-app", Engine: SQLite, EngineVersion: "3.53.3", Files: []string{"queries.sql"},
		Migrations: []Migration{{
			ID:  "1",
			SQL: "CREATE TABLE users (\n  id INTEGER PRIMARY KEY,\n  name TEXT NOT NULL,\n  email TEXT UNIQUE,\n  active BOOLEAN NOT NULL DEFAULT 1,\n  born DATE,\n  class TEXT\n);\nCREATE INDEX users_name ON users (name);",
			Statements: []string{
				"CREATE TABLE users (\n  id INTEGER PRIMARY KEY,\n  name TEXT NOT NULL,\n  email TEXT UNIQUE,\n  active BOOLEAN NOT NULL DEFAULT 1,\n  born DATE,\n  class TEXT\n)",
				"CREATE INDEX users_name ON users (name)",
			},
			Checksum: "0d5b3c0c3c1b2d7a3a9e2f4a5a4a8f1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f",
			Pos:      Pos{"queries.sql", 1},
		}},
		Rows: []Row{
			{Ref: "users_by_name_result", Name: NewName("users_by_name_result"), Columns: without([]Column{user[0], {Name: NewName("n posts"), Type: integer}})},
			{Ref: "users_key", Name: NewName("users_key"), Columns: without(user[:1])},
			{Ref: "users_row", Name: NewName("users_row"), Columns: without(user)},
		},
		Queries: []Query{
			{Name: NewName("get_user"), Verb: VerbQuery, Cardinality: One, Statement: StatementSelect, ReadOnly: true,
				Doc:      []string{"Finds one user by its id.", "", "Returns nothing when there is none."},
				Segments: []Segment{code("SELECT * FROM users WHERE id = "), param(0)},
				Params:   []Param{byID}, Columns: user, Row: "users_row", Pos: Pos{"queries.sql", 14}},
			{Name: NewName("users_in"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true,
				Segments: []Segment{code("SELECT * FROM users WHERE id IN (SELECT value FROM json_each("), param(0), code(")) AND ("), param(1), code(" IS NULL OR id = "), param(1), code(")")},
				Params:   []Param{ids, optional}, Columns: user, Row: "users_row", Pos: Pos{"queries.sql", 21}},
			{Name: NewName("usersByName"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true,
				Segments: []Segment{code("SELECT id, count(*) AS "), quoted(`"n posts"`), code(" FROM users WHERE name LIKE "), quoted("'%it''s \\d+?%'"), code(" GROUP BY id "), quoted("-- grouped\n"), code("ORDER BY 1")},
				Columns:  []Column{user[0], {Name: NewName("n posts"), Type: integer}}, Row: "users_by_name_result", Pos: Pos{"queries.sql", 27}},
			{Name: NewName("last_email"), Verb: VerbQuery, Cardinality: One, Pluck: true, Statement: StatementSelect, ReadOnly: true,
				Segments: []Segment{code("SELECT max(email) FROM users")},
				Columns:  []Column{{Name: NewName("max(email)"), Type: text, Nullable: true}}, Pos: Pos{"queries.sql", 33}},
			{Name: NewName("add_user"), Verb: VerbExec, Batch: true, Statement: StatementInsert,
				Segments: []Segment{code("INSERT INTO users (name, email) VALUES ("), param(0), code(", "), param(1), code(")")},
				Params:   []Param{name, email}, Pos: Pos{"queries.sql", 37}},
			{Name: NewName("add_user_returning"), Verb: VerbQuery, Cardinality: One, Statement: StatementInsert,
				Segments: []Segment{code("INSERT INTO users (name) VALUES ("), param(0), code(") ON CONFLICT DO NOTHING RETURNING *")},
				Params:   []Param{name}, Columns: without(user), Row: "users_row", Pos: Pos{"queries.sql", 42}},
		},
		Tables: []Table{{
			Name: NewName("users"), Schema: "main", Table: "users", SQLName: `"users"`,
			Ops: []Op{OpInsert, OpUpdate, OpDelete, OpUpsert},
			Columns: []TableColumn{
				{Name: NewName("id"), SQLName: `"id"`, Type: integer, HasDefault: true, Generated: IdentityByDefault, PrimaryKey: true},
				tableColumn("name", `"name"`, text, false), tableColumn("email", `"email"`, text, true),
				{Name: NewName("active"), SQLName: `"active"`, Type: ty(Bool, "BOOLEAN"), HasDefault: true, Default: "1"},
				tableColumn("born", `"born"`, ty(Date, "DATE"), true), tableColumn("class", `"class"`, text, true),
			},
			Insert: []int{0, 1, 2, 3, 4, 5}, Key: []int{0}, KeyUnique: true, Set: []int{1, 2, 3, 4, 5},
			InsertRow: "users_row", UpdateRow: "users_row", KeyRow: "users_key", Pos: Pos{"queries.sql", 47},
		}},
	}
}

func duckdbExample() *Module {
	uuid, tstz, double := ty(UUID, "UUID"), ty(TimestampTZ, "TIMESTAMP WITH TIME ZONE"), ty(Float64, "DOUBLE")
	decimal := Type{Kind: Decimal, Native: "DECIMAL(10,2)", Precision: 10, Scale: 2}
	tags := list(ty(Text, "VARCHAR"), "VARCHAR[]", true)
	mood := Type{Kind: EnumKind, Native: "mood", Ref: "mood"}
	point := Type{Kind: StructKind, Native: `STRUCT(x DOUBLE, "y z" INTEGER[][])`, Ref: "list_everything_point"}
	integer := ty(Int32, "INTEGER")
	matrix := list(list(integer, "INTEGER[]", true), "INTEGER[][]", true)
	fixed := Type{Kind: Array, Native: "FLOAT[3]", Elem: &Type{Kind: Float32, Native: "FLOAT"}, ElemNullable: true, Length: 3}
	varchar := ty(Text, "VARCHAR")
	attrs := Type{Kind: Map, Native: "MAP(VARCHAR, DECIMAL(10,2))", Key: &varchar, Elem: &decimal, ElemNullable: true}
	reading := []Column{
		col("device_id", uuid, false, "main", "readings"), col("timestamp", tstz, false, "main", "readings"),
		col("temperature", double, true, "main", "readings"), col("pressure", decimal, true, "main", "readings"),
		col("battery_level", ty(Int16, "SMALLINT"), true, "main", "readings"),
		col("is_anomaly", ty(Bool, "BOOLEAN"), true, "main", "readings"), col("tags", tags, true, "main", "readings"),
	}
	everything := []Column{
		col("mood", mood, true), col("moods", list(mood, "mood[]", true), true), col("point", point, true), col("matrix", matrix, true),
		col("embedding", fixed, true), col("attrs", attrs, true), col("huge", ty(Int128, "HUGEINT"), true),
		col("uhuge", ty(Uint128, "UHUGEINT"), true), col("u8", ty(Uint8, "UTINYINT"), false), col("u64", ty(Uint64, "UBIGINT"), true),
		col("day", ty(Date, "DATE"), true), col("at", ty(Time, "TIME"), true), col("at_tz", ty(TimeTZ, "TIME WITH TIME ZONE"), true),
		col("ns", Type{Kind: Timestamp, Native: "TIMESTAMP_NS", Unit: "ns"}, true), col("us", Type{Kind: Timestamp, Native: "TIMESTAMP", Unit: "us"}, true),
		col("span", ty(Interval, "INTERVAL"), true), col("raw", ty(Blob, "BLOB"), true), col("doc", ty(JSON, "JSON"), true),
		col("bits", ty(Text, "BIT"), true),
	}
	var columns []TableColumn
	for _, c := range reading {
		columns = append(columns, TableColumn{Name: c.Name, SQLName: `"` + c.Name.Original + `"`, Type: c.Type, Nullable: c.Nullable})
	}
	ids := Param{Name: NewName("ids"), Type: list(uuid, "UUID[]", false), In: true, Binding: BindValue}
	return &Module{
		FormatVersion: 1, Project: "sensors", Engine: DuckDB, EngineVersion: "v1.5.6", Files: []string{"sensors.sql"},
		Sources: []Source{{Name: NewName("prod"), SQLName: "prod", Type: "postgres"}},
		Enums: []Enum{{Ref: "mood", Name: NewName("mood"), Native: "mood",
			Values: []EnumValue{{"sad", NewName("sad")}, {"so so", NewName("so so")}, {"9x", NewName("9x")}, {"", NewName("empty")}}}},
		Structs: []Struct{{Ref: "list_everything_point", Name: NewName("list_everything_point"), Native: point.Native,
			Fields: []Field{{Name: NewName("x"), Type: double, Nullable: true}, {Name: NewName("y z"), Type: matrix, Nullable: true}}}},
		Rows: []Row{
			{Ref: "list_everything_result", Name: NewName("list_everything_result"), Columns: without(everything)},
			{Ref: "readings_key", Name: NewName("readings_key"), Columns: without(reading[:2])},
			{Ref: "readings_row", Name: NewName("Reading"), Explicit: true, Columns: without(reading)},
		},
		Queries: []Query{
			{Name: NewName("readings_of"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true, Doc: []string{"Readings of some devices."},
				Segments: []Segment{code("SELECT * FROM readings WHERE device_id = ANY("), param(0), code(") AND regexp_matches("), quoted(`'(\d+)?'`), code(", "), quoted("'x'"), code(")")},
				Params:   []Param{ids}, Columns: reading, Row: "readings_row", Pos: Pos{"sensors.sql", 10}},
			{Name: NewName("list_everything"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true,
				Segments: []Segment{code("SELECT * FROM everything")}, Columns: everything, Row: "list_everything_result", Pos: Pos{"sensors.sql", 16}},
			{Name: NewName("set_mood"), Verb: VerbExec, Batch: true, Statement: StatementUpdate,
				Segments: []Segment{code("UPDATE everything SET mood = "), param(0), code(", point = "), param(1), code(" WHERE u8 = "), param(2)},
				Params: []Param{{Name: NewName("mood"), Type: mood, Nullable: true, Binding: BindValue},
					{Name: NewName("point"), Type: point, Nullable: true, Binding: BindValue}, value("key", ty(Uint8, "UTINYINT"))}, Pos: Pos{"sensors.sql", 20}},
			{Name: NewName("drop_staging"), Verb: VerbExec, Statement: StatementDDL,
				Segments: []Segment{code("DROP TABLE IF EXISTS staging")}, Pos: Pos{"sensors.sql", 26}},
		},
		Tables: []Table{{
			Name: NewName("readings"), Schema: "main", Table: "readings", SQLName: `"main"."readings"`, Ops: []Op{OpAppender, OpInsert, OpUpdate, OpDelete},
			Columns: columns, Insert: []int{0, 1, 2, 3, 4, 5, 6}, Key: []int{0, 1}, Set: []int{2, 3, 4, 5, 6},
			InsertRow: "readings_row", UpdateRow: "readings_row", KeyRow: "readings_key", Pos: Pos{"sensors.sql", 30},
		}},
	}
}

func postgresExample() *Module {
	bigint, integer, text := ty(Int64, "bigint"), ty(Int32, "integer"), ty(Text, "text")
	jsonb := ty(JSON, "jsonb")
	status := Type{Kind: EnumKind, Native: "app.task_status", Ref: "app.task_status"}
	statuses := list(status, "app.task_status[]", true)
	numeric := ty(Decimal, "numeric")
	address := Type{Kind: StructKind, Native: "app.address", Ref: "app.address"}
	task := []Column{
		col("id", bigint, false, "app", "tasks"), col("title", text, false, "app", "tasks"), col("status", status, true, "app", "tasks"),
		col("history", statuses, true, "app", "tasks"), col("meta", jsonb, true, "app", "tasks"), col("cost", numeric, true, "app", "tasks"),
		col("due", ty(TimestampTZ, "timestamp with time zone"), true, "app", "tasks"), col("ip", ty(Text, "inet"), true, "app", "tasks"),
		col("home", address, true, "app", "tasks"),
	}
	joined := []Column{task[0], {Name: NewName("owner"), Type: text, Nullable: true, Origin: &Origin{"app", "users", "name"}}, {Name: NewName("count"), Type: bigint}}
	var columns []TableColumn
	for _, c := range task {
		columns = append(columns, TableColumn{Name: c.Name, SQLName: c.Name.Original, Type: c.Type, Nullable: c.Nullable})
	}
	columns[0].Generated, columns[0].PrimaryKey = IdentityAlways, true
	columns[2].HasDefault, columns[2].Default = true, "'pending'::app.task_status"
	nullable := value("status", status)
	nullable.Nullable = true
	ids := Param{Name: NewName("ids"), Type: list(bigint, "bigint[]", false), In: true, Binding: BindValue}
	return &Module{
		FormatVersion: 1, Project: "tasks", Engine: Postgres, EngineVersion: "18.3", Files: []string{"tasks.sql", "more.sql"},
		Migrations: []Migration{{ID: "001_types", SQL: "CREATE TYPE app.task_status AS ENUM ('pending', 'done', 'Done ');",
			Statements: []string{"CREATE TYPE app.task_status AS ENUM ('pending', 'done', 'Done ')"},
			Checksum:   "1d5b3c0c3c1b2d7a3a9e2f4a5a4a8f1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f", Doc: []string{"Types first."}, Pos: Pos{"tasks.sql", 1}}},
		Enums: []Enum{{Ref: "app.task_status", Name: NewName("task_status"), Native: "app.task_status",
			Values: []EnumValue{{"pending", NewName("pending")}, {"done", NewName("done")}, {"Done ", NewName("done_2")}}}},
		Structs: []Struct{{Ref: "app.address", Name: NewName("address"), Native: "app.address",
			Fields: []Field{{Name: NewName("street"), Type: text, Nullable: true}, {Name: NewName("zip"), Type: integer, Nullable: true}}}},
		Rows: []Row{
			{Ref: "tasks_key", Name: NewName("tasks_key"), Columns: without(task[:1])},
			{Ref: "tasks_row", Name: NewName("tasks_row"), Columns: without(task)},
			{Ref: "tasks_row_insert", Name: NewName("tasks_row_insert"), Columns: without(task[1:])},
			{Ref: "tasks_with_owner_result", Name: NewName("tasks_with_owner_result"), Columns: without(joined)},
		},
		Queries: []Query{
			{Name: NewName("tasks_with_owner"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true,
				Segments: []Segment{code("SELECT t.id, u.name AS owner, count(*) FROM app.tasks t LEFT JOIN app.users u ON u.id = t.user_id WHERE t.meta ? "), quoted("'a%b'"),
					code(" AND t.meta ?| array["), quoted("'x'"), code("] AND t.id % 2 = 0 AND title LIKE "), quoted("'%x%'"), code(" AND t.id = ANY ("), param(0), code(") GROUP BY t.id, u.name")},
				Params: []Param{ids}, Columns: joined, Row: "tasks_with_owner_result", Pos: Pos{"tasks.sql", 12}},
			{Name: NewName("find_tasks"), Verb: VerbQuery, Cardinality: All, Statement: StatementSelect, ReadOnly: true, Doc: []string{"All tasks, or those with a status."},
				Segments: []Segment{code("SELECT * FROM app.tasks WHERE ("), castParam(0), code(" IS NULL OR status = "), castParam(0), code(") AND body = "), quoted("$tag$it's$tag$")},
				Params:   []Param{nullable}, Columns: task, Row: "tasks_row", Pos: Pos{"tasks.sql", 20}},
			{Name: NewName("close_task"), Verb: VerbQuery, Cardinality: One, Pluck: true, Statement: StatementUpdate,
				Segments: []Segment{code("UPDATE app.tasks SET status = "), quoted("'done'"), code(" WHERE id = "), param(0), code(" RETURNING cost")},
				Params:   []Param{value("id", bigint)}, Columns: []Column{col("cost", numeric, true, "app", "tasks")}, Pos: Pos{"more.sql", 1}},
		},
		Tables: []Table{{
			Name: NewName("tasks"), Schema: "app", Table: "tasks", SQLName: "app.tasks", Ops: []Op{OpAppender, OpInsert, OpUpdate, OpDelete},
			Columns: columns, Insert: []int{1, 2, 3, 4, 5, 6, 7, 8}, Key: []int{0}, KeyUnique: true, Set: []int{1, 2, 3, 4, 5, 6, 7, 8},
			InsertRow: "tasks_row_insert", UpdateRow: "tasks_row", KeyRow: "tasks_key", Pos: Pos{"more.sql", 6},
		}},
	}
}

func TestExamplesAreValidAndSurviveJSON(t *testing.T) {
	for name, m := range map[string]*Module{"sqlite": sqliteExample(), "duckdb": duckdbExample(), "postgres": postgresExample()} {
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var b bytes.Buffer
		if err := m.Encode(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s differs from its example; if that is meant, run with -update", path)
		}
		back, err := Decode(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, m) {
			t.Errorf("%s: decoded module differs", name)
		}
	}
}

func TestNamesSplitIntoWords(t *testing.T) {
	for original, want := range map[string]string{
		"get_user": "get_user", "getUser": "get_user", "GetUser": "get_user", "HTTPServer": "http_server", "my col": "my_col",
		"9x": "9x", "count(*)": "count", "?column?": "column", "md5": "md5", "user2Name": "user2_name", "ÄrgerNis": "ärger_nis",
		"": "x", "__a__": "a", "ABC": "abc", "x_1": "x_1", "$": "x",
	} {
		if got := NewName(original).Snake(); got != want {
			t.Errorf("%q: %s, want %s", original, got, want)
		}
	}
	n := NewName("HTTPServer_url")
	if n.Camel() != "httpServerUrl" || n.Pascal() != "HttpServerUrl" || n.Screaming() != "HTTP_SERVER_URL" || n.Kebab() != "http-server-url" {
		t.Errorf("cases of %v", n)
	}
	if !NewName("get_user").Same(NewName("getUser")) || NewName("get_user").Same(NewName("get_users")) {
		t.Error("Same")
	}
}

func TestValidateRefusesDanglingReferences(t *testing.T) {
	m := sqliteExample()
	m.Queries[0].Row = "nothing"
	if m.Validate() == nil {
		t.Error("a query with an unknown row type is valid")
	}
	m = duckdbExample()
	m.Enums = nil
	if m.Validate() == nil {
		t.Error("a type with an unknown enum is valid")
	}
	m = sqliteExample()
	m.Queries[0].Segments = m.Queries[0].Segments[:1]
	if m.Validate() == nil {
		t.Error("an unused parameter is valid")
	}
}
