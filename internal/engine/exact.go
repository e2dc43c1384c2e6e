package engine

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// exactness checks that all values of columns of 64-bit integers can be converted to DOUBLE without
// loss. It includes rows that are deleted or changed, since merges convert them too. The caller
// that plans the change of type checks first. The committer then checks only what arrived since,
// without reading parts.
type exactness struct {
	engine  *Engine
	columns []base.ColumnID
	parts   map[base.SourceID]bool // parts whose values were checked
}

// largestExact bounds the range of integers that DOUBLE has without a gap: from -largestExact to
// largestExact.
const largestExact = 1 << 53

func exactInteger(v int64) bool {
	if -largestExact <= v && v <= largestExact {
		return true
	}
	f := float64(v)
	return f < 1<<63 && int64(f) == v
}

func exactUnsigned(v uint64) bool {
	f := float64(v)
	return v <= largestExact || f < 1<<64 && uint64(f) == v
}

// check returns an Invalid error that names a value, if a value of the column is not exact. If read
// is false it does not read parts, and returns ErrStale instead if it would have to.
func (x *exactness) check(ctx context.Context, t *snapshot.Table, c schema.Column, read bool) error {
	if slices.Contains(t.PendingColumns(nil), c.ID) {
		return base.Errorf(base.Conflict, "column %q has values by an UPDATE that merges have not written yet", c.Name)
	}
	for _, p := range t.Parts {
		if stats, ok := p.Stats[c.ID]; x.parts[p.ID] || ok && (exactValue(stats.Min) && exactValue(stats.Max) || stats.Nulls == p.Rows) {
			continue
		}
		if written, ok := t.Versions[p.SchemaVersion]; ok && written.ColumnByID(c.ID) < 0 {
			continue
		}
		if !read {
			return ErrStale
		}
		err := x.engine.readPart(ctx, t, p, []schema.Column{c}, func(columns []arrow.Array) error { return checkExact(c, columns[0]) })
		if err != nil {
			return err
		}
		x.parts[p.ID] = true
	}
	for _, v := range t.Memtables {
		at := v.Schema.ColumnByID(c.ID)
		for _, b := range v.Batches {
			if at < 0 {
				break
			}
			if err := checkExact(c, b.Record.Column(at)); err != nil {
				return err
			}
		}
	}
	for _, set := range t.Patches {
		if !set.Changes(c.ID) {
			continue
		}
		layers, err := set.Layers()
		if err != nil {
			return err
		}
		for _, l := range layers {
			if at := slices.Index(l.Columns, c.ID); at >= 0 {
				if err := checkExact(c, l.Values.Column(at)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// exactValue reports whether a bound of a column is in the range in which all integers are exact.
func exactValue(v schema.Value) bool {
	if n, ok := v.Int(); ok {
		return -largestExact <= n && n <= largestExact
	}
	n, ok := v.Uint()
	return ok && n <= largestExact
}

func checkExact(c schema.Column, a arrow.Array) error {
	for i := range a.Len() {
		exact := true
		switch a := a.(type) {
		case *array.Int64:
			exact = exactInteger(a.Value(i))
		case *array.Uint64:
			exact = exactUnsigned(a.Value(i))
		}
		if !exact && a.IsValid(i) {
			return base.Errorf(base.Invalid, "column %q holds %s, which DOUBLE does not hold exactly", c.Name, a.ValueStr(i))
		}
	}
	return nil
}

// planning returns the function by which batch.Evolve asks whether a column can become DOUBLE.
func (x *exactness) planning(ctx context.Context, table schema.Table) func(schema.Column) error {
	return func(c schema.Column) error {
		s, err := x.engine.Snapshot(table.ID)
		if err != nil {
			return err
		}
		defer s.Release()
		t := s.Tables[table.ID]
		at := t.Schema.ColumnByID(c.ID)
		if at < 0 { // the rows add this column
			return nil
		}
		if err := x.check(ctx, t, t.Schema.Columns[at], true); err != nil {
			return err
		}
		x.columns = append(x.columns, c.ID)
		return nil
	}
}

// holds repeats the check for what arrived since planning. It runs in the committer, and returns
// ErrStale if it cannot confirm the result.
func (x *exactness) holds(t *table) error {
	for _, id := range x.columns {
		s := t.view() // no lock: only the committer publishes
		at := s.Schema.ColumnByID(id)
		if at < 0 || x.check(context.Background(), s, s.Schema.Columns[at], false) != nil {
			return ErrStale // planning again finds the value
		}
	}
	return nil
}

// ChangeToDouble changes a column of 64-bit integers to DOUBLE, if DOUBLE has all of its values
// exactly. Otherwise the error names a value.
func (e *Engine) ChangeToDouble(ctx context.Context, id base.TableID, column string) error {
	for range maxAttempts {
		table, err := e.Table(id)
		if err != nil {
			return err
		}
		next, err := table.ChangeTypeOfExact(column, schema.Of(schema.Double))
		if err != nil {
			return err
		}
		x := &exactness{engine: e, parts: map[base.SourceID]bool{}}
		if err := x.planning(ctx, table)(table.Columns[table.ColumnIndex(column)]); err != nil {
			return base.Wrap(err, "table %s", table.QualifiedName())
		}
		if err := e.Evolve(ctx, []Evolution{{next, x}}); err != ErrStale {
			return err
		}
	}
	return ErrStale
}
