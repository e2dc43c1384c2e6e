package engine

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// tableFor returns the table that rows are for, making it if it is missing and the
// options say so.
func (e *Engine) tableFor(ctx context.Context, rows TableRows, o AppendOptions) (schema.Table, error) {
	if rows.ID != 0 {
		return e.Table(rows.ID)
	}
	n := rows.Table
	table, err := e.Lookup(n.Database, n.Schema, n.Name)
	if err == nil || !o.Create || base.KindOf(err) != base.NotFound || len(rows.Batches) == 0 {
		return table, err
	}
	inferred, err := batch.InferTable(n.Database, n.Schema, n.Name, rows.Batches[0], rows.Tags, batch.InferOptions{})
	if err != nil {
		return schema.Table{}, err
	}
	for _, name := range rows.Key {
		i := inferred.ColumnIndex(name)
		if i < 0 {
			return schema.Table{}, base.Errorf(base.Invalid, "the rows have no column %q to be the key", name)
		}
		inferred.Columns[i].NotNull = true
		inferred.PrimaryKey = append(inferred.PrimaryKey, base.ColumnID(i+1))
	}
	if len(rows.Key) > 0 {
		inferred.SortKey = nil // sorted by its key
	}
	if err := e.CreateDatabase(ctx, n.Database, true); err != nil {
		return schema.Table{}, err
	}
	if err := e.CreateSchema(ctx, n.Database, n.Schema, true); err != nil {
		return schema.Table{}, err
	}
	return e.CreateTable(ctx, inferred, true)
}

// evolve changes the table so that it can take the batches, and reports whether it is
// another version now than the one given, be it by a concurrent request that did the same.
func (e *Engine) evolve(ctx context.Context, table schema.Table, batches []arrow.RecordBatch) (changed bool, err error) {
	version := table.Version
	for _, record := range batches {
		// Most batches that need a change need it no more once the first had it: ask
		// before going through the committer.
		if table, err = e.Table(table.ID); err != nil {
			return false, err
		}
		_, needed, err := batch.Evolve(record, table)
		if err != nil {
			return false, err
		}
		if !needed {
			continue
		}
		table, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
			next, needed, err := batch.Evolve(record, now)
			if err != nil || !needed {
				return now, err
			}
			return next, nil
		})
		if err != nil {
			return false, err
		}
	}
	return table.Version != version, nil
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
