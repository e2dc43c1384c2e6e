package emit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Language is a programming language in which code is generated.
type Language string

// These are the languages in which code is generated.
const (
	Java       Language = "java"
	TypeScript Language = "typescript"
	Python     Language = "python"
	Go         Language = "go"
)

// maxJavaConstant is the maximum number of bytes of a Java string literal in generated code. A
// class file allows 65,535 bytes for a string constant, and a NUL takes two of them.
const maxJavaConstant = 30000

// Quote returns a string literal in the language, whose value is s. Bytes that are not UTF-8 become
// U+FFFD, as usual in Go.
func Quote(l Language, s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if l == Java && len(s) > maxJavaConstant {
		var parts []string
		for len(s) > maxJavaConstant {
			cut := maxJavaConstant
			for !utf8.RuneStart(s[cut]) {
				cut--
			}
			parts = append(parts, Quote(Java, s[:cut]))
			s = s[cut:]
		}
		return "String.join(\"\", " + strings.Join(append(parts, Quote(Java, s)), ", ") + ")"
	}
	if l == Go {
		return strconv.Quote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			// Java needs an octal escape for a line end. It would replace \u000a by a line end
			// before it reads the literal.
			if l == Java {
				fmt.Fprintf(&b, `\%03o`, r)
			} else {
				fmt.Fprintf(&b, `\x%02x`, r)
			}
		case r < 0x7f || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteString(escaped(l, r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escaped returns the escape sequence for a character outside of ASCII. Quote calls it for
// characters that should not be in code as they are: spaces, marks, direction marks and symbols.
func escaped(l Language, r rune) string {
	switch {
	case l == Python && r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

// QuoteBlock returns a string literal for a longer text s, such as SQL. It is the multi-line
// literal of the language if that can contain s and is easier to read, and otherwise the literal
// that Quote returns. If the language strips indentation from such literals, all lines but the
// first are indented by the white space in the parameter indent.
func QuoteBlock(l Language, s, indent string) string {
	lines := strings.Contains(s, "\n")
	if !plainBlock(s) || !lines && (l == Java || l == Python || !strings.Contains(s, `"`)) {
		return Quote(l, s)
	}
	switch l {
	case Go:
		if !strings.Contains(s, "`") {
			return "`" + s + "`"
		}
	case TypeScript:
		return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "${", "\\${").Replace(s) + "`"
	case Python:
		return `"""\` + "\n" + strings.NewReplacer("\\", "\\\\", `"`, `\"`).Replace(s) + `"""`
	case Java:
		if len(s) > maxJavaConstant {
			break
		}
		var b strings.Builder
		b.WriteString("\"\"\"\n")
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			line = strings.NewReplacer("\\", "\\\\", `"""`, `\"\"\"`).Replace(line)
			// White space at the end of a line is escaped, because the language would remove it.
			if body := strings.TrimRight(line, " \t"); body != line {
				tail := strings.ReplaceAll(strings.ReplaceAll(line[len(body):], "\t", `\t`), " ", `\040`)
				line = body + tail
			}
			if line != "" || i == len(lines)-1 {
				b.WriteString(indent)
			}
			b.WriteString(line)
			if i == len(lines)-1 {
				// The indentation of the closing quotes determines the indentation of the block.
				// The backslash removes the line end before the quotes.
				b.WriteString(`\`)
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + `"""`)
		return b.String()
	}
	return Quote(l, s)
}

// plainBlock reports whether s can be in a multi-line literal of every language without any
// escapes.
func plainBlock(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f {
			continue
		}
		if r < 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// DocText returns a line of text that is safe in a doc comment. It removes the characters that end
// a comment, the escapes that compilers read even in comments, and control characters.
func DocText(l Language, line string) string {
	line = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
	switch l {
	case Java:
		line = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "&#64;", "*/", "*&#47;", "\\", "&#92;").Replace(line)
	case TypeScript:
		line = strings.ReplaceAll(line, "*/", "*\\/")
	case Python:
		line = strings.NewReplacer("\\", "\\\\", `"`, `\"`).Replace(line)
	}
	return strings.TrimRight(line, " ")
}
