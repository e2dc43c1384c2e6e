package sqltoken

import (
	"regexp"
	"strings"
)

// secretWords are words in the names of options whose values are secret.
var secretWords = []string{"password", "token", "secret"}

// userInfo matches the user name and password in a URL.
var userInfo = regexp.MustCompile(`://([^/\s@]*)@`)

// Redact returns an SQL text without secrets. The values of secret options are replaced: password =
// '...' becomes password = '***'. User names and passwords in URLs are replaced too. If a text may
// contain a secret but is not valid SQL, it is replaced as a whole.
func Redact(text string) string {
	lower := strings.ToLower(text)
	suspicious := strings.Contains(text, "://")
	for _, w := range secretWords {
		suspicious = suspicious || strings.Contains(lower, w)
	}
	if !suspicious {
		return text
	}
	tokens, err := Split(text)
	if err != nil {
		return "***"
	}
	var edits Edits
	for i := 0; i < len(tokens); i++ {
		if i < 2 || !tokens[i-1].Is("=") || !isSecret(tokens[i-2].Text()) {
			if tokens[i].Kind == String {
				for _, at := range userInfo.FindAllStringSubmatchIndex(tokens[i].Text(), -1) {
					edits = append(edits, Edit{tokens[i].Start + at[2], tokens[i].Start + at[3], "***"})
				}
			}
			continue
		}
		start, depth := tokens[i].Start, tokens[i-1].Depth
		for i+1 < len(tokens) && goesOn(tokens[i+1], depth) {
			i++
		}
		edits = append(edits, Edit{start, tokens[i].End, "'***'"})
	}
	return edits.Apply(text)
}

// goesOn reports whether t, a token behind the first token of an option's value, still belongs to
// that value. depth is the depth of the option's "=". If the option is inside of brackets, its
// value ends before the next comma or the closing bracket. Otherwise the value is one token, and
// the string literals on further lines that continue it.
func goesOn(t Token, depth int) bool {
	return t.Kind == String || depth > 0 && (t.Depth > depth || t.Depth == depth && !t.Is(","))
}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, w := range secretWords {
		if strings.Contains(name, w) && !strings.HasSuffix(strings.Trim(name, `"'`), "_file") {
			return true
		}
	}
	return false
}
