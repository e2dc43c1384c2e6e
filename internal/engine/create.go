package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Evolution is what rows need of a schema: the next version of a table, or, in version 1, a table that is made. It takes effect in the
// committer, in the step before the rows, or not at all.
type Evolution struct {
	Table schema.Table
	exact *exactness // what was looked through for it, or nil
}

// makes reports whether the table is not there yet.
func (v *Evolution) makes() bool { return v.Table.Version == 1 }

// Plan finds a table and returns it as it is, or becomes for the rows if the options say so: then evolution is not nil, and whoever commits the
// rows names it in AppendOptions.Evolutions. It changes nothing.
func (e *Engine) Plan(ctx context.Context, rows TableRows, o AppendOptions) (table schema.Table, evolution *Evolution, err error) {
	if err := e.writable(); err != nil {
		return schema.Table{}, nil, err
	}
	table, evolution, err = e.tableFor(ctx, rows, o)
	if err != nil || !o.Create {
		return table, evolution, err
	}
	return e.evolved(ctx, table, evolution, rows)
}

// tableFor returns the table that rows are for, once nobody holds them back. If it is missing, and
// the options say so, that is the one to be made of their first batch.
func (e *Engine) tableFor(ctx context.Context, rows TableRows, o AppendOptions) (schema.Table, *Evolution, error) {
	find := func() (schema.Table, error) {
		if rows.ID != 0 {
			return e.Table(rows.ID)
		}
		return e.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	}
	table, err := find()
	if err == nil {
		var waited bool
		if waited, err = e.waitForHold(ctx, table.ID); waited && err == nil {
			table, err = find()
		}
	}
	n := rows.Table
	if err == nil || rows.ID != 0 || !o.Create || base.KindOf(err) != base.NotFound || len(rows.Batches) == 0 {
		return table, nil, err
	}
	inferred, err := batch.InferTable(n.Database, n.Schema, n.Name, rows.Batches[0], rows.Tags, batch.InferOptions{})
	if err != nil {
		return schema.Table{}, nil, err
	}
	for _, name := range rows.Key {
		i := inferred.ColumnIndex(name)
		if i < 0 {
			return schema.Table{}, nil, base.Errorf(base.Invalid, "the rows have no column %q to be the key", name)
		}
		inferred.PrimaryKey = append(inferred.PrimaryKey, base.ColumnID(i+1))
	}
	if len(rows.Key) > 0 {
		inferred.SortKey = nil // sorted by its key
	}
	if inferred, err = schema.New(inferred); err != nil {
		return schema.Table{}, nil, err
	}
	e.mu.RLock()
	err = e.checkFreeLocked(keyOf(n.Database, n.Schema, n.Name), n.Name)
	e.mu.RUnlock()
	if err != nil {
		if table, found := e.Lookup(n.Database, n.Schema, n.Name); found == nil {
			return table, nil, nil // another request has made it since
		}
		return schema.Table{}, nil, err
	}
	if inferred.ID, err = e.newTableID(); err != nil {
		return schema.Table{}, nil, err
	}
	return inferred, &Evolution{Table: inferred}, nil
}

// evolved returns what a table becomes so that it can take batches. evolution is what it needs already.
func (e *Engine) evolved(ctx context.Context, table schema.Table, evolution *Evolution, rows TableRows) (schema.Table, *Evolution, error) {
	next, version := table, table.Version
	x := &exactness{engine: e, parts: map[base.SourceID]bool{}}
	exact := x.planning(ctx, table)
	switch {
	case rows.Typed:
		exact = nil
	case evolution != nil:
		exact = func(schema.Column) error { return nil } // of a table without rows
	}
	for _, record := range rows.Batches {
		var err error
		if next, _, err = batch.Evolve(record, next, exact); err != nil {
			return schema.Table{}, nil, err
		}
	}
	if next.Version == version {
		return table, evolution, nil
	}
	next.Version = version + 1
	if evolution != nil {
		next.Version = version // of the one evolution
	}
	return next, &Evolution{next, x}, nil
}

// defaultsFor evaluates the defaults that a batch needs.
func (e *Engine) defaultsFor(ctx context.Context, table schema.Table, record arrow.RecordBatch) (map[base.ColumnID]arrow.Array, error) {
	if e.defaults == nil {
		return nil, nil
	}
	var missing []schema.Column
	for _, c := range table.Columns {
		if c.Default != "" && !hasColumn(record, c.Name) {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	return e.defaults(ctx, table, missing, record.NumRows())
}

func hasColumn(record arrow.RecordBatch, name string) bool {
	folded := schema.Fold(name)
	for _, f := range record.Schema().Fields() {
		if schema.Fold(f.Name) == folded {
			return true
		}
	}
	return false
}
