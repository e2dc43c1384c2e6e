// Package cut cuts files of rows into pieces. Each piece is a complete body that fits in one
// request or transaction. Only one piece of a file is in memory at a time. For Parquet and Arrow,
// the rows of one row group or batch, as the file's writer made it, are in memory.
//
// The pieces depend only on the file's content. Reading a file again gives the same pieces, and
// files with the same beginning have the same first pieces.
//
// The Cutter of a wire format, which knows where rows end, is in the package of the format. Package
// cut opens and decompresses the file, and cuts text at the ends of rows.
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
	// Target is the intended size of a piece in bytes. A piece may be larger, because it ends with
	// a complete row.
	Target = 8 << 20
	// Longest is the maximum size in bytes of one row of text.
	Longest = 64 << 20
)

// Piece is a range of a file's rows.
type Piece struct {
	Body  []byte  // valid until the function that receives the piece returns
	First int64   // number of rows of the file before the piece
	Rows  int64   // number of rows of the piece
	Read  float64 // share of the file that has been read, from 0 to 1
}

// Options are properties of a file that its bytes do not tell.
type Options struct {
	Delimiter byte // between the values of CSV; 0 means a comma
}

// Cutter calls f with the pieces of a file, in order. A file without rows has one piece. Errors are
// the errors of f, base.Invalid and base.TooLarge.
type Cutter func(file *File, o Options, f func(Piece) error) error

// File is a file that is being cut.
type File struct {
	*os.File       // as it is on disk, so it may be compressed
	Size     int64 // in bytes, on disk
	name     string
	read     int64 // bytes read by Decompressed
}

// Each opens the file called name, and calls f with the pieces that cutter makes of the file.
// Errors are the errors of cutter, and base.NotFound.
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

// Decompressed returns the content of the file. If the file's name ends in .gz or .zst, the content
// is decompressed. The caller closes the reader.
func (f *File) Decompressed() (io.ReadCloser, error) {
	return ingest.NewDecompressor(counter{f}, encodingNamed(f.name))
}

// Share returns how much of the file Decompressed has read, from 0 to 1.
func (f *File) Share() float64 { return min(1, float64(f.read)/float64(max(f.Size, 1))) }

// encodingNamed returns the compression that the ending of a file name implies, in the names that
// ingest.NewDecompressor takes.
func encodingNamed(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ingest.Identity
}

// counter reads from a file, and counts the bytes in File.read.
type counter struct{ *File }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.File.File.Read(p)
	c.read += int64(n)
	return n, err
}
