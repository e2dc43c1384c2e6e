// Package format lists the wire formats of rows for one table, with their names and decoders.
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

// Format is a wire format.
type Format uint8

// The formats.
const (
	Arrow Format = iota
	Parquet
	JSON
	CSV
	MessagePack
)

// formats lists the names of each format: its media types, the first of which is sent, and the
// endings of files that can be loaded.
var formats = [...]struct{ mediaTypes, endings []string }{
	Arrow:       {[]string{"application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file"}, []string{".arrow", ".arrows", ".feather", ".ipc"}},
	Parquet:     {[]string{"application/vnd.apache.parquet"}, []string{".parquet"}},
	JSON:        {[]string{"application/x-ndjson", "application/json", "application/ndjson", "application/jsonl"}, []string{".ndjson", ".jsonl", ".json"}},
	CSV:         {[]string{"text/csv"}, []string{".csv", ".tsv", ".txt"}},
	MessagePack: {[]string{"application/msgpack", "application/x-msgpack", "application/vnd.msgpack"}, nil},
}

// MediaType returns the format's preferred media type.
func (f Format) MediaType() string { return formats[f].mediaTypes[0] }

// OfMediaType returns the format of a media type without parameters. An unknown one is a
// base.Invalid error.
func OfMediaType(mediaType string) (Format, error) {
	for f, names := range formats {
		if slices.Contains(names.mediaTypes, mediaType) {
			return Format(f), nil
		}
	}
	return 0, base.Errorf(base.Invalid, "Content-Type %q is not a supported format", mediaType).
		WithHint("send application/vnd.apache.arrow.stream, application/vnd.apache.parquet, application/x-ndjson, application/json, text/csv or application/msgpack")
}

// OfFile returns the format of a file by the ending of its name. The ending .gz or .zst may follow
// it. An unknown ending is a base.Invalid error.
func OfFile(name string) (Format, error) {
	ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")))
	var all []string
	for f, names := range formats {
		if slices.Contains(names.endings, ending) {
			return Format(f), nil
		}
		all = append(all, names.endings...)
	}
	return 0, base.Errorf(base.Invalid, "unknown file ending %q", ending).WithHint("files end in %s, optionally followed by .gz or .zst", strings.Join(all, ", "))
}

// Options of Decode are properties of a body that its content does not tell.
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

// Claimed returns how many bytes the rows of a body take in memory according to the body itself, or
// most if that is less. It returns 0 if rows take about as much memory as the body.
func (f Format) Claimed(body []byte, most int64) int64 {
	switch f {
	case Arrow:
		return arrowipc.Claimed(body, most)
	case Parquet:
		return parquet.Claimed(body, most)
	}
	return 0
}

// Decode returns the rows of a body as batches of natural types. There is at least one batch, and
// the caller releases them. Errors are base.Invalid or base.TooLarge.
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

// Delimiter parses the delimiter of CSV values. It returns 0, the default, for the empty string.
func Delimiter(text string) (byte, error) {
	switch len(text) {
	case 0:
		return 0, nil
	case 1:
		return text[0], nil
	}
	return 0, base.Errorf(base.Invalid, "delimiter %q is not one character", text)
}

// Empty reports whether batches contain nothing: no rows, and no typed column from which a table
// could be created.
func Empty(batches []arrow.RecordBatch) bool {
	typed := func(f arrow.Field) bool { return f.Type.ID() != arrow.NULL }
	return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool {
		return rec.NumRows() > 0 || slices.ContainsFunc(rec.Schema().Fields(), typed)
	})
}
