package ingest

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// validText reports whether b is UTF-8. Most values are short ASCII: those are
// decided eight bytes at a time without a call.
func validText(b []byte) bool {
	const high = 0x8080808080808080
	rest := b
	for len(rest) >= 8 {
		if binary.LittleEndian.Uint64(rest)&high != 0 {
			return utf8.Valid(b)
		}
		rest = rest[8:]
	}
	for _, c := range rest {
		if c >= utf8.RuneSelf {
			return utf8.Valid(b)
		}
	}
	return true
}

// Quote returns text for an error message: at most 64 bytes of it, quoted.
func Quote(text []byte) string {
	const limit = 64
	if len(text) <= limit {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(string(text[:limit])) + "..."
}
