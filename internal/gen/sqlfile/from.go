package sqlfile

import "strings"

// ExpandStars returns a copy of body, the tokens of a SELECT, in which each `*` in the select list
// is replaced by `a.*, b.*`: one star for each table of the FROM. items are the expressions of the
// select list. It returns nil if there is no `*`, if there are fewer than two tables, or if a table
// has no name. The changed SELECT may have other columns than the original, for example with USING
// or SEMI joins. So the caller must let the engine describe both, and compare.
func ExpandStars(body []Token, items []SelectItem) []Token {
	tables := fromTables(body)
	if len(tables) < 2 {
		return nil
	}
	var out []Token
	at := 0
	for _, item := range items {
		if item.To-item.From != 1 || body[item.From].Text != "*" {
			continue
		}
		star := body[item.From]
		out = append(out, body[at:item.From]...)
		for i, table := range tables {
			if i > 0 {
				out = append(out, Token{Kind: star.Kind, Start: star.Start, Text: ","}, Token{Kind: Space, Start: star.Start, Text: " "})
			}
			out = append(out, table, Token{Kind: star.Kind, Start: star.Start, Text: "."}, star)
		}
		at = item.To
	}
	if out == nil {
		return nil
	}
	return append(out, body[at:]...)
}

// wordsAfterTable are the words that may follow a table in a FROM clause and are not an alias of
// the table.
var wordsAfterTable = map[string]bool{
	"join": true, "inner": true, "left": true, "right": true, "full": true, "cross": true, "natural": true, "asof": true,
	"positional": true, "semi": true, "anti": true, "outer": true, "on": true, "using": true, "tablesample": true, "with": true,
	"indexed": true, "not": true,
}

// wordsAfterFrom are the words that end a FROM clause.
var wordsAfterFrom = map[string]bool{
	"where": true, "group": true, "having": true, "window": true, "order": true, "limit": true, "offset": true, "fetch": true,
	"for": true, "qualify": true,
}

// The method in reports whether the token is one of the given words. The words are in lower case;
// the token's case is ignored.
func (t Token) in(words map[string]bool) bool {
	return t.Kind == Word && words[strings.ToLower(t.Text)]
}

func (t Token) named() bool  { return t.Kind == Word || t.Kind == Ident }
func (t Token) opens() bool  { return t.Text == "(" || t.Text == "[" || t.Text == "{" }
func (t Token) closes() bool { return t.Text == ")" || t.Text == "]" || t.Text == "}" }

// fromTables returns the names or aliases of all tables in the FROM clause of a single SELECT, as
// tokens. It returns nil if one of the tables has no name.
func fromTables(body []Token) []Token {
	var tables []Token
	depth, from := 0, false
	for i := 0; i < len(body); i++ {
		t := body[i]
		switch {
		case t.opens():
			depth++
		case t.closes():
			depth--
		case depth > 0:
		case from && t.in(wordsAfterFrom):
			return tables
		case t.Is("from") && !from, from && (t.Text == "," || t.Is("join")):
			from = true
			name, next := fromTable(body, after(body, i))
			if next < 0 {
				return nil
			}
			tables, i = append(tables, name), next-1
		}
	}
	return tables
}

// fromTable reads the table of a FROM clause that begins at token i of body. It returns the table's
// name or alias, and the index of the token after the table. next is -1 if the table has no name.
func fromTable(body []Token, i int) (name Token, next int) {
	for i < len(body) && (body[i].Is("lateral") || body[i].Is("only")) {
		i = after(body, i)
	}
	named := false
	for ; i < len(body) && body[i].named(); i = after(body, i) {
		name, named = body[i], true
		if i = after(body, i); i >= len(body) || body[i].Text != "." {
			break
		}
	}
	if i < len(body) && body[i].opens() { // a subquery, or the arguments of a function
		for depth := 0; i < len(body); i++ {
			if body[i].opens() {
				depth++
			} else if body[i].closes() {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		i = after(body, i)
	}
	if i < len(body) && body[i].Is("as") {
		i = after(body, i)
	}
	if i < len(body) && body[i].named() && !body[i].in(wordsAfterFrom) && !body[i].in(wordsAfterTable) {
		return body[i], i + 1
	}
	if !named {
		return name, -1
	}
	return name, i
}
