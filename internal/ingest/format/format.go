// Package format is the registry of wire formats. Code that receives rows finds the format here:
// HTTP by media type, sources by the name in FORMAT or KEY FORMAT, and `scoter load` by the ending
// of the file name. CONTRIBUTING.md says how to add a format.
package format

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/avro"
	"github.com/scoterdb/scoter/internal/ingest/csv"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/ingest/msgpack"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ingest/parquet"
	"github.com/scoterdb/scoter/internal/ingest/plain"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// All has all wire formats, in the order in which error messages list them.
var All = []*wire.Format{
	arrowipc.Format,
	parquet.Format,
	plain.String,
	plain.Int,
	plain.Long,
	plain.Double,
	ndjson.Format,
	csv.Format,
	msgpack.Format,
	lineprotocol.Format,
	avro.Format,
	protobuf.Format,
}

// OfMediaType returns the wire format with a media type, such as "text/csv". The media type must be
// in lower case and have no parameters. For an unknown media type, the error is base.Invalid.
func OfMediaType(mediaType string) (*wire.Format, error) {
	var known []string
	for _, f := range All {
		if slices.Contains(f.MediaTypes, mediaType) || slices.Contains(f.Aliases, mediaType) {
			return f, nil
		}
		known = append(known, f.MediaTypes...)
	}
	return nil, base.Errorf(base.Invalid, "Content-Type %q is not a supported format", mediaType).WithHint("send %s", List(known, "or"))
}

// OfFile returns the wire format of a file, by the ending of its name. An ending .gz or .zst after
// it is ignored. delimiter is the delimiter between values that the ending implies, or 0 if it
// implies none. For an unknown ending, the error is base.Invalid.
func OfFile(name string) (f *wire.Format, delimiter byte, err error) {
	ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")))
	var known []string
	for _, f := range All {
		if slices.Contains(f.Endings, ending) {
			return f, f.Delimiters[ending], nil
		}
		known = append(known, f.Endings...)
	}
	return nil, 0, base.Errorf(base.Invalid, "unknown file ending %q", ending).
		WithHint("files end in %s, optionally followed by .gz or .zst", strings.Join(known, ", "))
}

// OfMessages returns the wire formats that decode the values of Kafka records or, if keys is true,
// their keys.
func OfMessages(keys bool) (all []*wire.Format) {
	for _, f := range All {
		if f.OpenMessages != nil && (keys || !f.OnlyKeys) {
			all = append(all, f)
		}
	}
	return all
}

// Names returns the names of the given formats.
func Names(all []*wire.Format) []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	return names
}

// Named returns the format with the given name from the list all, or nil if none has the name.
func Named(all []*wire.Format, name string) *wire.Format {
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// List joins words for a sentence, as in "a, b and c". The argument and is the text before the last
// word. There must be at least two words.
func List(words []string, and string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}

// Delimiter parses the delimiter between CSV values. For an empty text it returns 0, which means
// the default. The error for more than one byte is base.Invalid.
func Delimiter(text string) (byte, error) {
	switch len(text) {
	case 0:
		return 0, nil
	case 1:
		return text[0], nil
	}
	return 0, base.Errorf(base.Invalid, "delimiter %q is not one character", text)
}

// Empty reports whether batches have nothing to write: no rows, and no column with a type, from
// which a table could be created.
func Empty(batches []arrow.RecordBatch) bool {
	typed := func(f arrow.Field) bool { return f.Type.ID() != arrow.NULL }
	return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool {
		return rec.NumRows() > 0 || slices.ContainsFunc(rec.Schema().Fields(), typed)
	})
}
