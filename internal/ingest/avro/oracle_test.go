package avro

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// random makes random schemas, and random messages of them.
type random struct {
	rng   *rand.Rand
	named int
}

func (r *random) name() string { r.named++; return fmt.Sprintf("n%d", r.named) }

// schema returns the JSON of a type without logical types, because hamba decodes those to its own
// Go types.
func (r *random) schema(depth int) string {
	simple := []string{`"boolean"`, `"int"`, `"long"`, `"float"`, `"double"`, `"string"`, `"bytes"`}
	if depth > 3 {
		return simple[r.rng.IntN(len(simple))]
	}
	switch r.rng.IntN(16) {
	case 0:
		return fmt.Sprintf(`{"type":"enum","name":%q,"symbols":["A","B","Cc"]}`, r.name())
	case 1:
		return fmt.Sprintf(`{"type":"fixed","name":%q,"size":%d}`, r.name(), r.rng.IntN(4))
	case 2:
		return `{"type":"array","items":` + r.schema(depth+1) + `}`
	case 3:
		return `{"type":"map","values":` + r.schema(depth+1) + `}`
	case 4, 5:
		for {
			if s := r.schema(depth + 1); s[0] != '[' {
				return []string{`["null",` + s + `]`, `[` + s + `,"null"]`}[r.rng.IntN(2)]
			}
		}
	case 6:
		return `["string","null",{"type":"array","items":"int"},"long"]`
	case 7, 8:
		return r.record(depth + 1)
	}
	return simple[r.rng.IntN(len(simple))]
}

func (r *random) record(depth int) string {
	var fields []string
	name := r.name()
	for i := range r.rng.IntN(5) + 1 - depth/2 {
		fields = append(fields, fmt.Sprintf(`{"name":"f%d","type":%s}`, i, r.schema(depth)))
	}
	return fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, name, strings.Join(fields, ","))
}

// message appends a random value.
func (r *random) message(b []byte, s hamba.Schema) []byte {
	switch s := s.(type) {
	case *hamba.RefSchema:
		return r.message(b, s.Schema())
	case *hamba.RecordSchema:
		for _, f := range s.Fields() {
			b = r.message(b, f.Type())
		}
	case *hamba.UnionSchema:
		i := r.rng.IntN(len(s.Types()))
		b = r.message(binary.AppendVarint(b, int64(i)), s.Types()[i])
	case *hamba.ArraySchema:
		b = r.blocks(b, func(b []byte, _ int) []byte { return r.message(b, s.Items()) })
	case *hamba.MapSchema:
		b = r.blocks(b, func(b []byte, i int) []byte { return r.message(text(b, fmt.Sprint("k", i)), s.Values()) })
	case *hamba.EnumSchema:
		b = binary.AppendVarint(b, int64(r.rng.IntN(len(s.Symbols()))))
	case *hamba.FixedSchema:
		for range s.Size() {
			b = append(b, byte(r.rng.Uint32()))
		}
	case *hamba.PrimitiveSchema:
		return r.primitive(b, s.Type())
	}
	return b
}

// blocks appends blocks of elements. Some have the block's size in bytes, which is optional for
// writers.
func (r *random) blocks(b []byte, element func([]byte, int) []byte) []byte {
	n := 0
	for range r.rng.IntN(3) {
		count := 1 + r.rng.IntN(12)
		var block []byte
		for range count {
			block = element(block, n)
			n++
		}
		if r.rng.IntN(2) == 0 {
			b = binary.AppendVarint(b, int64(count))
		} else {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(-count)), int64(len(block)))
		}
		b = append(b, block...)
	}
	return append(b, 0)
}

func text(b []byte, s string) []byte { return append(binary.AppendVarint(b, int64(len(s))), s...) }

func (r *random) primitive(b []byte, t hamba.Type) []byte {
	switch t {
	case hamba.Boolean:
		return append(b, byte(r.rng.IntN(2)))
	case hamba.Int:
		return binary.AppendVarint(b, int64(int32(r.rng.Uint32())>>r.rng.IntN(32)))
	case hamba.Long:
		return binary.AppendVarint(b, int64(r.rng.Uint64())>>r.rng.IntN(64))
	case hamba.Float:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(r.rng.Float32()))
	case hamba.Double:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(r.rng.NormFloat64()))
	}
	return text(b, strings.Repeat("aé", r.rng.IntN(20)))
}

// TestAgainstHamba decodes random messages of random schemas, and compares the rows with the values
// that hamba (another Avro library) decodes.
func TestAgainstHamba(t *testing.T) {
	for seed := range uint64(400) {
		r := &random{rng: rand.New(rand.NewPCG(seed, 0))}
		s := parsed(t, r.record(0))
		plan, err := NewPlan(s, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, s)
		}
		d := plan.NewDecoder()
		for batch := range 2 {
			var messages [][]byte
			for range r.rng.IntN(40) {
				m := r.message(nil, s.schema)
				if err := d.Append(m); err != nil {
					t.Fatalf("seed %d: %v: %s %x", seed, err, s, m)
				}
				messages = append(messages, m)
				// A message that ends early must leave no rows.
				if len(m) > 0 {
					if err := d.Append(m[:r.rng.IntN(len(m))]); err == nil {
						t.Fatalf("seed %d: a part of a message is taken", seed)
					}
				}
			}
			compare(t, fmt.Sprintf("seed %d, batch %d", seed, batch), s, d, messages)
		}
	}
}

func parsed(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err, text)
	}
	return s
}

// compare compares the rows of the decoder's batch with the values that hamba decodes.
func compare(t testing.TB, what string, s *Schema, d *Decoder, messages [][]byte) {
	t.Helper()
	batch := d.Finish()
	defer batch.Release()
	if err := ingest.Validate(batch); err != nil {
		t.Fatalf("%s: %v: %s", what, err, s)
	}
	if int(batch.NumRows()) != len(messages) {
		t.Fatalf("%s: %d rows of %d messages", what, batch.NumRows(), len(messages))
	}
	for i, m := range messages {
		var v any
		if err := hamba.Unmarshal(s.schema, m, &v); err != nil {
			t.Fatalf("%s: hamba: %v: %s %x", what, err, s, m)
		}
		want := wanted(s.schema, v)
		var got []string
		for c, f := range batch.Schema().Fields() {
			got = append(got, f.Name+"="+shown(batch.Column(c), i))
		}
		if have := "{" + strings.Join(got, " ") + "}"; have != want {
			t.Fatalf("%s, message %d:\n%s\nwant\n%s\n%s %x", what, i, have, want, s, m)
		}
	}
}

// wanted prints a value that hamba decoded. A union is a map from the branch's name to the value.
func wanted(s hamba.Schema, v any) string {
	switch s := s.(type) {
	case *hamba.RefSchema:
		return wanted(s.Schema(), v)
	case *hamba.RecordSchema:
		if len(s.Fields()) == 0 {
			return "true"
		}
		var out []string
		for _, f := range s.Fields() {
			out = append(out, f.Name()+"="+wanted(f.Type(), v.(map[string]any)[f.Name()]))
		}
		return "{" + strings.Join(out, " ") + "}"
	case *hamba.UnionSchema:
		if v == nil {
			return "NULL"
		}
		if s.Nullable() {
			_, i := s.Indices()
			if m, ok := v.(map[string]any); ok && len(m) == 1 && s.Types()[i].Type() != hamba.Record && s.Types()[i].Type() != hamba.Map {
				for _, inner := range m {
					v = inner
				}
			} else if ok && len(m) == 1 {
				_, full := branchNames(s.Types()[i])
				if inner, ok := m[full]; ok {
					v = inner
				}
			}
			return wanted(s.Types()[i], v)
		}
		var out []string
		for _, branch := range s.Types() {
			short, full := branchNames(branch)
			if branch.Type() == hamba.Null {
				continue
			}
			var inner any
			switch m, ok := v.(map[string]any); {
			case ok:
				inner = m[full]
			default: // hamba resolves primitives itself
				if fmt.Sprintf("%T", v) == map[string]string{"string": "string", "long": "int64"}[full] {
					inner = v
				}
			}
			if inner == nil {
				out = append(out, short+"=NULL")
			} else {
				out = append(out, short+"="+wanted(branch, inner))
			}
		}
		return "{" + strings.Join(out, " ") + "}"
	case *hamba.ArraySchema:
		var out []string
		for _, e := range v.([]any) {
			out = append(out, wanted(s.Items(), e))
		}
		return "[" + strings.Join(out, " ") + "]"
	case *hamba.MapSchema:
		var out []string
		for k, e := range v.(map[string]any) {
			out = append(out, k+":"+wanted(s.Values(), e))
		}
		sort.Strings(out)
		return "map[" + strings.Join(out, " ") + "]"
	case *hamba.FixedSchema:
		return hex.EncodeToString(fmt.Appendf(nil, "%s", toSlice(v)))
	}
	if b, ok := v.([]byte); ok {
		return hex.EncodeToString(b)
	}
	return fmt.Sprint(v)
}

// toSlice turns [n]byte into []byte.
func toSlice(v any) []byte {
	text := strings.Fields(strings.Trim(fmt.Sprint(v), "[]"))
	out := make([]byte, len(text))
	for i, n := range text {
		_, _ = fmt.Sscan(n, &out[i]) // digits
	}
	return out
}

// shown prints a value of a batch in the form of wanted.
func shown(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "NULL"
	}
	switch a := a.(type) {
	case *array.Struct:
		var out []string
		for f := range a.NumField() {
			out = append(out, a.DataType().(*arrow.StructType).Field(f).Name+"="+shown(a.Field(f), i))
		}
		return "{" + strings.Join(out, " ") + "}"
	case *array.Map:
		var out []string
		start, end := a.ValueOffsets(i)
		for e := start; e < end; e++ {
			out = append(out, shown(a.Keys(), int(e))+":"+shown(a.Items(), int(e)))
		}
		sort.Strings(out)
		return "map[" + strings.Join(out, " ") + "]"
	case *array.List:
		var out []string
		start, end := a.ValueOffsets(i)
		for e := start; e < end; e++ {
			out = append(out, shown(a.ListValues(), int(e)))
		}
		return "[" + strings.Join(out, " ") + "]"
	case *array.Dictionary:
		return shown(a.Dictionary(), a.GetValueIndex(i))
	case *array.Binary:
		return hex.EncodeToString(a.Value(i))
	case *array.Float32:
		return fmt.Sprint(a.Value(i))
	case *array.Float64:
		return fmt.Sprint(a.Value(i))
	}
	return a.ValueStr(i)
}

// FuzzDecode decodes arbitrary bytes with decoders of random schemas. If they accept a message,
// hamba must return the same values.
func FuzzDecode(f *testing.F) {
	r := &random{rng: rand.New(rand.NewPCG(1, 0))}
	for seed := range uint64(20) {
		s := (&random{rng: rand.New(rand.NewPCG(seed, 0))}).record(0)
		f.Add(seed, r.message(nil, hamba.MustParse(s)))
	}
	f.Fuzz(func(t *testing.T, seed uint64, msg []byte) {
		s := parsed(t, (&random{rng: rand.New(rand.NewPCG(seed, 0))}).record(0))
		plan, err := NewPlan(s, Options{Memory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		d := plan.NewDecoder()
		var taken [][]byte
		for range 2 { // the second time after itself, or after it was refused
			if err := d.Append(msg); err == nil {
				taken = append(taken, msg)
			} else if kind := base.KindOf(err); kind != base.Invalid && kind != base.TooLarge {
				t.Fatal(err)
			}
		}
		compare(t, "fuzz", s, d, taken)
	})
}

// FuzzParse parses arbitrary text.
func FuzzParse(f *testing.F) {
	f.Add(`{"type":"record","name":"a","fields":[{"name":"a","type":["null","long"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if plan, err := NewPlan(s, Options{}); err == nil {
			plan.NewDecoder().Finish().Release()
		}
	})
}
