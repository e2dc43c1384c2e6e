// Package wire defines what a wire format can do. A wire format is an encoding of rows in a
// request, a message or a file, such as JSON or CSV. The package of each wire format declares a
// Format, and package format lists all of them.
package wire

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is a wire format: its names, and functions that decode it. A function is nil if the format
// does not support what the function is for.
type Format struct {
	// Name is the name of the format in lower case, as in CREATE SOURCE ... FORMAT name.
	Name string
	// MediaTypes are the documented media types of bodies in this format, for the function Decode.
	// Clients of Scoter send the first one. Aliases are undocumented media types that are accepted
	// too.
	MediaTypes, Aliases []string
	// Endings are the endings of the names of files in this format, in lower case with the dot.
	Endings []string
	// Delimiters maps an ending in Endings to the delimiter between values that the ending implies,
	// such as a tab for ".tsv". Endings with the default delimiter are not in it.
	Delimiters map[string]byte

	// Decode decodes a body with rows of one table. The columns of the batches have the types that
	// the values suggest. There is at least one batch. The caller releases the batches. Errors are
	// base.Invalid or base.TooLarge.
	Decode func(body []byte, o Options) ([]arrow.RecordBatch, error)
	// Claimed returns how many bytes the rows of a body will take in memory, according to the sizes
	// that the body contains. The argument most limits the result. Claimed is nil for formats whose
	// rows take about as much memory as the body.
	Claimed func(body []byte, most int64) int64
	// DecodeTables decodes a body in which each row names its table. Errors are base.Invalid or
	// base.TooLarge.
	DecodeTables func(body []byte, o TableOptions) (Tables, error)

	// Cut cuts a file into pieces, which fit in one request each. Each piece is a body in the
	// format PieceFormat, or in this format if PieceFormat is nil.
	Cut         cut.Cutter
	PieceFormat *Format

	// OpenMessages returns the decoders of the messages of one source. It reads all options of the
	// source's FORMAT clause that are not read yet, and calls option.Set.End. Errors are
	// base.Invalid, or an error of MessageOptions.Connect.
	OpenMessages func(o MessageOptions) (Messages, error)
	// OnlyKeys is true if messages in this format can only be the keys of records, because each
	// message is a single value without a column name.
	OnlyKeys bool
	// Schemas is true if the FORMAT clause may also have the options of a schema registry.
	Schemas bool
	// Projects is true if the decoders of messages can decode only some columns, which are selected
	// by path. The decoders of other formats always decode all columns.
	Projects bool
}

// Options say what a decoder must know in addition to the bytes of a body with rows of one table.
type Options struct {
	// Types are the columns of the target table, so that text is decoded as the type of its column.
	// It is nil if the table does not exist yet.
	Types []schema.Field
	// Delimiter is the delimiter between values in CSV, and NullText the text that means NULL in
	// CSV. The type csv.Options describes them.
	Delimiter byte
	NullText  string
	// MaxBody is the maximum size in bytes that the compressed buffers of a body may have after
	// decompression. Largest is the maximum number of bytes that the rows may take in memory.
	MaxBody, Largest int64
}

// TableOptions say what a decoder must know in addition to the bytes of a body in which each row
// names its table.
type TableOptions struct {
	// Now is the time that rows get if the body gives them no time.
	Now time.Time
	// Precision is the unit of times that are integers. ingest.Auto means the format's default.
	Precision ingest.Precision
	// Types returns the columns of a table, or nil if the table does not exist. It is called only
	// if rows of the body disagree about the type of a column. Types itself may be nil.
	Types func(table string) []schema.Field
}

// Tables is the decoded form of a body in which each row names its table. The caller releases Rows.
type Tables struct {
	// Rows has one element for each table, in order of appearance.
	Rows []ingest.Rows

	// Lines, Rejected and Errors are set only by formats that accept the valid lines of a body even
	// if other lines are invalid. Lines[i] has the line numbers of the rows in Rows[i].
	Lines    []Lines
	Rejected int         // number of invalid lines
	Errors   []LineError // the first invalid lines, at most MaxErrors
}

// MaxErrors is the maximum number of invalid lines of a body that are described in Tables.Errors.
const MaxErrors = 100

// LineError describes an invalid line of a body.
type LineError struct {
	// number of the line, from 1; if a value contains line ends, the number of the first line
	Line     int
	Text     string // the line, cut to 256 bytes
	Reason   string
	Conflict bool // whether the line is well-formed, but its types contradict an earlier line
}

// Lines has the line numbers, in the body, of decoded rows.
type Lines interface {
	// Of returns the number of the line from which a row came, counted from 1. The argument row is
	// the index of the row, from 0.
	Of(row int) int
}

// One returns a slice whose only element is rec or, if err is not nil, the error. It adapts
// decoders that return a single batch to Format.Decode, which returns a slice.
func One(rec arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{rec}, nil
}

// ForPieces returns the wire format of the pieces (bodies of one request each) into which a file in
// the format f is cut.
func (f *Format) ForPieces() *Format {
	if f.PieceFormat != nil {
		return f.PieceFormat
	}
	return f
}
