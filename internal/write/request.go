package write

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/tx"
)

// Write changes a table according to the rows of a request and its mode. The argument key has the
// names of the columns by which existing rows are found. If key is empty, these are the columns of
// the primary key. If the rows lack columns, existing rows keep their values of these columns, and
// new rows get the defaults. If several rows have the same key, the last one counts.
func (m *Writer) Write(ctx context.Context, rows engine.TableRows, mode Mode, key []string, o engine.AppendOptions) (engine.Counts, error) {
	if mode == Append {
		return m.Append(ctx, []engine.TableRows{rows}, o)
	}
	return m.Idempotent(ctx, o, func(o engine.AppendOptions) (engine.Counts, error) {
		for range tx.MaxAttempts {
			w := &rowsRequest{Writer: m, ctx: ctx, rows: rows, mode: mode, options: o}
			counts, err := w.run(key)
			if !errors.Is(err, tx.ErrStale) {
				return counts, err
			}
		}
		return engine.Counts{}, tx.ErrTooManyConflicts()
	})
}

// rowsRequest is one request without SQL, such as an upload of JSON, that changes a table.
type rowsRequest struct {
	*Writer
	ctx     context.Context
	rows    engine.TableRows
	mode    Mode
	options engine.AppendOptions
	// evolution is the change of the table's schema that the rows need, or nil.
	evolution *engine.Evolution
}

// optionsWithEvolution returns the options for the commit of the rows, with the request's evolution
// added.
func (w *rowsRequest) optionsWithEvolution() engine.AppendOptions {
	o := w.options
	if w.evolution != nil {
		o.Evolutions = []engine.Evolution{*w.evolution}
	}
	return o
}

// run makes the change of the request. It returns tx.ErrStale if the table's schema changed in the
// meantime. The argument key has the names of the key columns.
func (w *rowsRequest) run(key []string) (counts engine.Counts, err error) {
	name := w.rows.Table
	t, err := w.Names.Lookup(name.Database, name.Schema, name.Name)
	switch {
	case w.mode == Insert && (err != nil || !t.InsertRefuses()):
		return w.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
	case w.mode == Insert:
		return w.insert()
	case base.KindOf(err) == base.NotFound && err != nil && w.mode == Upsert && w.options.Create && len(key) > 0:
		w.rows.Key = key
		if columns, err := incoming.MissingColumns(t, w.rows); err == nil && len(columns) > 0 {
			// The table does not exist yet. Plan returns the table that will be created for the
			// rows.
			if t, w.evolution, err = w.Store.Plan(w.ctx, w.rows, w.options); err != nil {
				return engine.Counts{}, err
			}
		}
	case err != nil:
		return engine.Counts{}, err
	}
	if w.mode == Delete {
		return w.delete(t, key)
	}
	own := incoming.IsKey(t, key)
	var pieces []*incoming.Rows
	if own {
		pieces, err = w.pieces(t)
	} else {
		err = incoming.CheckSameColumns(w.rows, t)
	}
	switch {
	case err != nil:
		return engine.Counts{}, err
	case len(pieces) > 0:
		defer incoming.ReleaseAll(pieces)
		return w.upsert(w.ctx, pieces, modeConflicts[w.mode], w.optionsWithEvolution(), nil)
	}
	if _, appends := choose(w.job(t, own), w.facts(-1)).(appendWay); appends {
		result, err := w.Store.Append(w.ctx, []engine.TableRows{w.rows}, w.options)
		if errors.Is(err, engine.ErrMissingColumn) {
			err = tx.ErrStale
		}
		return result.Counts, err
	}
	t, records, err := w.conformed(t)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	return w.apply(t, records, key)
}

// conformed returns the rows in the table's storage types, and a copy of the table that has only
// the columns of the rows. If the mode may insert rows, these are all columns. Otherwise they are
// the columns that were sent.
func (w *rowsRequest) conformed(t schema.Table) (schema.Table, []arrow.RecordBatch, error) {
	if w.mode == Upsert {
		table, evolution, records, err := w.Store.Conform(w.ctx, w.rows, w.options)
		w.evolution = evolution
		return table, records, err
	}
	t.Columns = incoming.GivenBy(w.rows, t)
	records, err := w.conform(t)
	return t, records, err
}

// conform returns the rows as batches that conform to sub. sub is the table with only some of its
// columns.
func (w *rowsRequest) conform(sub schema.Table) (records []arrow.RecordBatch, err error) {
	first := int64(0)
	for _, in := range w.rows.Batches {
		rec, err := batch.Conform(in, sub, batch.ConformOptions{FirstRow: first})
		if err != nil {
			batch.ReleaseAll(records)
			return nil, err
		}
		records = append(records, rec)
		first += rec.NumRows()
	}
	return records, nil
}

// apply commits the records in the request's mode. The records conform to t, which may have only
// some columns of the table. The argument key has the names of the key columns.
func (w *rowsRequest) apply(t schema.Table, records []arrow.RecordBatch, key []string) (engine.Counts, error) {
	if batch.Rows(records) == 0 {
		return engine.Counts{}, w.Commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions)
	}
	ids, err := incoming.KeyColumns(t, key)
	if err != nil {
		return engine.Counts{}, err
	}
	own := incoming.SameColumns(ids, t.PrimaryKey)
	if own {
		// The key columns are in the order in which the table's keys are hashed, not in the order
		// of the request.
		ids = t.PrimaryKey
	}
	by := t
	by.PrimaryKey = ids
	if err := incoming.CheckKeyValues(by, records); err != nil {
		return engine.Counts{}, err
	}
	given := incoming.GivenBy(w.rows, t)
	facts := w.facts(batch.TotalBytes(records))
	way := choose(w.job(t, own), facts)
	_, whole := way.(bulkKeyedWay)
	_, joins := way.(joinWay)
	if whole || joins && own && w.mode == Upsert && facts.many() {
		// The change of the schema (evolution) is an edit of its own. The rows are written as
		// parts, and these need the new schema.
		if err := w.Commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions); err != nil {
			return engine.Counts{}, err
		}
		return w.bulkUpsert(w.ctx, t, given, incoming.ReplaceRow, w.options, batchesOf(records))
	}
	a, err := incoming.New(by, records, given, given, modeConflicts[w.mode])
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.Release()
	if joins {
		return w.merge(a, given)
	}
	return w.upsert(w.ctx, []*incoming.Rows{a}, modeConflicts[w.mode], w.optionsWithEvolution(), nil)
}

// job returns the job of the request. The argument own says whether the rows are found by the
// primary key of the table.
func (w *rowsRequest) job(t schema.Table, own bool) *Job {
	given := incoming.GivenBy(w.rows, t)
	return &Job{Table: t, Incoming: true, Sent: given, Assigned: given, Whole: w.rows.WholeRows, Policy: modeConflicts[w.mode], OtherKey: !own}
}

// batchesOf returns a function that calls its argument take with each of the records.
func batchesOf(records []arrow.RecordBatch) func(take func(arrow.RecordBatch) error) error {
	return func(take func(arrow.RecordBatch) error) error {
		for _, rec := range records {
			if err := take(rec); err != nil {
				return err
			}
		}
		return nil
	}
}

// insert runs the mode Insert for a table that refuses existing keys. Columns that the rows lack
// get their defaults. If the rows need new columns in the table, the edit that adds the rows also
// adds the columns. So a refused request changes nothing.
func (w *rowsRequest) insert() (engine.Counts, error) {
	t, evolution, records, err := w.Store.Conform(w.ctx, w.rows, w.options)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	w.evolution = evolution
	switch {
	case !t.InsertRefuses():
		return engine.Counts{}, tx.ErrStale
	case batch.Rows(records) == 0:
		return engine.Counts{}, w.Commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions)
	}
	sentColumns := incoming.GivenBy(w.rows, t)
	if batch.TotalBytes(records) > w.Loads.ChunkBytes() {
		// The rows are written as parts, and these need the new schema. So here the change of the
		// schema is an edit of its own.
		if err := w.Commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions); err != nil {
			return engine.Counts{}, err
		}
		return w.bulkUpsert(w.ctx, t, sentColumns, incoming.RefuseRow, w.options, batchesOf(records))
	}
	a, err := incoming.New(t, records, sentColumns, t.Columns, incoming.RefuseRow)
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.Release()
	return w.upsert(w.ctx, []*incoming.Rows{a}, incoming.RefuseRow, w.optionsWithEvolution(), nil)
}
