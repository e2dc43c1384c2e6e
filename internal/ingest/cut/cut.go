// Package cut cuts files of rows into pieces. Each piece is a complete body that fits in one
// request or transaction. Only one piece of a file is in memory at a time. Parquet and Arrow files
// are read by whole row groups or batches, so one of these may be in memory, too, however large the
// program that wrote the file made it.
//
// The pieces depend only on the file's content. Reading a file again gives the same pieces, and
// files with the same beginning have the same first pieces.
//
// The package of each wire format has a Cutter, which knows where rows end. Package cut opens and
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
	// Target is the intended size in bytes of a piece (the part of a file that fits in one
	// request). A piece may be larger, because it ends with a complete row.
	Target = 8 << 20
	// Longest is the maximum size in bytes of one row of text.
	Longest = 64 << 20
)

// Piece is a range of a file's rows, with its bytes as a body that fits in one request.
type Piece struct {
	// the bytes of the piece, as a complete body; valid until the function that receives it returns
	Body  []byte
	First int64   // number of rows in the file before the piece
	Rows  int64   // number of rows of the piece
	Read  float64 // share of the file that has been read so far, from 0 to 1
}

// Options are properties of a file that cannot be told from its bytes.
type Options struct {
	Delimiter byte // the delimiter between the values of CSV; 0 means a comma
}

// Cutter cuts a file into pieces, and calls f with the pieces in order. A file without rows has one
// piece. An error is an error of f, or has the kind base.Invalid or base.TooLarge.
type Cutter func(file *File, o Options, f func(Piece) error) error

// File is a file that is being cut.
type File struct {
	*os.File       // the file on disk, which may be compressed
	Size     int64 // size of the file on disk, in bytes
	name     string
	read     int64 // number of bytes on disk that Decompressed has read
}

// Each opens the file called name, and calls f with the pieces that cutter makes of the file. An
// error is an error of cutter, or base.NotFound if the file cannot be opened.
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

// Decompressed returns a reader of the file's content. If the file's name ends in .gz or .zst, it
// decompresses the content. The caller closes the reader.
func (f *File) Decompressed() (io.ReadCloser, error) {
	return ingest.NewDecompressor(counter{f}, encodingNamed(f.name))
}

// Share returns which share of the file the reader of Decompressed has read, from 0 to 1.
func (f *File) Share() float64 { return min(1, float64(f.read)/float64(max(f.Size, 1))) }

// encodingNamed returns the compression that the ending of a file name implies: "gzip", "zstd", or
// ingest.Identity if there is none.
func encodingNamed(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ingest.Identity
}

// counter reads from a File, and adds the number of bytes to the file's field read.
type counter struct{ *File }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.File.File.Read(p)
	c.read += int64(n)
	return n, err
}
