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

// exactCheck checks that all values of some columns of 64-bit integers can be converted to DOUBLE
// without loss. Values of deleted or changed rows count, too, since merges also convert them. The
// check has two steps. The goroutine that plans the change of type checks all values (method
// planning). The committer then checks only the values that arrived since, without reading parts
// (method holds).
type exactCheck struct {
	engine  *Engine
	columns []base.ColumnID
	parts   map[base.RowsetID]bool // ids of the parts whose values the method planning has checked
}

// largestExact is 2^53. DOUBLE can represent every integer from -largestExact to largestExact.
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

// check returns an Invalid error that names a value, if DOUBLE cannot represent some value of the
// column c exactly. If the argument read is false, check must not read parts: if it would have to
// read one, the error is ErrSchemaChanged.
func (x *exactCheck) check(ctx context.Context, t *snapshot.Table, c schema.Column, read bool) error {
	if slices.Contains(t.PendingColumns(nil), c.ID) {
		return base.Errorf(base.Conflict, "column %q has values of an UPDATE that merges have not written yet", c.Name)
	}
	for _, p := range t.Parts {
		if stats, ok := p.Stats[c.ID]; x.parts[p.ID] || ok && (exactValue(stats.Min) && exactValue(stats.Max) || stats.Nulls == p.Rows) {
			continue
		}
		if written, ok := t.Versions[p.SchemaVersion]; ok && written.ColumnByID(c.ID) < 0 {
			continue
		}
		if !read {
			return ErrSchemaChanged
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

// exactValue reports whether v, the least or greatest value of a column, is between -largestExact
// and largestExact.
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
			return base.Errorf(base.Invalid, "column %q holds %s, which DOUBLE cannot represent exactly", c.Name, a.ValueStr(i))
		}
	}
	return nil
}

// planning returns a function that tells batch.Evolve whether a column can become DOUBLE. That
// function returns nil if it can, and otherwise the reason.
func (x *exactCheck) planning(ctx context.Context, table schema.Table) func(schema.Column) error {
	return func(c schema.Column) error {
		s, err := x.engine.Snapshot(table.ID)
		if err != nil {
			return err
		}
		defer s.Release()
		t := s.Tables[table.ID]
		at := t.Schema.ColumnByID(c.ID)
		if at < 0 { // the column does not exist yet: the rows add it
			return nil
		}
		if err := x.check(ctx, t, t.Schema.Columns[at], true); err != nil {
			return err
		}
		x.columns = append(x.columns, c.ID)
		return nil
	}
}

// holds checks that the columns can still become DOUBLE: it checks the values that arrived since
// the method planning checked the columns. If it would have to read parts for that, the error is
// ErrSchemaChanged. It runs in the committer.
func (x *exactCheck) holds(t *table) error {
	for _, id := range x.columns {
		s := t.view() // no lock is needed: only the committer changes versions
		at := s.Schema.ColumnByID(id)
		if at < 0 || x.check(context.Background(), s, s.Schema.Columns[at], false) != nil {
			return ErrSchemaChanged // when the change is planned again, the error names the value
		}
	}
	return nil
}

// ChangeToDouble changes a column of 64-bit integers to DOUBLE, if DOUBLE can represent all of its
// values exactly. Otherwise the error names a value that it cannot represent.
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
		x := &exactCheck{engine: e, parts: map[base.RowsetID]bool{}}
		if err := x.planning(ctx, table)(table.Columns[table.ColumnIndex(column)]); err != nil {
			return base.Wrap(err, "table %s", table.QualifiedName())
		}
		if err := e.Evolve(ctx, []Evolution{{next, x}}); err != ErrSchemaChanged {
			return err
		}
	}
	return ErrSchemaChanged
}
