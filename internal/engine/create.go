package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Evolution is a schema change that rows need. It has the next version of a table, or version 1 of
// a table to be created. The committer makes the schema change just before it commits the rows. If
// the rows are refused, it does not make the change.
type Evolution struct {
	Table schema.Table
	// exact is the check with which Plan found that DOUBLE can represent all values of the integer
	// columns that change to DOUBLE. It is nil if there is nothing to check.
	exact *exactCheck
}

// creates reports whether the evolution (schema change) creates the table.
func (v *Evolution) creates() bool { return v.Table.Version == 1 }

// Plan finds the table for rows. If o.Create is set and the rows need another schema, it returns
// the table with that schema, and the Evolution (schema change) that leads to it. Plan itself
// changes nothing. The caller then commits the rows with the Evolution in AppendOptions.Evolutions.
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

// tableFor returns the table for rows. If appends to the table have to wait (see holdAppends), it
// waits first. If the table does not exist and o.Create is set, it infers a table from the first
// batch, and returns it with the Evolution (schema change) that creates it.
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
		if waited, err = e.waitForAppendHold(ctx, table.ID); waited && err == nil {
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
			return schema.Table{}, nil, base.Errorf(base.Invalid, "the rows have no column %q, which is to be the key", name)
		}
		inferred.PrimaryKey = append(inferred.PrimaryKey, base.ColumnID(i+1))
	}
	if len(rows.Key) > 0 {
		inferred.SortKey = nil // the table is sorted by its primary key instead
	}
	if inferred, err = schema.New(inferred); err != nil {
		return schema.Table{}, nil, err
	}
	e.mu.RLock()
	err = e.checkFreeLocked(keyOf(n.Database, n.Schema, n.Name), n.Name)
	e.mu.RUnlock()
	if err != nil {
		if table, found := e.Lookup(n.Database, n.Schema, n.Name); found == nil {
			return table, nil, nil // another request has created the table meanwhile
		}
		return schema.Table{}, nil, err
	}
	if inferred.ID, err = e.newTableID(); err != nil {
		return schema.Table{}, nil, err
	}
	return inferred, &Evolution{Table: inferred}, nil
}

// evolved returns the table with the schema that the batches need, and the Evolution (schema
// change) that leads to it. The argument evolution is a change of this table that is already
// planned, or nil.
func (e *Engine) evolved(ctx context.Context, table schema.Table, evolution *Evolution, rows TableRows) (schema.Table, *Evolution, error) {
	next, version := table, table.Version
	x := &exactCheck{engine: e, parts: map[base.RowsetID]bool{}}
	exact := x.planning(ctx, table)
	switch {
	case rows.TypedFormat:
		exact = nil
	case evolution != nil:
		exact = func(schema.Column) error { return nil } // a new table has no rows to check
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
		next.Version = version // adding and widening several columns makes only one new version
	}
	return next, &Evolution{next, x}, nil
}

// defaultsFor evaluates the default expressions of the columns that a batch lacks. It returns one
// array per column, by column id.
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
