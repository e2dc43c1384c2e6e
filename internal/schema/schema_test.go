package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/scoterdb/scoter/internal/base"
)

func TestParseGivesTheCanonicalSpelling(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		parsed, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		if parsed.String() != want {
			t.Errorf("%s: got %s, want %s", text, parsed, want)
		}
		if again, err := Parse(parsed.String()); err != nil || !again.Equal(parsed) {
			t.Errorf("%s: %s parses as %s, %v", text, parsed, again, err)
		}
	}
	f("int", "INTEGER")
	f(" Text ", "VARCHAR")
	f("varchar(30)", "VARCHAR")
	f("double precision", "DOUBLE")
	f("character varying (3)", "VARCHAR")
	f("numeric", "DECIMAL(18,3)")
	f("DECIMAL( 10 , 2 )", "DECIMAL(10,2)")
	f("decimal(5)", "DECIMAL(5,0)")
	f("TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE")
	f("timestamp without time zone", "TIMESTAMP")
	f("timestamptz", "TIMESTAMP WITH TIME ZONE")
	f("TIME WITH TIME ZONE", "TIME WITH TIME ZONE")
	f("timestamp(3)", "TIMESTAMP_MS")
	f(`"NULL"`, `"NULL"`)
	f("NULL", `"NULL"`)
	f("INTEGER[3][]", "INTEGER[3][]")
	f(`STRUCT(a INTEGER, "b c" VARCHAR[], "d""e" MAP(VARCHAR, INTEGER))`, `STRUCT(a INTEGER, "b c" VARCHAR[], "d""e" MAP(VARCHAR, INTEGER))`)
	f("ENUM('a', 'it''s', '(,)')", "ENUM('a', 'it''s', '(,)')")
	f("MAP(TIMESTAMP WITH TIME ZONE, STRUCT(x DECIMAL(4,1))[])", `MAP(TIMESTAMP WITH TIME ZONE, STRUCT(x DECIMAL(4,1))[])`)
}

func TestParseRefusesWhatIsNoTypeOfATable(t *testing.T) {
	for _, text := range []string{"", "NOTATYPE", "INTEGER)", "INTEGER[", "INTEGER[0]", "INTEGER[x]", "DECIMAL(39,0)", "DECIMAL(3,4)", "STRUCT()",
		"STRUCT(a)", "STRUCT(a INTEGER, A VARCHAR)", "ENUM()", "ENUM('a', 'a')", "ENUM(a)", "MAP(INTEGER)", "UNION(a INTEGER)", "VARIANT", "GEOMETRY",
		"BIGNUM", "'text'", `"unterminated`, "TIMESTAMP WITH", "TIMESTAMP WITH TIME", "INTEGER; DROP TABLE t", "STRUCT(INTEGER, INTEGER)",
		strings.Repeat("STRUCT(a ", 100) + "INTEGER" + strings.Repeat(")", 100), "INTEGER" + strings.Repeat("[]", 100)} {
		parsed, err := Parse(text)
		if err == nil {
			t.Errorf("%q parses as %s", text, parsed)
		} else if base.KindOf(err) != base.Invalid {
			t.Errorf("%q: kind %s: %v", text, base.KindOf(err), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"INTEGER", `STRUCT(a INTEGER, "b""" VARCHAR[3])`, "ENUM('a''b')", "MAP(DECIMAL(3,1), TIME WITH TIME ZONE)", "TIMESTAMP(9)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(parsed.String())
		if err != nil || !again.Equal(parsed) {
			t.Fatalf("%q parses as %s, which parses as %s, %v", text, parsed, again, err)
		}
		if _, err := FromArrow(parsed.Arrow(), arrow.Metadata{}); err != nil {
			t.Fatalf("%s: %v", parsed, err)
		}
		if storage := parsed.StorageType(); storage.NeedsCast() {
			t.Fatalf("the storage type of %s, %s, needs a cast itself", parsed, storage)
		}
	})
}

func mustParse(t *testing.T, text string) Type {
	t.Helper()
	parsed, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestWiden(t *testing.T) {
	f := func(a, b, want string) {
		t.Helper()
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			got, ok := Widen(mustParse(t, pair[0]), mustParse(t, pair[1]))
			if !ok && want != "" || ok && (want == "" || !got.Equal(mustParse(t, want))) {
				t.Errorf("%s with %s: got %s %v, want %q", pair[0], pair[1], got, ok, want)
			}
		}
	}
	f("INTEGER", "INTEGER", "INTEGER")
	f("INTEGER", "BIGINT", "BIGINT")
	f("UBIGINT", "BIGINT", "HUGEINT")
	f("UTINYINT", "TINYINT", "SMALLINT")
	f("UTINYINT", "INTEGER", "INTEGER")
	f("UHUGEINT", "TINYINT", "")
	f("UHUGEINT", "UTINYINT", "UHUGEINT")
	f("INTEGER", "DOUBLE", "DOUBLE")
	f("UINTEGER", "FLOAT", "DOUBLE")
	f("SMALLINT", "FLOAT", "FLOAT")
	f("BIGINT", "DOUBLE", "")
	f("FLOAT", "DOUBLE", "DOUBLE")
	f("DECIMAL(10,2)", "DECIMAL(8,4)", "DECIMAL(12,4)")
	f("DECIMAL(38,0)", "DECIMAL(38,1)", "")
	f("INTEGER", "DECIMAL(5,2)", "DECIMAL(12,2)")
	f("DECIMAL(5,2)", "DOUBLE", "")
	f("NULL", "BLOB", "BLOB")
	f("VARCHAR", "ENUM('a')", "VARCHAR")
	f("VARCHAR", "INTEGER", "")
	f("BOOLEAN", "INTEGER", "")
	f("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_MS")
	f("TIMESTAMP", "TIMESTAMP_NS", "")
	f("TIMESTAMP", "TIMESTAMPTZ", "")
	f("DATE", "TIMESTAMP", "")
	f("INTEGER[2]", "BIGINT[2]", "BIGINT[2]")
	f("INTEGER[2]", "INTEGER[3]", "INTEGER[]")
	f("INTEGER[]", "INTEGER", "")
	f("STRUCT(a INTEGER)", "STRUCT(A BIGINT)[]", "")
	f("MAP(VARCHAR, INTEGER)", "MAP(VARCHAR, BIGINT)", "MAP(VARCHAR, BIGINT)")
	got, ok := Widen(mustParse(t, "STRUCT(a INTEGER, b VARCHAR)"), mustParse(t, "STRUCT(c DATE, A BIGINT)"))
	if !ok || got.String() != `STRUCT(a BIGINT, b VARCHAR, c DATE)` {
		t.Errorf("struct: %s %v", got, ok)
	}
	if got, ok := Widen(EnumOf("b", "a"), EnumOf("c", "a")); !ok || !got.Equal(EnumOf("b", "a", "c")) {
		t.Errorf("enum: %s %v", got, ok)
	}
}

func exampleTable(t *testing.T) Table {
	t.Helper()
	table, err := New(Table{ID: 7, Database: "db", Schema: "main", Name: `odd "name"`, Columns: []Column{
		{Name: "Host", Type: Of(Varchar), NotNull: true},
		{Name: "time", Type: Of(TimestampTZ)},
		{Name: "load", Type: Of(Double), Default: "0.5", Check: "load >= 0"},
		{Name: "tags", Type: MapOf(Of(Varchar), EnumOf("x"))},
	}, SortKey: []SortField{{Column: 1}, {Column: 2, Descending: true, NullsFirst: true}},
		PartitionBy: []PartitionField{{Column: 2, Transform: Day}}, PrimaryKey: []base.ColumnID{1}, Options: map[string]string{"b": "2", "a": "it's"},
		Checks: []string{"load < 100"}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTableEncodesAndPrintsStably(t *testing.T) {
	table := exampleTable(t)
	text, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := DecodeTable(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decoded.Encode()
	if err != nil || string(again) != string(text) {
		t.Fatalf("got %s\nwant %s, %v", again, text, err)
	}
	const want = `CREATE TABLE "db"."main"."odd ""name""" (
  "Host" VARCHAR NOT NULL,
  "time" TIMESTAMP WITH TIME ZONE,
  "load" DOUBLE DEFAULT (0.5) CHECK (load >= 0),
  "tags" MAP(VARCHAR, ENUM('x')),
  PRIMARY KEY ("Host"),
  CHECK (load < 100)
)
PARTITIONED BY (day("time"))
SORTED BY ("Host", "time" DESC NULLS FIRST)
WITH ("a" = 'it''s', "b" = '2', "on_insert" = 'error')`
	if table.String() != want {
		t.Errorf("got %s", table)
	}
	if _, err := DecodeTable([]byte(`{"columns": []}`)); base.KindOf(err) != base.Corrupt {
		t.Errorf("a table without columns: %v", err)
	}
}

func TestArrowSchemaCarriesColumnIDs(t *testing.T) {
	fields := exampleTable(t).Arrow().Fields()
	if id, _ := fields[2].Metadata.GetValue(ColumnKey); id != "3" || fields[0].Nullable || !fields[1].Nullable {
		t.Errorf("%+v", fields)
	}
}

func TestEvolutionReturnsANewVersionAndLeavesTheOldOne(t *testing.T) {
	table := exampleTable(t)
	before, _ := table.Encode()
	next, err := table.AddColumns(Column{Name: "n", Type: Of(Integer)})
	if err != nil {
		t.Fatal(err)
	}
	if c := next.Columns[4]; c.ID != 5 || next.NextColumnID != 6 || next.Version != 2 {
		t.Errorf("%+v", next)
	}
	for name, change := range map[string]func() (Table, error){
		"rename":   func() (Table, error) { return next.RenameColumn("N", "m") },
		"widen":    func() (Table, error) { return next.ChangeType("n", Of(BigInt)) },
		"default":  func() (Table, error) { return next.SetDefault("n", "1") },
		"not null": func() (Table, error) { return next.SetNotNull("n", true) },
		"drop":     func() (Table, error) { return next.DropColumn("n") },
		"sort":     func() (Table, error) { return next.SetSortKey(SortField{Column: 5}) },
		"split":    func() (Table, error) { return next.SetPartitioning(PartitionField{Column: 2, Transform: Hour}) },
		"table":    func() (Table, error) { return next.Rename("other") },
	} {
		changed, err := change()
		if err != nil || changed.Version != 3 {
			t.Errorf("%s: version %d, %v", name, changed.Version, err)
		}
	}
	dropped, _ := next.DropColumn("n")
	if readded, err := dropped.AddColumns(Column{Name: "n", Type: Of(Integer)}); err != nil || readded.Columns[4].ID != 6 {
		t.Errorf("a column id is used twice: %+v, %v", readded.Columns, err)
	}
	if after, _ := table.Encode(); string(after) != string(before) {
		t.Errorf("the old version changed to %s", after)
	}
}

func TestEvolutionRefuses(t *testing.T) {
	table := exampleTable(t)
	f := func(name string, kind base.Kind, _ Table, err error) {
		t.Helper()
		if err == nil || base.KindOf(err) != kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	next, err := table.AddColumns(Column{Name: "HOST", Type: Of(Integer)})
	f("a name that exists in another case", base.Conflict, next, err)
	next, err = table.AddColumns(Column{Name: "n", Type: Of(Integer), NotNull: true})
	f("NOT NULL without default", base.Invalid, next, err)
	next, err = table.AddColumns(Column{Name: "n\x00", Type: Of(Integer)})
	f("a NUL in a name", base.Invalid, next, err)
	next, err = table.AddColumns(Column{Name: "n", Type: Of(Null)})
	f("a column of NULLs", base.Invalid, next, err)
	next, err = table.DropColumn("host")
	f("drop a key column", base.Invalid, next, err)
	next, err = table.DropColumn("time")
	f("drop a partition column", base.Invalid, next, err)
	next, err = table.DropColumn("nope")
	f("drop what is not there", base.NotFound, next, err)
	next, err = table.RenameColumn("load", "HOST")
	f("rename to an existing name", base.Conflict, next, err)
	next, err = table.ChangeType("load", Of(Float))
	f("narrow a type", base.Invalid, next, err)
	next, err = table.SetNotNull("host", false)
	f("a primary key that may be NULL", base.Invalid, next, err)
	next, err = table.SetSortKey(SortField{Column: 4})
	f("sort by a map", base.Invalid, next, err)
	next, err = table.SetPartitioning(PartitionField{Column: 1, Transform: Day})
	f("the day of a text", base.Invalid, next, err)
}

func TestValuesCompareExactlyAcrossKinds(t *testing.T) {
	ascending := []Value{FloatValue(math.Inf(-1)), IntValue(math.MinInt64), DecimalValue(decimal128.FromI64(-15), 1), IntValue(-1), FloatValue(0),
		DecimalValue(decimal128.FromI64(1), 38), FloatValue(0.1), IntValue(1), IntValue(1<<53 + 1), FloatValue(1 << 54), IntValue(math.MaxInt64),
		FloatValue(1 << 63), UintValue(1<<63 + 1), UintValue(math.MaxUint64), FloatValue(1e300), FloatValue(math.Inf(1)), FloatValue(math.NaN())}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, ok := a.Compare(b); !ok || got != compareOrdered(i, j) {
				t.Errorf("%s with %s: got %d", a, b, got)
			}
		}
	}
	if c, ok := StringValue("a").Compare(StringValue("b")); !ok || c != -1 {
		t.Error("text")
	}
	if _, ok := StringValue("1").Compare(IntValue(1)); ok {
		t.Error("text compares with a number")
	}
	if _, ok := (Value{}).Compare(Value{}); ok {
		t.Error("NULL compares")
	}
	if FloatValue(math.Copysign(0, -1)) != FloatValue(0) {
		t.Error("-0 is not 0")
	}
}

func TestValuesSurviveJSON(t *testing.T) {
	large, _ := new(big.Int).SetString("-99999999999999999999999999999999999999", 10)
	for _, v := range []Value{{}, IntValue(math.MinInt64), UintValue(math.MaxUint64), FloatValue(0.1), FloatValue(math.NaN()), FloatValue(math.Inf(-1)),
		DecimalValue(decimal128.FromBigInt(large), 38), StringValue(""), StringValue("ü<>\x00"), BytesValue([]byte{0xff, 0})} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got Value
		if err := json.Unmarshal(text, &got); err != nil || got != v {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "i", "i1.5", "u-1", "d1", "d1e-99", "d1e-", "b!", "fzz"} {
		if err := new(Value).UnmarshalText([]byte(text)); base.KindOf(err) != base.Corrupt {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTypesThatAreTooLongAreRefusedAndRead checks types whose text exceeds the limit of the parser.
// New columns of such types are refused, and tables that have them can be read.
func TestTypesThatAreTooLongAreRefusedAndRead(t *testing.T) {
	var fields []Field
	for i := range 12_000 {
		fields = append(fields, Field{Name: fmt.Sprintf("%0100d", i), Type: Of(BigInt)})
	}
	long := Column{Name: "long", Type: StructOf(fields...)}
	table := Table{Database: "d", Schema: "s", Name: "t", Columns: []Column{{Name: "id", Type: Of(BigInt)}}}
	old, err := New(table)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.AddColumns(long); base.KindOf(err) != base.TooLarge {
		t.Errorf("a column of a type of 1.3 MB of text: %v", err)
	}
	table.Columns = append(table.Columns, long)
	if _, err := New(table); base.KindOf(err) != base.TooLarge {
		t.Errorf("a table with such a column: %v", err)
	}
	// An earlier version of Scoter could make a table like this.
	old.Columns, old.NextColumnID = append(old.Columns, Column{ID: 2, Name: "long", Type: long.Type}), 3
	text, err := old.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeTable(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read.AddColumns(Column{Name: "more", Type: Of(BigInt)}); err != nil {
		t.Errorf("another column beside it: %v", err)
	}
}
