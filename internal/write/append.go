package write

import (
	"context"
	"errors"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/tx"
)

// Append adds rows to tables, all or nothing, as engine.Engine.Append does.
//
// Rows for a table with a primary key replace or change the existing rows of the same key. If the
// table merges on read and the rows have all columns, they count as inserted, because Append does
// not look up whether their keys exist.
//
// Two kinds of rows for a table with a primary key are refused in a request with rows for several
// tables. They need a request of their own:
//   - rows with only some columns, if this moves them to another partition or sort position,
//   - rows with only some columns of a table with CHECK constraints.
func (m *Writer) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Counts, error) {
	return m.Idempotent(ctx, o, func(o engine.AppendOptions) (engine.Counts, error) {
		keyed := false
		for _, rows := range tables {
			t, err := m.Names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
			// If the lookup fails, for example because there is no such table, the table counts as
			// one without a primary key. The store's Append below returns the error.
			keyed = keyed || err == nil && !incoming.AppendsAsIs(t, rows)
		}
		if !keyed {
			result, err := m.Store.Append(ctx, tables, o)
			if !errors.Is(err, engine.ErrMissingColumn) {
				return result.Counts, err
			}
		}
		if len(tables) == 1 && o.Progress == nil && tables[0].Deleting == nil {
			return m.Write(ctx, tables[0], Upsert, nil, o)
		}
		for range tx.MaxAttempts {
			counts, err := m.appendAll(ctx, tables, o)
			if !errors.Is(err, tx.ErrStale) {
				return counts, err
			}
		}
		return engine.Counts{}, tx.ErrTooManyConflicts()
	})
}

// Check returns nil if Append would accept the rows now. It changes nothing. Its errors are those
// of Append, except for memory limits.
func (m *Writer) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	_, release, err := m.conformAll(ctx, tables, o)
	release()
	return err
}
