package sqlfile

// SelectItem is one expression in the select list of a SELECT. From is the index of its first
// token, and To is the index after its last token.
type SelectItem struct {
	From, To int
	// Table is the name or alias of the table if the expression is only `t.*` or `t.name`. Star
	// means that it is `t.*`.
	Table string
	Star  bool
}

// SelectList returns the expressions in the select list of body, the tokens of a statement that is
// a single SELECT. It returns nil for other statements, and for SELECTs combined by UNION or
// similar operators.
func SelectList(body []Token) []SelectItem {
	depth, from := 0, -1
	var items []SelectItem
	end := func(at int) {
		if from >= 0 {
			items = append(items, item(body, from, at))
		}
		from = -1
	}
	selects := 0
	for i, t := range body {
		switch {
		case t.opens():
			depth++
		case t.closes():
			depth--
		case depth > 0:
		case t.Is("select"):
			selects++
			from = i + 1
		case t.Is("union"), t.Is("intersect"), t.Is("except") && from < 0, t.Is("insert"), t.Is("update"), t.Is("delete"), t.Is("merge"):
			return nil
		case from < 0:
		case t.Is("distinct"), t.Is("all"):
			if len(items) > 0 {
				break
			}
			from = i + 1
			if next := after(body, i); next < len(body) && body[next].Is("on") {
				// DISTINCT ON (...) may use the names in the select list, which the caller wants to
				// change.
				return nil
			}
		case t.Text == ",":
			end(i)
			from = i + 1
		case t.Is("from"), t.in(wordsAfterFrom):
			end(i)
		}
	}
	end(len(body))
	if selects != 1 {
		return nil
	}
	return items
}

// after returns the index of the next token after token i that is not white space or a comment.
func after(body []Token, i int) int {
	for i++; i < len(body) && body[i].Trivia(); i++ {
	}
	return i
}

// item makes a SelectItem of one expression of a select list. The expression consists of the tokens
// body[from:to].
func item(body []Token, from, to int) SelectItem {
	for from < to && body[from].Trivia() {
		from++
	}
	for from < to && (body[to-1].Trivia() || body[to-1].Text == ";") {
		to--
	}
	out := SelectItem{From: from, To: to}
	// Table is set only for an item such as `t.name`, `s.t.name` or `t.*`: names separated by dots,
	// with a name or a star at the end.
	n := to - from
	if n < 3 || n%2 == 0 {
		return out
	}
	for i := from; i < to; i++ {
		name := body[i].Kind == Word || body[i].Kind == Ident
		switch {
		case (i-from)%2 == 1 && body[i].Text != ".", (i-from)%2 == 0 && i < to-1 && !name:
			return out
		case i == to-1 && body[i].Text != "*" && !name:
			return out
		}
	}
	out.Table, out.Star = body[to-3].Unquote(), body[to-1].Text == "*"
	return out
}
