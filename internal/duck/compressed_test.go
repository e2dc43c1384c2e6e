package duck

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
)

// packers compress data in the formats that DuckDB reads, by file name extension.
var packers = map[string]func(t *testing.T, data []byte) []byte{
	".gz": func(t *testing.T, data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	},
	".zst": func(t *testing.T, data []byte) []byte {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(data, nil)
	},
}

// files returns a connection that may read the files of a new folder.
func files(t *testing.T) (c *Conn, dir string) {
	dir = t.TempDir()
	inst, err := Open(Settings{Threads: 2, ReadableDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	if c, err = inst.Connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, dir
}

// numbered returns rows numbered from 1. Each row has a text that does not compress well.
func numbered(rows int, format string) []byte {
	var b bytes.Buffer
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&b, format, i, uint64(i)*0x9e3779b97f4a7c15)
	}
	return b.Bytes()
}

// readers are ways to read compressed files: a format for rows, and a statement that reads them.
var readers = map[string]struct{ format, sql string }{
	"csv":              {"%d,%d\n", "SELECT count(*)::VARCHAR || ' ' || sum(a)::VARCHAR FROM read_csv('%s', names = ['a', 'b'], header = false)"},
	"csv with options": {"%d,%d\n", "SELECT count(*)::VARCHAR || ' ' || sum(a)::VARCHAR FROM read_csv('%s', columns = {'a': 'BIGINT', 'b': 'UBIGINT'}, auto_detect = false, delim = ',', ignore_errors = true, parallel = false)"},
	"ndjson":           {`{"a":%d,"b":%d}` + "\n", "SELECT count(*)::VARCHAR || ' ' || sum(a)::VARCHAR FROM read_json('%s')"},
}

func TestCompressedFilesAreReadWhole(t *testing.T) {
	c, dir := files(t)
	for ending, pack := range packers {
		for name, r := range readers {
			// The sizes are around those of the buffers (32 and 128 KiB), and of data that ends
			// anywhere within the next buffer.
			for _, rows := range []int{1, 1_200, 3_902, 50_000} {
				data := numbered(rows, r.format)
				path := filepath.Join(dir, "whole"+ending)
				half := bytes.IndexByte(data[len(data)/2:], '\n') + len(data)/2 + 1
				for what, content := range map[string][]byte{
					"one member":   pack(t, data),
					"two members":  append(pack(t, data[:half]), pack(t, data[half:])...),
					"empty member": slices.Concat(pack(t, nil), pack(t, data), pack(t, nil)),
				} {
					write(t, path, content)
					want := fmt.Sprintf("%d %d", rows, rows*(rows+1)/2)
					if got := first(t, c, fmt.Sprintf(r.sql, path)); got != want {
						t.Fatalf("%s%s, %s of %d rows: %s, want %s", name, ending, what, rows, got, want)
					}
				}
			}
		}
	}
}

func TestGzipFilesOfManySizes(t *testing.T) {
	c, dir := files(t)
	var paths []string
	want := 0
	for n := range 400 { // many sizes, so that members end at and around the end of a buffer
		data := bytes.Repeat([]byte{'x'}, 32<<10-200+n)
		for i := range data {
			data[i] = 'a' + byte(uint32(i*i*2654435761)>>13%26)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.csv.gz", n))
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 1 {
			w.Name, w.Comment, w.Extra = "a name", "a comment", []byte("extra")
		}
		if _, err = w.Write(data); err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		// The file is padded with zeros, as files on tapes are.
		write(t, path, append(b.Bytes(), make([]byte, n%3*512)...))
		paths = append(paths, path)
		want += len(data)
	}
	sql := "SELECT sum(length(a))::VARCHAR FROM read_csv(['" + strings.Join(paths, "', '") + "'], columns = {'a': 'VARCHAR'}, auto_detect = false, max_line_size = 1000000)"
	if got := first(t, c, sql); got != fmt.Sprint(want) {
		t.Errorf("%s bytes, want %d", got, want)
	}
}

// TestCutAndDamagedFilesAreErrors checks that a truncated or damaged compressed file is an error.
// DuckDB itself would return the rows before the cut without an error.
func TestCutAndDamagedFilesAreErrors(t *testing.T) {
	c, dir := files(t)
	fails := func(what, sql, path, word string) {
		t.Helper()
		err := c.Exec(fmt.Sprintf(sql, path))
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v: %v", what, base.KindOf(err), err)
		}
	}
	for ending, pack := range packers {
		for name, r := range readers {
			path := filepath.Join(dir, "cut"+ending)
			for _, rows := range []int{3, 20_000} {
				whole := pack(t, numbered(rows, r.format))
				cuts := []int{0, 1, 5, len(whole) / 2, len(whole) - 8, len(whole) - 5, len(whole) - 1}
				for _, n := range cuts {
					write(t, path, whole[:n])
					word := "is cut"
					if n == 0 {
						word = "is empty"
					}
					fails(fmt.Sprintf("%s%s cut to %d of %d bytes", name, ending, n, len(whole)), r.sql, path, word)
					write(t, path, append(bytes.Clone(whole), whole[:n]...))
					if n > 0 {
						fails(fmt.Sprintf("%s%s, a second member cut to %d of %d bytes", name, ending, n, len(whole)), r.sql, path, "is cut")
					}
				}
				damaged := bytes.Clone(whole)
				damaged[len(damaged)-1-len(ending)] ^= 1 // changes a byte of the checksum
				write(t, path, damaged)
				fails(name+ending+" with another checksum", r.sql, path, "is damaged")
				write(t, path, append(bytes.Clone(whole), "something else that is no member"...))
				fails(name+ending+" followed by something else", r.sql, path, "is damaged")
			}
		}
	}
	path := filepath.Join(dir, "plain.csv.gz")
	write(t, path, []byte("a,b\n1,2\n"))
	fails("text", "FROM read_csv('%s')", path, "is not a gzip file")
}

// TestCompressedFilesAreWrittenAsBefore checks that compressed files that DuckDB writes can be
// read.
func TestCompressedFilesAreWrittenAsBefore(t *testing.T) {
	c, dir := files(t)
	for ending, compression := range map[string]string{".gz": "gzip", ".zst": "zstd"} {
		path := filepath.Join(dir, "written.csv"+ending)
		if err := c.Exec(fmt.Sprintf("COPY (SELECT i AS a, hash(i) AS b FROM range(100000) r(i)) TO '%s' (FORMAT csv, COMPRESSION %s)", path, compression)); err != nil {
			t.Fatal(err)
		}
		if got := first(t, c, fmt.Sprintf("SELECT sum(a)::VARCHAR FROM read_csv('%s')", path)); got != "4999950000" {
			t.Errorf("%s: %s", ending, got)
		}
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
