package cut_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// pieces cuts a file and decodes the pieces. It returns the bodies and the rows of all pieces.
func pieces(t *testing.T, path string) (bodies []string, rows []arrow.RecordBatch, err error) {
	t.Helper()
	of, _, err := format.OfFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := int64(0)
	err = cut.Each(path, of.Cut, cut.Options{}, func(p cut.Piece) error {
		if p.First != first {
			t.Errorf("a piece begins at row %d, want %d", p.First, first)
		}
		decoded, err := of.ForPieces().Decode(p.Body, wire.Options{Largest: 1 << 30})
		if err != nil {
			return err
		}
		if n := int64(batch.Rows(decoded)); n != p.Rows {
			t.Errorf("a piece of %d rows says that it has %d", n, p.Rows)
		}
		first += p.Rows
		bodies, rows = append(bodies, string(p.Body)), append(rows, decoded...)
		return nil
	})
	return bodies, rows, err
}

// texts returns the values of a column as text.
func texts(all []arrow.RecordBatch, column string) (out []string) {
	for _, rec := range all {
		at := rec.Schema().FieldIndices(column)
		for i := range int(rec.NumRows()) {
			if len(at) == 0 || rec.Column(at[0]).IsNull(i) {
				out = append(out, "NULL")
			} else {
				out = append(out, rec.Column(at[0]).ValueStr(i))
			}
		}
	}
	return out
}

// values returns random texts, with characters that must be quoted in CSV and JSON.
func values() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var all []string
	for range 3000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString([]string{"a", `"`, ",", "\n", "\r\n", "{", "}", "[", "]", `\`, "ä", " "}[r.IntN(12)])
		}
		all = append(all, b.String()+strings.Repeat("x", r.IntN(20000)))
	}
	return all
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d: %.100q, want %.100q", i, got[i], want[i])
		}
	}
}

// TestPiecesHaveAllRows checks that the pieces of a file together have all rows. The files have 30
// MiB, with line ends, quotes and brackets inside values.
func TestPiecesHaveAllRows(t *testing.T) {
	all := values()
	var csv, ndjson, array bytes.Buffer
	csv.WriteString("\xef\xbb\xbfn,\"a,\nb\"\r\n")
	array.WriteString(" [")
	for i, v := range all {
		fmt.Fprintf(&csv, "%d,\"%s\"\r\n", i, strings.ReplaceAll(v, `"`, `""`))
		object := fmt.Sprintf(`{"n": %d, "o": {"x": [{"y": [1]}]}, "v": %s}`, i, quoted(v))
		ndjson.WriteString(object + "\n")
		if i > 0 {
			array.WriteString(" ,\n")
		}
		array.WriteString(object)
	}
	array.WriteString("\n]\n")
	var gz, zst bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, _ = w.Write(csv.Bytes())
	_ = w.Close()
	z, _ := zstd.NewWriter(&zst)
	_, _ = z.Write(array.Bytes())
	_ = z.Close()
	for name, f := range map[string]struct {
		content []byte
		column  string
	}{
		"a.csv": {csv.Bytes(), "a,\nb"}, "b.csv.gz": {gz.Bytes(), "a,\nb"}, "c.ndjson": {ndjson.Bytes(), "v"}, "d.json": {array.Bytes(), "v"}, "e.json.zst": {zst.Bytes(), "v"},
		"no end of line.csv": {bytes.TrimSpace(csv.Bytes()), "a,\nb"}, "no end of line.ndjson": {bytes.TrimSpace(ndjson.Bytes()), "v"},
	} {
		bodies, rows, err := pieces(t, write(t, name, f.content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(bodies) < 3 {
			t.Errorf("%s: %d pieces", name, len(bodies))
		}
		want := make([]string, len(all))
		for i, v := range all {
			if want[i] = v; v == "" && strings.Contains(name, "csv") {
				want[i] = ""
			}
		}
		same(t, texts(rows, f.column), want)
	}
}

func quoted(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(v) + `"`
}

// TestWhatIsWrongWithAFileIsAnError checks that a file that is invalid as a single request is also
// an error if it is cut into pieces.
func TestWhatIsWrongWithAFileIsAnError(t *testing.T) {
	object := fmt.Sprintf(`{"v": "%s"}`, strings.Repeat("x", 3<<20))
	line := "1," + strings.Repeat("x", 3<<20) + "\n"
	for name, content := range map[string]string{
		"ragged.csv":          "a,b\n1,2\n3\n4,5\n",
		"ragged late.csv":     "a,b\n" + line + line + line + line + "3\n",
		"not closed.csv":      "a,b\n1,\"2\n",
		"empty.csv":           "",
		"comma at end.json":   "[" + object + "," + object + "," + object + ",]",
		"no comma.json":       "[" + object + " " + object + " " + object + "]",
		"no end.json":         "[" + object + "," + object + "," + object,
		"more behind.json":    "[" + object + "," + object + "," + object + "] 1",
		"no object.json":      "[1, 2]",
		"no object.ndjson":    "{\"a\": 1}\n2\n",
		"half.ndjson":         object + "\n" + object + "\n" + object + "\n{\"v\": ",
		"not parquet.parquet": "PAR1 or not",
		"not arrow.arrow":     "ARROW1\x00\x00 or not",
		"not arrow.arrows":    "nothing",
		"half.csv.gz":         "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4a",
	} {
		if _, _, err := pieces(t, write(t, name, []byte(content))); base.KindOf(err) != base.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := pieces(t, write(t, "long.csv", []byte("a\n\""+strings.Repeat("x\n", cut.Longest/2+1<<20)))); base.KindOf(err) != base.TooLarge {
		t.Errorf("%.200v", err)
	}
}

// TestACutFileIsAnErrorWhereverItIsCut checks that reading a truncated compressed file is an error,
// wherever it ends. A wrong checksum is an error, too.
func TestACutFileIsAnErrorWhereverItIsCut(t *testing.T) {
	text := []byte("a,b\n" + strings.Repeat("1,x\n2,y\n", 50))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string][]byte{"a.csv.gz": zipped.Bytes(), "a.csv.zst": packer.EncodeAll(text, nil)} {
		if got, _, err := pieces(t, write(t, name, append(bytes.Clone(whole), whole...))); err != nil || len(got) == 0 {
			t.Errorf("%s with two members: %v", name, err)
		}
		for n := range whole {
			if _, _, err := pieces(t, write(t, name, whole[:n])); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "file") {
				t.Errorf("%s cut to %d of %d bytes: %v", name, n, len(whole), err)
			}
			if _, _, err := pieces(t, write(t, name, append(bytes.Clone(whole), whole[:n]...))); n > 0 && base.KindOf(err) != base.Invalid {
				t.Errorf("%s, a second member cut to %d of %d bytes: %v", name, n, len(whole), err)
			}
		}
		damaged := bytes.Clone(whole)
		damaged[len(damaged)-5] ^= 1 // this byte is in the checksum, both in gzip and in zstd
		if _, _, err := pieces(t, write(t, name, damaged)); base.KindOf(err) != base.Invalid {
			t.Errorf("%s with another checksum: %v", name, err)
		}
	}
}

// TestAFileThatGrewHasThePiecesOfBefore checks that appending rows to a file changes none of its
// pieces except the last one.
func TestAFileThatGrewHasThePiecesOfBefore(t *testing.T) {
	var csv bytes.Buffer
	csv.WriteString("n,s\n")
	for i := range 400_000 {
		fmt.Fprintf(&csv, "%d,\"%s\"\n", i, strings.Repeat("y\n", i%40))
	}
	before, _, err := pieces(t, write(t, "a.csv", csv.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	csv.WriteString(strings.Repeat("1,more\n", 100_000))
	after, _, err := pieces(t, write(t, "a.csv", csv.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(before) - 1 {
		if after[i] != before[i] {
			t.Errorf("piece %d is another one", i)
		}
	}
	if len(before) < 2 {
		t.Error("one piece")
	}
}

// TestFilesWithoutRowsAreOnePiece checks that a file without rows has one piece, with the columns
// of the file.
func TestFilesWithoutRowsAreOnePiece(t *testing.T) {
	for name, content := range map[string]string{"a.csv": "a,b\n", "b.csv": "\n\na,b\n\n", "c.json": "[]", "d.ndjson": "", "e.ndjson": "\n \n"} {
		bodies, rows, err := pieces(t, write(t, name, []byte(content)))
		if err != nil || len(bodies) != 1 || batch.Rows(rows) != 0 {
			t.Errorf("%s: %q %v", name, bodies, err)
		}
	}
	bodies, rows, err := pieces(t, write(t, "single.csv", []byte("a\n\n1\n\n")))
	if err != nil || len(bodies) != 1 || strings.Join(texts(rows, "a"), " ") != "NULL 1 NULL" {
		t.Errorf("%q %v %v", bodies, texts(rows, "a"), err)
	}
}
