package protobuf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

func TestFanOut(t *testing.T) {
	const source = `syntax = "proto3";
		message D { string id = 1; }
		message I { string id = 1; repeated D deals = 2; repeated int32 w = 3; }
		message M { string id = 1; repeated I imp = 2; map<string, int32> m = 3; I one = 4; }`
	imp := func(id string, deals ...string) []byte {
		b := encoded([2]int{1, 2}, id)
		for _, x := range deals {
			b = append(b, encoded([2]int{2, 2}, encoded([2]int{1, 2}, x))...)
		}
		return append(b, encoded([2]int{3, 0}, len(id))...)
	}
	msgs := [][]byte{
		encoded([2]int{2, 2}, imp("a", "x", "y"), [2]int{2, 2}, imp("bb"), [2]int{1, 2}, "first"),
		encoded([2]int{1, 2}, "none"),
		encoded([2]int{1, 2}, "second", [2]int{2, 2}, imp("c", "z")),
	}
	f := func(want string, from string, paths ...string) {
		t.Helper()
		var columns []wire.Column
		for _, p := range paths {
			columns = append(columns, wire.Column{Path: p})
		}
		d := decoderOf(t, source, Options{Columns: columns})
		for _, m := range msgs {
			if err := d.Append(m); err != nil {
				t.Fatal(err)
			}
		}
		rows := d.Rows()
		rec, source := d.FinishWithMessages()
		defer rec.Release()
		got := showRows(t, rec)
		if s := strings.Join(got, " "); s != want || fmt.Sprint(source) != from || rows != len(got) {
			t.Errorf("%q:\n got %s from %v\nwant %s from %s", paths, s, source, want, from)
		}
	}
	f(`{id:"first" imp_id:"a"} {id:"first" imp_id:"bb"} {id:"second" imp_id:"c"}`, "[0 0 2]", "id", "imp[].id")
	f(`{id:"first" imp_id:"a" imp_deals_id:"x"} {id:"first" imp_id:"a" imp_deals_id:"y"} {id:"second" imp_id:"c" imp_deals_id:"z"}`, "[0 0 2]",
		"id", "imp[].id", "imp[].deals[].id")
	f(`{imp_w:[1] imp_1_w_0:2} {imp_w:[2] imp_1_w_0:2} {imp_w:[1] imp_1_w_0:NULL}`, "[0 0 2]", "imp[].w", "imp[1].w[0]")
	f(`{imp:{id:"a" deals:[{id:"x"} {id:"y"}] w:[1]}} {imp:{id:"bb" deals:[] w:[2]}} {imp:{id:"c" deals:[{id:"z"}] w:[1]}}`, "[0 0 2]", "imp[]")
	f(`{id:"first" one_id:NULL imp_0_id:"a"} {id:"none" one_id:NULL imp_0_id:NULL} {id:"second" one_id:NULL imp_0_id:"c"}`, "[]", "id", "one.id", "imp[0].id")
}

func TestPathsThatLeadNowhere(t *testing.T) {
	md := messageType(t, `syntax = "proto3";
		message N { int32 x = 1; repeated N all = 2; }
		message M { int32 a = 1; repeated N b = 2; repeated N c = 3; map<string, N> m = 4; N n = 5; }`)
	f := func(want string, paths ...string) {
		t.Helper()
		var columns []wire.Column
		for _, p := range paths {
			columns = append(columns, wire.Column{Path: p})
		}
		_, err := NewPlan(md, Options{Columns: columns})
		if err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", paths, err)
		}
	}
	f(`path "z": message M has no field "z"`, "z")
	f(`path "n.z": message N has no field "z"`, "n.z")
	f(`path "a": int32 has no fields`, "a.x")
	f(`path "a": the field is not repeated`, "a[0]")
	f(`path "b": the field is repeated`, "b.x")
	f("only one repeated field", "b[].x", "c[].x")
	f("choose the element or its fields", "b[]", "b[].x")
	f("the entries of a map have no order", "m[0]")
	f("choose .key and .value", "m[]")
	f("is not repeated for the rows of b[]", "b[].x", "n")
	f("given twice", "a", "a")
	f("a bracket that is not closed", "b[0")
	f("is not an index", "b[x].x")
	f("is not an index", "b[99999999].x")
	f("without a name", "b[0]..x")
	f("without a name", "")
}

func TestNamesOfColumns(t *testing.T) {
	md := messageType(t, `syntax = "proto3"; message M { int32 a = 1; int32 b = 2; }`)
	plan, err := NewPlan(md, Options{Columns: []wire.Column{{Path: "b", Name: "B b"}, {Path: "a"}}})
	if err != nil || plan.Schema().Field(0).Name != "B b" || plan.Schema().Field(1).Name != "a" {
		t.Error(plan.Schema(), err)
	}
	for _, name := range []string{"b", "\xff", "a\x00b", strings.Repeat("x", 300)} {
		if _, err := NewPlan(md, Options{Columns: []wire.Column{{Path: "a", Name: name}, {Path: "b"}}}); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestColumnsAreBounded(t *testing.T) {
	var source strings.Builder
	source.WriteString("syntax = \"proto3\"; message M { N0 a = 1; N0 b = 2; }\n")
	for i := range 20 {
		fmt.Fprintf(&source, "message N%d { N%d a = 1; N%d b = 2; N%d c = 3; }\n", i, i+1, i+1, i+1)
	}
	source.WriteString("message N20 { int32 x = 1; }")
	if _, err := NewPlan(messageType(t, source.String()), Options{}); base.KindOf(err) != base.TooLarge {
		t.Error(err)
	}
}

func TestSeveralPathsThroughOneField(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3"; message N { int32 x = 1; repeated int32 r = 2; }
		message M { oneof o { N n = 1; int32 k = 2; } repeated N a = 3; int32 other = 4; }`,
		Options{Columns: []wire.Column{{Path: "n"}, {Path: "n.x"}, {Path: "n.r[1]"}, {Path: "a"}, {Path: "a[1].x"}, {Path: "a[0]"}}})
	n := encoded([2]int{1, 0}, 7, [2]int{2, 2}, encoded(byte(5), byte(6)))
	got := rowsOf(t, d,
		encoded([2]int{1, 2}, n, [2]int{3, 2}, n, [2]int{3, 2}, ""),
		encoded([2]int{1, 2}, n, [2]int{2, 0}, 1))
	want := []string{
		`{n:{x:7 r:[5 6]} n_x:7 n_r_1:6 a:[{x:7 r:[5 6]} {x:0 r:[]}] a_1_x:0 a_0:{x:7 r:[5 6]}}`,
		`{n:NULL n_x:NULL n_r_1:NULL a:[] a_1_x:NULL a_0:NULL}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
