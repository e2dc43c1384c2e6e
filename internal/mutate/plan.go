package mutate

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// actionKind is what an action does with a row.
type actionKind uint8

const (
	updateRow actionKind = iota
	deleteRow
	insertRow
	failRow // the statement fails if this action applies to a row (MERGE ... THEN ERROR)
)

// rowAction is one of the actions of a statement.
type rowAction struct {
	kind actionKind
	name string          // the value of merge_action in RETURNING
	set  []base.ColumnID // the columns that an update sets
	// versioned says that inserted rows have a version. Rows without one count as newer than the
	// existing row.
	versioned bool
}

// rowPlan is a query that finds the rows that a statement changes and computes their new values,
// with the actions to apply to them. The query's columns are those of head, then the values of
// columns. If the table has checks, the last column says whether the row violates one.
type rowPlan struct {
	verb    string
	table   schema.Table
	query   composition
	target  int // offset of the table's name in the query
	actions []rowAction
	columns []schema.Column // the columns whose values the query yields
	// An update changes where a row is stored: the row is deleted and inserted again.
	moves bool
	// touches says that the query also yields the keys of existing rows. The committer compares
	// them with rows that were inserted in the meantime. See engine.Change.Keys.
	touches bool
	// choose writes the action if it is computed in a lateral sub-query; otherwise it is nil.
	choose func(*composition)
	each   bool // each says that an expression must be computed again for each row. See eachColumn.
	// once makes it an error if a statement changes a row twice. Without it one of the changes is
	// applied, and the row counts once.
	once bool
	// message writes the error message of rows with the action failRow; nil if there is no such
	// action.
	message func(*composition)
	// readsAll: rows inserted in the meantime would have changed the result.
	readsAll bool
	// keyed: of the table's other rows the query read only keys, which the commit compares in any
	// case.
	keyed bool
	// decides are columns of the table in conditions of actions, in addition to the columns that
	// decide which rows the query finds.
	decides []base.ColumnID
	// pending are columns of the table for which there are expressions that merges have not applied
	// yet.
	pending   []base.ColumnID
	key       *keyCondition // key is set if the statement looks for the rows of one key.
	transient *Transient
	returning returning
}

// head lists the columns of the query before the values: the row's address (NULL for a new row),
// the number of the action, then the error message and the touched keys if the plan has them.
func (p *rowPlan) head() []string {
	names := []string{schema.SourceColumn, schema.OrdinalColumn, schema.ActionColumn}
	if p.message != nil {
		names = append(names, schema.MessageColumn)
	}
	for _, c := range p.touched() {
		names = append(names, schema.Quote(schema.TouchedColumn+c.Name))
	}
	return names
}

// touched returns the columns of the query that are the keys of existing rows.
func (p *rowPlan) touched() []schema.Column {
	if !p.touches {
		return nil
	}
	return keys.Columns(p.table, p.table.PrimaryKey)[:len(p.table.PrimaryKey)]
}

// touchesKey reports whether an action conflicts with rows of the same key that are inserted in the
// meantime.
func (p *rowPlan) touchesKey(a rowAction) bool {
	return p.touches && (a.kind == deleteRow || a.kind == updateRow && (p.moves || slices.Contains(a.set, p.table.RowVersion)))
}

// given returns the value that all rows get in a column, as an array of length 1. It is nil if the
// query yields the values.
func (p *rowPlan) given(c schema.Column) arrow.Array {
	if p.key == nil {
		return nil
	}
	return p.key.given[c.ID]
}

// onlyRemoves reports whether the statement needs only the addresses of its rows.
func (p *rowPlan) onlyRemoves() bool {
	return len(p.actions) == 1 && p.actions[0].kind == deleteRow && !p.once && p.returning.none() && !p.touches
}

// chooseColumns decides which columns' values the query yields: the columns that are set, or all of
// them where a whole row is needed. An update also sets the columns with pending expressions.
func (p *rowPlan) chooseColumns() {
	for i := range p.actions {
		for _, id := range p.pending {
			if a := &p.actions[i]; a.kind == updateRow && !slices.Contains(a.set, id) {
				a.set = append(a.set[:len(a.set):len(a.set)], id)
			}
		}
	}
	set := map[base.ColumnID]bool{}
	whole := !p.returning.none()
	for _, a := range p.actions {
		whole = whole || a.kind == insertRow
		for _, id := range a.set {
			set[id] = true
			p.moves = p.moves || p.table.InKey(id)
		}
	}
	for _, c := range p.table.Columns {
		if whole || p.moves || set[c.ID] {
			p.columns = append(p.columns, c)
		}
	}
	p.touches = p.table.MergeOnRead && p.table.RowVersion != 0
	p.touches = slices.ContainsFunc(p.actions, p.touchesKey)
}

// rekeys reports whether an action changes the primary key of rows.
func (p *rowPlan) rekeys() bool {
	return slices.ContainsFunc(p.actions, func(a rowAction) bool {
		return slices.ContainsFunc(a.set, func(id base.ColumnID) bool { return slices.Contains(p.table.PrimaryKey, id) })
	})
}

// write composes the query. action appends the number of the action with its alias. value appends
// the new value of a column, in its declared type. from appends the text behind FROM, including the
// target.
func (p *rowPlan) write(x *execution, t target, action func(*composition), value func(*composition, schema.Column), from func(*composition)) {
	q, c := &p.query, x.c
	q.write(x.explain)
	q.copy(c, 0, c.statement.VerbIndex()) // CTEs
	q.write(" SELECT ")
	checks := ""
	if slices.ContainsFunc(p.actions, func(a rowAction) bool { return a.kind == updateRow || a.kind == insertRow }) {
		checks = p.table.Condition()
	}
	inner := p.columns
	if checks != "" {
		// The checks may name any column, in its declared type. So a query around this one
		// evaluates them.
		q.write(strings.Join(p.head(), ", "))
		for _, col := range p.columns {
			q.write(", ", storedExpression(col))
		}
		q.write(", (", checks, ") IS FALSE FROM (SELECT ")
		inner = p.table.Columns
	}
	q.write(schema.SourceColumn, ", ", schema.OrdinalColumn, ", ")
	if p.choose == nil {
		action(q)
	} else {
		q.write(schema.ActionColumn)
	}
	if p.message != nil {
		q.write(", ")
		p.message(q)
		q.write(" AS ", schema.MessageColumn)
	}
	for _, col := range p.touched() {
		q.write(", CAST(")
		t.writeColumn(q, c, col)
		q.write(" AS ", col.Type.StorageSQL(), ") AS ", schema.Quote(schema.TouchedColumn+col.Name))
	}
	for _, col := range inner {
		if p.given(col) != nil {
			continue
		}
		q.write(", ")
		stored := checks == "" && col.Type.NeedsCast()
		if stored {
			q.write("CAST(")
		}
		value(q, col)
		if stored {
			q.write(" AS ", col.Type.StorageSQL(), ")")
		}
		q.write(" AS ", schema.Quote(col.Name))
	}
	q.write(" FROM ")
	from(q)
	if checks != "" {
		q.write(") AS ", schema.Quote(p.table.Name))
	}
}

// eachColumn is a column with a list. DuckDB (1.5.5) runs a lateral sub-query once for each
// distinct combination of the outer columns that it reads. If one of them is a list, which DuckDB
// does not compare, it runs the sub-query once for each row.
const eachColumn = "scoter_each." + schema.EachColumn

// writeChoice appends the end of FROM, and WHERE, in a plan that chooses an action for each row.
func (p *rowPlan) writeChoice(q *composition) {
	if p.each {
		q.write(" CROSS JOIN (SELECT [0] AS ", schema.EachColumn, ") AS scoter_each")
	}
	if p.choose != nil {
		q.write(" CROSS JOIN LATERAL (SELECT ")
		p.choose(q)
		if p.each {
			q.write(" WHERE ", eachColumn, " IS NOT NULL")
		}
		q.write(") AS scoter_choice")
	}
	q.write(" WHERE ", schema.ActionColumn, " IS NOT NULL")
}

// placing says where the query computes an expression on which a row's action depends.
type placing uint8

const (
	inPlace placing = iota // in the select list: conditions name the action by its alias
	// In a lateral sub-query: the expression has a sub-query itself, and DuckDB (1.5.5) cannot
	// resolve an alias to such an expression.
	beside
	// In a lateral sub-query that runs for each row: the expression calls a volatile function, and
	// an alias would compute it again.
	besideEach
)

// placingOf returns where an expression has to be computed.
func (x *execution) placingOf(expression []sqltoken.Token) (p placing, err error) {
	var known map[string]function
	for i, t := range expression {
		switch {
		case t.Is("SELECT"), t.Is("FROM"), t.Is("VALUES"), t.Is("TABLE"), t.Is("WITH"):
			p = max(p, beside)
		case t.IsName() && i+1 < len(expression) && expression[i+1].Is("("):
			if known == nil {
				if known, err = x.functions.of(x.ctx, x.pool); err != nil {
					return p, err
				}
			}
			if known[schema.Fold(t.Name())].volatile {
				p = besideEach
			}
		}
	}
	return p, nil
}

// place puts the action where the most demanding of its expressions has to be computed.
func (p *rowPlan) place(at placing, action func(*composition)) {
	if at != inPlace {
		p.choose = action
	}
	p.each = p.each || at == besideEach
}
