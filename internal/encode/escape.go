package encode

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// unsafeJSON returns a word that is not 0 if one of the eight bytes of w may need an escape in a
// JSON string: a byte that is not ASCII, a control character, a quote or a backslash. It tests all
// bytes at the same time. For example, quote has a byte 0 where w has a quote, and subtracting 1
// from every byte sets the high bit of a byte that was 0. That bit is also set for bytes above
// 0x80, but these are not ASCII. A subtraction borrows from the next byte only if the byte itself
// may need an escape, so no word is reported without a reason.
func unsafeJSON(w uint64) uint64 {
	quote := w ^ everyByte*'"'
	backslash := w ^ everyByte*'\\'
	return (w | (w - everyByte*0x20) | (quote - everyByte) | (backslash - everyByte)) & highBits
}

// plainJSON[b] is true if the byte b can stand in a JSON string without an escape.
var plainJSON = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// isPlainJSON reports whether s is ASCII and needs no escapes in a JSON string.
func isPlainJSON(s []byte) bool {
	if len(s) >= 8 {
		i := 0
		for ; i+8 <= len(s); i += 8 {
			if unsafeJSON(binary.LittleEndian.Uint64(s[i:])) != 0 {
				return false
			}
		}
		// The last word overlaps the word before it.
		return unsafeJSON(binary.LittleEndian.Uint64(s[len(s)-8:])) == 0
	}
	for _, c := range s {
		if !plainJSON[c] {
			return false
		}
	}
	return true
}

// appendJSONString appends s as a JSON string with its quotes.
func appendJSONString(dst, s []byte) []byte {
	if isPlainJSON(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	return appendEscaped(dst, s)
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends s as a JSON string with quotes and escapes. Invalid UTF-8 becomes U+FFFD.
// The line separators U+0085, U+2028 and U+2029 are escaped although JSON allows them: a reader of
// NDJSON that splits at any Unicode line end would cut a row in two.
func appendEscaped(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainJSON[c] {
			i++
			continue
		}
		if c < 0x80 {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
		case isWideLineEnd(r):
			dst = appendWideEscape(append(dst, s[start:i]...), r)
		default:
			i += size
			continue
		}
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func isWideLineEnd(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

func appendWideEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// appendJSONLine appends a valid JSON value to a line of NDJSON, without the line ends in it. ASCII
// line ends occur only between the parts of the value, and are removed. Other line ends (U+0085,
// U+2028 and U+2029) occur only in strings, and are escaped.
func appendJSONLine(dst, s []byte) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		// Bytes below 0xC2 are ASCII or continue a character.
		if c != '\n' && c != '\r' && c < 0xC2 {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if c < 0x80 || isWideLineEnd(r) {
			dst = append(dst, s[start:i]...)
			start = i + size
		}
		if isWideLineEnd(r) {
			dst = appendWideEscape(dst, r)
		}
		i += size
	}
	return append(dst, s[start:]...)
}

// appendEscape appends the JSON escape of an ASCII character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendValid appends s with invalid UTF-8 replaced by U+FFFD.
func appendValid(dst, s []byte) []byte {
	if utf8.Valid(s) {
		return append(dst, s...)
	}
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		dst = utf8.AppendRune(dst, r)
		s = s[size:]
	}
	return dst
}
