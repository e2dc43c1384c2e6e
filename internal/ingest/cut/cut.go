// Package cut cuts files of rows into pieces. Each piece is a complete body that fits in one
// request or transaction. Only one piece of a file is in memory at a time; for Parquet and Arrow,
// one unit that its writer made (a row group or a batch).
//
// The pieces depend only on the file's content: reading a file again gives the same pieces, and
// files with the same beginning have the same first pieces.
//
// The package of each format has its Cutter. It knows where rows end. Package cut opens and
// decompresses the file, and cuts text at the ends of rows.
package cut

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

const (
	// Target is the size of a piece in bytes. Its last row may exceed it.
	Target = 8 << 20
	// Longest is the largest size of one row of text in bytes.
	Longest = 64 << 20
)

// Piece is a range of a file's rows.
type Piece struct {
	Body  []byte // valid until the function that receives the piece returns
	First int64  // number of the file's rows before the piece
	Rows  int64
	Read  float64 // the share of the file that has been read, from 0 to 1
}

// Options are properties of a file that its content does not tell.
type Options struct {
	Delimiter byte // for CSV; 0 is a comma
}

// Cutter calls f with the pieces of a file, in order. A file without rows is one piece. Errors are
// those of f, base.Invalid and base.TooLarge.
type Cutter func(file *File, o Options, f func(Piece) error) error

// File is a file that is being cut.
type File struct {
	*os.File       // as it is on disk
	Size     int64 // in bytes, on disk
	name     string
	read     int64
}

// Each opens the file called name, and calls f with the pieces that a cutter makes of it. Errors
// are those of the cutter, and base.NotFound.
func Each(name string, cutter Cutter, o Options, f func(Piece) error) error {
	file, err := os.Open(name)
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	return cutter(&File{File: file, Size: info.Size(), name: name}, o, f)
}

// Decompressed returns the content of the file, decompressed as the ending of its name says. The
// caller closes it.
func (f *File) Decompressed() (io.ReadCloser, error) {
	return ingest.NewDecompressor(counter{f}, encodingNamed(f.name))
}

// Share returns how much of the file Decompressed has read, from 0 to 1.
func (f *File) Share() float64 { return min(1, float64(f.read)/float64(max(f.Size, 1))) }

// encodingNamed returns the compression that the name of a file announces.
func encodingNamed(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ingest.Identity
}

// counter counts the bytes that are read from a file.
type counter struct{ *File }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.File.File.Read(p)
	c.read += int64(n)
	return n, err
}
