package ingest

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// ValidText reports whether b is UTF-8. Most values are short ASCII: those are
// decided eight bytes at a time.
func ValidText(b []byte) bool {
	const highBits = 0x8080808080808080 // set in words of bytes that are not all ASCII
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

// Quote returns text for an error message: at most 64 bytes of it, quoted.
func Quote(text []byte) string {
	const limit = 64
	if len(text) <= limit {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(string(text[:limit])) + "..."
}
