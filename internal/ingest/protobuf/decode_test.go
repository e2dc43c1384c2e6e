package protobuf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/bench/stream/baseline"
	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// messageType compiles a .proto file and returns its message type M.
func messageType(t testing.TB, source string) protoreflect.MessageDescriptor {
	t.Helper()
	root := fstest.MapFS{"m.proto": {Data: []byte(source)}}
	files, err := CompileProto(context.Background(), root, "m.proto")
	if err != nil {
		t.Fatal(err)
	}
	md, err := FindMessage(files, "M")
	if err != nil {
		t.Fatal(err)
	}
	return md
}

func decoderOf(t testing.TB, source string, o Options) *Decoder {
	t.Helper()
	plan, err := NewPlan(messageType(t, source), o)
	if err != nil {
		t.Fatal(err)
	}
	return plan.NewDecoder()
}

// encoded encodes a message from its parts:
//   - [2]int is a tag: the number and the wire type of a field
//   - int is a varint
//   - string and []byte are encoded with their length in front
//   - byte is one byte as it is
func encoded(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case [2]int:
			b = protowire.AppendTag(b, protowire.Number(p[0]), protowire.Type(p[1]))
		case int:
			b = protowire.AppendVarint(b, uint64(p))
		case string:
			b = protowire.AppendString(b, p)
		case []byte:
			b = protowire.AppendBytes(b, p)
		case byte:
			b = append(b, p)
		}
	}
	return b
}

func rowsOf(t testing.TB, d *Decoder, msgs ...[]byte) []string {
	t.Helper()
	for _, m := range msgs {
		if err := d.Append(m); err != nil {
			t.Fatalf("message %x: %v", m, err)
		}
	}
	rec := d.Finish()
	defer rec.Release()
	return showRows(t, rec)
}

func TestSchemaOfEachKind(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3";
		import "google/protobuf/timestamp.proto";
		import "google/protobuf/duration.proto";
		import "google/protobuf/wrappers.proto";
		import "google/protobuf/empty.proto";
		enum E { ZERO = 0; }
		message N { bytes b = 1; repeated E e = 2; }
		message M {
			bool a = 1; sint32 b = 2; fixed64 c = 3; float d = 4; double e = 5; string f = 6; bytes g = 7; E h = 8; N i = 9;
			repeated N j = 10; map<string, N> k = 11;
			google.protobuf.Timestamp l = 12; google.protobuf.Duration m = 13; google.protobuf.StringValue n = 14; google.protobuf.Empty o = 15;
			M p = 16;
		}`, Options{})
	var got []string
	for _, f := range d.plan.Schema().Fields() {
		got = append(got, f.Name+" "+f.Type.String())
	}
	want := `a bool
b int32
c uint64
d float32
e float64
f utf8
g binary
h utf8
i struct<b: binary nullable, e: list<item: utf8, nullable> nullable>
j list<item: struct<b: binary nullable, e: list<item: utf8, nullable> nullable>, nullable>
k map<utf8, struct<b: binary nullable, e: list<item: utf8, nullable> nullable>, items_nullable>
l timestamp[us, tz=UTC]
m int64
n utf8
o bool
p binary`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s", s)
	}
}

func TestPresence(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3";
		message N { int32 x = 1; string s = 2; repeated int32 r = 3; }
		message M { int32 a = 1; optional int32 b = 2; string c = 3; N n = 4; oneof o { int32 p = 5; string q = 6; N r = 7; } }`, Options{})
	got := rowsOf(t, d,
		nil,
		encoded([2]int{2, 0}, 0, [2]int{4, 2}, ""),
		encoded([2]int{5, 0}, 1, [2]int{7, 2}, encoded([2]int{3, 0}, 9), [2]int{6, 2}, "q"),
		encoded([2]int{6, 2}, "q", [2]int{7, 2}, encoded([2]int{3, 0}, 9), [2]int{7, 2}, encoded([2]int{1, 0}, 8)),
	)
	want := []string{
		`{a:0 b:NULL c:"" n:NULL p:NULL q:NULL r:NULL}`,
		`{a:0 b:0 c:"" n:{x:0 s:"" r:[]} p:NULL q:NULL r:NULL}`,
		`{a:0 b:NULL c:"" n:NULL p:NULL q:"q" r:NULL}`,
		`{a:0 b:NULL c:"" n:NULL p:NULL q:NULL r:{x:8 s:"" r:[9]}}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestErrorsNameByteAndField(t *testing.T) {
	const source = `syntax = "proto3";
		message N { string s = 1; repeated int32 r = 2; N n = 3; }
		message L { repeated N n = 2; }
		message M { int64 a = 1; L l = 2; fixed64 f = 3; }`
	f := func(msg []byte, want string, position int) {
		t.Helper()
		d := decoderOf(t, source, Options{})
		err := d.Append(msg)
		var e *base.Error
		if !errors.As(err, &e) || e.Kind != base.Invalid || e.Message != want || e.Position != position {
			t.Errorf("%x: %v", msg, err)
		}
		if d.Rows() != 0 || len(rowsOf(t, d)) != 0 {
			t.Errorf("%x: leaves a row", msg)
		}
	}
	f(encoded([2]int{1, 0}), "byte 2, field a: the bytes end within a value", 2)
	f([]byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "byte 2, field a: an integer of more than 64 bits", 2)
	f(encoded([2]int{2, 2}, encoded([2]int{2, 2}, encoded([2]int{1, 2}, "\xff"))), "byte 7, field l.n.s: text is not valid UTF-8", 7)
	f(encoded([2]int{2, 2}, encoded([2]int{2, 2}, encoded([2]int{2, 2}, byte(1), byte(0x80)))), "byte 7, field l.n.r: the bytes end within a value", 7)
	f(encoded([2]int{2, 2}, 100), "byte 2, field l: the bytes end within a value", 2)
	f(encoded([2]int{3, 1}, byte(1)), "byte 2, field f: the bytes end within a value", 2)
	f([]byte{0}, "byte 1: a field number out of range", 1)
	f(encoded([2]int{9, 7}), "byte 2: a wire type that does not exist", 2)
	f(encoded([2]int{9, 4}), "byte 2: the end of a group that was not begun", 2)
	f(encoded([2]int{9, 3}, [2]int{8, 4}), "byte 2: the end of a group that was not begun", 2)
}

func TestABadMessageLeavesTheBatchAsItWas(t *testing.T) {
	d := benchPlan(t, messages.Auction, nil).NewDecoder()
	good := messages.NewSource(3).Auctions(40)
	want := rowsOf(t, d, good...)
	for i, m := range good {
		if err := d.Append(m); err != nil {
			t.Fatal(err)
		}
		for cut := 1; cut < len(m); cut += 1 + i%7 {
			_ = d.Append(m[:cut]) // most are invalid; the valid ones are removed below
			if d.Messages() != i+1 {
				d.top.truncate(i + 1)
				d.messages = i + 1
			}
		}
	}
	got := rowsOf(t, d)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestBenchmarkMessagesEqualTheBaseline(t *testing.T) {
	f := func(name string, msgs [][]byte) {
		t.Helper()
		plan := benchPlan(t, name, nil)
		b := baseline.New(plan.Message(), plan.Schema())
		for _, m := range msgs {
			if err := b.Append(m); err != nil {
				t.Fatal(err)
			}
		}
		rec := b.Finish()
		defer rec.Release()
		got := rowsOf(t, plan.NewDecoder(), msgs...)
		for i := range got {
			row := make([]string, rec.NumCols())
			for c := range row {
				row[c] = rec.ColumnName(c) + ":" + showArrow(rec.Column(c), i)
			}
			if want := "{" + strings.Join(row, " ") + "}"; got[i] != want {
				t.Fatalf("row %d:\n got %s\nwant %s", i, got[i], want)
			}
		}
	}
	f(messages.Auction, messages.NewSource(1).Auctions(300))
	f(messages.Event, messages.NewSource(1).Events(3000))
}

func TestDictionariesWhereTheyPay(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3"; message M { string few = 1; string many = 2; string late = 3; }`, Options{})
	for i := range 5000 {
		late := "same"
		if i > 2000 {
			late = fmt.Sprint("other ", i)
		}
		if err := d.Append(encoded([2]int{1, 2}, fmt.Sprint("v", i%3), [2]int{2, 2}, fmt.Sprint("row ", i), [2]int{3, 2}, late)); err != nil {
			t.Fatal(err)
		}
	}
	rec := d.Finish()
	defer rec.Release()
	showRows(t, rec)
	if _, ok := rec.Column(0).(*array.Dictionary); !ok {
		t.Errorf("few: %v", rec.Column(0).DataType())
	}
	if _, ok := rec.Column(1).(*array.String); !ok {
		t.Errorf("many: %v", rec.Column(1).DataType())
	}
	for i := range 5000 {
		if s := showArrow(rec.Column(1), i); s != fmt.Sprintf("%q", fmt.Sprint("row ", i)) {
			t.Fatalf("row %d is %s", i, s)
		}
	}
	if _, ok := rec.Column(2).(*array.String); !ok {
		t.Errorf("late: %v", rec.Column(2).DataType())
	}
	if s := showArrow(rec.Column(2), 2000) + showArrow(rec.Column(2), 4999); s != `"same""other 4999"` {
		t.Errorf("late: %s", s)
	}
}

func TestTheLastOfManyEntriesOfAKeyStays(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3"; message M { map<int32, string> a = 1; map<string, int32> b = 2; }`, Options{})
	var msg []byte
	for i := range 100 {
		msg = append(msg, encoded([2]int{1, 2}, encoded([2]int{1, 0}, i%7, [2]int{2, 2}, fmt.Sprint(i)))...)
		msg = append(msg, encoded([2]int{2, 2}, encoded([2]int{2, 0}, i, [2]int{1, 2}, fmt.Sprint(i%40)))...)
	}
	compare(t, d, [][]byte{msg, msg, nil, msg}, func() string { return "" })
}

func TestRecursiveTypesBecomeBytes(t *testing.T) {
	const source = `syntax = "proto3";
		message M { int32 v = 1; M next = 2; repeated M all = 3; map<string, M> by = 4; N n = 5; }
		message N { M m = 1; }`
	deep := encoded([2]int{1, 0}, 100)
	for i := range 99 {
		deep = encoded([2]int{1, 0}, i, [2]int{2, 2}, deep)
	}
	d := decoderOf(t, source, Options{})
	inner := encoded([2]int{1, 0}, 1)
	got := rowsOf(t, d, encoded([2]int{2, 2}, inner, [2]int{2, 2}, encoded([2]int{1, 0}, 2), [2]int{3, 2}, inner, [2]int{3, 2}, "", [2]int{4, 2}, encoded([2]int{1, 2}, "k"), [2]int{5, 2}, encoded([2]int{1, 2}, inner)))
	if got[0] != `{v:0 next:x08010802 all:[x0801 x] by:<"k"=x> n:{m:x0801}}` {
		t.Error(got[0])
	}
	if err := d.Append(deep); err != nil {
		t.Fatal(err)
	}
	rec := d.Finish()
	defer rec.Release()
	showRows(t, rec)
	if next := rec.Column(1).(*array.Binary).Value(0); !bytes.HasSuffix(deep, next) || len(next) < len(deep)-10 {
		t.Error("not the bytes of the inner message")
	}
	got = rowsOf(t, decoderOf(t, source, Options{Recursion: 1}), encoded([2]int{1, 0}, 5, [2]int{2, 2}, encoded([2]int{1, 0}, 6, [2]int{2, 2}, inner)))
	if want := `next:{v:6 next:x0801 all:[] by:<> n:NULL}`; !strings.Contains(got[0], want) {
		t.Error(got[0])
	}
}

func TestDeepTypesEndInBytes(t *testing.T) {
	var source strings.Builder
	source.WriteString("syntax = \"proto3\"; message M { int32 v = 1; M1 f = 2; }\n")
	for i := 1; i < 100; i++ {
		fmt.Fprintf(&source, "message M%d { int32 v = 1; M%d f = 2; }\n", i, i+1)
	}
	source.WriteString("message M100 { int32 v = 1; }")
	msg := encoded([2]int{1, 0}, 100)
	for i := 99; i >= 0; i-- {
		msg = encoded([2]int{1, 0}, i, [2]int{2, 2}, msg)
	}
	if got := rowsOf(t, decoderOf(t, source.String(), Options{}), msg); !strings.Contains(got[0], "{v:61 f:x") {
		t.Error(got[0])
	}
	deep := wire.Column{Path: strings.Repeat("f.", 100) + "v", Name: "v"}
	if got := rowsOf(t, decoderOf(t, source.String(), Options{Columns: []wire.Column{deep}}), msg); got[0] != "{v:100}" {
		t.Error(got[0])
	}
}

func TestWellKnownJSONTypesKeepEverything(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3"; import "google/protobuf/struct.proto"; message M { google.protobuf.Struct s = 1; }`, Options{})
	value := encoded([2]int{3, 2}, "text")
	got := rowsOf(t, d, encoded([2]int{1, 2}, encoded([2]int{1, 2}, encoded([2]int{1, 2}, "k", [2]int{2, 2}, value))))
	if want := `{s:{fields:<"k"={null_value:NULL number_value:NULL string_value:"text" bool_value:NULL struct_value:NULL list_value:NULL}>}}`; got[0] != want {
		t.Error(got[0])
	}
}

func TestTimesOfNanosecondsAndFarOnesNeedTwoBatches(t *testing.T) {
	d := decoderOf(t, `syntax = "proto3"; import "google/protobuf/timestamp.proto"; message M { repeated google.protobuf.Timestamp at = 1; }`, Options{})
	fine := encoded([2]int{1, 2}, encoded([2]int{1, 0}, 1, [2]int{2, 0}, 1))
	far := encoded([2]int{1, 2}, encoded([2]int{1, 0}, 20_000_000_000))
	if err := d.Append(fine); err != nil {
		t.Fatal(err)
	}
	if err := d.Append(far); !errors.Is(err, wire.ErrFull) || base.KindOf(err) != base.TooLarge {
		t.Fatal(err)
	}
	if got := rowsOf(t, d); got[0] != "{at:[t1.000000001]}" {
		t.Error(got)
	}
	if got := rowsOf(t, d, far); got[0] != "{at:[t20000000000.000000000]}" {
		t.Error(got)
	}
	if err := d.Append(append(fine, far...)); err == nil || errors.Is(err, wire.ErrFull) {
		t.Error(err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var fields strings.Builder
	for i := range 500 {
		fmt.Fprintf(&fields, "int64 f%d = %d; ", i, i+1)
	}
	d := decoderOf(t, `syntax = "proto3"; message N { `+fields.String()+` } message M { repeated N n = 1; }`, Options{Memory: 8 << 20})
	many := func(n int) []byte { return bytes.Repeat(encoded([2]int{1, 2}, ""), n) }
	if err := d.Append(many(1000)); err != nil { // 4 MB from 2 KB
		t.Fatal(err)
	}
	if err := d.Append(many(1500)); !errors.Is(err, wire.ErrFull) {
		t.Fatal(err)
	}
	if rows := rowsOf(t, d); len(rows) != 1 {
		t.Error(len(rows))
	}
	if err := d.Append(many(1500)); err != nil {
		t.Fatal(err)
	}
	d.Reset()
	if err := d.Append(many(3000)); errors.Is(err, wire.ErrFull) || base.KindOf(err) != base.TooLarge {
		t.Fatal(err)
	}
}

func TestResetAndEmptyBatches(t *testing.T) {
	d := benchPlan(t, messages.Auction, nil).NewDecoder()
	if rows := rowsOf(t, d); len(rows) != 0 {
		t.Error(rows)
	}
	msgs := messages.NewSource(1).Auctions(3)
	want := rowsOf(t, d, msgs[2])
	for _, m := range msgs[:2] {
		if err := d.Append(m); err != nil {
			t.Fatal(err)
		}
	}
	if d.Bytes() == 0 {
		t.Error("rows without memory")
	}
	d.Reset()
	if got := rowsOf(t, d, msgs[2]); len(got) != 1 || got[0] != want[0] {
		t.Errorf("got %s", got)
	}
	n := benchPlan(t, messages.Auction, messages.NormalizedPaths).NewDecoder()
	if rows := rowsOf(t, n); len(rows) != 0 {
		t.Error(rows)
	}
}

func TestAFewRowsAfterManyDoNotHoldTheirMemory(t *testing.T) {
	d := benchPlan(t, messages.Event, nil).NewDecoder()
	msgs := messages.NewSource(1).Events(5000)
	rowsOf(t, d, msgs...)
	if err := d.Append(msgs[0]); err != nil {
		t.Fatal(err)
	}
	rec := d.Finish()
	defer rec.Release()
	for i, c := range rec.Columns() {
		for _, b := range c.Data().Buffers() {
			if b != nil && cap(b.Buf()) > 4096 {
				t.Errorf("column %s: a buffer of %d bytes", rec.ColumnName(i), cap(b.Buf()))
			}
		}
	}
}
