package format_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/klauspost/compress/gzip"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/option"
)

// bodies has an example body for each wire format that has the function Decode, by the name of the
// format. Each body has two rows: column n has the integers 1 and 2, and column s has the texts
// "one" and "two". A body may have more columns.
var bodies = map[string]func(t *testing.T) []byte{
	"arrow":   arrowBody,
	"parquet": parquetBody,
	"json":    text(jsonRows),
	"csv":     text("n,s\n1,one\n2,\"two\"\n"),
	"msgpack": text("\x92\x82\xa1n\x01\xa1s\xa3one\x82\xa1n\x02\xa1s\xa3two"),
}

// tableBodies has an example body for each wire format that has the function DecodeTables, by the
// name of the format. Each body has two rows of a table m: column n has the integers 1 and 2, and
// column s has the texts "one" and "two".
var tableBodies = map[string]string{
	"lineprotocol": "m,tag=a\\ value n=1i,s=\"one\" 1\nm n=2i,s=\"two\" 2\n",
	"msgpack":      "\x82\xa1m\xa1m\xa7columns\x82\xa1n\x92\x01\x02\xa1s\x92\xa3one\xa3two",
}

// message has examples for a wire format that decodes messages (it has the function OpenMessages).
type message struct {
	// options are the options of the clause FORMAT. An option whose name begins with "schema" has
	// the content of a schema file as its value. The name continues with the file's ending, as in
	// "schema.proto".
	options map[string]string
	good    string // a message with the row n = 1, s = "one", or with only one of these values
	key     string // the value that good becomes if it is decoded as a key, as text
	broken  string // a message that the decoder's method Append rejects
}

const avroSchema = `{"type": "record", "name": "R", "fields": [{"name": "n", "type": "long"}, {"name": "s", "type": "string"}]}`

// messages has examples for each wire format that decodes messages, by the name of the format.
var messages = map[string]message{
	"json":     {nil, `{"n": 1, "s": "one"}`, `{"n":1,"s":"one"}`, `{"n": 1, "s": "one"`},
	"avro":     {map[string]string{"schema": avroSchema}, "\x02\x06one", `{"n":1,"s":"one"}`, "\x02\x06on"},
	"protobuf": {map[string]string{"schema.proto": `syntax = "proto3"; message R { int64 n = 1; string s = 2; }`, "message": "R"}, "\x08\x01\x12\x03one", `{"n":1,"s":"one"}`, "\x08\x01\x12\x03on"},
	"string":   {nil, "one", "one", "\xff"},
	"int":      {nil, "\x00\x00\x00\x01", "1", "\x00\x00\x01"},
	"long":     {nil, "\x00\x00\x00\x00\x00\x00\x00\x01", "1", "\x00\x00\x00\x01"},
	"double":   {nil, "\x3f\xf8\x00\x00\x00\x00\x00\x00", "1.5", "1.5"},
}

const jsonRows = `{"n":1,"s":"one","list":["x"]}` + "\n" + `{"n":2,"s":"two","list":["y","z"]}`

func text(body string) func(*testing.T) []byte {
	return func(*testing.T) []byte { return []byte(body) }
}

func arrowBody(t *testing.T) []byte {
	rec, err := ndjson.Decode([]byte(jsonRows), ndjson.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()))
	must(t, w.Write(rec))
	must(t, w.Close())
	return out.Bytes()
}

func parquetBody(t *testing.T) []byte {
	rec, err := ndjson.Decode([]byte(jsonRows), ndjson.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &out, nil, pqarrow.DefaultWriterProps())
	must(t, err)
	must(t, w.Write(rec))
	must(t, w.Close())
	return out.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var limits = wire.Options{MaxBody: 1 << 24, Largest: 1 << 24}

// shown returns all columns of batches as text.
func shown(batches []arrow.RecordBatch) string {
	rows := make([]ingest.Rows, len(batches))
	for i, rec := range batches {
		rows[i].Batch = rec
	}
	return ingesttest.Show(rows...)
}

// values returns the values of the columns n and s of batches: first all of n, then all of s.
func values(batches []arrow.RecordBatch) string {
	out := ""
	for _, name := range []string{"n", "s"} {
		for _, rec := range batches {
			for _, at := range rec.Schema().FieldIndices(name) {
				for i := range int(rec.NumRows()) {
					out += rec.Column(at).ValueStr(i) + " "
				}
			}
		}
	}
	return out
}

// want is what the function values returns for each of the example bodies.
const want = "1 2 one two "

func release(batches []arrow.RecordBatch) {
	for _, rec := range batches {
		rec.Release()
	}
}

// TestEveryFormatDecodesBodies checks that each format decodes its example body, and that the rows
// own their memory. It also decodes bodies with one byte changed, or without the end. An error must
// then be of a kind that the client caused.
func TestEveryFormatDecodesBodies(t *testing.T) {
	for _, f := range format.All {
		if f.Decode == nil {
			if len(f.MediaTypes)+len(f.Endings) > 0 {
				t.Errorf("%s has media types or endings, and decodes no bodies", f.Name)
			}
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			if bodies[f.Name] == nil {
				t.Fatal("the test lacks an example of the format: add it to bodies")
			}
			body := bodies[f.Name](t)
			example := bytes.Clone(body)
			if f.Claimed != nil {
				if n := f.Claimed(body, 1<<24); n < 0 || n > 1<<24 {
					t.Errorf("claims %d bytes", n)
				}
			}
			decoded, err := f.Decode(body, limits)
			must(t, err)
			defer release(decoded)
			before := shown(decoded)
			if got := values(decoded); got != want {
				t.Fatalf("%s: %q, want %q", before, got, want)
			}
			for i := range body {
				body[i] = 0xaa
			}
			if after := shown(decoded); after != before {
				t.Errorf("%s became %s with the body's memory", before, after)
			}
			for i := range example {
				for _, broken := range [][]byte{example[:i], append(bytes.Clone(example[:i]), append([]byte{example[i] ^ 0xff}, example[i+1:]...)...)} {
					if f.Claimed != nil {
						f.Claimed(broken, 1<<24)
					}
					switch decoded, err := f.Decode(broken, limits); base.KindOf(err) {
					case base.Invalid, base.TooLarge:
					default:
						if err != nil {
							t.Fatalf("%q: %v", broken, err)
						}
						release(decoded)
					}
				}
			}
		})
	}
}

// TestEveryFormatDecodesTables decodes the example bodies in which each row names its table. It
// also decodes bodies with one byte changed, or without the end. An error must then be of a kind
// that the client caused.
func TestEveryFormatDecodesTables(t *testing.T) {
	o := wire.TableOptions{Now: time.Unix(0, 0)}
	for _, f := range format.All {
		if f.DecodeTables == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			example := tableBodies[f.Name]
			if example == "" {
				t.Fatal("the test lacks an example of the format: add it to tableBodies")
			}
			body := []byte(example)
			decoded, err := f.DecodeTables(body, o)
			must(t, err)
			defer ingest.Release(decoded.Rows)
			if len(decoded.Rows) != 1 || decoded.Rows[0].Table != "m" || values([]arrow.RecordBatch{decoded.Rows[0].Batch}) != want {
				t.Fatal(ingesttest.Show(decoded.Rows...))
			}
			before := ingesttest.Show(decoded.Rows...)
			for i := range body {
				body[i] = 0xaa
			}
			if after := ingesttest.Show(decoded.Rows...); after != before {
				t.Errorf("%s became %s with the body's memory", before, after)
			}
			for i := range example {
				switch decoded, err := f.DecodeTables([]byte(example[:i]), o); base.KindOf(err) {
				case base.Invalid, base.TooLarge:
				default:
					if err != nil {
						t.Fatalf("%q: %v", example[:i], err)
					}
					ingest.Release(decoded.Rows)
				}
			}
		})
	}
}

// TestEveryFormatCutsFiles checks that the pieces of a file, compressed or not, have all rows of
// the file.
func TestEveryFormatCutsFiles(t *testing.T) {
	for _, f := range format.All {
		if (f.Cut == nil) != (len(f.Endings) == 0) {
			t.Errorf("%s has endings %v, and a cutter: %t", f.Name, f.Endings, f.Cut != nil)
		}
		if f.Cut != nil && bodies[f.Name] == nil {
			t.Errorf("the test lacks an example of %s: add it to bodies", f.Name)
			continue
		}
		for _, ending := range f.Endings {
			example := bodies[f.Name](t)
			if d := f.Delimiters[ending]; d != 0 {
				example = bytes.ReplaceAll(example, []byte(","), []byte{d})
			}
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			_, err := w.Write(example)
			must(t, err)
			must(t, w.Close())
			files := map[string][]byte{"rows" + ending: example, "rows" + ending + ".gz": zipped.Bytes()}
			if f.Name == "parquet" {
				// A Parquet file is read from its footer, so it cannot be read from a compressed
				// stream.
				delete(files, "rows"+ending+".gz")
			}
			for name, content := range files {
				path := filepath.Join(t.TempDir(), name)
				must(t, os.WriteFile(path, content, 0o644))
				found, delimiter, err := format.OfFile(path)
				if err != nil || found != f {
					t.Fatalf("%s: %v %v", name, found, err)
				}
				var all []arrow.RecordBatch
				must(t, cut.Each(path, f.Cut, cut.Options{Delimiter: delimiter}, func(p cut.Piece) error {
					o := limits
					o.Delimiter = delimiter
					decoded, err := f.ForPieces().Decode(p.Body, o)
					all = append(all, decoded...)
					return err
				}))
				if got := values(all); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
				release(all)
			}
		}
	}
}

// open calls the function OpenMessages of a wire format, with the options of the format's example.
func open(t *testing.T, f *wire.Format, keys bool) wire.Messages {
	t.Helper()
	options := map[string]string{}
	for name, value := range messages[f.Name].options {
		option, ending, _ := strings.Cut(name, ".")
		if option == "schema" {
			path := filepath.Join(t.TempDir(), "schema."+ending)
			must(t, os.WriteFile(path, []byte(value), 0o644))
			value = path
		}
		options[option] = value
	}
	opened, err := f.OpenMessages(wire.MessageOptions{Set: option.New("FORMAT "+f.Name, options), Keys: keys})
	must(t, err)
	return opened
}

// TestEveryFormatDecodesMessages checks that each wire format for messages decodes its examples, as
// values and as keys. A broken message must be an error, and add nothing to the batch.
func TestEveryFormatDecodesMessages(t *testing.T) {
	for _, f := range format.OfMessages(true) {
		example := messages[f.Name]
		if example.good == "" {
			t.Errorf("the test lacks an example of %s: add it to messages", f.Name)
			continue
		}
		for _, keys := range []bool{false, true} {
			if f.OnlyKeys && !keys {
				continue
			}
			t.Run(fmt.Sprintf("%s keys=%t", f.Name, keys), func(t *testing.T) {
				opened := open(t, f, keys)
				decoders, err := opened.Decoders(context.Background(), nil, [][]wire.Column{nil})
				must(t, err)
				if len(decoders) != 1 {
					t.Fatalf("%d decoders", len(decoders))
				}
				d := decoders[0]
				for range 2 { // the second batch must be like the first one
					for _, value := range []string{example.good, example.broken, example.good} {
						_, msg, err := opened.Split([]byte(value))
						must(t, err)
						if err := d.Append(msg); (err != nil) != (value == example.broken) || err != nil && base.KindOf(err) != base.Invalid {
							t.Fatalf("%q: %v", value, err)
						}
					}
					rec, _, err := d.FinishWithMessages()
					must(t, err)
					if rec.NumRows() != 2 {
						t.Errorf("%d rows of 2 messages", rec.NumRows())
					}
					if got := values([]arrow.RecordBatch{rec}); !keys && got != "1 1 one one " {
						t.Errorf("%q", got)
					}
					if keys && (rec.NumCols() != 1 || rec.ColumnName(0) != wire.KeyColumn || rec.Column(0).ValueStr(1) != example.key) {
						t.Errorf("%v, want %s", rec, example.key)
					}
					rec.Release()
				}
				must(t, d.Append([]byte(example.good)))
				d.Reset()
				rec, _, err := d.FinishWithMessages()
				must(t, err)
				if rec.NumRows() != 0 {
					t.Errorf("%d rows after Reset", rec.NumRows())
				}
				rec.Release()
			})
		}
	}
}

// TestNamesAreOfOneFormat checks that no two formats have the same name, media type or ending, and
// that an unknown media type or ending is an error.
func TestNamesAreOfOneFormat(t *testing.T) {
	seen := map[string]string{}
	for _, f := range format.All {
		for _, name := range slices.Concat([]string{f.Name}, f.MediaTypes, f.Aliases, f.Endings) {
			if other, ok := seen[name]; ok || name != strings.ToLower(name) {
				t.Errorf("%q of %s, and of %q", name, f.Name, other)
			}
			seen[name] = f.Name
		}
	}
	for _, name := range []string{"text/plain", "", "application/vnd.apache.avro"} {
		if _, err := format.OfMediaType(name); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := format.OfFile("rows.xlsx.gz"); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), `".xlsx"`) {
		t.Error(err)
	}
}
