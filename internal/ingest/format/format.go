// Package format lists the formats that rows of one table come in: by what names they are known, and what decodes them.
package format

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/csv"
	"github.com/scoterdb/scoter/internal/ingest/msgpack"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ingest/parquet"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is one format.
type Format uint8

// The formats.
const (
	Arrow Format = iota
	Parquet
	JSON
	CSV
	MessagePack
)

// formats has the names of each: media types, of which the first is what is sent, and the endings of files that can be loaded.
var formats = [...]struct{ mediaTypes, endings []string }{
	Arrow:       {[]string{"application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file"}, []string{".arrow", ".arrows", ".feather", ".ipc"}},
	Parquet:     {[]string{"application/vnd.apache.parquet"}, []string{".parquet"}},
	JSON:        {[]string{"application/x-ndjson", "application/json", "application/ndjson", "application/jsonl"}, []string{".ndjson", ".jsonl", ".json"}},
	CSV:         {[]string{"text/csv"}, []string{".csv", ".tsv", ".txt"}},
	MessagePack: {[]string{"application/msgpack", "application/x-msgpack", "application/vnd.msgpack"}, nil},
}

// MediaType returns the name that says what a body is.
func (f Format) MediaType() string { return formats[f].mediaTypes[0] }

// OfMediaType returns the format of a media type without parameters.
func OfMediaType(mediaType string) (Format, error) {
	for f, names := range formats {
		if slices.Contains(names.mediaTypes, mediaType) {
			return Format(f), nil
		}
	}
	return 0, base.Errorf(base.Invalid, "Content-Type %q is no format of rows", mediaType).
		WithHint("send application/vnd.apache.arrow.stream, application/vnd.apache.parquet, application/x-ndjson, application/json, text/csv or application/msgpack")
}

// OfFile returns the format of a file by the ending of its name, behind which .gz or .zst may stand.
func OfFile(name string) (Format, error) {
	ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")))
	var all []string
	for f, names := range formats {
		if slices.Contains(names.endings, ending) {
			return Format(f), nil
		}
		all = append(all, names.endings...)
	}
	return 0, base.Errorf(base.Invalid, "the ending %q names no format", ending).WithHint("files end in %s; behind it may stand .gz or .zst", strings.Join(all, ", "))
}

// Options say what a body does not say itself.
type Options struct {
	// Types of the columns of the table that the rows are for, so that text is read as what it is to become; nil if the table is yet to be made.
	Types []schema.Field
	// Of CSV: see csv.Options.
	Delimiter byte
	NullText  string
	// MaxBody and Largest bound, in bytes, what compressed buffers in a body decompress to, and what its rows take in memory.
	MaxBody, Largest int64
}

// Claimed is how many bytes, but at most so many, a body says that its rows take in memory; 0 if they are about as large as the body.
func (f Format) Claimed(body []byte, most int64) int64 {
	switch f {
	case Arrow:
		return arrowipc.Claimed(body, most)
	case Parquet:
		return parquet.Claimed(body, most)
	}
	return 0
}

// Decode returns the rows of a body, in batches of natural types, at least one, which the caller releases. Errors are base.Invalid or base.TooLarge.
func (f Format) Decode(body []byte, o Options) ([]arrow.RecordBatch, error) {
	switch f {
	case Arrow:
		return arrowipc.Decode(body, o.MaxBody, o.Largest)
	case Parquet:
		return parquet.Decode(body, o.Largest)
	case JSON:
		return one(ndjson.Decode(body, ndjson.Options{Types: o.Types, Moments: true}))
	case MessagePack:
		return one(msgpack.DecodeTable(body, o.Types))
	}
	types := make(map[string]arrow.DataType, len(o.Types))
	for _, c := range o.Types {
		types[schema.Fold(c.Name)] = c.Type.Arrow()
	}
	return one(csv.Decode(body, csv.Options{Delimiter: o.Delimiter, NullText: o.NullText, Types: types}))
}

func one(rec arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{rec}, nil
}

// Delimiter reads the character between the values of CSV; an empty text is the default.
func Delimiter(text string) (byte, error) {
	switch len(text) {
	case 0:
		return 0, nil
	case 1:
		return text[0], nil
	}
	return 0, base.Errorf(base.Invalid, "delimiter %q is not one character", text)
}

// Empty reports whether a body says nothing: no rows, and no column of a type for a table to
// be made of.
func Empty(batches []arrow.RecordBatch) bool {
	typed := func(f arrow.Field) bool { return f.Type.ID() != arrow.NULL }
	return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool {
		return rec.NumRows() > 0 || slices.ContainsFunc(rec.Schema().Fields(), typed)
	})
}
