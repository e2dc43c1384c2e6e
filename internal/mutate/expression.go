package mutate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// An UPDATE in the mode "expression" writes no values for rows in parts. Instead its SQL is stored,
// and applied when the rows are read. Rows that have values in memory (in memtables or patches) get
// patches, as from any UPDATE.
//
// The stored SQL must always give the same values, and must never fail. Otherwise queries or merges
// would fail, and the rows could not be repaired. So the SQL may use only the row's own columns,
// and functions that depend only on their arguments (deterministic.go).
//
// The parts' statistics may prove that the SQL cannot fail for any row (proof.go). Then the
// statement takes the same time for a table of any size. Without a proof the SQL is tried out: a
// query reads the columns that the SQL names, and counts the rows that it would change.

// expressionUpdate runs an UPDATE in the mode "expression".
func (x *execution) expressionUpdate() (*Result, error) {
	rows, tried := int64(0), &trialState{}
	defer tried.close()
	err := x.retry(x.ctx, func(reservation *engine.Reservation, lock engine.TableLock) (err error) {
		if rows, err = x.tryExpression(reservation, lock, tried); errors.Is(err, engine.ErrMemoryBusy) {
			// The table lock is released now, because another statement may wait for it while
			// holding the memory that this statement needs.
			tried.close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Result{Counts: engine.Counts{Updated: rows}}, nil
}

// storedExpressionUpdate is an UPDATE in the form in which it can be stored: as SQL expressions.
type storedExpressionUpdate struct {
	patch.Expression
	table schema.Table
}

// trialState is what a statement retains from one attempt to the next: the lock of its table, and
// for each part the number of rows that the expression changes.
//
// While the table is locked, no other statement changes rows, and new rows are in new parts. So a
// later attempt tries out only the new parts. Without that, flushes could make the statement run
// again forever if rows arrive fast.
type trialState struct {
	lock    engine.TableLock
	release func() // releases the table locks; nil if none are held
	table   base.TableID
	version uint32 // the version of the table's schema
	rows    map[base.RowsetID]int64
}

func (t *trialState) close() {
	if t.release != nil {
		t.release()
		t.lock, t.release = engine.NoLock, nil
	}
}

func (x *execution) tryExpression(reservation *engine.Reservation, lock engine.TableLock, tried *trialState) (rows int64, err error) {
	e, named, err := x.readExpression()
	if err != nil {
		return 0, err
	}
	if tried.table != e.table.ID {
		// The name of the table means another table than in the last attempt. Discard what that
		// attempt found.
		tried.close()
	}
	fresh := tried.lock != engine.ExclusiveLock || tried.version != e.table.Version
	if tried.lock != lock {
		tried.close()
		if tried.release, err = x.takeLocks(x.ctx, x.options.BeforeLockWait, lock, e.table.ID); err != nil {
			return 0, err
		}
		tried.lock = lock
	}
	if fresh {
		tried.table, tried.version, tried.rows = e.table.ID, e.table.Version, map[base.RowsetID]int64{}
	}
	s, err := x.snapshots.DeduplicatedSnapshot(x.ctx, e.table.ID)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	t := s.Tables[e.table.ID]
	if t.Schema.Version != e.table.Version {
		return 0, engine.ErrChanged
	}
	proven, err := prove(x.statement, e, t)
	if err != nil {
		return 0, err
	}
	written, err := storedRows(t)
	if err != nil {
		return 0, err
	}
	inParts := written.Rows()
	if !proven {
		if inParts, err = x.evaluateOnParts(e, written, tried.rows); err != nil {
			return 0, err
		}
	}
	change, err := x.patchInMemory(e, named, t, reservation)
	if err != nil {
		return 0, err
	}
	change.Expression, change.ReadDependencies = &e.Expression, []engine.ReadDependency{{Table: e.table.ID}}
	// Superseded rows (replaced by other rows of their keys) must be deleted in the same edit,
	// because the expression was not tried out on them.
	change.DeleteSuperseded = true
	change.Counts.Updated += inParts
	if inParts == 0 {
		change.Expression = nil // there are no rows to which the expression would apply
	}
	changed := change.Counts.Rows()
	if changed == 0 {
		return 0, nil
	}
	options := x.options
	options.Lock, options.Reservation = lock, reservation
	_, err = x.commits.Commit(x.ctx, s, []engine.Change{change}, options)
	return changed, err
}

// errCannotBeStored is wrapped by each error that says why the SQL of an UPDATE cannot be stored.
var errCannotBeStored = errors.New("the statement cannot be stored as an expression")

func errNotStorable(format string, args ...any) *base.Error {
	return base.Errorf(base.Invalid, "%w: "+format, append([]any{errCannotBeStored}, args...)...).WithHint("WITH (mode = 'patch') or WITH (mode = 'rewrite') takes any UPDATE")
}

// readExpression reads UPDATE t [AS a] SET assignments [WHERE condition]. It turns the expressions
// into texts that can be stored: without aliases and parameters.
func (x *dmlStatement) readExpression() (e *storedExpressionUpdate, t target, err error) {
	c := x.c
	if c.statement.Verb() != "UPDATE" || c.statement.VerbIndex() > 0 {
		return nil, t, errNotStorable("only an UPDATE without WITH before it can be stored")
	}
	c.at = 1
	if t, err = x.target("SET"); err != nil {
		return nil, t, err
	}
	if !c.accept("SET") {
		return nil, t, c.unexpected("SET")
	}
	assignments, err := x.assignments(t.table, c.until("FROM", "WHERE", "RETURNING"))
	if err != nil {
		return nil, t, err
	}
	e = &storedExpressionUpdate{Expression: patch.Expression{Version: t.table.Version, Alias: t.alias}, table: t.table}
	var where []sqltoken.Token
	if c.accept("WHERE") {
		where = c.until("RETURNING")
		if e.Where, err = x.standalone(where); err != nil {
			return nil, t, err
		}
	}
	if !x.asked && x.keyLookup(t, assignments, where) != nil {
		return nil, t, errNotStorable("it changes the rows of one key, and a patch does that faster")
	}
	if !c.done() {
		next := c.tokens()[c.at]
		return nil, t, errNotStorable("%s needs the rows immediately", strings.ToUpper(next.Text())).At(next.Start + 1)
	}
	if t.table.IsDeleted != 0 {
		return nil, t, errNotStorable("table %s has the option is_deleted: an expression would also change its tombstones", t.table.QualifiedName())
	}
	for _, a := range assignments {
		if t.table.InKey(a.column.ID) {
			return nil, t, errNotStorable("column %q is in the sort key, primary key or partitioning", a.column.Name)
		}
		if a.column.ID == t.table.RowVersion {
			return nil, t, errNotStorable("column %q decides between the row versions of a key", a.column.Name)
		}
		value := ""
		if len(a.value) == 1 && a.value[0].Is("DEFAULT") {
			value = defaultOf(a.column)
		} else if value, err = x.standalone(a.value); err != nil {
			return nil, t, err
		}
		e.Set = append(e.Set, patch.Assignment{Column: a.column.ID, Value: value})
	}
	slices.SortFunc(e.Set, func(a, b patch.Assignment) int { return int(int64(a.Column) - int64(b.Column)) })
	return e, t, checkDeterministic(x.statement, e)
}

// standalone returns an expression's text in which the parameters are replaced by their values.
func (x *statement) standalone(tokens []sqltoken.Token) (string, error) {
	if len(tokens) == 0 {
		return "", base.Errorf(base.Invalid, "an expression is missing")
	}
	var b strings.Builder
	text, from := x.c.statement.Text, tokens[0].Start
	for _, t := range tokens {
		if t.Kind != sqltoken.Parameter {
			continue
		}
		literal, err := x.literal(t)
		if err != nil {
			return "", err
		}
		b.WriteString(text[from:t.Start] + " " + literal + " ")
		from = t.End
	}
	b.WriteString(text[from:tokens[len(tokens)-1].End])
	return b.String(), nil
}

// literal returns the value of a parameter of the statement as an SQL literal.
func (x *statement) literal(parameter sqltoken.Token) (string, error) {
	var q composedQuery
	q.write("SELECT typeof(v), v IS NULL, coalesce(CAST(v AS VARCHAR), '') FROM (SELECT ")
	q.copyTokens(x.c, []sqltoken.Token{parameter})
	q.write(" AS v)")
	rows, err := x.planner.Select(x.ctx, x.selects(&q))
	if err != nil {
		return "", q.withPosition(err)
	}
	defer rows.Close()
	literal := ""
	err = sqlquery.Each(x.ctx, rows, func(rec arrow.RecordBatch) error {
		typ, null, value := rec.Column(0).ValueStr(0), rec.Column(1).(*array.Boolean).Value(0), rec.Column(2).ValueStr(0)
		if null {
			literal = "NULL"
		} else {
			literal = schema.QuoteString(strings.Clone(value))
			// VARCHAR stays an untyped literal: DuckDB gives it the type of the value that it is
			// compared with, as it does for a parameter.
			if typ != "VARCHAR" {
				literal = "CAST(" + literal + " AS " + strings.Clone(typ) + ")"
			}
		}
		return nil
	})
	return literal, err
}

// storedRows returns a table of a snapshot with only the rows whose values are all in parts. It
// leaves out the rows of memtables, and rows with patches.
func storedRows(t *snapshot.Table) (*snapshot.Table, error) {
	written := *t
	written.Memtables = nil
	written.Patches = map[base.RowsetID]*patch.Set{}
	for _, p := range t.Parts {
		set := t.Patches[p.ID]
		if set == nil {
			continue
		}
		hidden := set.Patched()
		if set.Deleted != nil {
			hidden = roaring.Or(hidden, set.Deleted)
		}
		if !hidden.IsEmpty() {
			var err error
			if written.Patches[p.ID], err = patch.New(p.ID).With(set.Seq, hidden); err != nil {
				return nil, err
			}
		}
	}
	return &written, nil
}

// hasRowsInMemory reports whether a table has rows that storedRows leaves out: rows of memtables,
// or rows with patches.
func hasRowsInMemory(t *snapshot.Table) bool {
	return slices.ContainsFunc(t.Memtables, func(m memtable.View) bool { return m.Rows > 0 }) ||
		slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { set := t.Patches[p.ID]; return set != nil && !set.Patched().IsEmpty() })
}

// storedTable and memoryTable are names of tables in composed queries. In evaluateOnParts,
// storedTable has the rows of parts. In patchInMemory, memoryTable has the rows in memory.
const storedTable, memoryTable = "scoter.written", "scoter.memory"

// evaluateOnParts evaluates the expression of an UPDATE for all rows in parts, and returns the
// number of rows that it changes. The map known has this number for each part that an earlier
// attempt tried out. evaluateOnParts evaluates the expression only for the other parts, and adds
// their numbers to the map. If the expression fails for some row, evaluateOnParts returns that
// error.
func (x *execution) evaluateOnParts(e *storedExpressionUpdate, written *snapshot.Table, known map[base.RowsetID]int64) (rows int64, err error) {
	left := *written
	left.Parts = slices.DeleteFunc(slices.Clone(written.Parts), func(p *catalog.Part) bool { _, ok := known[p.ID]; return ok })
	if len(left.Parts) > 0 {
		counts, err := x.evaluatePart(e, &left)
		if err != nil {
			return 0, err
		}
		for _, p := range left.Parts {
			known[p.ID] = counts[p.ID]
		}
	}
	for _, p := range written.Parts {
		rows += known[p.ID]
	}
	return rows, nil
}

// evaluatePart evaluates the expression of an UPDATE for the rows of a table's parts. It returns
// for each part the number of rows that the expression changes.
func (x *execution) evaluatePart(e *storedExpressionUpdate, written *snapshot.Table) (map[base.RowsetID]int64, error) {
	matches := "true"
	if e.Where != "" {
		matches = "(" + e.Where + ") IS TRUE"
	}
	var nulls, values []string
	for _, a := range e.Set {
		name := schema.Quote(e.table.Columns[e.table.ColumnByID(a.Column)].Name)
		values = append(values, name)
		if e.table.Columns[e.table.ColumnByID(a.Column)].NotNull {
			nulls = append(nulls, fmt.Sprintf("count(*) FILTER (WHERE "+schema.ActionColumn+" AND %s IS NULL)", name))
		} else {
			nulls = append(nulls, "CAST(0 AS BIGINT)")
		}
	}
	violations := "CAST(0 AS BIGINT)"
	if checks := e.table.Condition(); checks != "" {
		violations = "count(*) FILTER (WHERE " + schema.ActionColumn + " AND (" + checks + ") IS FALSE)"
	}
	// The query hashes all computed values, because DuckDB would not compute them for a count
	// alone.
	const from = "SELECT * FROM "
	sql := fmt.Sprintf("SELECT "+schema.RowsetColumn+", count(*) FILTER (WHERE "+schema.ActionColumn+"), %s, %s, bit_xor(hash(%s)) FROM (%s) AS %s GROUP BY 1", violations,
		strings.Join(nulls, ", "), strings.Join(values, ", "), e.Over(e.table, from+storedTable, matches+" AS "+schema.ActionColumn, schema.RowsetColumn), schema.Quote(e.Alias))
	found, err := x.planner.Find(x.ctx, sqlquery.Request{SQL: sql, Database: x.req.Database, Target: strings.LastIndex(sql, from+storedTable) + len(from),
		Transient: &sqlquery.Transient{Name: storedTable, Table: written}})
	if err != nil {
		return nil, withoutPosition(err)
	}
	defer found.Close()
	// The element wrong[0] is the number of rows that violate a CHECK constraint. wrong[1+i] is the
	// number of rows that would get a NULL from assignment i in a NOT NULL column.
	counts, wrong := map[base.RowsetID]int64{}, make([]int64, 1+len(e.Set))
	err = sqlquery.Each(x.ctx, found, func(rec arrow.RecordBatch) error {
		rowsets, matching := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
		for row := range int(rec.NumRows()) {
			counts[base.RowsetID(rowsets.Value(row))] += matching.Value(row)
			for i := range wrong {
				wrong[i] += rec.Column(2 + i).(*array.Int64).Value(row)
			}
		}
		return nil
	})
	if err != nil {
		return nil, withoutPosition(err)
	}
	for i, a := range e.Set {
		if wrong[1+i] > 0 {
			return nil, base.Errorf(base.Invalid, "column %q is NOT NULL, but would become NULL in %d rows", e.table.Columns[e.table.ColumnByID(a.Column)].Name, wrong[1+i])
		}
	}
	if wrong[0] > 0 {
		return nil, base.Errorf(base.Invalid, "%d rows would violate a check of table %s: %s", wrong[0], e.table.QualifiedName(), e.table.Condition())
	}
	return counts, nil
}

// patchInMemory returns the change set of the UPDATE for the rows that are in memory (in memtables
// or with patches).
func (x *execution) patchInMemory(e *storedExpressionUpdate, named target, t *snapshot.Table, reservation *engine.Reservation) (engine.Change, error) {
	none := engine.Change{Table: e.table.ID}
	if !hasRowsInMemory(t) {
		return none, nil
	}
	p := &rowPlan{verb: "UPDATE", table: e.table, pending: t.PendingColumns(nil), transient: &sqlquery.Transient{Name: memoryTable, Table: t, InMemory: true}}
	p.actions = []rowAction{{kind: updateRow, name: "UPDATE", set: e.Columns()}}
	p.chooseColumns()
	p.write(x.dmlStatement, named, onlyAction, func(q *composedQuery, col schema.Column) {
		for _, a := range e.Set {
			if a.Column == col.ID {
				q.write(" CAST((", a.Value, ") AS ", col.Type.String(), ")")
				return
			}
		}
		q.write(schema.Quote(e.Alias), ".", schema.Quote(col.Name))
	}, func(q *composedQuery) {
		p.target = q.Len()
		q.write(memoryTable, " AS ", schema.Quote(e.Alias))
		if e.Where != "" {
			q.write(" WHERE ", e.Where)
		}
	})
	found, err := x.find(p, nil)
	if err != nil {
		return none, err
	}
	defer found.Close()
	f, err := x.collect(p, found, reservation)
	if err != nil {
		return none, err
	}
	defer f.close()
	o, err := f.changeSet()
	return o.change, err
}

// pendingColumns returns the pending columns of a table. An expression update (an UPDATE that is
// stored as SQL and applied when rows are read) sets them, and no merge has written its results
// yet. An UPDATE must give the rows that it changes values of these columns too, because expression
// updates do not apply to a row with a patch.
func (x *dmlStatement) pendingColumns(t schema.Table) ([]base.ColumnID, error) {
	s, err := x.stored.Snapshot(t.ID)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return s.Tables[t.ID].PendingColumns(nil), nil
}
