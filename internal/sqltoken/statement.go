package sqltoken

// Statement is one of several that a text holds, separated by semicolons.
type Statement struct {
	Text   string
	Offset int // of Text in the whole text, in bytes
	Tokens []Token
}

// Statements cuts a text at its semicolons. Empty statements are dropped. Positions of
// the tokens are relative to the statement's text.
func Statements(text string) ([]Statement, error) {
	tokens, err := Split(text)
	if err != nil {
		return nil, err
	}
	var out []Statement
	for from := 0; from < len(tokens); {
		to := from
		for to < len(tokens) && !(tokens[to].Depth == 0 && tokens[to].Is(";")) {
			to++
		}
		if to > from {
			out = append(out, newStatement(text, tokens[from:to]))
		}
		from = to + 1
	}
	return out, nil
}

func newStatement(text string, tokens []Token) Statement {
	start, end := tokens[0].Start, tokens[len(tokens)-1].End
	own := make([]Token, len(tokens))
	for i, t := range tokens {
		t.Start -= start
		t.End -= start
		own[i] = t
	}
	return Statement{Text: text[start:end], Offset: start, Tokens: own}
}

// Verb returns the upper-case keyword that says what the statement does: the first
// word, or the one after the list of CTEs that a WITH begins.
func (s Statement) Verb() string {
	i := 0
	if s.at(0, "WITH") {
		// Every CTE ends with its query in brackets; the verb follows the last of them.
		for i = 1; i < len(s.Tokens); i++ {
			t := s.Tokens[i]
			if t.Depth == 0 && t.Kind == Word && verbs[upper(t.text)] && !s.at(i-1, "AS") && !s.at(i-1, "NOT") {
				break
			}
		}
	}
	for i < len(s.Tokens) && s.at(i, "(") {
		i++
	}
	if i >= len(s.Tokens) || s.Tokens[i].Kind != Word {
		return ""
	}
	return upper(s.Tokens[i].text)
}

var verbs = map[string]bool{"SELECT": true, "FROM": true, "VALUES": true, "TABLE": true, "INSERT": true, "UPDATE": true,
	"DELETE": true, "MERGE": true, "PIVOT": true, "UNPIVOT": true}

func (s Statement) at(i int, word string) bool {
	return i >= 0 && i < len(s.Tokens) && s.Tokens[i].Is(word)
}

// Starts reports whether the statement begins with these keywords.
func (s Statement) Starts(words ...string) bool {
	for i, w := range words {
		if !s.at(i, w) {
			return false
		}
	}
	return true
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
	return string(b)
}

// QualifiedName reads a dotted name that starts at token i: its parts, and the index
// of the token after it. No name gives no parts.
func QualifiedName(tokens []Token, i int) (parts []string, next int) {
	for i < len(tokens) && tokens[i].IsName() {
		parts = append(parts, tokens[i].Name())
		i++
		if i+1 >= len(tokens) || !tokens[i].Is(".") || !tokens[i+1].IsName() {
			return parts, i
		}
		i++
	}
	return parts, i
}
