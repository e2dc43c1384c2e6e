package base

import "strings"

// WithoutFolder makes the paths below folder that a text names relative to it. The folder itself
// becomes "the data directory". Clients learn which file an error concerns, but not where the
// server keeps its data.
func WithoutFolder(text, folder string) string {
	if folder == "" || !strings.Contains(text, folder) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, folder)
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case strings.HasPrefix(after, "/"):
			after = after[1:]
		case after == "" || !goesOn(after[0]):
			b.WriteString("the data directory")
		default: // another folder whose name has the same beginning
			b.WriteString(folder)
		}
		text = after
	}
}

// goesOn reports whether c continues a name, so that the text before c is only a part of the name.
func goesOn(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
