package query

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// analysis is what Scoter needs from DuckDB's syntax tree of a SELECT to replace table names by
// relations (SQL text that stands for tables). It depends only on the statement's text, so it is
// cached.
type analysis struct {
	text   string
	tokens []sqltoken.Token
	tables []tableRef
	// files says that the statement calls a table function that reads files. Then the columns of
	// the result may differ each time the statement is run.
	files bool
	// columns are references to columns that may need another qualifier: their first part is not
	// the name or alias of a table, or they have more than two parts.
	columns []columnRef
	names   []outputName
	hasTopN bool // whether the statement, or a query in it, has an ORDER BY with a LIMIT
	// output says from which table or CTE the rows of the result come. It is nil unless each row of
	// the result is made of exactly one row of that table or CTE.
	output *rowOrigin
	// decidingColumns are the names of columns that decide which rows the statement returns. These
	// are the columns that the statement names outside of its select list. If such a name is an
	// alias of an expression in the select list, the columns of that expression count.
	decidingColumns namedColumns
	// boundAlone is set if the text belongs to a view, and DuckDB accepted it as a query of its
	// own. The string describes the tables that the view read at that time. See checkViewBinds.
	boundAlone atomic.Pointer[string]
	// expanded are the edits by which Scoter rewrote the user's text before it was analyzed, in the
	// order in which they were made. For example they list the values of a PIVOT, or turn SHOW
	// TABLES into a query.
	expanded  []sqltoken.Edits
	describes []describedQuery
	// qualifiers has the case-folded names of the items of all FROM clauses. Columns can be
	// qualified with these names.
	qualifiers map[string]bool
	// bitstringCalls are the calls of bitstring_agg in the statement. Scoter adds the least and
	// greatest value of the column to each call.
	bitstringCalls []bitstringCall
}

// tableRef is a position in the statement's text where a table, view or file is named.
type tableRef struct {
	parts []string // [[database.]schema.]name, as in the text
	name  int      // byte offset of the name in the text
	// start and end are the byte offsets of the text to replace: the name alone, or TABLE t, or
	// DESCRIBE t.
	start, end int
	alias      string // alias of the table; empty if there is none
	// query says that the replacement must be a whole query, because the text is SUMMARIZE t or
	// TABLE t.
	query    bool
	describe bool // whether the text is DESCRIBE t
	// conditions are conditions on columns of the table. Rows of the table that do not meet them do
	// not affect the result.
	conditions []condition
}

// columnRef is a reference to a column with a qualifier, such as table.column or
// schema.table.column. If it is only schema.table, it means a row of that table.
type columnRef struct {
	names      []string
	start, end int // byte offsets where the names begin and end in the text
}

// analyze makes DuckDB parse a SELECT, and collects the tables that it reads. Unless mayReadFiles
// is true, it returns an error for table functions that are not on the list of harmless ones.
func analyze(conn *duck.Conn, text string, mayReadFiles bool) (*analysis, error) {
	tokens, err := sqltoken.Split(text)
	if err != nil {
		return nil, err
	}
	if edits := append(expandShows(tokens), expandNamed(tokens)...); len(edits) > 0 {
		a, err := analyze(conn, edits.Apply(text), mayReadFiles)
		if err != nil {
			return nil, withPosition(err, func(at int) int { return originalOffset([]sqltoken.Edits{edits}, at) })
		}
		a.expanded = append([]sqltoken.Edits{edits}, a.expanded...)
		return a, nil
	}
	offset := 0
	if i := sqltoken.Explained(tokens); i > 0 {
		offset = tokens[i].Start
	}
	node, err := conn.ParseSelect(text[offset:])
	if err != nil {
		return nil, withPosition(err, func(at int) int { return at + offset })
	}
	w := walker{a: &analysis{text: text, tokens: tokens, qualifiers: map[string]bool{}}, offset: offset, mayReadFiles: mayReadFiles}
	w.a.output = w.query(node, nil)
	if w.err != nil {
		return nil, w.err
	}
	w.a.columns = slices.DeleteFunc(w.a.columns, func(c columnRef) bool { return len(c.names) == 2 && w.a.qualifiers[schema.Fold(c.names[0])] })
	w.pushIntoCTEs()
	w.a.names = outputNames(conn, node)
	w.a.decidingColumns.collectOutsideSelectList(node)
	w.a.tokens = nil // the walker needed the tokens only to find the names
	return w.a, nil
}

// withPosition translates the position of an error from one text to another. The function move
// turns an offset in the first text into the offset in the other one. An error without a position
// stays as it is.
func withPosition(err error, move func(offset int) int) error {
	e := new(base.Error)
	if errors.As(err, &e) && e.Position > 0 {
		return e.At(move(e.Position-1) + 1)
	}
	return err
}

// cte is a common table expression that a part of the statement can name. outer is the next outer
// CTE that this part can name, so the CTEs in scope are a linked list.
type cte struct {
	name       string
	outer      *cte
	origin     *rowOrigin
	references int
	conditions []condition // conditions on the CTE's columns, from the queries that read it
}

func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.outer {
		if schema.Fold(c.name) == schema.Fold(name) {
			return c
		}
	}
	return nil
}

type walker struct {
	a            *analysis
	offset       int // byte offset of the parsed text in the whole statement
	mayReadFiles bool
	ctes         []*cte // all CTEs, in the order of the text
	err          error
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// query walks a query node: a SELECT, a set operation or a recursive CTE. If each row of the query
// is made of exactly one row of a table or CTE, it returns that table or CTE, and otherwise nil.
func (w *walker) query(node duck.Node, visible *cte) *rowOrigin {
	if node == nil {
		return nil
	}
	visible = w.withClause(node, visible)
	w.a.hasTopN = w.a.hasTopN || hasModifier(node, "ORDER_MODIFIER") && hasModifier(node, "LIMIT_MODIFIER")
	if text(node, "type") == "SELECT_NODE" {
		return w.selectNode(node, visible)
	}
	if text(node, "type") == "RECURSIVE_CTE_NODE" {
		// A recursive CTE is not visible in its own first part. If that part names a table with the
		// name of the CTE, it means another table.
		within := &cte{name: text(node, "cte_name"), outer: visible}
		for key, child := range node {
			switch key {
			case "left":
				w.walk(child, visible)
			case "cte_map":
			default:
				w.walk(child, within)
			}
		}
		return nil
	}
	w.walkChildren(node, visible)
	return nil
}

// hasModifier reports whether a query node has a modifier of the given kind, such as LIMIT.
func hasModifier(node duck.Node, kind string) bool {
	return slices.ContainsFunc(listOf(node, "modifiers"), func(m any) bool {
		modifier, _ := m.(duck.Node)
		return text(modifier, "type") == kind
	})
}

// withClause walks the CTEs of a query node. It returns the list of CTEs that the rest of the node
// can name.
func (w *walker) withClause(node duck.Node, visible *cte) *cte {
	list, _ := object(node, "cte_map")["map"].([]any)
	for _, item := range list {
		entry, _ := item.(duck.Node)
		name := text(entry, "key")
		definition := object(object(entry, "value"), "query")
		query := object(definition, "node")
		if query == nil {
			query = definition
		}
		origin := w.query(query, visible)
		if aliases, _ := object(entry, "value")["aliases"].([]any); len(aliases) > 0 {
			origin = nil
		}
		visible = &cte{name: name, outer: visible, origin: origin}
		w.ctes = append(w.ctes, visible)
	}
	return visible
}

func (w *walker) selectNode(node duck.Node, visible *cte) *rowOrigin {
	s := &scope{}
	// DuckDB draws a sample before it applies WHERE. So in a query with a sample, table scans must
	// not leave out the rows that WHERE rejects, because the sample would have other rows.
	filtered := node["sample"] == nil
	w.from(object(node, "from_table"), visible, s, filtered)
	for key, child := range node {
		switch key {
		case "from_table", "cte_map", "type":
		default:
			w.walk(child, visible)
		}
	}
	if len(s.items) == 1 && !s.opaque {
		w.bitstringCalls(node["select_list"], s)
	}
	w.collectConditions(node["where_clause"], s)
	return s.rowOrigin(node)
}

// The method from walks a table reference in a FROM clause. If the argument filtered is true, the
// scan of the table may leave out rows that WHERE rejects, because the result stays the same.
func (w *walker) from(ref duck.Node, visible *cte, s *scope, filtered bool) {
	if called := cmp.Or(text(ref, "alias"), text(ref, "table_name")); called != "" {
		w.a.qualifiers[schema.Fold(called)] = true
	}
	switch text(ref, "type") {
	case "":
	case "BASE_TABLE":
		w.baseTable(ref, visible, s, filtered)
	case "JOIN":
		ordinary := false
		switch text(ref, "ref_type") {
		case "REGULAR", "CROSS", "NATURAL":
			switch text(ref, "join_type") {
			case "INNER", "LEFT", "RIGHT", "OUTER", "FULL":
				ordinary = true
			}
		}
		w.from(object(ref, "left"), visible, s, filtered && ordinary)
		w.from(object(ref, "right"), visible, s, filtered && ordinary)
		w.walk(ref["condition"], visible)
	case "SUBQUERY":
		origin := w.query(object(object(ref, "subquery"), "node"), visible)
		s.add(ref, origin, text(ref, "alias"), filtered)
	case "TABLE_FUNCTION":
		s.opaque = true
		w.tableFunction(ref, visible)
		w.walkChildren(ref, visible)
	case "SHOW_REF":
		s.opaque = true
		w.showRef(ref, visible)
	default:
		s.opaque = true
		w.walkChildren(ref, visible)
	}
}

func (w *walker) baseTable(ref duck.Node, visible *cte, s *scope, filtered bool) {
	catalog, schemaName, name := text(ref, "catalog_name"), text(ref, "schema_name"), text(ref, "table_name")
	called := name
	if alias := text(ref, "alias"); alias != "" {
		called = alias
	}
	w.walk(ref["sample"], visible)
	if catalog == "" && schemaName == "" {
		if c := visible.find(name); c != nil {
			c.references++
			s.add(ref, &rowOrigin{cte: c}, called, filtered)
			return
		}
	}
	// In a recursive CTE with keys, recurring.name means the rows that the CTE called name has
	// produced so far.
	if catalog == "" && schema.Fold(schemaName) == "recurring" && visible.find(name) != nil {
		s.opaque = true
		return
	}
	if ref["at_clause"] != nil {
		w.fail(base.Errorf(base.Invalid, "AT (...) is not supported: table %q has no past versions to read", name).At(w.location(ref) + 1))
		return
	}
	var parts []string
	for _, p := range []string{catalog, schemaName, name} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	t := tableRef{parts: parts, name: w.location(ref), start: w.location(ref), alias: text(ref, "alias")}
	i := w.tokenAt(t.start)
	end, ok := w.nameEnd(i)
	if !ok {
		w.fail(base.Errorf(base.Internal, "the parser reports table %q at a position without a name", name))
		return
	}
	t.end = end
	if i > 0 && w.a.tokens[i-1].Is("TABLE") {
		t.start, t.query = w.a.tokens[i-1].Start, true
	}
	s.add(ref, &rowOrigin{table: len(w.a.tables)}, called, filtered)
	w.a.tables = append(w.a.tables, t)
}

// tokenAt returns the index of the token that begins at an offset, or -1.
func (w *walker) tokenAt(offset int) int {
	i, ok := slices.BinarySearchFunc(w.a.tokens, offset, func(t sqltoken.Token, at int) int { return t.Start - at })
	if !ok {
		return -1
	}
	return i
}

// nameEnd returns the offset where the name that begins at a token ends. The name may have dots, or
// be the name of a file in quotes. ok is false if no name begins at the token.
func (w *walker) nameEnd(token int) (int, bool) {
	if token < 0 {
		return 0, false
	}
	if t := w.a.tokens[token]; t.Kind == sqltoken.String {
		return t.End, true
	}
	_, next := sqltoken.QualifiedName(w.a.tokens, token)
	if next == token {
		return 0, false
	}
	return w.a.tokens[next-1].End, true
}

// showRef walks DESCRIBE, SUMMARIZE and SHOW.
func (w *walker) showRef(ref duck.Node, visible *cte) {
	query := object(ref, "query")
	if query == nil {
		return
	}
	before := len(w.a.tables)
	w.query(query, visible)
	if text(object(query, "from_table"), "type") == "BASE_TABLE" && len(w.a.tables) == before+1 {
		// The parser turned DESCRIBE t into SELECT * FROM t, but the text has only the name t.
		t := &w.a.tables[before]
		switch i := w.tokenAt(t.start); {
		case i < 1:
			return
		case w.a.tokens[i-1].Is("SUMMARIZE"):
			t.query = true
			return
		case shows(w.a.tokens[i-1]): // Without such a token, the table is named in a CTE.
			t.query, t.describe = false, true
			t.start = w.a.tokens[i-1].Start
			return
		}
	}
	if text(ref, "show_type") == "DESCRIBE" {
		w.recordDescribe(query, before)
	}
}

// walk walks any part of the syntax tree: an expression with its sub-queries, a list, or a
// modifier.
func (w *walker) walk(v any, visible *cte) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			w.walk(item, visible)
		}
	case duck.Node:
		switch kind := text(v, "type"); {
		case kind == "SELECT_NODE" || kind == "SET_OPERATION_NODE" || kind == "RECURSIVE_CTE_NODE":
			w.query(v, visible)
		case kind == "BASE_TABLE" || kind == "JOIN" || kind == "TABLE_FUNCTION" && v["function"] != nil || kind == "SHOW_REF":
			w.from(v, visible, &scope{}, false)
		case kind == "COLUMN_REF":
			w.column(v)
		case kind == "FUNCTION":
			w.function(v)
			w.walkChildren(v, visible)
		default:
			w.walkChildren(v, visible)
		}
	}
}

func (w *walker) walkChildren(node duck.Node, visible *cte) {
	for key, child := range node {
		if key != "cte_map" { // withClause has walked it already
			w.walk(child, visible)
		}
	}
}

func (w *walker) column(node duck.Node) {
	names, _ := node["column_names"].([]any)
	if len(names) < 2 || w.location(node) < 0 {
		return
	}
	ref := columnRef{start: w.location(node)}
	for _, n := range names {
		s, _ := n.(string)
		ref.names = append(ref.names, s)
	}
	end, ok := w.nameEnd(w.tokenAt(ref.start))
	if ok {
		ref.end = end
		w.a.columns = append(w.a.columns, ref)
	}
}

func text(node duck.Node, key string) string {
	s, _ := node[key].(string)
	return s
}

func object(node duck.Node, key string) duck.Node {
	n, _ := node[key].(duck.Node)
	return n
}

// location returns the byte offset of a node in the statement. It returns -1 for a node that the
// parser made up, which has location 2^64-1.
func (w *walker) location(node duck.Node) int {
	n, _ := node["query_location"].(json.Number)
	at, err := strconv.Atoi(n.String())
	if err != nil {
		return -1
	}
	return at + w.offset
}
