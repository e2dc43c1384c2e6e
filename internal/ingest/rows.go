// Package ingest turns the bytes of a request into Arrow batches, one folder per
// wire format. Decoders are pure: same bytes and options, same result; no clock,
// no engine, no goroutine. A decoder returns all rows of a request or an error, so
// that nothing of a bad request is ever applied (line protocol alone accepts the
// good lines and lists the bad ones, as InfluxDB defines).
//
// Batches own their memory: the request's body may be reused once a decoder has
// returned. Buffers come from Go's heap.
//
// Rules that every format shares:
//   - Rows are numbered from 1 in messages, as a person counts them.
//   - A column's type follows from all its values. Integers and floating-point
//     numbers in one column make float64 if no integer loses a digit, otherwise an
//     error. Integers beyond int64 make uint64. Any other mix is an error.
//   - A missing value is NULL. A column with nothing but NULLs has Arrow's null
//     type; the engine decides what it means. The null type can also appear inside
//     lists (only empty ones) and structs.
//   - Strings are dictionaries (uint32 indices) where values repeat, else utf8.
//   - Text is valid UTF-8 or an error that names row and column.
//   - NaN, infinities and the sign of zero are kept.
package ingest

import (
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
)

// Limits on what one request may hold. They bound memory and the depth of
// recursion, not what is sensible.
const (
	MaxColumns  = 10_000 // of one table in one request, fields of structs included
	MaxNesting  = 64     // lists and structs inside each other
	MaxNameSize = 256    // bytes of a table's or column's name

	// maxPadding is how many NULLs a request may imply by leaving columns out of
	// rows: sparse rows of many columns would otherwise turn a small body into
	// gigabytes. At 8 bytes each this is 256 MiB.
	maxPadding = 1 << 25
)

// TimeColumn is the name of the column that holds a row's time in the formats
// that know one.
const TimeColumn = "time"

// Rows is what one request holds for one table.
type Rows struct {
	Table string            // as the client named it; empty where the request's address names it
	Batch arrow.RecordBatch // columns named as the client named them, of natural types
	Tags  []int             // indices of the columns that identify a series, where the format says so
}

// Release gives up the batches of rows.
func Release(rows []Rows) {
	for _, r := range rows {
		r.Batch.Release()
	}
}

// CheckName returns an Invalid error unless name can name a table or a column:
// 1 to MaxNameSize bytes of UTF-8 without NUL (which would cut it short in C).
// what is "table" or "column".
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
