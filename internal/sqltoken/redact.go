package sqltoken

import "strings"

// secretWords are the names of options whose values nobody is shown.
var secretWords = []string{"password", "token", "secret"}

// Redact returns a text without the values of options that hold secrets: password = '...' becomes password = '***'.
// A text that is no SQL, and may hold one, is not shown at all.
func Redact(text string) string {
	lower := strings.ToLower(text)
	suspicious := false
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
	for i := 2; i < len(tokens); i++ {
		if tokens[i].Kind != String || !tokens[i-1].Is("=") || !isSecret(tokens[i-2].Text()) {
			continue
		}
		start := tokens[i].Start
		for i+1 < len(tokens) && tokens[i+1].Kind == String { // what goes on with the text on another line is a token of its own
			i++
		}
		edits = append(edits, Edit{start, tokens[i].End, "'***'"})
	}
	return edits.Apply(text)
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
