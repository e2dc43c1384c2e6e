package sqlfile

// Item is one of the expressions of a statement's select list, by the indices of its first token
// and of the one behind its last.
type Item struct {
	From, To int
	// Table is the name or alias of what the item is of, if it is `t.*` or `t.name` and no more.
	// Star says that it is the former.
	Table string
	Star  bool
}

// SelectList finds the items of the one SELECT of a body that gives the result. There are none
// where another kind of statement, or several with UNION and the like, give it.
func SelectList(body []Token) []Item {
	depth, from := 0, -1
	var items []Item
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
				return nil // its expressions may name what the list is to rename
			}
		case t.Text == ",":
			end(i)
			from = i + 1
		case t.Is("from"), t.in(behindFrom):
			end(i)
		}
	}
	end(len(body))
	if selects != 1 {
		return nil
	}
	return items
}

// after is the index of the next token that is no white space or comment.
func after(body []Token, i int) int {
	for i++; i < len(body) && body[i].Trivia(); i++ {
	}
	return i
}

// item looks at what is between two commas.
func item(body []Token, from, to int) Item {
	for from < to && body[from].Trivia() {
		from++
	}
	for from < to && (body[to-1].Trivia() || body[to-1].Text == ";") {
		to--
	}
	out := Item{From: from, To: to}
	// A name and a dot at least twice, and a name or a star.
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
