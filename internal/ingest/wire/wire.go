// Package wire defines what a wire format can do. A wire format is the bytes of rows in a request,
// a message or a file. The package of each wire format declares a Format, and package format lists
// all of them.
package wire

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is a wire format: its names, and functions that decode it. A function is nil if the format
// does not support its purpose.
type Format struct {
	// Name is the name of the format in lower case, as in CREATE SOURCE ... FORMAT name.
	Name string
	// MediaTypes are the documented media types of a body that Decode takes. Clients of Scoter send
	// the first one. Aliases are other media types that are also accepted.
	MediaTypes, Aliases []string
	// Endings are the endings of the names of files in this format, in lower case with the dot.
	Endings []string
	// Delimiters has the delimiter between values for each ending of Endings that implies another
	// one than the default, such as a tab for ".tsv".
	Delimiters map[string]byte

	// Decode decodes a body with rows of one table. The columns of the batches have the types that
	// the values suggest. There is at least one batch. The caller releases the batches. Errors are
	// base.Invalid or base.TooLarge.
	Decode func(body []byte, o Options) ([]arrow.RecordBatch, error)
	// Claimed returns how many bytes the rows of a body will take in memory, as the body itself
	// says, but at most the given maximum. It is nil for formats whose rows take about as much
	// memory as the body.
	Claimed func(body []byte, most int64) int64
	// DecodeTables decodes a body in which each row names its table. Errors are base.Invalid or
	// base.TooLarge.
	DecodeTables func(body []byte, o TableOptions) (Tables, error)

	// Cut cuts a file into pieces. Each piece is a body in the format PieceFormat, or in this
	// format if PieceFormat is nil.
	Cut         cut.Cutter
	PieceFormat *Format

	// OpenMessages returns the decoders of the messages of one source. It reads all options of the
	// source's FORMAT clause that are not read yet, and calls option.Set.End. Errors are
	// base.Invalid, or an error of MessageOptions.Connect.
	OpenMessages func(o MessageOptions) (Messages, error)
	// OnlyKeys says that messages can only be the keys of records, because each is a single value.
	OnlyKeys bool
	// Schemas says that the FORMAT clause may also have the options of a schema registry.
	Schemas bool
	// Projects says that the decoders of messages can decode only some columns, which are selected
	// by path. Decoders of other formats decode all columns.
	Projects bool
}

// Options are properties of a body with rows of one table that its bytes do not tell.
type Options struct {
	// Types are the columns of the target table, so that text is decoded as the type of its column.
	// It is nil if the table does not exist yet.
	Types []schema.Field
	// Delimiter and NullText are for CSV. They are described at csv.Options.
	Delimiter byte
	NullText  string
	// MaxBody is the maximum size in bytes to which the compressed buffers of a body decompress.
	// Largest is the maximum number of bytes that the rows take in memory.
	MaxBody, Largest int64
}

// TableOptions are properties of a body in which each row names its table.
type TableOptions struct {
	// Now is the time of rows that have no time.
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

	// Lines, Rejected and Errors are set only by formats that accept the valid lines of a body
	// although other lines are invalid. Lines[i] has the line numbers of the rows of Rows[i].
	Lines    []Lines
	Rejected int         // number of invalid lines
	Errors   []LineError // the first MaxErrors invalid lines
}

// MaxErrors is the maximum number of invalid lines that Tables describes.
const MaxErrors = 100

// LineError describes an invalid line of a body.
type LineError struct {
	Line     int    // number of the line, from 1; the first one if a value contains line ends
	Text     string // the line, cut to 256 bytes
	Reason   string
	Conflict bool // the line parses, but its types contradict an earlier line
}

// Lines has the line numbers of decoded rows.
type Lines interface {
	// Of returns the number of the line, from 1, that row came from. Rows are counted from 0.
	Of(row int) int
}

// One returns a slice whose only element is rec, or the error. It adapts decoders that return one
// batch for each body.
func One(rec arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{rec}, nil
}

// ForPieces returns the format of the pieces that Cut makes of a file.
func (f *Format) ForPieces() *Format {
	if f.PieceFormat != nil {
		return f.PieceFormat
	}
	return f
}
