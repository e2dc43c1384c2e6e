package base

import "strings"

// WithoutFolder returns a text with the paths in a folder relative to it, and "the data directory"
// for the folder itself. Clients are told which file an error is about, and not where on the server
// that is.
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
		default: // another folder, whose name begins in the same way
			b.WriteString(folder)
		}
		text = after
	}
}

// goesOn reports whether a character makes the name before it another one.
func goesOn(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
