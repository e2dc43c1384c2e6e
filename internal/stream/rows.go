package stream

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// rows has the rows that one edit adds to the tables of a source, or deletes from them.
type rows struct {
	tables []engine.TableRows
	count  int64
	// make has the queries whose tables and views must be created if they are missing.
	make []described
}

// add adds the rows of one table to r. If the table has a primary key, each row replaces the whole
// existing row of its key, also the columns that the new row lacks. Without this rule, the result
// would depend on which other records are in the same batch.
func (r *rows) add(t engine.TableRows) {
	if len(t.Batches) > 0 {
		t.WholeRows = true
		r.tables = append(r.tables, t)
	}
	for i, rec := range t.Batches {
		if t.Deleting == nil || !t.Deleting[i] {
			r.count += rec.NumRows()
		}
	}
}

func (r *rows) release() {
	for _, t := range r.tables {
		releaseBatches(t.Batches)
	}
	r.tables = nil
}

func releaseBatches(batches []arrow.RecordBatch) {
	for _, rec := range batches {
		rec.Release()
	}
}

// rowsOf makes the rows of all tables of a source from decoded records (pieces). It also creates
// the tables and views that a query fills, if they are missing.
func (s *source) rowsOf(ctx context.Context, p *plan, pieces [][]piece, records []*kgo.Record) (out *rows, err error) {
	if len(pieces) == 0 {
		return &rows{}, nil
	}
	if err := recoverPanic(func() (err error) {
		out, err = s.build(ctx, p, pieces, records)
		return err
	}); err != nil {
		return nil, err
	}
	if err := s.manager.make(ctx, out.make); err != nil {
		out.release()
		return nil, err
	}
	return out, nil
}

// build makes the rows of all tables of a source from decoded records (pieces). It does not create
// tables.
func (s *source) build(ctx context.Context, p *plan, pieces [][]piece, records []*kgo.Record) (_ *rows, err error) {
	b := builder{source: s, ctx: ctx, plan: p, records: records, out: &rows{}}
	if b.keys, err = s.keysOf(ctx, p, records); err != nil {
		return nil, err
	}
	defer b.release()
	defer func() {
		if err != nil {
			b.out.release()
		}
	}()
	deletes := false
	for _, t := range p.targets {
		t.primary = s.primary(p, t)
		values, tombstones := splitTombstones(pieces[t.shape])
		var deletion *tombstoneDelete
		if len(tombstones) > 0 {
			if deletion, err = s.tombstoneDeleteFor(ctx, p, t); err != nil && !isRecordError(err) {
				return nil, err
			}
			deletes = deletes || deletion != nil
		}
		if t.queried() {
			err = b.buildQuery(t, values, tombstones, deletion)
		} else {
			err = b.buildPlain(t, values, tombstones, deletion)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, tombstones := splitTombstones(pieces[0]); len(tombstones) > 0 && !deletes {
		return nil, errTombstone("no table of the source has a primary key that comes from the record's key")
	}
	return b.out, nil
}

// builder makes the rows of all tables of a source from one batch of records.
type builder struct {
	*source
	ctx     context.Context
	plan    *plan
	records []*kgo.Record
	// keys are the decoded keys of the records. It is nil if keys stay bytes.
	keys arrow.RecordBatch
	out  *rows
	// messages is the table of the batch's records with a value, and tombstones the table of the
	// records without one, for queries to read. Each is nil until the first query needs it.
	messages, tombstones *batchTable
	// numbers maps the topic, partition and offset of each record to its index in the batch. It is
	// nil until it is needed, which is only in batches with tombstones (records without a value).
	numbers map[place]int32
}

func (b *builder) release() {
	for _, t := range []*batchTable{b.messages, b.tombstones} {
		if t != nil {
			t.release()
		}
	}
	if b.keys != nil {
		b.keys.Release()
	}
}

// buildPlain makes the rows of a target (a table that the source fills) that has no query. deletes
// says how tombstones (records without a value) delete rows of the target. deletes is nil if
// tombstones delete no rows of it, or if the batch has no tombstones.
func (b *builder) buildPlain(t target, values, tombstones []piece, deletes *tombstoneDelete) error {
	all := engine.TableRows{Table: t.Name}
	there, err := b.manager.store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name)
	table := &there
	if err != nil {
		table = nil // the table will be created
	}
	defer func() { b.out.add(all) }() // add takes ownership of the rows
	if deletes != nil {
		all.Deleting = deletingBatches(len(values), len(tombstones))
		values = slices.Concat(values, tombstones)
	}
	for _, one := range values {
		one.rows = dropUnknownTypes(one.rows, table, func([]string) {})
		rec, err := withRecordColumns(one, b.records, b.keys, t.Metadata, t.primary)
		one.rows.Release()
		if err != nil {
			return err
		}
		all.Batches, all.Numbers = append(all.Batches, rec), append(all.Numbers, one.numbers)
	}
	return nil
}

// buildQuery makes the rows of a target (a table that the source fills) that has a query, and the
// deletions for tombstones (records without a value). deletes says how tombstones delete rows of
// the target. deletes is nil if tombstones delete no rows of it, or if the batch has no tombstones.
func (b *builder) buildQuery(t target, values, tombstones []piece, deletes *tombstoneDelete) error {
	all := engine.TableRows{Table: t.Name}
	if deletes != nil {
		if err := b.deletions(t, tombstones, &all); err != nil {
			b.out.add(all) // add takes ownership of the rows
			return err
		}
	}
	if len(values) > 0 {
		if err := b.buildValues(t, values, deletes != nil, &all); err != nil {
			b.out.add(all)
			return err
		}
	}
	b.out.add(all)
	return nil
}

// buildValues runs the query of a target (a table that the source fills) over the records that have
// a value, and adds the result to the rows in the argument all. The argument numbered is true if
// other records of the batch delete rows. Then buildValues also adds, for each row, the index of
// its record in the batch.
func (b *builder) buildValues(t target, values []piece, numbered bool, all *engine.TableRows) (err error) {
	if b.messages == nil {
		if b.messages, err = b.newBatchTable(b.plan, values, b.records, b.keys); err != nil {
			return err
		}
	}
	if numbered {
		if t, err = b.withRecordPlace(t, b.messages.table, false); err != nil || t.Query == "" {
			return err
		}
	}
	result, d, err := b.source.query(b.ctx, t, b.messages)
	if err == nil && d.unknownColumns == nil {
		if err = b.markBound(b.plan, t); err != nil {
			releaseBatches(result)
		}
	}
	if err != nil {
		return base.Wrap(queryErrorKind(err, len(b.records)), "query of table %q", t.Name.Name)
	}
	if len(result) == 0 {
		return nil // no message has the fields that the target lists
	}
	if numbered {
		return b.addWithPlaces(result, all, false)
	}
	b.out.make = append(b.out.make, d)
	all.Table = engine.TableName{Database: d.table.Database, Schema: d.table.Schema, Name: d.table.Name}
	all.Batches = append(all.Batches, result...)
	return nil
}

// queryErrorKind changes the kind of a query's error to Unavailable if the records are not the
// cause. That is the case if a table is missing. It is also the case if the query over a single
// record needs more memory than is free, because other queries may be using the memory now.
func queryErrorKind(err error, records int) error {
	if kind := base.KindOf(err); kind == base.NotFound && records > 0 || kind == base.TooLarge && records == 1 {
		return base.Errorf(base.Unavailable, "%w", err)
	}
	return err
}

// prepare checks the queries of a source. If the columns of its messages are known before the first
// record arrives, it also creates the tables of the source. It always creates the table of dead
// letters.
func (s *source) prepare(ctx context.Context, p *plan) error {
	for _, t := range p.targets {
		var err error
		switch {
		case t.View:
			_, err = s.manager.planner.SplitAggregate(ctx, t.Query, Messages, t.Name.Name)
		case t.Query != "":
			err = s.manager.planner.Parse(ctx, t.Query)
		}
		if err != nil {
			return base.Wrap(err, "query of table %q", t.Name.Name)
		}
	}
	if !p.format.Known() || p.keys != nil && !p.keys.format.Known() {
		return s.createDeadLetterTable(ctx)
	}
	decoders, err := p.format.Decoders(ctx, nil, p.shapes)
	if err != nil {
		return err
	}
	pieces := make([][]piece, len(decoders))
	defer releasePieces(pieces)
	for i, d := range decoders {
		empty, _, err := d.FinishWithMessages()
		if err != nil {
			return err
		}
		pieces[i] = []piece{{rows: empty}}
	}
	out, err := s.rowsOf(ctx, p, pieces, nil)
	if err != nil {
		return err
	}
	defer out.release()
	// A query with aggregates and without GROUP BY returns a row even for an empty table. Drop that
	// row.
	for _, t := range out.tables {
		for i, rec := range t.Batches {
			t.Batches[i] = rec.NewSlice(0, 0)
			rec.Release()
		}
	}
	if err := s.createDeadLetterTable(ctx); err != nil {
		return err
	}
	return s.manager.writer.Append(ctx, out.tables, engine.AppendOptions{Create: true})
}
