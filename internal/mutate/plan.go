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

// actionKind is what becomes of a row.
type actionKind uint8

const (
	updateRow actionKind = iota
	deleteRow
	insertRow
	failRow // the statement fails if a row gets here (MERGE ... THEN ERROR)
)

// rowAction is one of the things that a statement does to rows.
type rowAction struct {
	kind actionKind
	name string          // as RETURNING merge_action gives it
	set  []base.ColumnID // the columns that an update gives new values
	// versioned says that an insertion's rows come with a version: others count as newer than what is there.
	versioned bool
}

// rowPlan is a query that finds the rows which a statement changes and computes their new values,
// and what is to be done with what it yields: the number of an action, the row's address (NULL
// for a new row), the values of columns, and, if the table has checks, whether the row violates them.
type rowPlan struct {
	verb    string
	table   schema.Table
	query   composition
	target  int // offset of the table's name in the query
	actions []rowAction
	columns []schema.Column // whose values the query yields
	moves   bool            // an update gives a row another place: it is deleted, and inserted anew
	// touches says that the keys of the rows that are there come behind the action: the commit minds rows of these that arrive
	// meanwhile. See engine.Change.Keys.
	touches bool
	// choose writes the action if that is a column of a row of its own beside the others, else nil.
	choose func(*composition)
	each   bool // something is to be computed for each row, whatever columns it reads: see eachColumn
	// once makes it an error that a statement changes a row twice. Without it one of the
	// changes holds, and the row counts once.
	once      bool
	message   func(*composition) // writes what rows say that fail, behind the action; nil if none does
	readsAll  bool               // rows that come into the table meanwhile would have changed the result
	keyed     bool               // what it read of the table's other rows are keys, which the commit checks anyway
	decides   []base.ColumnID    // columns of the table that a condition of an action names, beside those that say which rows the query gives
	pending   []base.ColumnID    // columns of the table that expressions set
	key       *keyCondition      // if the statement looks for the rows of one key
	transient *Transient
	returning returning
}

// head lists the columns of the query before the values.
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

// touched returns the columns whose values come as keys of the rows that are there.
func (p *rowPlan) touched() []schema.Column {
	if !p.touches {
		return nil
	}
	return keys.Columns(p.table, p.table.PrimaryKey)[:len(p.table.PrimaryKey)]
}

// touchesKey reports whether an action has rows of its row's key that arrive meanwhile matter.
func (p *rowPlan) touchesKey(a rowAction) bool {
	return p.touches && (a.kind == deleteRow || a.kind == updateRow && (p.moves || slices.Contains(a.set, p.table.RowVersion)))
}

// given returns the value that a column gets in all rows, an array of it alone; nil if the query yields its values.
func (p *rowPlan) given(c schema.Column) arrow.Array {
	if p.key == nil {
		return nil
	}
	return p.key.given[c.ID]
}

// onlyRemoves reports whether the statement needs no more of its rows than where they are.
func (p *rowPlan) onlyRemoves() bool {
	return len(p.actions) == 1 && p.actions[0].kind == deleteRow && !p.once && p.returning.none() && !p.touches
}

// chooseColumns decides which columns' values the query yields: those that are set, or all of them
// where a whole row is needed. An update sets what is pending, too.
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

// rekeys reports whether an action gives rows another primary key.
func (p *rowPlan) rekeys() bool {
	return slices.ContainsFunc(p.actions, func(a rowAction) bool {
		return slices.ContainsFunc(a.set, func(id base.ColumnID) bool { return slices.Contains(p.table.PrimaryKey, id) })
	})
}

// write composes the query. action appends the action's number under its name; value appends a column's new value in its declared type, from
// what stands behind FROM, the target included.
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
		// The checks may name any column, in its declared type: a query around this one
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

// eachColumn is a list. DuckDB (1.5.5) runs a query that reads columns of the rows beside it once for each combination of their values; but with
// a list among them, which it does not compare, once for each row.
const eachColumn = "scoter_each." + schema.EachColumn

// writeChoice ends what stands behind FROM in a plan whose rows have actions each.
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

// placing says where an expression is computed that has a say in a row's action.
type placing uint8

const (
	inPlace    placing = iota // in the select list: conditions name it by its alias
	beside                    // in a row of its own: it has a query, for which DuckDB (1.5.5) lets no alias stand
	besideEach                // the same for each row: it calls a function that has another result each time, for which no alias stands either
)

// placingOf says where the expression of some tokens is to be computed.
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

// place puts the action where the most demanding of its expressions has to be.
func (p *rowPlan) place(at placing, action func(*composition)) {
	if at != inPlace {
		p.choose = action
	}
	p.each = p.each || at == besideEach
}
