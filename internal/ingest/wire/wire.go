// Package wire defines what a wire format of rows can do. The package of each format declares a
// Format, and package format lists all of them.
package wire

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is a wire format. A function is nil if the format cannot do what the function does.
type Format struct {
	// Name is the format's name in lower case. FORMAT of CREATE SOURCE uses it.
	Name string
	// MediaTypes are the documented media types of bodies with rows of one table. The first one is
	// the type that clients of this module send. Aliases are accepted, too.
	MediaTypes, Aliases []string
	// Endings are the endings of the names of files with this format, in lower case with the dot.
	Endings []string
	// Delimiters are the delimiters that endings stand for, where that is not the format's default.
	Delimiters map[string]byte

	// Decode returns the rows of a body for one table as batches of natural types. There is at
	// least one batch, and the caller releases them. Errors are base.Invalid or base.TooLarge.
	Decode func(body []byte, o Options) ([]arrow.RecordBatch, error)
	// Claimed returns how many bytes the rows of a body take in memory according to the body
	// itself, or most if that is less. It is nil if rows take about as much memory as the body.
	Claimed func(body []byte, most int64) int64
	// DecodeTables decodes a body whose rows name their tables. Errors are base.Invalid or
	// base.TooLarge.
	DecodeTables func(body []byte, o TableOptions) (Tables, error)

	// Cut cuts a file into bodies for Decode of PieceFormat, or of this format if that is nil.
	Cut         cut.Cutter
	PieceFormat *Format

	// OpenMessages prepares to decode the messages of a source. It reads the options of the
	// source's FORMAT clause, up to option.Set.End. Errors are base.Invalid, or an error of
	// MessageOptions.Connect.
	OpenMessages func(o MessageOptions) (Messages, error)
	// OnlyKeys limits OpenMessages to the keys of records: each message is a single value.
	OnlyKeys bool
	// Schemas says that FORMAT also has the options of a schema registry.
	Schemas bool
	// Projects says that message decoders decode a selection of columns by path. Decoders of other
	// formats decode all columns, and a query selects from them.
	Projects bool
}

// Options are properties of a body that its content does not tell.
type Options struct {
	// Types are the columns of the target table. Text is decoded as the type of its column. nil if
	// the table does not exist yet.
	Types []schema.Field
	// For CSV: see csv.Options.
	Delimiter byte
	NullText  string
	// MaxBody bounds the bytes that compressed buffers in a body decompress to. Largest bounds the
	// bytes that the rows take in memory.
	MaxBody, Largest int64
}

// TableOptions are properties of a body whose rows name their tables.
type TableOptions struct {
	// Now is the time of rows without one.
	Now time.Time
	// Precision is the unit of times that are integers. ingest.Auto is the format's default.
	Precision ingest.Precision
	// Types returns the columns of an existing table, or nil. It may be nil. It is called only if
	// the types in the body contradict each other.
	Types func(table string) []schema.Field
}

// Tables are the rows of a body whose rows name their tables. The caller releases Rows.
type Tables struct {
	// Rows has one element per table, in order of appearance.
	Rows []ingest.Rows

	// The other fields are set by formats that accept the good rows of a body and reject the bad
	// ones. Lines has an element for each element of Rows.
	Lines    []Lines
	Rejected int         // number of lines rejected
	Errors   []LineError // the first MaxErrors rejected lines
}

// MaxErrors is the largest number of rejected lines that Tables describes.
const MaxErrors = 100

// LineError describes a rejected line.
type LineError struct {
	Line     int    // number of the line's first line, from 1
	Text     string // the line, cut to 256 bytes
	Reason   string
	Conflict bool // the line parses, but contradicts an earlier line
}

// Lines maps rows to line numbers.
type Lines interface {
	// Of returns the line number of a row, from 1. Rows are counted from 0.
	Of(row int) int
}

// One returns a batch as the only element of a slice, for formats with one batch per body.
func One(rec arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{rec}, nil
}

// ForPieces returns the format of the bodies that Cut makes.
func (f *Format) ForPieces() *Format {
	if f.PieceFormat != nil {
		return f.PieceFormat
	}
	return f
}
