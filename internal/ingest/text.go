package ingest

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// ValidText reports whether b is valid UTF-8. Most values are short ASCII, which it checks eight
// bytes at a time.
func ValidText(b []byte) bool {
	// the high bits of a word of eight bytes; none is set if all bytes are ASCII
	const highBits = 0x8080808080808080
	n := len(b)
	if n >= 8 {
		all := binary.LittleEndian.Uint64(b[n-8:])
		for i := 0; i+8 < n; i += 8 {
			all |= binary.LittleEndian.Uint64(b[i:])
		}
		return all&highBits == 0 || utf8.Valid(b)
	}
	all := byte(0)
	for _, c := range b {
		all |= c
	}
	return all < utf8.RuneSelf || utf8.Valid(b)
}

// Quote returns text in quotes, for an error message. It cuts the text to at most 64 bytes.
func Quote(text []byte) string {
	const limit = 64
	if len(text) <= limit {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(string(text[:limit])) + "..."
}
