package encode

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Format is a wire format of results. The zero value is JSON, the default.
type Format uint8

const (
	JSON    Format = iota // JSON is a single JSON document.
	NDJSON                // NDJSON is one JSON object per line, for each row.
	CSV                   // CSV is comma-separated values with a header, as in RFC 4180.
	Arrow                 // Arrow is an Arrow IPC stream.
	Parquet               // Parquet is a Parquet file.
	// MessagePack is a sequence of MessagePack objects, column by column: docs/format/msgpack.md
	MessagePack
	Table // Table is a table of text and lines for a terminal.
)

// formats has, for each format, its name, media types and file extension. The first media type of a
// format is the Content-Type of results.
var formats = [...]struct {
	name       string
	extension  string
	mediaTypes []string
	params     string
}{
	JSON:        {"json", ".json", []string{"application/json", "text/json"}, ""},
	NDJSON:      {"ndjson", ".ndjson", []string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}, ""},
	CSV:         {"csv", ".csv", []string{"text/csv", "application/csv"}, "; charset=utf-8; header=present"},
	Arrow:       {"arrow", ".arrows", []string{"application/vnd.apache.arrow.stream"}, ""},
	Parquet:     {"parquet", ".parquet", []string{"application/vnd.apache.parquet", "application/x-parquet"}, ""},
	MessagePack: {"msgpack", ".msgpack", []string{"application/msgpack", "application/x-msgpack", "application/vnd.msgpack"}, ""},
	Table:       {"table", ".txt", []string{"text/plain"}, "; charset=utf-8"},
}

// String returns the name of the format, which is also what clients write for ?format= in a URL.
func (f Format) String() string { return formats[f].name }

// ContentType returns the format's media type, as the value of an HTTP Content-Type header.
func (f Format) ContentType() string { return formats[f].mediaTypes[0] + formats[f].params }

// Extension returns the usual file name extension with its dot.
func (f Format) Extension() string { return formats[f].extension }

// FormatNamed returns the format with this name: json, ndjson, csv, arrow, parquet, msgpack or
// table, in any case. An unknown name is a base.Invalid error.
func FormatNamed(name string) (Format, error) {
	for f := range formats {
		if strings.EqualFold(formats[f].name, name) {
			return Format(f), nil
		}
	}
	return JSON, base.Errorf(base.Invalid, "unknown result format %q", clip(name)).WithHint("formats are %s", formatNames())
}

// ParseFormat chooses the format of a result. The argument query is the value of ?format= in the
// URL. If it is not empty, it decides. Otherwise the argument accept decides, the value of the
// Accept header. Of the media ranges in the header, the one with the highest q-value wins, then the
// more specific one, then the earlier one. An empty header, */* and application/* mean JSON; text/*
// means CSV. The error is base.Invalid for an unknown name, and for a header that accepts no
// supported format.
func ParseFormat(accept, query string) (Format, error) {
	if query != "" {
		return FormatNamed(query)
	}
	if strings.TrimSpace(accept) == "" {
		return JSON, nil
	}
	ranges := acceptRanges(accept)
	best, bestQ, bestSpecificity := JSON, 0, -1
	for _, r := range ranges {
		f, ok := r.format(ranges)
		if !ok || r.q == 0 {
			continue
		}
		if r.q > bestQ || r.q == bestQ && r.specificity > bestSpecificity {
			best, bestQ, bestSpecificity = f, r.q, r.specificity
		}
	}
	if bestSpecificity < 0 {
		return JSON, base.Errorf(base.Invalid, "no result format fits Accept: %s", clip(accept)).WithHint("formats are %s", formatNames())
	}
	return best, nil
}

// mediaRange is one element of an Accept header, such as text/*;q=0.5.
type mediaRange struct {
	// mediaType is a media type such as text/csv, in lower case and without parameters.
	mediaType string
	q         int // q is the q-value (the client's preference) in thousandths, 0 to 1000.
	// specificity is 0 for */*, 1 for a range such as text/*, and 2 for a full media type.
	specificity int
}

// acceptRanges parses an Accept header into its elements. It ignores malformed elements.
func acceptRanges(accept string) []mediaRange {
	var out []mediaRange
	for element := range strings.SplitSeq(accept, ",") {
		mediaType, params, _ := strings.Cut(element, ";")
		r := mediaRange{mediaType: strings.ToLower(strings.TrimSpace(mediaType)), q: 1000, specificity: 2}
		major, minor, ok := strings.Cut(r.mediaType, "/")
		if !ok || major == "" || minor == "" {
			continue
		}
		switch {
		case major == "*" && minor == "*":
			r.specificity = 0
		case minor == "*":
			r.specificity = 1
		}
		valid := true
		for param := range strings.SplitSeq(params, ";") {
			key, value, _ := strings.Cut(param, "=")
			if strings.EqualFold(strings.TrimSpace(key), "q") {
				r.q, valid = parseQ(strings.TrimSpace(value))
			}
		}
		if valid {
			out = append(out, r)
		}
	}
	return out
}

// parseQ parses the q-value of a media range, and returns it in thousandths.
func parseQ(s string) (int, bool) {
	q, err := strconv.ParseFloat(s, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0, false
	}
	return int(q*1000 + 0.5), true
}

// format returns the output format that a media range of an Accept header accepts. If the range has
// a wildcard, it returns the first matching format that no other element of the header excludes. An
// element excludes a format by its exact name with q=0.
func (r mediaRange) format(all []mediaRange) (Format, bool) {
	candidates := []Format{JSON, NDJSON, MessagePack, Arrow, Parquet, CSV, Table}
	for _, f := range candidates {
		for _, mediaType := range formats[f].mediaTypes {
			switch r.specificity {
			case 2:
				if mediaType == r.mediaType {
					return f, true
				}
			default:
				// A wildcard matches only the preferred media type of a format, not its aliases.
				if mediaType != formats[f].mediaTypes[0] || excluded(all, f) {
					continue
				}
				if r.specificity == 0 || strings.HasPrefix(mediaType, strings.TrimSuffix(r.mediaType, "*")) {
					return f, true
				}
			}
		}
	}
	return JSON, false
}

// excluded reports whether an element of the Accept header excludes the format by its exact name
// with q=0.
func excluded(all []mediaRange, f Format) bool {
	for _, r := range all {
		if r.q == 0 && r.specificity == 2 && r.mediaType == formats[f].mediaTypes[0] {
			return true
		}
	}
	return false
}

func formatNames() string {
	names := make([]string, len(formats))
	for f := range formats {
		names[f] = formats[f].name
	}
	return strings.Join(names, ", ")
}

// clip shortens a text that a client sent, for an error message.
func clip(s string) string {
	const limit = 100
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
