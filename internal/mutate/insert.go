package mutate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// insert runs INSERT INTO t [AS a] [(columns)] [BY NAME] source [RETURNING list]. CTEs in
// front of INSERT belong to the source.
func (x *execution) insert() (*Result, error) {
	c := x.c
	verb := c.statement.VerbIndex()
	c.at = verb
	c.accept("INSERT")
	if c.accept("OR", "REPLACE") || c.accept("OR", "IGNORE") {
		return nil, base.Errorf(base.Invalid, "INSERT OR ... needs a table with a primary key, which is not supported yet").At(1)
	}
	if !c.accept("INTO") {
		return nil, c.unexpected("INTO")
	}
	t, err := x.table()
	if err != nil {
		return nil, err
	}
	alias := t.Name
	if c.accept("AS") {
		if alias, err = c.identifier(); err != nil {
			return nil, err
		}
	}
	targets := t.Columns
	if c.peek("(") && !x.bracketedQuery() {
		names, err := c.brackets()
		if err != nil {
			return nil, err
		}
		if targets, err = columnsNamed(t, names); err != nil {
			return nil, err
		}
	}
	byName := c.accept("BY", "NAME")
	_ = byName || c.accept("BY", "POSITION")

	end := c.find("ON CONFLICT", "RETURNING")
	from := c.at
	c.at = end
	if c.peek("ON") {
		return nil, base.Errorf(base.Invalid, "ON CONFLICT needs a table with a primary key, which is not supported yet").At(c.tokens()[end].Start + 1)
	}
	returning, returningStart := "", 0
	if c.accept("RETURNING") {
		returning, returningStart = c.rest()
	}
	c.at = from
	var src source
	switch {
	case c.peek("DEFAULT", "VALUES"):
		targets, src = nil, source{text: "SELECT 1"}
	default:
		src = c.source(verb, from, end, valueCasts(c, from, end, targets, byName))
	}
	if byName {
		columns, err := x.planner.Columns(x.ctx, x.selects(src.text))
		if err != nil {
			return nil, src.placed(err, 0)
		}
		if targets, err = columnsCalled(t, columns); err != nil {
			return nil, err
		}
	}
	var kept *keeper
	if returning != "" {
		kept = &keeper{pool: x.memory, table: t, memtable: memtable.New(x.memory, 0, t)}
		defer kept.memtable.Release()
	}
	load, err := x.store.Load(x.ctx, t, engine.LoadOptions{})
	if err != nil {
		return nil, err
	}
	if err := x.fill(load, targets, src, kept); err != nil {
		return nil, errors.Join(err, load.Abort())
	}
	result := &Result{}
	if kept != nil {
		// Before the commit: an error in RETURNING must leave nothing inserted.
		if result.Rows, err = x.returning(kept, alias, returning, returningStart); err != nil {
			return nil, errors.Join(err, load.Abort())
		}
	}
	if result.Counts.Inserted, err = load.Commit(x.ctx); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// bracketedQuery tells INSERT INTO t (SELECT ...) from INSERT INTO t (columns).
func (x *execution) bracketedQuery() bool {
	c := clauses{x.c.statement, x.c.at}
	for c.accept("(") {
	}
	return c.peek("SELECT") || c.peek("WITH") || c.peek("VALUES") || c.peek("FROM")
}

func columnsNamed(t schema.Table, names []sqltoken.Token) ([]schema.Column, error) {
	var out []schema.Column
	for _, item := range list(names) {
		i := t.ColumnIndex(item[0].Name())
		if len(item) != 1 || i < 0 {
			return nil, base.Errorf(base.Invalid, "table %s has no column %s", t.QualifiedName(), item[0].Text()).At(item[0].Start + 1)
		}
		if slices.ContainsFunc(out, func(c schema.Column) bool { return c.ID == t.Columns[i].ID }) {
			return nil, base.Errorf(base.Invalid, "column %s is named twice", item[0].Text()).At(item[0].Start + 1)
		}
		out = append(out, t.Columns[i])
	}
	return out, nil
}

func columnsCalled(t schema.Table, names []string) ([]schema.Column, error) {
	var out []schema.Column
	for _, n := range names {
		i := t.ColumnIndex(n)
		if i < 0 {
			return nil, base.Errorf(base.Invalid, "table %s has no column %q for BY NAME", t.QualifiedName(), n)
		}
		out = append(out, t.Columns[i])
	}
	return out, nil
}

// valueCasts returns the edits that make of every value in a VALUES list one of its column's
// type: DuckDB would look for one type for all values of a column first, and fail on (1), ('x')
// or round DECIMALs to DOUBLE. The keyword DEFAULT becomes the column's default.
func valueCasts(c *clauses, from, end int, targets []schema.Column, byName bool) sqltoken.Edits {
	if byName || from >= end || !c.tokens()[from].Is("VALUES") {
		return nil
	}
	var edits sqltoken.Edits
	tokens := c.tokens()[:end]
	for i := from + 1; i < end; i++ {
		if tokens[i].Depth != 0 || !tokens[i].Is("(") {
			continue
		}
		row := clauses{c.statement, i}
		values, err := row.brackets()
		if err != nil {
			return nil
		}
		for column, value := range list(values) {
			if column >= len(targets) || len(value) == 0 {
				break
			}
			start, stop := value[0].Start, value[len(value)-1].End
			if len(value) == 1 && value[0].Is("DEFAULT") {
				edits = append(edits, sqltoken.Edit{Start: start, End: stop, Text: defaultOf(targets[column])})
				continue
			}
			edits = append(edits, sqltoken.Edit{Start: start, End: start, Text: "CAST("},
				sqltoken.Edit{Start: stop, End: stop, Text: " AS " + targets[column].Type.String() + ")"})
		}
		i = row.at - 1
	}
	return edits
}

func defaultOf(c schema.Column) string {
	if c.Default == "" {
		return "NULL"
	}
	return "(" + c.Default + ")"
}

// fill adds what a query yields to a load: its columns go to targets, in order; the other
// columns get their defaults.
func (x *execution) fill(load *engine.Load, targets []schema.Column, src source, kept *keeper) error {
	t := load.Table()
	names, err := x.planner.Columns(x.ctx, x.selects(src.text))
	if err != nil {
		return src.placed(err, 0)
	}
	if len(names) != len(targets) && targets != nil {
		return base.Errorf(base.Invalid, "table %s takes %d values, the query gives %d", t.QualifiedName(), len(targets), len(names))
	}
	prefix, suffix := assignment(t, targets)
	rows, err := x.planner.Select(x.ctx, x.selects(prefix+src.text+suffix))
	if err != nil {
		return src.placed(err, len(prefix))
	}
	defer rows.Close()
	return src.placed(x.copyRows(rows, t, load, kept), len(prefix))
}

// checkColumn is the name under which a violated check arrives.
const checkColumn = "scoter_violates"

// assignment returns what goes before and after a source query so that it yields the
// table's columns in their storage types, cast as an INSERT of DuckDB casts, and one more:
// whether the row violates a check.
func assignment(t schema.Table, targets []schema.Column) (prefix, suffix string) {
	var outer, inner []string
	for _, c := range t.Columns {
		value := defaultOf(c)
		if slices.ContainsFunc(targets, func(target schema.Column) bool { return target.ID == c.ID }) {
			value = schema.Quote(c.Name)
		}
		inner = append(inner, fmt.Sprintf("CAST(%s AS %s) AS %s", value, c.Type, schema.Quote(c.Name)))
		outer = append(outer, storedExpression(c))
	}
	names := []string{"scoter_none"} // DEFAULT VALUES has a column that goes nowhere
	for i, c := range targets {
		names = append(names[:i], schema.Quote(c.Name))
	}
	if checks := allChecks(t); checks != "" {
		outer = append(outer, "("+checks+") IS FALSE AS "+checkColumn)
	}
	prefix = "SELECT " + strings.Join(outer, ", ") + " FROM (SELECT " + strings.Join(inner, ", ") + " FROM ("
	return prefix, ") AS scoter_source(" + strings.Join(names, ", ") + ")) AS " + schema.Quote(t.Name)
}

func storedExpression(c schema.Column) string {
	name := schema.Quote(c.Name)
	if c.Type.NeedsCast() {
		return fmt.Sprintf("CAST(%s AS %s) AS %[1]s", name, c.Type.StorageSQL())
	}
	return name
}

func allChecks(t schema.Table) string {
	var checks []string
	for _, c := range t.Checks {
		checks = append(checks, "("+c+")")
	}
	for _, c := range t.Columns {
		if c.Check != "" {
			checks = append(checks, "("+c.Check+")")
		}
	}
	return strings.Join(checks, " AND ")
}

// copyRows conforms what a query yields and hands it to a load.
func (x *execution) copyRows(rows Rows, t schema.Table, load *engine.Load, kept *keeper) error {
	first := int64(0)
	for {
		rec, err := rows.Next(x.ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = func() error {
			defer rec.Release()
			own, err := withoutCheck(rec, t, first)
			if err != nil {
				return err
			}
			defer own.Release()
			conformed, err := batch.Conform(own, t, batch.ConformOptions{FirstRow: first})
			if err != nil {
				return err
			}
			defer conformed.Release()
			if kept != nil {
				if err := kept.keep(conformed); err != nil {
					return err
				}
			}
			return load.Add(x.ctx, conformed)
		}()
		if err != nil {
			return err
		}
		first += rec.NumRows()
	}
}

// withoutCheck takes the check's column off, after a look at it.
func withoutCheck(rec arrow.RecordBatch, t schema.Table, first int64) (arrow.RecordBatch, error) {
	n := len(t.Columns)
	if int(rec.NumCols()) > n {
		violated := rec.Column(n).(*array.Boolean)
		for i := range violated.Len() {
			if violated.IsValid(i) && violated.Value(i) {
				return nil, base.Errorf(base.Invalid, "row %d violates a check of table %s: %s", first+int64(i)+1, t.QualifiedName(), allChecks(t))
			}
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(rec.Schema().Fields()[:n], nil), rec.Columns()[:n], rec.NumRows()), nil
}

// keeper holds inserted rows for RETURNING.
type keeper struct {
	pool     *memtable.Pool
	table    schema.Table
	memtable *memtable.Memtable
}

func (k *keeper) keep(rec arrow.RecordBatch) error {
	rows, err := k.pool.Copy(k.table, rec)
	if err != nil {
		return err
	}
	if err := k.memtable.Append(rows); err != nil {
		rows.Release()
		return err
	}
	k.memtable.Publish()
	return nil
}

// returning evaluates a RETURNING list over the kept rows. All of them are read before it
// returns, since their memory goes with the statement.
func (x *execution) returning(k *keeper, alias, expressions string, start int) (Rows, error) {
	const verb = "SELECT "
	s := x.selects(verb + expressions + " FROM " + schema.Quote(alias))
	s.Transient = &Transient{Name: alias, Table: k.table, Rows: []memtable.View{k.memtable.View()}}
	rows, err := x.planner.Select(x.ctx, s)
	if err != nil {
		return nil, (source{text: expressions, start: start}).placed(err, len(verb))
	}
	defer rows.Close()
	out := &collected{schema: rows.Schema()}
	for {
		rec, err := rows.Next(x.ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			out.Close()
			return nil, err
		}
		out.batches = append(out.batches, rec)
	}
}
