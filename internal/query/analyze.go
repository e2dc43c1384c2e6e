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

// analysis is what is needed from DuckDB's syntax tree of a SELECT in order to replace its table
// names by relations. It depends only on the text, so it is cached.
type analysis struct {
	text   string
	tokens []sqltoken.Token
	tables []tableRef
	// files says that a table function reads files. Then the columns may differ each time the text
	// is run.
	files bool
	// columns are the column references whose first part is not the name or alias of a table, or
	// that have more than two parts.
	columns []columnRef
	names   []outputName
	limited bool // somewhere in the text there is an ORDER BY with a LIMIT
	// output is set if each row of the result is made of one row of one table. It says which one.
	output *rowSource
	// decides are the columns that decide which rows the statement returns: all names outside its
	// select list, and the expressions that these names stand for.
	decides namedColumns
	// alone is set for the text of a view that was found to bind on its own. It describes the
	// tables that the view read then. See checkAlone.
	alone atomic.Pointer[string]
	// expanded are the edits by which the user's text was rewritten before it was analyzed, in
	// order. For example the values of a PIVOT were listed, or SHOW TABLES became a query.
	expanded  []sqltoken.Edits
	describes []described
	// called has the folded names of the items of all FROM clauses, by which columns can be
	// qualified.
	called map[string]bool
	// bitstrings are the calls of bitstring_agg, which need the bounds of a column's values.
	bitstrings []bitstringCall
}

// tableRef is a place in the text that names a table, view or file.
type tableRef struct {
	parts []string // [[database.]schema.]name, as in the text
	name  int      // the offset of the name in the text
	// start and end enclose the text to replace: the name alone, or TABLE t, or DESCRIBE t.
	start, end int
	alias      string // empty if there is no alias
	// query says that the replacement must be a whole query, as for SUMMARIZE t and TABLE t.
	query    bool
	describe bool // the text is DESCRIBE t
	// conditions are true for each row of the table on which the result depends.
	conditions []condition
}

// columnRef is a reference to a column with a qualifier: table.column or longer. schema.table in
// place of a column means a row of that table.
type columnRef struct {
	names      []string
	start, end int // the start and end of the names in the text
}

// analyze makes DuckDB parse a SELECT, and collects the tables that it reads. Unless mayReadFiles
// is set, it refuses table functions that are not on the list of harmless ones.
func analyze(conn *duck.Conn, text string, mayReadFiles bool) (*analysis, error) {
	tokens, err := sqltoken.Split(text)
	if err != nil {
		return nil, err
	}
	if edits := append(expandShows(tokens), expandNamed(tokens)...); len(edits) > 0 {
		a, err := analyze(conn, edits.Apply(text), mayReadFiles)
		if err != nil {
			return nil, relocated(err, func(at int) int { return unexpanded([]sqltoken.Edits{edits}, at) })
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
		return nil, relocated(err, func(at int) int { return at + offset })
	}
	w := walker{a: &analysis{text: text, tokens: tokens, called: map[string]bool{}}, offset: offset, mayReadFiles: mayReadFiles}
	w.a.output = w.query(node, nil)
	if w.err != nil {
		return nil, w.err
	}
	w.a.columns = slices.DeleteFunc(w.a.columns, func(c columnRef) bool { return len(c.names) == 2 && w.a.called[schema.Fold(c.names[0])] })
	w.passToCTEs()
	w.a.names = outputNames(conn, node)
	w.a.decides.outsideSelectList(node)
	w.a.tokens = nil // they were only needed to find the names
	return w.a, nil
}

// relocated translates the position of an error, if it has one, to another text. move translates an
// offset to that text.
func relocated(err error, move func(offset int) int) error {
	e := new(base.Error)
	if errors.As(err, &e) && e.Position > 0 {
		return e.At(move(e.Position-1) + 1)
	}
	return err
}

// cte is a common table expression that is in scope at some place of the text. The scopes are a
// list from inner to outer CTEs.
type cte struct {
	name       string
	outer      *cte
	source     *rowSource
	references int
	conditions []condition // the conditions that queries apply to this CTE
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
	offset       int // the offset of the parsed text in the whole statement
	mayReadFiles bool
	ctes         []*cte // all CTEs, in the order of the text
	err          error
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// query walks a query node: SELECT, set operation or recursive CTE. It returns the source of the
// query's rows, if each of them is made of one row of one table.
func (w *walker) query(node duck.Node, visible *cte) *rowSource {
	if node == nil {
		return nil
	}
	visible = w.withClause(node, visible)
	w.a.limited = w.a.limited || hasModifier(node, "ORDER_MODIFIER") && hasModifier(node, "LIMIT_MODIFIER")
	if text(node, "type") == "SELECT_NODE" {
		return w.selectNode(node, visible)
	}
	if text(node, "type") == "RECURSIVE_CTE_NODE" {
		// DuckDB does not make the CTE visible in its own first part. A table of that name there is
		// another table.
		within := &cte{name: text(node, "cte_name"), outer: visible}
		for key, child := range node {
			switch key {
			case "left":
				w.any(child, visible)
			case "cte_map":
			default:
				w.any(child, within)
			}
		}
		return nil
	}
	w.children(node, visible)
	return nil
}

// hasModifier reports whether a query node has a modifier of a kind, such as LIMIT.
func hasModifier(node duck.Node, kind string) bool {
	return slices.ContainsFunc(listOf(node, "modifiers"), func(m any) bool {
		modifier, _ := m.(duck.Node)
		return text(modifier, "type") == kind
	})
}

// withClause walks the CTEs of a node and returns the scope behind them.
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
		source := w.query(query, visible)
		if aliases, _ := object(entry, "value")["aliases"].([]any); len(aliases) > 0 {
			source = nil
		}
		visible = &cte{name: name, outer: visible, source: source}
		w.ctes = append(w.ctes, visible)
	}
	return visible
}

func (w *walker) selectNode(node duck.Node, visible *cte) *rowSource {
	s := &scope{}
	// A sample is drawn before WHERE is applied. If rows were left out before the sample, it would
	// be another one.
	filtered := node["sample"] == nil
	w.from(object(node, "from_table"), visible, s, filtered)
	for key, child := range node {
		switch key {
		case "from_table", "cte_map", "type":
		default:
			w.any(child, visible)
		}
	}
	if len(s.items) == 1 && !s.opaque {
		w.bitstringCalls(node["select_list"], s)
	}
	w.collectConditions(node["where_clause"], s)
	return s.rowSource(node)
}

// from walks a table reference of a FROM. filtered says that the result stays the same if the
// table's scan leaves out rows that WHERE rejects.
func (w *walker) from(ref duck.Node, visible *cte, s *scope, filtered bool) {
	if called := cmp.Or(text(ref, "alias"), text(ref, "table_name")); called != "" {
		w.a.called[schema.Fold(called)] = true
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
		w.any(ref["condition"], visible)
	case "SUBQUERY":
		source := w.query(object(object(ref, "subquery"), "node"), visible)
		s.add(ref, source, text(ref, "alias"), filtered)
	case "TABLE_FUNCTION":
		s.opaque = true
		w.tableFunction(ref, visible)
		w.children(ref, visible)
	case "SHOW_REF":
		s.opaque = true
		w.showRef(ref, visible)
	default:
		s.opaque = true
		w.children(ref, visible)
	}
}

func (w *walker) baseTable(ref duck.Node, visible *cte, s *scope, filtered bool) {
	catalog, schemaName, name := text(ref, "catalog_name"), text(ref, "schema_name"), text(ref, "table_name")
	called := name
	if alias := text(ref, "alias"); alias != "" {
		called = alias
	}
	w.any(ref["sample"], visible)
	if catalog == "" && schemaName == "" {
		if c := visible.find(name); c != nil {
			c.references++
			s.add(ref, &rowSource{cte: c}, called, filtered)
			return
		}
	}
	// recurring.name means the rows that a recursive CTE with keys has produced so far.
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
		w.fail(base.Errorf(base.Internal, "the parser places table %q where no name stands", name))
		return
	}
	t.end = end
	if i > 0 && w.a.tokens[i-1].Is("TABLE") {
		t.start, t.query = w.a.tokens[i-1].Start, true
	}
	s.add(ref, &rowSource{table: len(w.a.tables)}, called, filtered)
	w.a.tables = append(w.a.tables, t)
}

// tokenAt returns the index of the token at an offset, or -1.
func (w *walker) tokenAt(offset int) int {
	i, ok := slices.BinarySearchFunc(w.a.tokens, offset, func(t sqltoken.Token, at int) int { return t.Start - at })
	if !ok {
		return -1
	}
	return i
}

// nameEnd returns the offset of the end of the name that begins at token: a dotted name, or the
// name of a file in quotes. It returns false if no name begins there.
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
		// The parser turned DESCRIBE t into SELECT * FROM t. The text has only the name.
		t := &w.a.tables[before]
		switch i := w.tokenAt(t.start); {
		case i < 1:
			return
		case w.a.tokens[i-1].Is("SUMMARIZE"):
			t.query = true
			return
		case shows(w.a.tokens[i-1]): // if there is no such token, the table is in a CTE
			t.query, t.describe = false, true
			t.start = w.a.tokens[i-1].Start
			return
		}
	}
	if text(ref, "show_type") == "DESCRIBE" {
		w.describe(query, before)
	}
}

// any walks any part of the syntax tree: expressions with their sub-queries, lists, modifiers.
func (w *walker) any(v any, visible *cte) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			w.any(item, visible)
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
			w.children(v, visible)
		default:
			w.children(v, visible)
		}
	}
}

func (w *walker) children(node duck.Node, visible *cte) {
	for key, child := range node {
		if key != "cte_map" { // withClause has walked it already
			w.any(child, visible)
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
