package stream

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// rows are what one append adds to the tables.
type rows struct {
	tables []engine.TableRows
	count  int64
	make   []described // whose tables and views are to be made if they are missing
}

// add adds rows to a table. A row for a table with a primary key replaces the one of its key as a whole: what it says
// must not depend on which other records are in its batch.
func (r *rows) add(t engine.TableRows) {
	if len(t.Batches) > 0 {
		t.Whole = true
		r.tables = append(r.tables, t)
	}
	for _, rec := range t.Batches {
		r.count += rec.NumRows()
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

// rowsOf makes the rows of all tables of records, from pieces, what was decoded of them, and the tables and views of queries that are missing.
func (s *source) rowsOf(ctx context.Context, p *plan, pieces [][]piece, records []*kgo.Record) (out *rows, err error) {
	if len(pieces) == 0 {
		return &rows{}, nil
	}
	if err := guarded(func() (err error) {
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

// build makes the rows of all tables of what was decoded of records.
func (s *source) build(ctx context.Context, p *plan, pieces [][]piece, records []*kgo.Record) (*rows, error) {
	out := &rows{}
	var messages *transient
	defer func() {
		if messages != nil {
			messages.release()
		}
	}()
	for _, t := range p.targets {
		if !t.queried() {
			all := engine.TableRows{Table: t.Name}
			there, err := s.manager.store.Lookup(t.Name.Database, t.Name.Schema, t.Name.Name)
			table := &there
			if err != nil {
				table = nil // it will be made
			}
			for _, one := range pieces[t.shape] {
				one.rows = withoutUnknown(one.rows, table, func([]string) {})
				all.Batches = append(all.Batches, withMetadata(one, records, t.Metadata))
				one.rows.Release()
				all.Numbers = append(all.Numbers, one.numbers)
			}
			out.add(all)
			continue
		}
		if len(pieces[t.shape]) == 0 {
			continue
		}
		if messages == nil {
			var err error
			if messages, err = s.transient(p, pieces[t.shape], records); err != nil {
				out.release()
				return nil, err
			}
		}
		result, d, err := s.query(ctx, t, messages)
		if err == nil && !d.untold {
			if err = s.bind(p, t); err != nil {
				releaseBatches(result)
			}
		}
		if err != nil {
			out.release()
			return nil, base.Wrap(ofQuery(err, len(records)), "query of table %q", t.Name.Name)
		}
		if len(result) == 0 {
			continue // no message has what the target's paths name
		}
		out.make = append(out.make, d)
		out.add(engine.TableRows{Table: engine.TableName{Database: d.table.Database, Schema: d.table.Schema, Name: d.table.Name}, Batches: result})
	}
	return out, nil
}

// ofQuery returns what a query over some records failed with as an error that says whose fault it is: a table that is gone is no record's, and
// where a single record needs more memory than there is for queries, somebody else may have it now.
func ofQuery(err error, records int) error {
	if kind := base.KindOf(err); kind == base.NotFound && records > 0 || kind == base.TooLarge && records == 1 {
		return base.Errorf(base.Unavailable, "%w", err)
	}
	return err
}

// prepare makes the tables before the first record, as far as their columns are known.
func (s *source) prepare(ctx context.Context, p *plan) error {
	for _, t := range p.targets {
		var err error
		switch {
		case t.View:
			_, err = s.manager.planner.Merging(ctx, t.Query, t.Name.Name)
		case t.Query != "":
			err = s.manager.planner.Parse(ctx, t.Query)
		}
		if err != nil {
			return base.Wrap(err, "query of table %q", t.Name.Name)
		}
	}
	if !p.format.known() {
		return s.prepareLetters(ctx)
	}
	decoders, err := p.format.decoders(ctx, nil, p.shapes)
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
	// A query without GROUP BY has a row also where there are no messages.
	for _, t := range out.tables {
		for i, rec := range t.Batches {
			t.Batches[i] = rec.NewSlice(0, 0)
			rec.Release()
		}
	}
	if err := s.prepareLetters(ctx); err != nil {
		return err
	}
	return s.manager.writer.Append(ctx, out.tables, engine.AppendOptions{Create: true})
}
