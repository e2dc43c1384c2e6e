package sqltoken

import (
	"regexp"
	"strings"
)

// secretWords are the names of options whose values nobody is shown.
var secretWords = []string{"password", "token", "secret"}

// userInfo finds who a URL is used as, and the password.
var userInfo = regexp.MustCompile(`://([^/\s@]*)@`)

// Redact returns a text without the values of options that hold secrets: password = '...' becomes password = '***'. Neither has it users and passwords of URLs.
// A text that is no SQL, and may hold one, is not shown at all.
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

// goesOn reports whether a token is of the value of an option too, whose = has this depth. Options stand in brackets, and their values end with the comma
// or bracket behind. Elsewhere a value is one token, and what goes on with a text on another line.
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
