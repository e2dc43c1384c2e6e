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

// actionKind says what an action of a statement does with a row, such as update or delete.
type actionKind uint8

const (
	updateRow actionKind = iota
	deleteRow
	insertRow
	failRow // the statement fails if this action applies to a row (MERGE ... THEN ERROR)
)

// rowAction is one of the actions of a statement. Only MERGE INTO may have several.
type rowAction struct {
	kind actionKind
	name string          // the value of merge_action in RETURNING
	set  []base.ColumnID // the columns that an update sets
	// versioned says that the action gives inserted rows a version. A row without a version counts
	// as newer than the existing row of its key.
	versioned bool
}

// rowPlan is the plan of a statement that changes rows: a query that finds the rows and computes
// their new values, and the actions to apply to the rows. The query yields the columns that head
// lists, then the values of columns. If the table has checks, the last column says whether the row
// violates one.
type rowPlan struct {
	verb    string
	table   schema.Table
	query   composition
	target  int // offset of the table's name in the query
	actions []rowAction
	columns []schema.Column // the columns whose values the query yields
	// moves says that an update changes where a row is stored (its partition or position). Then the
	// row is deleted and inserted again.
	moves bool
	// touches says that the query also yields the keys of existing rows. The committer compares
	// these keys with rows that were inserted since the snapshot. See engine.Change.Keys.
	touches bool
	// choose writes the number of the action for a row, if a lateral sub-query computes it.
	// Otherwise choose is nil, and the select list computes the number.
	choose func(*composition)
	// each says that the lateral sub-query of choose must run for each row. See eachColumn.
	each bool
	// once makes it an error if a statement changes a row twice. Without it the first of the
	// changes is applied, and the row counts once.
	once bool
	// message writes the error message of rows with the action failRow; nil if there is no such
	// action.
	message func(*composition)
	// readsAll says that rows inserted since the snapshot could have changed the result, whatever
	// their columns have. Then any such row is a conflict.
	readsAll bool
	// keyed says that of rows that the statement does not change, the query read only keys. The
	// committer compares these keys in any case.
	keyed bool
	// decides are columns of the table that conditions of actions name (MERGE ... WHEN ... AND).
	// The columns that decide which rows the query finds are not in it.
	decides []base.ColumnID
	// pending are the columns of the table for which stored expressions exist that merges have not
	// applied yet.
	pending   []base.ColumnID
	key       *keyCondition // set if the statement looks for the rows of one key
	transient *Transient
	returning returning
}

// head lists the first columns of the query, which come before the values: the row's address (NULL
// for a new row) and the number of the action. If the plan has them, the error message and the key
// columns of existing rows follow.
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

// touched returns the key columns of existing rows in the query's result; none unless the plan has
// touches set.
func (p *rowPlan) touched() []schema.Column {
	if !p.touches {
		return nil
	}
	return keys.Columns(p.table, p.table.PrimaryKey)[:len(p.table.PrimaryKey)]
}

// touchesKey reports whether an action conflicts with rows of the same key that were inserted since
// the snapshot.
func (p *rowPlan) touchesKey(a rowAction) bool {
	return p.touches && (a.kind == deleteRow || a.kind == updateRow && (p.moves || slices.Contains(a.set, p.table.RowVersion)))
}

// given returns the value of a column that is the same for all rows and known without the query, as
// an array of length 1. It returns nil if the query yields the values.
func (p *rowPlan) given(c schema.Column) arrow.Array {
	if p.key == nil {
		return nil
	}
	return p.key.given[c.ID]
}

// onlyRemoves reports whether the statement only deletes rows and needs nothing but their
// addresses.
func (p *rowPlan) onlyRemoves() bool {
	return len(p.actions) == 1 && p.actions[0].kind == deleteRow && !p.once && p.returning.none() && !p.touches
}

// chooseColumns decides for which columns the query yields values: the columns that are set, or all
// columns if an action needs whole rows. An update also sets the columns with stored expressions
// that merges have not applied yet.
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

// write composes the query of the plan. action appends the number of the action as a column with
// its alias. value appends the new value of a column, in its declared type. from appends the text
// behind FROM, including the target.
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
		// The checks may name any column, in its declared type. So they are evaluated in a query
		// around the query that computes the values.
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

// eachColumn is a column with a list, which makes DuckDB run a lateral sub-query for each row.
// DuckDB (1.5.5) runs a lateral sub-query once for each distinct combination of the outer columns
// that it reads. It cannot compare lists, so with a list among these columns it runs the sub-query
// once for each row.
const eachColumn = "scoter_each." + schema.EachColumn

// writeChoice appends the lateral sub-query of choose to FROM, and a WHERE that keeps only rows
// with an action.
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

// placing says in which part of a plan's query an expression is computed that decides which action
// applies to a row.
type placing uint8

const (
	inPlace placing = iota // in the select list; conditions refer to the action by its alias
	// In a lateral sub-query. This is for expressions that have a sub-query themselves, because
	// DuckDB (1.5.5) cannot resolve an alias to such an expression.
	beside
	// In a lateral sub-query that runs for each row. This is for expressions that call a volatile
	// function, because each use of an alias would compute them again.
	besideEach
)

// placingOf returns where the query has to compute an expression that decides about a row's action.
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

// place decides where the query computes the number of the action for a row. at is the largest
// placing that an expression of the action needs. Unless at is inPlace, place makes action, which
// writes the number, the lateral sub-query of the plan.
func (p *rowPlan) place(at placing, action func(*composition)) {
	if at != inPlace {
		p.choose = action
	}
	p.each = p.each || at == besideEach
}
