// Package ingest decodes the bytes of a request into Arrow batches. Each wire format has its own
// subfolder, and package format lists them all.
//
// Decoders are pure: the same bytes and options give the same result. They use no clock, no engine
// and no goroutines. A decoder returns all rows of a request or an error, so no part of a bad
// request is ever applied. The exception is line protocol, which accepts the good lines and reports
// the bad ones, as InfluxDB defines.
//
// Batches own their memory: the request's body may be reused once a decoder has returned. Buffers
// are allocated on Go's heap.
//
// All formats share these rules:
//   - Messages number rows from 1.
//   - A column's type follows from all its values. Integers and floating-point numbers in one
//     column become float64 if no integer loses a digit; otherwise they are an error. Integers
//     above the range of int64 make the column uint64. Any other mix is an error.
//   - A missing value is NULL. A column with only NULLs has Arrow's null type, and the engine
//     decides its type. The null type can also appear inside lists (if all are empty) and structs.
//   - Strings are dictionaries (uint32 indices) where values repeat, and utf8 otherwise.
//   - Text that is not valid UTF-8 is an error that names row and column.
//   - NaN, infinities and the sign of zero are preserved.
package ingest

import (
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
)

// Limits of one request. They bound memory and the depth of recursion.
const (
	// maximum number of columns of one table in a request; fields of structs count, too
	MaxColumns  = 10_000
	MaxNesting  = 64  // maximum nesting depth of lists and structs
	MaxNameSize = 256 // maximum size in bytes of the name of a table or column

	// maxPadding is the maximum number of NULLs that a request may imply by rows that leave columns
	// out. Without this limit, a small body of sparse rows with many columns could expand to
	// gigabytes. At 8 bytes each this is 256 MiB.
	maxPadding = 1 << 25
)

// TimeColumn is the name of the time column in formats that have a special time field.
const TimeColumn = "time"

// Rows holds the rows of one request for one table.
type Rows struct {
	// Table is the name as the client sent it. It is empty if the request's address names the
	// table.
	Table string
	// Batch has natural types, see Natural, and column names as the client sent them.
	Batch arrow.RecordBatch
	// Tags are the indices of the columns that identify a series (the tags of line protocol), if
	// the format has such columns.
	Tags []int
}

// Release releases the batches of rows.
func Release(rows []Rows) {
	for _, r := range rows {
		r.Batch.Release()
	}
}

// CheckName returns a base.Invalid error if name is not valid for a table or a column. A valid name
// has 1 to MaxNameSize bytes of UTF-8 without NUL, which would cut the name short in C. The
// argument what is "table" or "column".
func CheckName(what, name string) error {
	switch {
	case name == "":
		return base.Errorf(base.Invalid, "%s name is empty", what)
	case len(name) > MaxNameSize:
		return base.Errorf(base.Invalid, "%s name of %d bytes is longer than %d: %q...", what, len(name), MaxNameSize, strings.ToValidUTF8(name[:32], "?"))
	case !utf8.ValidString(name):
		return base.Errorf(base.Invalid, "%s name %q is not valid UTF-8", what, name)
	case strings.IndexByte(name, 0) >= 0:
		return base.Errorf(base.Invalid, "%s name %q contains a NUL character", what, name)
	}
	return nil
}
