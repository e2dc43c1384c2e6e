package sqlfile

// Assignment is a place in a statement at which a parameter is the whole value of a table's column:
// in the VALUES or the select list of an INSERT, or in a SET.
type Assignment struct {
	// Param is the name of the parameter.
	Param string
	// Table has the parts of the table's name, such as a schema and a table.
	Table []string
	// Column is the name of the column. It is empty if an INSERT does not list its columns. Index
	// is then the position of the value among the inserted values, counted from 0.
	Column string
	Index  int
}

// Assignments returns all assignments of parameters in body, the tokens of one statement. It also
// finds those in the queries of a WITH clause. It may miss assignments in statements of an unusual
// form, but every assignment that it returns is one.
func Assignments(body []Token) []Assignment {
	var code []Token
	for _, t := range body {
		if !t.Trivia() {
			code = append(code, t)
		}
	}
	var out []Assignment
	for i := range code {
		// A statement begins the text, or follows the queries of a WITH clause, or is one of these
		// queries.
		if i > 0 && code[i-1].Text != "(" && code[i-1].Text != ")" {
			continue
		}
		a := assigner{code: code[i:closing(code, i)]}
		switch t := code[i]; {
		case t.Is("insert"), t.Is("replace"):
			a.insert()
		case t.Is("update"):
			a.update()
		case t.Is("merge"):
			a.merge()
		}
		out = append(out, a.found...)
	}
	return out
}

// closing returns the index of the bracket that closes the brackets around token i. It returns the
// number of tokens if there are no such brackets.
func closing(code []Token, i int) int {
	for depth := 0; i < len(code); i++ {
		if code[i].opens() {
			depth++
		} else if code[i].closes() {
			if depth--; depth < 0 {
				break
			}
		}
	}
	return i
}

// assigner finds the assignments of one INSERT, UPDATE or MERGE. code has the tokens of the
// statement without white space and comments. The next token to read is code[at].
type assigner struct {
	code  []Token
	at    int
	table []string
	found []Assignment
}

// peek returns the token that is n tokens after the next one. It returns an empty token at the end.
func (a *assigner) peek(n int) Token {
	if a.at+n < len(a.code) {
		return a.code[a.at+n]
	}
	return Token{Kind: Space}
}

// accept skips the next tokens if they are the given words, and reports whether they are.
func (a *assigner) accept(words ...string) bool {
	for i, w := range words {
		if !a.peek(i).Is(w) {
			return false
		}
	}
	a.at += len(words)
	return true
}

// name reads the table's name.
func (a *assigner) name() bool {
	a.table = nil
	for a.peek(0).named() {
		a.table = append(a.table, a.peek(0).Unquote())
		if a.at++; a.peek(0).Text != "." {
			return true
		}
		a.at++
	}
	return false
}

func (a *assigner) insert() {
	a.at++
	if a.accept("or") { // SQLite and DuckDB: OR REPLACE
		a.at++
	}
	if !a.accept("into") || !a.name() {
		return
	}
	if a.accept("as") {
		a.at++
	}
	a.inserted()
	for ; a.at < len(a.code); a.at++ {
		if a.accept("do", "update", "set") {
			a.sets()
			return
		}
		if a.peek(0).opens() {
			a.at = closing(a.code, a.at+1)
		}
	}
}

// inserted reads what follows the table's name in an INSERT: the list of columns and the rows.
func (a *assigner) inserted() {
	var columns []string
	if next := a.peek(1); a.peek(0).Text == "(" && !next.Is("select") && !next.Is("with") && !next.Is("values") {
		for _, item := range a.list() {
			columns = append(columns, columnName(item))
		}
	}
	a.accept("by", "position")
	if a.accept("overriding") {
		a.at += 2 // SYSTEM VALUE or USER VALUE
	}
	switch {
	case a.accept("values"):
		for a.peek(0).Text == "(" {
			for i, value := range a.list() {
				a.inserts(columns, i, value)
			}
			if a.peek(0).Text == "," {
				a.at++
			}
		}
	case a.peek(0).Is("select"):
		body := a.code[a.at:a.selectEnd()]
		for i, item := range SelectList(body) {
			if item.Star || item.To-item.From == 1 && body[item.From].Text == "*" {
				return // it is unknown how many columns the star stands for
			}
			a.inserts(columns, i, body[item.From:item.To])
		}
	}
}

// selectEnd returns the index of the token after the SELECT that begins at the next token.
func (a *assigner) selectEnd() int {
	for i := a.at; i < len(a.code); i++ {
		switch {
		case a.code[i].opens():
			i = closing(a.code, i+1)
		case a.code[i].Is("returning"), a.code[i].Is("on") && i+1 < len(a.code) && a.code[i+1].Is("conflict"):
			return i
		}
	}
	return len(a.code)
}

// inserts records that value number i of a row is inserted, if the value is a parameter. columns is
// the INSERT's list of columns, or nil.
func (a *assigner) inserts(columns []string, i int, value []Token) {
	switch {
	case columns == nil:
		a.assign("", i, value)
	case i < len(columns) && columns[i] != "":
		a.assign(columns[i], i, value)
	}
}

func (a *assigner) assign(column string, i int, value []Token) {
	if param, ok := wholeParam(value); ok {
		a.found = append(a.found, Assignment{Param: param, Table: a.table, Column: column, Index: i})
	}
}

func (a *assigner) update() {
	a.at++
	if a.accept("or") { // SQLite: OR REPLACE
		a.at++
	}
	a.accept("only")
	if !a.name() {
		return
	}
	for ; a.at < len(a.code); a.at++ {
		if a.accept("set") {
			a.sets()
			return
		}
	}
}

func (a *assigner) merge() {
	a.at++
	if !a.accept("into") {
		return
	}
	a.accept("only")
	if !a.name() {
		return
	}
	for ; a.at < len(a.code); a.at++ {
		switch {
		case a.peek(0).opens():
			a.at = closing(a.code, a.at+1)
		case a.accept("then", "update", "set"):
			a.sets()
			a.at--
		case a.accept("then", "insert"):
			a.inserted()
			a.at--
		}
	}
}

// sets reads the assignments after SET: `a = 1, (b, c) = (2, 3)`.
func (a *assigner) sets() {
	for a.at < len(a.code) {
		var columns []string
		row := a.peek(0).Text == "("
		if row {
			for _, item := range a.list() {
				columns = append(columns, columnName(item))
			}
		} else {
			from := a.at
			for a.at < len(a.code) && a.peek(0).Text != "=" {
				a.at++
			}
			columns = []string{columnName(a.code[from:a.at])}
		}
		if a.peek(0).Text != "=" {
			return
		}
		a.at++
		value := a.code[a.at:a.valueEnd()]
		if !row && columns[0] != "" {
			a.assign(columns[0], 0, value)
		}
		if row {
			a.rowValues(columns, value)
		}
		if a.at += len(value); a.peek(0).Text != "," {
			return
		}
		a.at++
	}
}

// rowValues records the assignments of `(b, c) = (2, 3)` and `(b, c) = ROW(2, 3)`. value has the
// tokens after the equals sign.
func (a *assigner) rowValues(columns []string, value []Token) {
	if len(value) > 0 && value[0].Is("row") {
		value = value[1:]
	}
	if len(value) < 2 || value[0].Text != "(" || value[1].Is("select") || value[1].Is("with") || closing(value, 1) != len(value)-1 {
		return
	}
	values := split(value[1 : len(value)-1])
	for i, column := range columns {
		if column != "" && len(values) == len(columns) {
			a.assign(column, 0, values[i])
		}
	}
}

// valueEnd returns the index of the token after the value of a SET that begins at the next token.
func (a *assigner) valueEnd() int {
	cases := 0 // number of CASE whose END is not read yet
	for i := a.at; i < len(a.code); i++ {
		switch t := a.code[i]; {
		case t.opens():
			i = closing(a.code, i+1)
		case t.Is("case"):
			cases++
		case t.Is("end"):
			cases--
		case cases > 0:
		case t.Text == ",", t.Is("from"), t.Is("returning"), t.Is("when"), t.in(wordsAfterFrom):
			return i
		}
	}
	return len(a.code)
}

// list reads a list in parentheses, and returns its items.
func (a *assigner) list() [][]Token {
	end := closing(a.code, a.at+1)
	items := split(a.code[a.at+1 : end])
	a.at = min(end+1, len(a.code))
	return items
}

// split divides tokens at the commas outside of brackets.
func split(code []Token) [][]Token {
	var out [][]Token
	from := 0
	for i := 0; i < len(code); i++ {
		if code[i].opens() {
			i = closing(code, i+1)
		} else if code[i].Text == "," {
			out = append(out, code[from:i])
			from = i + 1
		}
	}
	return append(out, code[from:])
}

// columnName returns the column that tokens name. It returns "" if they are more than one name, for
// example `tags[1]`, which is a part of a column.
func columnName(code []Token) string {
	if len(code) != 1 || !code[0].named() {
		return ""
	}
	return code[0].Unquote()
}

// wholeParam returns the parameter that an expression consists of: `${x}`, `(${x})`, `${x}::text`
// or `CAST(${x} AS text)`. ok is false for all other expressions, which may not accept NULL.
func wholeParam(code []Token) (name string, ok bool) {
	for len(code) > 2 && code[0].Text == "(" && closing(code, 1) == len(code)-1 {
		code = code[1 : len(code)-1]
	}
	switch {
	case len(code) > 4 && code[0].Is("cast") && code[1].Text == "(" && code[3].Is("as") && closing(code, 2) == len(code)-1:
		return wholeParam(code[2:3])
	case len(code) > 2 && code[1].Text == "::" && isType(code[2:]):
		return wholeParam(code[:1])
	case len(code) != 1 || code[0].Kind != Var || code[0].Broken:
		return "", false
	}
	return code[0].Name(), true
}

// wordsInType are the words that may follow the name of a type: `double precision`.
var wordsInType = map[string]bool{"precision": true, "varying": true, "with": true, "without": true, "time": true, "zone": true}

// isType reports whether tokens are only the name of a type: `app.mood`, `numeric(10, 2)[]`.
func isType(code []Token) bool {
	if !code[0].named() {
		return false
	}
	for i := 1; i < len(code); i++ {
		switch t := code[i]; {
		case t.opens():
			i = closing(code, i+1)
		case t.Text == "." && i+1 < len(code) && code[i+1].named():
			i++
		case !t.in(wordsInType):
			return false
		}
	}
	return true
}
