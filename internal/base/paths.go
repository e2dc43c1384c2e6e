package base

import "strings"

// WithoutFolder hides the path of the data directory, given by folder, in a text. The path of a
// file below that directory becomes relative to it. The path of the directory itself becomes "the
// data directory". So clients learn which file an error is about, but not where the server keeps
// its data.
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
		case after == "" || !continuesName(after[0]):
			b.WriteString("the data directory")
		default: // this is the path of another folder, such as /data2 if folder is /data
			b.WriteString(folder)
		}
		text = after
	}
}

// continuesName reports whether a name may continue with the character c, so that the text before c
// is only a prefix of the name.
func continuesName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
