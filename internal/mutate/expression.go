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
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// An UPDATE in the mode "expression" writes no values for rows in parts. Its SQL is stored, and
// applied when the rows are read. Rows that have values in memory (in memtables or patches) get
// patches, as from any UPDATE.
//
// The stored SQL must always give the same values, and must never fail. Otherwise queries or merges
// would fail on rows that cannot be repaired. So the SQL may use only the row's own columns, and
// functions that depend on nothing else (deterministic.go).
//
// The parts' statistics may prove that the SQL cannot fail for any row (proof.go). Then the
// statement takes the same time for a table of any size. Without a proof the SQL is tried out: a
// query reads the columns that the SQL names, and counts the rows that it would change.

// expressionUpdate runs an UPDATE in the mode "expression".
func (x *execution) expressionUpdate() (*Result, error) {
	rows, tried := int64(0), &tried{}
	defer tried.close()
	err := x.again(x.ctx, func(room *engine.Room, pins engine.Pins) (err error) {
		if rows, err = x.tryExpression(room, pins, tried); errors.Is(err, engine.ErrNoRoom) {
			// Another statement may wait for the table lock while it holds the memory that this one
			// needs.
			tried.close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Result{Counts: Counts{Updated: rows}}, nil
}

// asExpression is an UPDATE in the form in which it can be stored.
type asExpression struct {
	patch.Expression
	target target
	table  schema.Table
}

// tried is what a statement retains from one attempt to the next: the lock of its table, and for
// each part the number of rows that the expression changes.
//
// While the table is locked, no other statement changes rows, and new rows are in new parts. So a
// later attempt tries out only the new parts. Without that, flushes could make the statement run
// again forever if rows arrive fast.
type tried struct {
	pins    engine.Pins
	release func() // releases the table locks; nil if none are held
	table   base.TableID
	version uint32 // the version of the table's schema
	rows    map[base.SourceID]int64
}

func (t *tried) close() {
	if t.release != nil {
		t.release()
		t.pins, t.release = engine.Unpinned, nil
	}
}

func (x *execution) tryExpression(room *engine.Room, pins engine.Pins, tried *tried) (rows int64, err error) {
	e, err := x.readExpression()
	if err != nil {
		return 0, err
	}
	if tried.table != e.table.ID {
		tried.close() // the name now means another table
	}
	fresh := tried.pins != engine.Pinned || tried.version != e.table.Version
	if tried.pins != pins {
		tried.close()
		if tried.release, err = x.hold(x.ctx, x.options.Waits, pins, e.table.ID); err != nil {
			return 0, err
		}
		tried.pins = pins
	}
	if fresh {
		tried.table, tried.version, tried.rows = e.table.ID, e.table.Version, map[base.SourceID]int64{}
	}
	s, err := x.store.Settled(x.ctx, e.table.ID)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	t := s.Tables[e.table.ID]
	if t.Schema.Version != e.table.Version {
		return 0, engine.ErrChanged
	}
	proven, err := x.prove(e, t)
	if err != nil {
		return 0, err
	}
	written, err := asWritten(t)
	if err != nil {
		return 0, err
	}
	inParts := written.Rows()
	if !proven {
		if inParts, err = x.tryOut(e, written, tried.rows); err != nil {
			return 0, err
		}
	}
	change, err := x.patchInMemory(e, t, room)
	if err != nil {
		return 0, err
	}
	change.Expression, change.Reads = &e.Expression, []engine.Read{{Table: e.table.ID}}
	// Superseded rows must be deleted by the edit, because the expression was not tried out on
	// them.
	change.Settle = true
	change.Counts.Updated += inParts
	if inParts == 0 {
		change.Expression = nil // there are no rows to which the expression would apply
	}
	changed := change.Counts.Rows()
	if changed == 0 {
		return 0, nil
	}
	options := x.options
	options.Pins, options.Room = pins, room
	_, err = x.store.Commit(x.ctx, s, []engine.Change{change}, options)
	return changed, err
}

// errCannotBeKept is wrapped by each error that says why an UPDATE cannot be stored as SQL.
var errCannotBeKept = errors.New("it cannot be kept as an expression")

func errNotKept(format string, args ...any) *base.Error {
	return base.Errorf(base.Invalid, "%w: "+format, append([]any{errCannotBeKept}, args...)...).WithHint("WITH (mode = 'patch') or WITH (mode = 'rewrite') takes any UPDATE")
}

// readExpression reads UPDATE t [AS a] SET assignments [WHERE condition]. It turns the expressions
// into texts that can be stored: without aliases and parameters.
func (x *execution) readExpression() (*asExpression, error) {
	c := x.c
	if c.statement.Verb() != "UPDATE" || c.statement.VerbIndex() > 0 {
		return nil, errNotKept("only an UPDATE without WITH in front can be kept")
	}
	c.at = 1
	t, err := x.target("SET")
	if err != nil {
		return nil, err
	}
	if !c.accept("SET") {
		return nil, c.unexpected("SET")
	}
	assignments, err := x.assignments(t.table, c.until("FROM", "WHERE", "RETURNING"))
	if err != nil {
		return nil, err
	}
	e := &asExpression{Expression: patch.Expression{Version: t.table.Version, Alias: t.alias}, target: t, table: t.table}
	var where []sqltoken.Token
	if c.accept("WHERE") {
		where = c.until("RETURNING")
		if e.Where, err = x.standalone(where); err != nil {
			return nil, err
		}
	}
	if !x.asked && x.lookUp(t, assignments, where) != nil {
		return nil, errNotKept("it is for the rows of one key, which a patch changes sooner")
	}
	if !c.done() {
		clause := c.tokens()[c.at]
		return nil, errNotKept("%s needs the rows at once", strings.ToUpper(clause.Text())).At(clause.Start + 1)
	}
	if t.table.IsDeleted != 0 {
		return nil, errNotKept("table %s has deleted rows that nobody sees", t.table.QualifiedName())
	}
	for _, a := range assignments {
		if t.table.InKey(a.column.ID) {
			return nil, errNotKept("column %q decides where a row lies", a.column.Name)
		}
		if a.column.ID == t.table.RowVersion {
			return nil, errNotKept("column %q decides which row of a key holds", a.column.Name)
		}
		value := ""
		if len(a.value) == 1 && a.value[0].Is("DEFAULT") {
			value = defaultOf(a.column)
		} else if value, err = x.standalone(a.value); err != nil {
			return nil, err
		}
		e.Set = append(e.Set, patch.Assignment{Column: a.column.ID, Value: value})
	}
	slices.SortFunc(e.Set, func(a, b patch.Assignment) int { return int(int64(a.Column) - int64(b.Column)) })
	return e, x.checkDeterministic(e)
}

// standalone returns an expression's text in which the parameters are replaced by their values.
func (x *execution) standalone(tokens []sqltoken.Token) (string, error) {
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

// literal returns the value of a parameter as an SQL literal.
func (x *execution) literal(parameter sqltoken.Token) (string, error) {
	var q composition
	q.write("SELECT typeof(v), v IS NULL, coalesce(CAST(v AS VARCHAR), '') FROM (SELECT ")
	q.copyTokens(x.c, []sqltoken.Token{parameter})
	q.write(" AS v)")
	rows, err := x.planner.Select(x.ctx, x.selects(&q))
	if err != nil {
		return "", q.placed(err)
	}
	defer rows.Close()
	literal := ""
	err = each(x.ctx, rows, func(rec arrow.RecordBatch) error {
		typ, null, value := rec.Column(0).ValueStr(0), rec.Column(1).(*array.Boolean).Value(0), rec.Column(2).ValueStr(0)
		if null {
			literal = "NULL"
		} else {
			literal = schema.QuoteString(strings.Clone(value))
			// DuckDB gives an untyped literal the type of the value it is compared with, as it does
			// for a parameter.
			if typ != "VARCHAR" {
				literal = "CAST(" + literal + " AS " + strings.Clone(typ) + ")"
			}
		}
		return nil
	})
	return literal, err
}

// asWritten returns a table of a snapshot with only the rows whose values are all in parts. It
// leaves out the rows of memtables, and rows with patches.
func asWritten(t *snapshot.Table) (*snapshot.Table, error) {
	written := *t
	written.Memtables = nil
	written.Patches = map[base.SourceID]*patch.Set{}
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

// inMemory reports whether a table has rows that asWritten leaves out: rows of memtables, or rows
// with patches.
func inMemory(t *snapshot.Table) bool {
	return slices.ContainsFunc(t.Memtables, func(m memtable.View) bool { return m.Rows > 0 }) ||
		slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { set := t.Patches[p.ID]; return set != nil && !set.Patched().IsEmpty() })
}

// The names of tables in composed queries: tryOut reads the rows of parts as writtenTable,
// patchInMemory reads the rows in memory as memoryTable.
const writtenTable, memoryTable = "scoter.written", "scoter.memory"

// tryOut evaluates an expression for all rows in parts, and returns the number of rows that it
// changes. known has this number for each part that an earlier attempt tried out; tryOut adds the
// other parts. If the expression fails for some row, tryOut returns that error.
func (x *execution) tryOut(e *asExpression, written *snapshot.Table, known map[base.SourceID]int64) (rows int64, err error) {
	left := *written
	left.Parts = slices.DeleteFunc(slices.Clone(written.Parts), func(p *catalog.Part) bool { _, ok := known[p.ID]; return ok })
	if len(left.Parts) > 0 {
		counts, err := x.tryOutOn(e, &left)
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

// tryOutOn evaluates an expression for the rows of a table's parts, and returns for each part the
// number of rows that it changes.
func (x *execution) tryOutOn(e *asExpression, written *snapshot.Table) (map[base.SourceID]int64, error) {
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
	// The hash makes DuckDB compute all values, which a count alone would not.
	const from = "SELECT * FROM "
	sql := fmt.Sprintf("SELECT "+schema.SourceColumn+", count(*) FILTER (WHERE "+schema.ActionColumn+"), %s, %s, bit_xor(hash(%s)) FROM (%s) AS %s GROUP BY 1", violations,
		strings.Join(nulls, ", "), strings.Join(values, ", "), e.Over(e.table, from+writtenTable, matches+" AS "+schema.ActionColumn, schema.SourceColumn), schema.Quote(e.Alias))
	found, err := x.planner.Find(x.ctx, Select{SQL: sql, Database: x.req.Database, Target: strings.LastIndex(sql, from+writtenTable) + len(from),
		Transient: &Transient{Name: writtenTable, Table: written}})
	if err != nil {
		return nil, unplaced(err)
	}
	defer found.Close()
	// The result has the number of rows that violate a check. After it, it has for each assignment
	// the number of rows that would get a NULL.
	counts, wrong := map[base.SourceID]int64{}, make([]int64, 1+len(e.Set))
	err = each(x.ctx, found, func(rec arrow.RecordBatch) error {
		sources, matching := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
		for row := range int(rec.NumRows()) {
			counts[base.SourceID(sources.Value(row))] += matching.Value(row)
			for i := range wrong {
				wrong[i] += rec.Column(2 + i).(*array.Int64).Value(row)
			}
		}
		return nil
	})
	if err != nil {
		return nil, unplaced(err)
	}
	for i, a := range e.Set {
		if wrong[1+i] > 0 {
			return nil, base.Errorf(base.Invalid, "column %q is NOT NULL, and %d rows would become NULL", e.table.Columns[e.table.ColumnByID(a.Column)].Name, wrong[1+i])
		}
	}
	if wrong[0] > 0 {
		return nil, base.Errorf(base.Invalid, "%d rows would violate a check of table %s: %s", wrong[0], e.table.QualifiedName(), e.table.Condition())
	}
	return counts, nil
}

// unplaced removes the position from an error about a composed text, which the user does not know.
func unplaced(err error) error {
	e := new(base.Error)
	if errors.As(err, &e) {
		return e.At(0)
	}
	return err
}

// patchInMemory returns the change set of the UPDATE for the rows that are in memory (in memtables
// or with patches).
func (x *execution) patchInMemory(e *asExpression, t *snapshot.Table, room *engine.Room) (engine.Change, error) {
	none := engine.Change{Table: e.table.ID}
	if !inMemory(t) {
		return none, nil
	}
	p := &rowPlan{verb: "UPDATE", table: e.table, pending: t.PendingColumns(nil), transient: &Transient{Name: memoryTable, Table: t, InMemory: true}}
	p.actions = []rowAction{{kind: updateRow, name: "UPDATE", set: e.Columns()}}
	p.chooseColumns()
	p.write(x, e.target, onlyAction, func(q *composition, col schema.Column) {
		for _, a := range e.Set {
			if a.Column == col.ID {
				q.write(" CAST((", a.Value, ") AS ", col.Type.String(), ")")
				return
			}
		}
		q.write(schema.Quote(e.Alias), ".", schema.Quote(col.Name))
	}, func(q *composition) {
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
	f, err := x.collect(p, found, room)
	if err != nil {
		return none, err
	}
	defer f.close()
	o, err := f.resolve()
	return o.change, err
}

// pendingColumns returns the columns for which the table has stored expressions that no merge has
// applied yet. An UPDATE must give the rows that it changes values of these columns too, because
// stored expressions do not apply to a row with a patch.
func (x *execution) pendingColumns(t schema.Table) ([]base.ColumnID, error) {
	s, err := x.store.Snapshot(t.ID)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return s.Tables[t.ID].PendingColumns(nil), nil
}
