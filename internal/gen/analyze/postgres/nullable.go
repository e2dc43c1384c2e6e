package postgres

import (
	"context"
	"fmt"
)

// walker decides which columns of a result can be NULL. If it says "never NULL", that is proved:
// each rule names the constraint or the rule of SQL on which it is based. If no rule applies, the
// column can be NULL.
//
// The walker reads PostgreSQL's parse tree before the rewriter changes it. So a view is still a
// relation, whose definition the walker analyses too, and joins are still at the place where the
// user wrote them. The join tree tells which outer joins can make a column NULL. In PostgreSQL 16
// and later, the field varnullingrels of a column reference tells it, too.
type walker struct {
	engine *Engine
	ctx    context.Context
	// nullableParam reports whether the query's parameter i may be NULL. Parameters are counted
	// from 0.
	nullableParam func(i int) bool
	depth         int
	err           error
}

// level is one query, perhaps nested in others, with what is known about its rows.
type level struct {
	query  *node
	parent *level
	// nulled has the entries of the FROM clause that an outer join can make NULL. The key is the
	// number of the entry in PostgreSQL's range table, counted from 1.
	nulled map[int]bool
	// proven has the columns that cannot be NULL because of a condition, in WHERE or in the ON of
	// an inner join. The key is {number of the entry in FROM, number of the column}.
	proven map[[2]int]bool
	// ctes says which columns of each query in a WITH clause can be NULL. The key is the query's
	// name.
	ctes map[string][]bool
	// sets means that the query has GROUPING SETS, ROLLUP or CUBE. These make group columns NULL.
	sets bool
}

const maxDepth = 200

// result returns, for each column of the query's result, whether it can be NULL.
func (w *walker) result(query *node) ([]bool, error) {
	out := w.query(query, nil)
	return out, w.err
}

func (w *walker) query(query *node, parent *level) []bool {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		// The callers take nil as "every column can be NULL".
		return nil
	}
	defer func() { w.depth-- }()
	l := &level{query: query, parent: parent, nulled: map[int]bool{}, proven: map[[2]int]bool{}, ctes: map[string][]bool{}}
	l.sets = len(query.list("groupingSets")) > 0
	for _, cte := range query.list("cteList") {
		l.ctes[cte.get("ctename").token] = w.cte(cte, l)
	}
	if tree := query.get("jointree"); tree != nil {
		for _, item := range tree.list("fromlist") {
			w.join(l, item, false)
		}
		w.markNotNull(l, tree.get("quals"))
	}
	if query.num("commandType") != 1 {
		// What WHERE proves about columns is dropped: WHERE tests the row before the change, and
		// RETURNING returns the row after the change.
		clear(l.proven)
	}
	if query.num("commandType") == 5 { // MERGE, whose source may have no matching row
		for i := range query.list("rtable") {
			if i+1 != query.num("resultRelation") {
				l.nulled[i+1] = true
			}
		}
	}
	if operations := query.get("setOperations"); operations != nil {
		return w.setOperation(l, operations)
	}
	targets := query.list("targetList")
	if query.num("commandType") != 1 {
		targets = query.list("returningList")
	}
	var out []bool
	for _, t := range targets {
		if !t.flag("resjunk") {
			out = append(out, w.nullable(l, t.get("expr")))
		}
	}
	return out
}

// join records in l.nulled which entries of the FROM clause an outer join can make NULL. item is a
// part of the clause. underOuter means that an outer join above item can make it NULL. join returns
// the numbers of the entries in item.
func (w *walker) join(l *level, item *node, underOuter bool) []int {
	if item == nil {
		return nil
	}
	switch item.tag {
	case "RANGETBLREF":
		return []int{item.num("rtindex")}
	case "FROMEXPR":
		var all []int
		for _, i := range item.list("fromlist") {
			all = append(all, w.join(l, i, underOuter)...)
		}
		return all
	case "JOINEXPR":
		kind := item.num("jointype") // 0 inner, 1 left, 2 full, 3 right join
		left := w.join(l, item.get("larg"), underOuter || kind != 0)
		right := w.join(l, item.get("rarg"), underOuter || kind != 0)
		if kind != 0 && kind != 1 {
			null(l, left)
		}
		if kind != 0 && kind != 3 {
			null(l, right)
		}
		if kind == 0 && !underOuter {
			w.markNotNull(l, item.get("quals"))
		}
		all := append(left, right...)
		if i := item.num("rtindex"); i > 0 {
			all = append(all, i)
		}
		return all
	}
	return nil
}

func null(l *level, entries []int) {
	for _, i := range entries {
		l.nulled[i] = true
	}
}

// markNotNull records in l.proven the columns that cannot be NULL in rows for which a condition is
// true. These are the columns for which a NULL makes the condition NULL or false.
func (w *walker) markNotNull(l *level, condition *node) {
	switch {
	case condition == nil:
	case condition.isList:
		for _, c := range condition.items {
			w.markNotNull(l, c)
		}
	case condition.tag == "BOOLEXPR" && token(condition, "boolop") == "and":
		for _, c := range condition.list("args") {
			w.markNotNull(l, c)
		}
	case condition.tag == "NULLTEST" && condition.num("nulltesttype") == 1 && !condition.flag("argisrow"):
		w.proveVar(l, condition.get("arg"))
	case condition.tag == "OPEXPR" && w.strictOperator(condition):
		for _, a := range condition.list("args") {
			w.proveVar(l, a)
		}
	}
}

func (w *walker) proveVar(l *level, e *node) {
	for e != nil && e.tag == "RELABELTYPE" {
		e = e.get("arg")
	}
	if e != nil && e.tag == "VAR" && e.num("varlevelsup") == 0 {
		l.proven[[2]int{e.num("varno"), e.num("varattno")}] = true
	}
}

func token(n *node, field string) string {
	if f := n.get(field); f != nil {
		return f.token
	}
	return ""
}

// cte returns which columns of a query in a WITH clause can be NULL. A recursive query reads its
// own result. So cte first assumes that none of its columns can be NULL, analyses the query with
// this assumption, and repeats until nothing changes. Columns only change from "never NULL" to "can
// be NULL", so the loop ends.
func (w *walker) cte(cte *node, l *level) []bool {
	body := cte.get("ctequery")
	name := cte.get("ctename").token
	if !cte.flag("cterecursive") {
		return w.query(body, l)
	}
	columns := len(cte.list("ctecoltypes"))
	l.ctes[name] = make([]bool, columns) // start with "never NULL", the strongest claim
	for range columns + 1 {
		again := w.query(body, l)
		changed := false
		for i := range l.ctes[name] {
			if !l.ctes[name][i] && (i >= len(again) || again[i]) {
				l.ctes[name][i], changed = true, true
			}
		}
		if !changed {
			return l.ctes[name]
		}
	}
	return nil
}

// setOperation returns which columns of a UNION, INTERSECT or EXCEPT can be NULL.
func (w *walker) setOperation(l *level, n *node) []bool {
	if n == nil {
		return nil
	}
	if n.tag == "RANGETBLREF" {
		return w.entry(l, n.num("rtindex"))
	}
	left, right := w.setOperation(l, n.get("larg")), w.setOperation(l, n.get("rarg"))
	out := make([]bool, max(len(left), len(right)))
	for i := range out {
		a, b := at(left, i), at(right, i)
		switch n.num("op") { // 1 union, 2 intersect, 3 except
		case 2:
			out[i] = a && b
		case 3:
			out[i] = a
		default:
			out[i] = a || b
		}
	}
	return out
}

func at(columns []bool, i int) bool { return i < 0 || i >= len(columns) || columns[i] }

// entry returns which columns of a subquery in a FROM clause can be NULL. index is the subquery's
// number in PostgreSQL's range table.
func (w *walker) entry(l *level, index int) []bool {
	rtable := l.query.list("rtable")
	if index < 1 || index > len(rtable) {
		return nil
	}
	if sub := rtable[index-1].get("subquery"); sub != nil {
		return w.query(sub, l)
	}
	return nil
}

// variable reports whether the value of v, a reference to a column, can be NULL.
func (w *walker) variable(l *level, v *node) bool {
	for range v.num("varlevelsup") {
		if l = l.parent; l == nil {
			return true
		}
	}
	index, column := v.num("varno"), v.num("varattno")
	if l.proven[[2]int{index, column}] && !l.sets {
		return false
	}
	rtable := l.query.list("rtable")
	if index < 1 || index > len(rtable) || l.nulled[index] || l.sets || v.num("varreturningtype") != 0 {
		return true
	}
	if nulling := v.get("varnullingrels"); nulling != nil && nulling.isList && len(nulling.items) > 1 {
		return true // the list, such as (b 3 7), names joins that make it NULL
	}
	entry := rtable[index-1]
	switch entry.num("rtekind") {
	case 0:
		return w.relationColumn(l, entry, index, column)
	case 1: // a subquery
		return at(w.entry(l, index), column-1)
	case 2: // a join: the column was merged by USING, or the join has an alias
		aliases := entry.list("joinaliasvars")
		return column < 1 || column > len(aliases) || w.nullable(l, aliases[column-1])
	case 5: // VALUES
		for _, row := range entry.list("values_lists") {
			if column < 1 || column > len(row.items) || w.nullable(l, row.items[column-1]) {
				return true
			}
		}
		return len(entry.list("values_lists")) == 0
	case 3: // a function
		return w.functionColumn(entry, column)
	case 6: // a query of WITH
		owner := l
		for range entry.num("ctelevelsup") {
			if owner = owner.parent; owner == nil {
				return true
			}
		}
		columns, known := owner.ctes[token(entry, "ctename")]
		return !known || at(columns, column-1)
	case 9: // a column of GROUP BY (PostgreSQL 18 and later)
		groups := entry.list("groupexprs")
		return column < 1 || column > len(groups) || w.nullable(l, groups[column-1])
	}
	return true
}

// relationColumn reports whether a column of a table or view in a FROM clause can be NULL. entry is
// the table's entry in PostgreSQL's range table, with number index.
func (w *walker) relationColumn(l *level, entry *node, index, column int) bool {
	if column < 0 {
		// the system columns ctid and tableoid always have a value
		return column != -6 && column != -1
	}
	if column == 0 {
		return true
	}
	r, err := w.engine.relation(w.ctx, uint32(entry.num("relid")))
	if err != nil {
		w.err = err
		return true
	}
	if r.kind == "v" {
		// If the statement changes the view itself, nothing is known: an INSTEAD OF trigger may
		// return other values than the view has.
		return index == l.query.num("resultRelation") || at(w.view(r), column-1)
	}
	a := r.attribute(column)
	return a == nil || !a.notNull
}

// view returns which columns of a view can be NULL. It analyses the query that PostgreSQL stores
// for the view, in a rewrite rule.
func (w *walker) view(r *relation) []bool {
	if r.view != nil || r.busy {
		return r.view
	}
	r.busy = true
	defer func() { r.busy = false }()
	var text string
	err := w.engine.conn.QueryRow(w.ctx, `SELECT ev_action::text FROM pg_rewrite WHERE ev_class = $1 AND rulename = '_RETURN'`, r.oid).Scan(&text)
	if err != nil {
		w.err = fmt.Errorf("read view %s: %w", r.name, err)
		return nil
	}
	n, err := parseNode(text)
	if err != nil {
		w.err = fmt.Errorf("read view %s: %w", r.name, err)
		return nil
	}
	for n != nil && n.isList && len(n.items) > 0 {
		n = n.items[0]
	}
	if n != nil && n.tag == "QUERY" {
		r.view = w.query(n, nil)
	}
	return r.view
}

// functionColumn reports whether a column of a function in a FROM clause can be NULL. Columns of
// functions that generate values, such as generate_series, are never NULL, and neither is the
// column of WITH ORDINALITY.
func (w *walker) functionColumn(entry *node, column int) bool {
	functions := entry.list("functions")
	if len(functions) != 1 {
		return true
	}
	columns := functions[0].num("funccolcount")
	if entry.flag("funcordinality") && column == columns+1 {
		return false
	}
	call := functions[0].get("funcexpr")
	if call == nil || call.tag != "FUNCEXPR" || column != 1 {
		return true
	}
	return w.functionName(call) != "generate_series"
}

// paramDimensions finds the parameters of a query that are written to array columns with several
// dimensions. It returns the number of dimensions by parameter.
func (w *walker) paramDimensions(query *node) (map[int]int, error) {
	out := map[int]int{}
	rtable := query.list("rtable")
	result := query.num("resultRelation")
	if result < 1 || result > len(rtable) || rtable[result-1].num("rtekind") != 0 {
		return out, nil
	}
	r, err := w.engine.relation(w.ctx, uint32(rtable[result-1].num("relid")))
	if err != nil {
		return nil, err
	}
	note := func(e *node, column int) {
		if e != nil && e.tag == "PARAM" {
			if a := r.attribute(column); a != nil && a.dims > 1 {
				out[e.num("paramid")-1] = a.dims
			}
		}
	}
	for _, t := range query.list("targetList") {
		e, column := t.get("expr"), t.num("resno")
		note(e, column)
		if e != nil && e.tag == "VAR" && e.num("varno") >= 1 && e.num("varno") <= len(rtable) {
			for _, row := range rtable[e.num("varno")-1].list("values_lists") {
				if i := e.num("varattno") - 1; i >= 0 && i < len(row.items) {
					note(row.items[i], column)
				}
			}
		}
	}
	return out, nil
}
