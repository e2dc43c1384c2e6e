package avro

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// resolvedRows decodes messages of a writer's schema to the columns of a reader's schema. It
// returns one line per row, or the error.
func resolvedRows(t testing.TB, writer, reader string, messages ...string) (string, error) {
	t.Helper()
	plan, err := NewPlan(parsed(t, writer), Options{Reader: parsed(t, reader)})
	if err != nil {
		return "", err
	}
	d := plan.NewDecoder()
	for _, m := range messages {
		if err := d.Append([]byte(m)); err != nil {
			return "", err
		}
	}
	batch := d.Finish()
	defer batch.Release()
	if err := ingest.Validate(batch); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for i := range int(batch.NumRows()) {
		var row []string
		for c, f := range batch.Schema().Fields() {
			row = append(row, f.Name+"="+shown(batch.Column(c), i))
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, "\n"), nil
}

func record(fields string) string {
	return `{"type":"record","name":"r","fields":[` + fields + `]}`
}

func TestMessagesAreResolvedToTheReadersSchema(t *testing.T) {
	for name, c := range map[string]struct{ writer, reader, message, want string }{
		"order, alias, default, what is passed over": {
			record(`{"name":"a","type":"int"},{"name":"old","type":"string"},{"name":"gone","type":{"type":"array","items":"string"}}`),
			record(`{"name":"new","type":"string","aliases":["other","old"]},{"name":"more","type":"long","default":7},{"name":"a","type":"int"}`),
			long(1) + long(2) + "xy" + long(2) + long(1) + "p" + long(1) + "q" + long(0), "new=xy more=7 a=1"},
		"numbers and texts": {
			record(`{"name":"a","type":"int"},{"name":"b","type":"int"},{"name":"c","type":"long"},{"name":"d","type":"float"},{"name":"e","type":"bytes"},{"name":"f","type":"string"},{"name":"g","type":"int"}`),
			record(`{"name":"a","type":"long"},{"name":"b","type":"double"},{"name":"c","type":"float"},{"name":"d","type":"double"},{"name":"e","type":"string"},{"name":"f","type":"bytes"},{"name":"g","type":"float"}`),
			long(-1) + long(2) + long(3) + "\x00\x00\x80\x3f" + long(1) + "x" + long(1) + "y" + long(5), "a=-1 b=2 c=3 d=1 e=x f=79 g=5"},
		"defaults of all kinds": {
			record(`{"name":"a","type":"null"}`),
			record(`{"name":"b","type":"boolean","default":true},{"name":"c","type":["null","string"],"default":null},{"name":"d","type":["string","null"],"default":"x"},
				{"name":"e","type":{"type":"array","items":"int"},"default":[1,2]},{"name":"f","type":{"type":"map","values":"int"},"default":{"k":1}},
				{"name":"g","type":{"type":"record","name":"in","fields":[{"name":"x","type":"double","default":1.5},{"name":"y","type":"string"}]},"default":{"y":"z"}},
				{"name":"h","type":{"type":"enum","name":"en","symbols":["A","B"]},"default":"B"},{"name":"i","type":{"type":"fixed","name":"fi","size":2},"default":"ab"},
				{"name":"j","type":"bytes","default":"c"},{"name":"k","type":"float","default":0.5},{"name":"l","type":"int","default":-3},{"name":"m","type":{"type":"array","items":"int"},"default":[]}`),
			"", "b=true c=NULL d=x e=[1 2] f=map[k:1] g={x=1.5 y=z} h=B i=6162 j=63 k=0.5 l=-3 m=[]"},
		"unions": {
			record(`{"name":"a","type":["null","int"]},{"name":"b","type":"int"},{"name":"c","type":["int","string"]},{"name":"d","type":["null","string"]}`),
			record(`{"name":"a","type":["long","null"]},{"name":"b","type":["null","string","double"]},{"name":"c","type":["null","string","long"]},{"name":"d","type":["string","null"]}`),
			long(1) + long(4) + long(9) + long(1) + long(1) + "t" + long(0), "a=4 b={string=NULL double=9} c={string=t long=NULL} d=NULL"},
		"enums": {
			record(`{"name":"a","type":{"type":"enum","name":"e","symbols":["X","Y","Z"]}},{"name":"b","type":"e"}`),
			record(`{"name":"a","type":{"type":"enum","name":"e","symbols":["Y","other"],"default":"other"}},{"name":"b","type":"e"}`),
			long(1) + long(2), "a=Y b=other"},
		"records in records, arrays and maps": {
			record(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"x","fields":[{"name":"p","type":"int"},{"name":"q","type":"string"}]}}},{"name":"b","type":{"type":"map","values":"x"}}`),
			record(`{"name":"b","type":{"type":"map","values":{"type":"record","name":"y","aliases":["x"],"fields":[{"name":"q","type":"string"},{"name":"n","type":"int","default":0},{"name":"p","type":"long"}]}}},{"name":"a","type":{"type":"array","items":"y"}}`),
			string(binary.AppendVarint(nil, -2)) + long(6) + long(1) + long(1) + "s" + long(2) + long(1) + "t" + long(0) + long(1) + long(1) + "k" + long(3) + long(1) + "u" + long(0),
			"b=map[k:{q=u n=0 p=3}] a=[{q=s n=0 p=1} {q=t n=0 p=2}]"},
		"a type inside itself that nobody reads": {
			record(`{"name":"tree","type":{"type":"record","name":"node","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","node"]}]}},{"name":"a","type":"int"}`),
			record(`{"name":"a","type":"int"}`),
			long(1) + long(1) + long(2) + long(1) + long(3) + long(0) + long(8), "a=8"},
		"logical types": {
			record(`{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}},{"name":"b","type":"string"}`),
			record(`{"name":"b","type":{"type":"string","logicalType":"uuid"}},{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}`),
			long(1) + "\x64" + long(36) + "00000000-0000-0000-0000-000000000001", "b=00000000-0000-0000-0000-000000000001 a=1"},
	} {
		got, err := resolvedRows(t, c.writer, c.reader, c.message)
		if err != nil || got != c.want {
			t.Errorf("%s: %q %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSchemasAndMessagesThatDoNotFitTheReader(t *testing.T) {
	for name, c := range map[string]struct{ writer, reader, message, want string }{
		"no default":    {record(`{"name":"a","type":"int"}`), record(`{"name":"b","type":"int"}`), "", "field b is not in the writer's schema"},
		"another type":  {record(`{"name":"a","type":"long"}`), record(`{"name":"a","type":"int"}`), "", "field a: the schemas of writer and reader do not fit: long is not int"},
		"another name":  {record(`{"name":"a","type":{"type":"fixed","name":"x","size":2}}`), record(`{"name":"a","type":{"type":"fixed","name":"y","size":2}}`), "", "fixed x is not fixed y"},
		"another unit":  {record(`{"name":"a","type":{"type":"long","logicalType":"timestamp-millis"}}`), record(`{"name":"a","type":{"type":"long","logicalType":"timestamp-micros"}}`), "", "timestamp-millis is not timestamp-micros"},
		"another scale": {record(`{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}}`), record(`{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":1}}`), "", "decimal(4, 2) is not decimal(4, 1)"},
		"no branch":     {record(`{"name":"a","type":["int","boolean"]}`), record(`{"name":"a","type":"int"}`), long(1) + "\x01", "byte 2, field a: the schemas of writer and reader do not fit: boolean is not int"},
		"no symbol":     {record(`{"name":"a","type":{"type":"enum","name":"e","symbols":["X","Y"]}}`), record(`{"name":"a","type":{"type":"enum","name":"e","symbols":["X"]}}`), long(1), "the symbol Y"},
		"it ends early": {record(`{"name":"a","type":"string"},{"name":"b","type":"int"}`), record(`{"name":"b","type":"int"}`), long(5) + "ab", "byte 1, field a: the message ends"},
		"it goes on":    {record(`{"name":"a","type":"int"}`), record(`{"name":"a","type":"long"}`), long(5) + "a", "byte 2: the message has more bytes after its value"},
		"far inside":    {record(`{"name":"tree","type":{"type":"record","name":"node","fields":[{"name":"next","type":["null","node"]}]}},{"name":"a","type":"int"}`), record(`{"name":"a","type":"int"}`), strings.Repeat(long(1), 500), "200 levels"},
		"longer and longer": {record(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"e","fields":[]}}}`),
			record(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"e","fields":[{"name":"x","type":"string","default":"` + strings.Repeat("x", 1<<16) + `"}]}}}`),
			long(1<<16) + long(0), "256 MiB"},
	} {
		got, err := resolvedRows(t, c.writer, c.reader, c.message)
		if err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q %v, want %q", name, got, err, c.want)
		}
	}
}

// TestResolvedMessagesHaveTheValuesThatHambaReads makes readers with a random selection of the
// writer's fields, renamed, reordered and mixed with new fields. It compares with the values that
// hamba decodes with the writer's schema.
func TestResolvedMessagesHaveTheValuesThatHambaReads(t *testing.T) {
	for seed := range uint64(400) {
		r := &random{rng: rand.New(rand.NewPCG(seed, 1))}
		writer := parsed(t, r.record(0))
		fields := writer.schema.(*hamba.RecordSchema).Fields()
		chosen := r.rng.Perm(len(fields))[:r.rng.IntN(len(fields)+1)]
		var texts []string
		for i, at := range chosen {
			text, err := json.Marshal(fields[at].Type())
			if err != nil {
				t.Fatal(err)
			}
			if ref, ok := fields[at].Type().(*hamba.RefSchema); ok {
				text, _ = json.Marshal(ref.Schema())
			}
			name := fmt.Sprintf(`"name":%q`, fields[at].Name())
			if r.rng.IntN(2) == 0 {
				name = fmt.Sprintf(`"name":"g%d","aliases":[%q]`, i, fields[at].Name())
			}
			texts = append(texts, fmt.Sprintf(`{%s,"type":%s}`, name, text))
			if r.rng.IntN(3) == 0 {
				texts = append(texts, fmt.Sprintf(`{"name":"d%d","type":"string","default":"default"}`, i))
			}
		}
		texts = append(texts, `{"name":"last","type":["null","int"],"default":null}`)
		reader := parsed(t, `{"type":"record","name":"other","fields":[`+strings.Join(texts, ",")+`]}`)
		plan, err := NewPlan(writer, Options{Reader: reader})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, writer, reader)
		}
		d := plan.NewDecoder()
		var want []string
		for range 20 {
			m := r.message(nil, writer.schema)
			if len(m) > 0 && d.Append(m[:r.rng.IntN(len(m))]) == nil {
				t.Fatalf("seed %d: a part of a message is taken", seed)
			}
			if err := d.Append(m); err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s\n%x", seed, err, writer, reader, m)
			}
			var v any
			if err := hamba.Unmarshal(writer.schema, m, &v); err != nil {
				t.Fatal(err)
			}
			var row []string
			i := 0
			for _, f := range reader.schema.(*hamba.RecordSchema).Fields() {
				switch {
				case f.Name() == "last":
					row = append(row, "last=NULL")
				case f.Name()[0] == 'd':
					row = append(row, f.Name()+"=default")
				default:
					from := fields[chosen[i]]
					row = append(row, f.Name()+"="+wanted(from.Type(), v.(map[string]any)[from.Name()]))
					i++
				}
			}
			want = append(want, strings.Join(row, " "))
		}
		batch := d.Finish()
		if err := ingest.Validate(batch); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			var got []string
			for c, f := range batch.Schema().Fields() {
				got = append(got, f.Name+"="+shown(batch.Column(c), i))
			}
			if have := strings.Join(got, " "); have != want[i] {
				t.Fatalf("seed %d: %s\nwant %s\n%s\n%s", seed, have, want[i], writer, reader)
			}
		}
		batch.Release()
	}
}

// FuzzResolve resolves arbitrary bytes. The result must be a valid message of the reader's schema,
// or an error.
func FuzzResolve(f *testing.F) {
	const writer = `{"type":"record","name":"r","fields":[{"name":"a","type":["null","int","string"]},{"name":"b","type":{"type":"array","items":{"type":"map","values":"float"}}},
		{"name":"t","type":{"type":"record","name":"node","fields":[{"name":"next","type":["null","node"]},{"name":"v","type":"bytes"}]}},{"name":"e","type":{"type":"enum","name":"e","symbols":["A","B"]}}]}`
	const reader = `{"type":"record","name":"r","fields":[{"name":"x","type":"string","default":"x"},{"name":"e","type":{"type":"enum","name":"e","symbols":["B"]}},
		{"name":"b","type":{"type":"array","items":{"type":"map","values":"double"}}},{"name":"a","type":["string","null","long"]}]}`
	r := &random{rng: rand.New(rand.NewPCG(1, 0))}
	for range 20 {
		f.Add(r.message(nil, hamba.MustParse(writer)))
	}
	plan, err := NewPlan(parsed(f, writer), Options{Memory: 1 << 20, Reader: parsed(f, reader)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		d := plan.NewDecoder()
		rows := 0
		for range 2 {
			if err := d.Append(msg); err == nil {
				rows++
			} else if kind := base.KindOf(err); kind != base.Invalid && kind != base.TooLarge {
				t.Fatal(err)
			}
		}
		batch := d.Finish()
		defer batch.Release()
		if err := ingest.Validate(batch); err != nil || int(batch.NumRows()) != rows {
			t.Fatal(batch.NumRows(), rows, err)
		}
	})
}
