package ingest

import (
	"bytes"
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

var encodings = []string{Identity, "gzip", "zstd", "lz4"}

// decompress is Decompress with as much memory as it asks for.
func decompress(contentEncoding string, body []byte, limit int64) ([]byte, error) {
	encoding, err := Encoding(contentEncoding, body)
	if err != nil || encoding == Identity {
		return body, err
	}
	grow := func(out []byte, size int64) ([]byte, error) { return append(make([]byte, 0, size), out...), nil }
	size, _ := DecodedSize(encoding, body)
	return Decompress(encoding, body, make([]byte, 0, min(limit, size)+1), limit, grow)
}

func TestDecompressNamedAndSniffed(t *testing.T) {
	data := []byte(strings.Repeat("cpu,host=a v=1 1700000000\n", 10_000))
	for _, encoding := range encodings {
		body := compress(t, encoding, data)
		for _, header := range []string{encoding, " " + strings.ToUpper(encoding), ""} {
			got, err := decompress(header, body, int64(len(data)))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s as %q: %d bytes, %v", encoding, header, len(got), err)
			}
		}
		if encoding == Identity {
			continue
		}
		if _, err := decompress("", body, int64(len(data)-1)); base.KindOf(err) != base.TooLarge {
			t.Errorf("%s over the limit: %v", encoding, err)
		}
	}
}

func TestDecompressSeveralMembers(t *testing.T) {
	for _, encoding := range encodings {
		body := append(compress(t, encoding, []byte("one")), compress(t, encoding, []byte("two"))...)
		got, err := decompress(encoding, body, 100)
		if err != nil || string(got) != "onetwo" {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
	}
}

func TestDecompressBombStopsAtTheLimit(t *testing.T) {
	zeros := make([]byte, 64<<20)
	for _, encoding := range encodings[1:] {
		if _, err := decompress(encoding, compress(t, encoding, zeros), 1<<20); base.KindOf(err) != base.TooLarge {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}

func TestDecompressRefusesTruncatedAndDamaged(t *testing.T) {
	data := []byte(strings.Repeat("some text that repeats, and ends. ", 50))
	for _, encoding := range encodings[1:] {
		body := compress(t, encoding, data)
		for n := range body {
			if _, err := decompress(encoding, body[:n], 1<<20); n > 0 && base.KindOf(err) != base.Invalid {
				t.Errorf("%s cut to %d of %d bytes: %v", encoding, n, len(body), err)
			}
		}
		if _, err := decompress(encoding, []byte("plain text, not compressed"), 1<<20); base.KindOf(err) != base.Invalid {
			t.Errorf("text as %s: %v", encoding, err)
		}
		if _, err := decompress(encoding, append(bytes.Clone(body), "junk"...), 1<<20); base.KindOf(err) != base.Invalid {
			t.Errorf("%s followed by junk: %v", encoding, err)
		}
	}
	if _, err := decompress("br", []byte("x"), 100); base.KindOf(err) != base.Invalid {
		t.Errorf("unknown encoding: %v", err)
	}
}

// TestDecodedSizeIsWhatABodyBecomes checks the estimate of a body's size, for which memory is
// reserved before the body is decompressed.
func TestDecodedSizeIsWhatABodyBecomes(t *testing.T) {
	for _, n := range []int{1, 1000, 131_072, 131_073, 3 << 20} {
		data := bytes.Repeat([]byte("cpu,host=a v=1 1700000000\n"), n/26+1)[:n]
		unsized, err := zstd.NewWriter(nil) // a stream that does not declare its size
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		unsized.Reset(&stream)
		for rest := data; len(rest) > 0; rest = rest[min(len(rest), 100_000):] {
			if _, err := unsized.Write(rest[:min(len(rest), 100_000)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := unsized.Close(); err != nil {
			t.Fatal(err)
		}
		check := func(encoding string, body []byte, least, most int) {
			t.Helper()
			if size, _ := DecodedSize(encoding, body); size < int64(least) || size > int64(most) {
				t.Errorf("%s of %d bytes: %d", encoding, n, size)
			}
			if out, err := decompress(encoding, body, int64(n)); err != nil || !bytes.Equal(out, data) {
				t.Errorf("%s of %d bytes: %d, %v", encoding, n, len(out), err)
			}
		}
		check("gzip", compress(t, "gzip", data), n, n)
		check("zstd", compress(t, "zstd", data), 1, n+128<<10)
		check("zstd", stream.Bytes(), 1, n+128<<10)
		check("lz4", compress(t, "lz4", data), 1, n+4<<20)
		for _, encoding := range encodings[1:] {
			body := compress(t, encoding, data)
			double := append(bytes.Clone(body), body...)
			if out, err := decompress(encoding, double, int64(2*n)); err != nil || len(out) != 2*n {
				t.Errorf("%s of %d bytes twice: %d, %v", encoding, n, len(out), err)
			}
		}
	}
}

func FuzzDecompress(f *testing.F) {
	for _, encoding := range encodings {
		f.Add(compress(f, encoding, []byte("some text")))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, encoding := range append(encodings, "") {
			out, err := decompress(encoding, body, 1<<16)
			if len(out) > max(1<<16, len(body)) || err != nil && out != nil {
				t.Fatalf("%d bytes, %v", len(out), err)
			}
		}
	})
}
