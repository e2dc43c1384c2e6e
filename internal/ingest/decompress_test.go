package ingest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/scoterdb/scoter/internal/base"
)

func compress(t testing.TB, encoding string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	case "lz4":
		w = lz4.NewWriter(&b)
	default:
		return data
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var encodings = []string{"identity", "gzip", "zstd", "lz4"}

func TestDecompressNamedAndSniffed(t *testing.T) {
	data := []byte(strings.Repeat("cpu,host=a v=1 1700000000\n", 10_000))
	for _, encoding := range encodings {
		body := compress(t, encoding, data)
		for _, header := range []string{encoding, " " + strings.ToUpper(encoding), ""} {
			got, err := Decompress(header, bytes.NewReader(body), int64(len(data)))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s as %q: %d bytes, %v", encoding, header, len(got), err)
			}
		}
		if _, err := Decompress("", bytes.NewReader(body), int64(len(data)-1)); base.KindOf(err) != base.TooLarge {
			t.Errorf("%s over the limit: %v", encoding, err)
		}
	}
}

func TestDecompressSeveralMembers(t *testing.T) {
	for _, encoding := range encodings {
		body := append(compress(t, encoding, []byte("one")), compress(t, encoding, []byte("two"))...)
		got, err := Decompress(encoding, bytes.NewReader(body), 100)
		if err != nil || string(got) != "onetwo" {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
	}
}

func TestDecompressBombStopsAtTheLimit(t *testing.T) {
	zeros := make([]byte, 64<<20)
	for _, encoding := range encodings[1:] {
		if _, err := Decompress(encoding, bytes.NewReader(compress(t, encoding, zeros)), 1<<20); base.KindOf(err) != base.TooLarge {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}

func TestDecompressRefusesTruncatedAndDamaged(t *testing.T) {
	data := []byte(strings.Repeat("some text that repeats, and ends. ", 50))
	for _, encoding := range encodings[1:] {
		body := compress(t, encoding, data)
		for n := range body {
			if _, err := Decompress(encoding, bytes.NewReader(body[:n]), 1<<20); n > 0 && base.KindOf(err) != base.Invalid {
				t.Errorf("%s cut to %d of %d bytes: %v", encoding, n, len(body), err)
			}
		}
		if _, err := Decompress(encoding, strings.NewReader("plain text, not compressed"), 1<<20); base.KindOf(err) != base.Invalid {
			t.Errorf("text as %s: %v", encoding, err)
		}
		if _, err := Decompress(encoding, bytes.NewReader(append(bytes.Clone(body), "junk"...)), 1<<20); base.KindOf(err) != base.Invalid {
			t.Errorf("%s followed by junk: %v", encoding, err)
		}
	}
	if _, err := Decompress("br", strings.NewReader("x"), 100); base.KindOf(err) != base.Invalid {
		t.Errorf("unknown encoding: %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestDecompressKeepsErrorsOfTheConnection(t *testing.T) {
	gone := errors.New("connection reset")
	for _, encoding := range encodings {
		body := io.MultiReader(bytes.NewReader(compress(t, encoding, []byte("abc"))[:2]), failingReader{gone})
		if _, err := Decompress(encoding, body, 100); !errors.Is(err, gone) {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}

func FuzzDecompress(f *testing.F) {
	for _, encoding := range encodings {
		f.Add(compress(f, encoding, []byte("some text")))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, encoding := range append(encodings, "") {
			out, err := Decompress(encoding, bytes.NewReader(body), 1<<16)
			if len(out) > 1<<16 || err != nil && out != nil {
				t.Fatalf("%d bytes, %v", len(out), err)
			}
		}
	})
}
