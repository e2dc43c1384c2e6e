package mutate

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// onConflict is the clause of an INSERT that says what happens to a row whose key already exists.
// Without the clause, the table's option on_insert decides: the INSERT fails, or the new row sets
// its columns in the existing row, as with OR REPLACE.
type onConflict struct {
	given    bool
	position int  // position of the clause in the statement, in bytes from 1
	keeps    bool // whether the clause is DO NOTHING
	// update says that the clause is DO UPDATE SET assignments [WHERE condition].
	update      bool
	assignments []assignment
	condition   []sqltoken.Token
}

// onConflict parses ON CONFLICT [(columns)] DO NOTHING, or DO UPDATE SET list [WHERE condition].
func (x *dmlStatement) onConflict(in *insertion) error {
	c, t := x.c, in.target.table
	place := c.at
	if !c.accept("ON", "CONFLICT") {
		return nil
	}
	o := &in.conflict
	if o.given {
		return c.withPosition(base.Errorf(base.Invalid, "You can not provide both OR REPLACE|IGNORE and an ON CONFLICT clause"), place)
	}
	o.given, o.position = true, c.tokens()[place].Start+1
	if c.peek("(") {
		names, err := c.brackets()
		if err != nil {
			return err
		}
		columns, err := columnsNamed(t, names)
		if err != nil {
			return err
		}
		inKey := func(col schema.Column) bool { return slices.Contains(t.PrimaryKey, col.ID) }
		if len(columns) != len(t.PrimaryKey) || slices.ContainsFunc(columns, func(col schema.Column) bool { return !inKey(col) }) {
			return c.withPosition(base.Errorf(base.Invalid, "The specified columns as conflict target are not the primary key of table %s", t.QualifiedName()), place)
		}
	}
	switch {
	case c.accept("DO", "NOTHING"):
		o.keeps = true
		return nil
	case !c.accept("DO", "UPDATE", "SET"):
		return c.unexpected("DO NOTHING or DO UPDATE SET")
	}
	o.update = true
	var err error
	if schema.Fold(in.target.alias) == excluded {
		return c.withPosition(base.Errorf(base.Invalid, "Ambiguous reference to table %q: the table has the name of the incoming row", in.target.alias).
			WithHint("give the table another name: INSERT INTO ... AS name"), place)
	}
	if o.assignments, err = x.assignments(t, c.until("WHERE", "RETURNING")); err != nil {
		return err
	}
	if o.condition, err = x.where(); err != nil || in.incoming == excluded {
		return err
	}
	c.replaced = map[int]string{}
	written := c.tokens()[place:c.at]
	for i, t := range written[:len(written)-1] {
		if t.IsName() && schema.Fold(t.Name()) == excluded && written[i+1].Is(".") && !written[i-1].Is(".") {
			c.replaced[t.Start] = in.incoming
		}
	}
	return nil
}

// excluded returns the columns that DO UPDATE sets to the incoming row's value of the same column,
// as in SET a = excluded.a. It returns false if the clause has an assignment of another form, or a
// condition.
func (o *onConflict) excluded() ([]schema.Column, bool) {
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

// insertKeyed runs an INSERT into a table with a primary key.
func (x *execution) insertKeyed(in insertion) (result *Result, err error) {
	t := in.target.table
	unset := ""
	if in.conflict.given {
		t, unset = withoutMissingNotNull(t, in.columns)
	}
	given, policy := in.columns, replaceRow
	plain := true
	rows := &bulkInput{loads: x.loads, ctx: x.ctx, table: t, sentColumns: in.columns, missingNotNull: unset, reservation: x.commits.NewReservation()}
	if !in.returning.none() {
		rows.tooLarge = x.errReturning()
	}
	defer rows.closeInto(&err)
	switch {
	case in.conflict.keeps:
		policy = skipRow
	case in.conflict.update:
		given, plain = in.conflict.excluded()
		given = withVersionColumns(t, given, in.columns)
		rows.keepFirst = true
	case !in.conflict.given && t.InsertRefuses():
		given, policy = t.Columns, refuseRow
	}
	rows.policy = policy
	if err := x.runInsertQuery(t, in.columns, in.byName, in.query, rows.add); err != nil {
		return nil, err
	}
	partial := len(given) < len(t.Columns) && policy == replaceRow
	if rows.load != nil {
		counts, err := x.insertParts(in, rows, plain && !partial)
		return &Result{Counts: counts}, err
	}
	a, err := rows.incoming(given)
	if err != nil {
		return nil, err
	}
	defer a.release()
	if !plain || partial && (changesPlacement(t, given) || t.Condition() != "" || !in.returning.none()) {
		return x.joinIncoming(in, a)
	}
	result = &Result{}
	var before func(remaining []uint32) error
	if !in.returning.none() {
		before = func(remaining []uint32) error {
			result.Close() // the result of an earlier attempt
			all := &sqlquery.Buffered{}
			result.Rows = all
			return x.returnedRows(all, t, in.returning, "INSERT", []arrow.RecordBatch{a.rows}, remaining)
		}
	}
	if result.Counts, err = x.upsert(x.ctx, []*incomingRows{a}, policy, x.options, before); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// withoutMissingNotNull returns a copy of the table for an INSERT that gives values only for
// sentColumns. In the copy, the NOT NULL columns without a value may be NULL, because a row whose
// key exists needs no value for them. The result unset is the name of the first of these columns,
// or empty.
func withoutMissingNotNull(t schema.Table, sentColumns []schema.Column) (_ schema.Table, unset string) {
	columns := slices.Clone(t.Columns)
	for i := range columns {
		c := &columns[i]
		if !c.NotNull || c.Default != "" || schema.Contains(sentColumns, c.ID) || slices.Contains(t.PrimaryKey, c.ID) {
			continue
		}
		c.NotNull = false
		if unset == "" {
			unset = c.Name
		}
	}
	t.Columns = columns
	return t, unset
}

// errMissingNotNull returns the error for a new row without a value for a NOT NULL column.
func errMissingNotNull(t schema.Table, column string) error {
	return base.Errorf(base.Invalid, "table %s: a new row has no value for the column %q, which is NOT NULL and has no default", t.QualifiedName(), column)
}

// incomingTable is the table name under which the query of incomingPlan reads the incoming rows.
const incomingTable = "scoter.arrived"

// joinIncoming runs an INSERT whose result depends on existing rows, such as ON CONFLICT DO UPDATE
// SET n = n + 1. It joins the incoming rows, which the statement calls excluded, with the table.
func (x *execution) joinIncoming(in insertion, a *incomingRows) (*Result, error) {
	k := x.newReturningRows(a.table)
	defer k.release()
	if err := k.add(a.rows); err != nil {
		return nil, err
	}
	return x.changeRows(func() (*rowPlan, error) {
		// Each attempt parses the statement again, because the table's schema may have changed.
		if again, err := x.insertion(); err != nil {
			return nil, err
		} else if again.target.table.Version != a.table.Version {
			return nil, base.Errorf(base.Conflict, "the schema of table %s changed during the statement", a.table.QualifiedName()).WithHint("run the statement again")
		}
		return x.incomingPlan(in, k.transient(incomingTable))
	})
}

// incomingPlan plans the join of the table with the incoming rows of an INSERT. The argument
// incoming is a transient table that has the incoming rows.
func (x *dmlStatement) incomingPlan(in insertion, incoming *sqlquery.Transient) (p *rowPlan, err error) {
	t, c := in.target.table, x.c
	versioned := schema.Contains(in.columns, t.RowVersion)
	p = &rowPlan{verb: "INSERT", table: t, rejectsDuplicates: true, readsKeysOnly: len(in.conflict.condition) == 0 && !versioned, transient: incoming, returning: in.returning}
	if versioned {
		// The query compares versions: an incoming row is left out if the existing row has a higher
		// version.
		p.conditionColumns = append(p.conditionColumns, t.RowVersion)
	}
	for _, token := range in.conflict.condition {
		if i := t.ColumnIndex(token.Name()); token.IsName() && i >= 0 {
			p.conditionColumns = append(p.conditionColumns, t.Columns[i].ID)
		}
	}
	if p.pending, err = x.pendingColumns(t); err != nil {
		return nil, err
	}
	update := rowAction{kind: updateRow, name: "UPDATE"}
	values := map[base.ColumnID]func(*composedQuery){}
	if in.conflict.update {
		for _, as := range in.conflict.assignments {
			update.set = append(update.set, as.column.ID)
			values[as.column.ID] = func(q *composedQuery) { x.writeValue(q, as.value, as.column) }
		}
	} else {
		for _, col := range in.columns {
			// The key is not set, because the existing row has the same key.
			if !slices.Contains(t.PrimaryKey, col.ID) {
				update.set = append(update.set, col.ID)
				values[col.ID] = func(q *composedQuery) { in.writeIncoming(q, col) }
			}
		}
	}
	x.setVersionColumns(in, &update, values)
	p.actions = []rowAction{update, {kind: insertRow, name: "INSERT", versioned: versioned}}
	p.chooseColumns()
	action := func(q *composedQuery) {
		q.write("CASE WHEN " + schema.RowsetColumn + " IS NULL THEN 1")
		if versioned {
			version := t.Columns[t.ColumnByID(t.RowVersion)]
			q.write(" WHEN ")
			writeIsSuperseded(q, func(q *composedQuery) { in.writeIncoming(q, version) }, func(q *composedQuery) { in.target.writeColumn(q, c, version) })
			q.write(" THEN NULL")
		}
		if len(in.conflict.condition) > 0 {
			q.write(" WHEN (")
			q.copyTokens(c, in.conflict.condition)
			q.write(")")
		} else {
			q.write(" ELSE 0 END AS ", schema.ActionColumn)
			return
		}
		q.write(" THEN 0 END AS ", schema.ActionColumn)
	}
	at, err := x.evaluationOf(in.conflict.condition)
	if err != nil {
		return nil, err
	}
	p.setEvaluation(at, action)
	p.write(x, in.target, action, func(q *composedQuery, col schema.Column) {
		insert := actionValue{1, func(q *composedQuery) { in.writeIncoming(q, col) }}
		writeValueByAction(q, col.Type, []actionValue{insert}, func(q *composedQuery) {
			if value := values[col.ID]; value != nil {
				value(q)
			} else {
				in.target.writeColumn(q, c, col)
			}
		})
	}, func(q *composedQuery) {
		p.writeTarget(q, x, in.target, nil)
		in.writeIncomingJoin(q, x.c)
		p.writeActionChoice(q)
	})
	return p, nil
}

// excluded is the name that statements use for the incoming row, as in PostgreSQL.
const excluded = "excluded"

// nameIncoming chooses the name of the incoming row in the composed query. The name is "excluded",
// unless the table or one of its columns has that name. If only a column has it, the statement can
// still write excluded.column for the incoming row.
func (in *insertion) nameIncoming() {
	in.incoming = excluded
	if schema.Fold(in.target.alias) == excluded || in.target.table.ColumnIndex(excluded) >= 0 {
		in.incoming = schema.ExcludedColumn
	}
}

// writeIncoming appends the incoming row's value of a column.
func (in *insertion) writeIncoming(q *composedQuery, col schema.Column) {
	q.write(in.incoming, ".", schema.Quote(col.Name))
}

// writeIncomingJoin appends the join of the table with the incoming rows. An incoming row is one
// struct column, and copies of its key columns under reserved names. So an unqualified name in the
// statement cannot mean a column of an incoming row.
func (in *insertion) writeIncomingJoin(q *composedQuery, c *clauses) {
	t := in.target.table
	var names, on []string
	for _, id := range t.PrimaryKey {
		name := schema.Quote(t.Columns[t.ColumnByID(id)].Name)
		key := schema.Quote(schema.KeyColumn + t.Columns[t.ColumnByID(id)].Name)
		names = append(names, name+" AS "+key)
		on = append(on, name, key)
	}
	q.write(" RIGHT JOIN (SELECT ", packed(t), " AS ", in.incoming, ", ", strings.Join(names, ", "), " FROM ", incomingTable, ") AS scoter_arrivals ON ")
	for i := 0; i < len(on); i += 2 {
		if i > 0 {
			q.write(" AND ")
		}
		q.copyTokens(c, in.target.qualifier)
		q.write(".", on[i], " = ", on[i+1])
	}
}
