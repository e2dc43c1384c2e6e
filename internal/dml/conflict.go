package dml

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// onConflict is the clause of an INSERT that says what happens to a row whose key already exists.
// Without the clause, the table's option on_insert decides: the INSERT fails, or the new row sets
// its columns in the existing row, as with OR REPLACE.
type onConflict struct {
	Given    bool
	Position int  // Position of the clause in the statement, in bytes from 1
	Keeps    bool // whether the clause is DO NOTHING
	// Update says that the clause is DO UPDATE SET assignments [WHERE condition].
	Update      bool
	assignments []assignment
	condition   []sqltoken.Token
}

// onConflict parses ON CONFLICT [(columns)] DO NOTHING, or DO UPDATE SET list [WHERE condition].
func (x *Statement) onConflict(in *Insertion) error {
	c, t := x.Reader, in.Target.Table
	place := c.At
	if !c.Accept("ON", "CONFLICT") {
		return nil
	}
	o := &in.Conflict
	if o.Given {
		return c.WithPosition(base.Errorf(base.Invalid, "You can not provide both OR REPLACE|IGNORE and an ON CONFLICT clause"), place)
	}
	o.Given, o.Position = true, c.Tokens()[place].Start+1
	if c.Peek("(") {
		names, err := c.Brackets()
		if err != nil {
			return err
		}
		columns, err := columnsNamed(t, names)
		if err != nil {
			return err
		}
		inKey := func(col schema.Column) bool { return slices.Contains(t.PrimaryKey, col.ID) }
		if len(columns) != len(t.PrimaryKey) || slices.ContainsFunc(columns, func(col schema.Column) bool { return !inKey(col) }) {
			return c.WithPosition(base.Errorf(base.Invalid, "The specified columns as conflict target are not the primary key of table %s", t.QualifiedName()), place)
		}
	}
	switch {
	case c.Accept("DO", "NOTHING"):
		o.Keeps = true
		return nil
	case !c.Accept("DO", "UPDATE", "SET"):
		return c.Unexpected("DO NOTHING or DO UPDATE SET")
	}
	o.Update = true
	var err error
	if schema.Fold(in.Target.Alias) == excluded {
		return c.WithPosition(base.Errorf(base.Invalid, "Ambiguous reference to table %q: the table has the name of the incoming row", in.Target.Alias).
			WithHint("give the table another name: INSERT INTO ... AS name"), place)
	}
	if o.assignments, err = x.assignments(t, c.Until("WHERE", "RETURNING")); err != nil {
		return err
	}
	if o.condition, err = x.where(); err != nil || in.incoming == excluded {
		return err
	}
	c.Replaced = map[int]string{}
	written := c.Tokens()[place:c.At]
	for i, t := range written[:len(written)-1] {
		if t.IsName() && schema.Fold(t.Name()) == excluded && written[i+1].Is(".") && !written[i-1].Is(".") {
			c.Replaced[t.Start] = in.incoming
		}
	}
	return nil
}

// Excluded returns the columns that DO UPDATE sets to the incoming row's value of the same column,
// as in SET a = excluded.a. It returns false if the clause has an assignment of another form, or a
// condition.
func (o *onConflict) Excluded() ([]schema.Column, bool) {
	var out []schema.Column
	for _, a := range o.assignments {
		v := a.value
		if len(v) != 3 || !v[0].IsName() || schema.Fold(v[0].Name()) != excluded || !v[1].Is(".") || schema.Fold(v[2].Name()) != schema.Fold(a.column.Name) {
			return nil, false
		}
		out = append(out, a.column)
	}
	return out, len(o.condition) == 0
}

// IncomingTable is the table name under which the query of IncomingPlan reads the incoming rows.
const IncomingTable = "scoter.arrived"

// IncomingPlan plans the join of the table with the incoming rows of an INSERT. The argument
// incoming is a transient table that has the incoming rows.
func (x *Statement) IncomingPlan(in Insertion, incoming *sqlquery.Transient) (p *Plan, err error) {
	t, c := in.Target.Table, x.Reader
	versioned := schema.Contains(in.Columns, t.RowVersion)
	p = &Plan{Verb: "INSERT", Table: t, RejectsDuplicates: true, readsKeysOnly: len(in.Conflict.condition) == 0 && !versioned, Transient: incoming, Returning: in.Returning}
	if versioned {
		// The query compares versions: an incoming row is left out if the existing row has a higher
		// version.
		p.conditionColumns = append(p.conditionColumns, t.RowVersion)
	}
	for _, token := range in.Conflict.condition {
		if i := t.ColumnIndex(token.Name()); token.IsName() && i >= 0 {
			p.conditionColumns = append(p.conditionColumns, t.Columns[i].ID)
		}
	}
	if p.Pending, err = x.pendingColumns(t); err != nil {
		return nil, err
	}
	update := Action{Kind: UpdateRow, Name: "UPDATE"}
	values := map[base.ColumnID]func(*clause.Query){}
	if in.Conflict.Update {
		for _, as := range in.Conflict.assignments {
			update.Set = append(update.Set, as.column.ID)
			values[as.column.ID] = func(q *clause.Query) { x.writeValue(q, as.value, as.column) }
		}
	} else {
		for _, col := range in.Columns {
			// The key is not set, because the existing row has the same key.
			if !slices.Contains(t.PrimaryKey, col.ID) {
				update.Set = append(update.Set, col.ID)
				values[col.ID] = func(q *clause.Query) { in.writeIncoming(q, col) }
			}
		}
	}
	x.setVersionColumns(in, &update, values)
	p.Actions = []Action{update, {Kind: InsertRow, Name: "INSERT", Versioned: versioned}}
	p.ChooseColumns()
	action := func(q *clause.Query) {
		q.Write("CASE WHEN " + schema.RowsetColumn + " IS NULL THEN 1")
		if versioned {
			version := t.Columns[t.ColumnByID(t.RowVersion)]
			q.Write(" WHEN ")
			writeIsSuperseded(q, func(q *clause.Query) { in.writeIncoming(q, version) }, func(q *clause.Query) { in.Target.writeColumn(q, c, version) })
			q.Write(" THEN NULL")
		}
		if len(in.Conflict.condition) > 0 {
			q.Write(" WHEN (")
			q.CopyTokens(c, in.Conflict.condition)
			q.Write(")")
		} else {
			q.Write(" ELSE 0 END AS ", schema.ActionColumn)
			return
		}
		q.Write(" THEN 0 END AS ", schema.ActionColumn)
	}
	at, err := x.EvaluationOf(in.Conflict.condition)
	if err != nil {
		return nil, err
	}
	p.setEvaluation(at, action)
	p.Write(x, in.Target, action, func(q *clause.Query, col schema.Column) {
		insert := actionValue{1, func(q *clause.Query) { in.writeIncoming(q, col) }}
		writeValueByAction(q, col.Type, []actionValue{insert}, func(q *clause.Query) {
			if value := values[col.ID]; value != nil {
				value(q)
			} else {
				in.Target.writeColumn(q, c, col)
			}
		})
	}, func(q *clause.Query) {
		p.writeTarget(q, x, in.Target, nil)
		in.writeIncomingJoin(q, x.Reader)
		p.writeActionChoice(q)
	})
	return p, nil
}

// excluded is the name that statements use for the incoming row, as in PostgreSQL.
const excluded = "excluded"

// nameIncoming chooses the name of the incoming row in the composed query. The name is "excluded",
// unless the table or one of its columns has that name. If only a column has it, the statement can
// still write excluded.column for the incoming row.
func (in *Insertion) nameIncoming() {
	in.incoming = excluded
	if schema.Fold(in.Target.Alias) == excluded || in.Target.Table.ColumnIndex(excluded) >= 0 {
		in.incoming = schema.ExcludedColumn
	}
}

// writeIncoming appends the incoming row's value of a column.
func (in *Insertion) writeIncoming(q *clause.Query, col schema.Column) {
	q.Write(in.incoming, ".", schema.Quote(col.Name))
}

// writeIncomingJoin appends the join of the table with the incoming rows. An incoming row is one
// struct column, and copies of its key columns under reserved names. So an unqualified name in the
// statement cannot mean a column of an incoming row.
func (in *Insertion) writeIncomingJoin(q *clause.Query, c *clause.Reader) {
	t := in.Target.Table
	var names, on []string
	for _, id := range t.PrimaryKey {
		name := schema.Quote(t.Columns[t.ColumnByID(id)].Name)
		key := schema.Quote(schema.KeyColumn + t.Columns[t.ColumnByID(id)].Name)
		names = append(names, name+" AS "+key)
		on = append(on, name, key)
	}
	q.Write(" RIGHT JOIN (SELECT ", packed(t), " AS ", in.incoming, ", ", strings.Join(names, ", "), " FROM ", IncomingTable, ") AS scoter_arrivals ON ")
	for i := 0; i < len(on); i += 2 {
		if i > 0 {
			q.Write(" AND ")
		}
		q.CopyTokens(c, in.Target.qualifier)
		q.Write(".", on[i], " = ", on[i+1])
	}
}

// setVersionColumns makes an update set the version and deletion columns from the incoming row, if
// the statement gives them. It is for updates whose values are SQL expressions.
// incoming.WithVersionColumns does the same for other updates.
func (x *Statement) setVersionColumns(in Insertion, update *Action, values map[base.ColumnID]func(*clause.Query)) {
	t := in.Target.Table
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id == 0 || !schema.Contains(in.Columns, id) {
			continue
		}
		col, assigned := t.Columns[t.ColumnByID(id)], values[id]
		if assigned == nil {
			update.Set = append(update.Set, id)
			assigned = func(q *clause.Query) { in.writeIncoming(q, col) }
		}
		deleted := t.ColumnByID(t.IsDeleted)
		values[id] = func(q *clause.Query) {
			if deleted < 0 || !schema.Contains(in.Columns, t.IsDeleted) {
				assigned(q)
				return
			}
			q.Write("CASE WHEN ")
			in.writeIncoming(q, t.Columns[deleted])
			q.Write(" THEN ")
			in.writeIncoming(q, col)
			q.Write(" ELSE ")
			assigned(q)
			q.Write(" END")
		}
	}
}
