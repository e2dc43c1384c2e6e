package stream

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// batchTable is a batch of messages as a temporary table that queries can read.
type batchTable struct {
	table  schema.Table
	memory []*memtable.Memtable
}

func (t *batchTable) snapshot() *snapshot.Table {
	s := &snapshot.Table{Schema: t.table}
	for _, m := range t.memory {
		s.Memtables = append(s.Memtables, m.View())
	}
	return s
}

func (t *batchTable) release() {
	for _, m := range t.memory {
		m.Release()
	}
}

// newBatchTable copies pieces into one table. Pieces may have different columns, and the table has
// all of them. It also has the columns of earlier batches, because a query may name a column that
// no record of this batch has.
func (s *source) newBatchTable(p *plan, pieces []piece, records []*kgo.Record, keys arrow.RecordBatch) (_ *batchTable, err error) {
	var batches []arrow.RecordBatch
	defer func() { releaseBatches(batches) }()
	for _, p := range pieces {
		rec, err := withRecordColumns(p, records, keys, metadataNames(), nil)
		if err != nil {
			return nil, err
		}
		batches = append(batches, rec)
	}
	t := &batchTable{}
	if pieces[0].tombstones {
		t.table, err = s.withTombstones(p, batches)
	} else {
		t.table, err = s.learnTypes(p, batches)
	}
	if err != nil {
		return nil, err
	}
	pool := s.manager.pool
	copies := memtable.New(pool, 1, t.table)
	t.memory = append(t.memory, copies)
	defer func() {
		if err != nil {
			t.release()
		}
	}()
	var conformed, arranged []arrow.RecordBatch
	defer func() { releaseBatches(conformed); releaseBatches(arranged) }()
	var numbers [][]int32
	for i, rec := range batches {
		rec, err := batch.Conform(rec, t.table, batch.ConformOptions{})
		if err != nil {
			return nil, err
		}
		conformed, numbers = append(conformed, rec), append(numbers, pieces[i].numbers)
	}
	if arranged, err = batch.Arrange(conformed, numbers); err != nil {
		return nil, err
	}
	for _, rec := range arranged {
		copied, err := pool.Copy(t.table, rec)
		if err != nil {
			return nil, err
		}
		if err := copies.Append(copied); err != nil {
			copied.Release()
			return nil, err
		}
	}
	copies.Publish()
	return t, nil
}

// messageTable returns the known columns of the table Messages. They are those of the previous
// batch. For the first batch, they are the columns of the tables that take all columns of the
// messages.
func (s *source) messageTable(p *plan, first arrow.RecordBatch) (schema.Table, error) {
	if known := s.messages.Load(); known != nil {
		return *known, nil
	}
	t := schema.Table{Database: s.name.Database, Schema: engine.DefaultSchema, Name: Messages}
	for _, other := range p.targets {
		if other.queried() || len(other.Columns) > 0 {
			continue
		}
		there, err := s.manager.store.Lookup(other.Name.Database, other.Name.Schema, other.Name.Name)
		if err != nil {
			continue // the table does not exist yet: Append will create it
		}
		for _, c := range there.Columns {
			if t.ColumnIndex(c.Name) < 0 { // several tables may have the column
				t.Columns = append(t.Columns, schema.Column{Name: c.Name, Type: c.Type, Inferred: true})
			}
		}
	}
	if len(t.Columns) == 0 {
		first = dropUnknownTypes(first, nil, func([]string) {})
		defer first.Release()
		inferred, err := batch.InferTable(t.Database, t.Schema, t.Name, first, nil, batch.InferOptions{})
		if err != nil {
			return t, err
		}
		t = inferred
		t.SortKey = nil
	}
	return schema.New(t)
}

// learnTypes returns the table Messages, extended by the new columns of batches. A column of
// unknown type (only NULL so far) is removed from the batches. Its name is stored for later
// batches.
//
// If only the messages tell the columns, and not a schema, the catalog stores the table. Otherwise
// a query could fail after a restart for lack of a column that earlier messages had.
func (s *source) learnTypes(p *plan, batches []arrow.RecordBatch) (schema.Table, error) {
	s.learning.Lock()
	defer s.learning.Unlock()
	known := s.messages.Load()
	t, err := s.messageTable(p, batches[0])
	if err != nil {
		return t, err
	}
	s.unknown.forgetKnown(t) // call this before unknown columns of these batches are added
	for i, rec := range batches {
		batches[i] = dropUnknownTypes(rec, &t, s.unknown.add)
		rec.Release()
		if t, _, err = batch.Evolve(batches[i], t, nil); err != nil {
			return t, err
		}
	}
	if !p.format.Known() && (known == nil || !slices.EqualFunc(known.Columns, t.Columns, sameAs)) {
		if err := s.storeTypes(&t); err != nil {
			return t, err
		}
	}
	s.messages.Store(&t)
	return t, nil
}

// withTombstones returns the table Messages, extended by new columns of a batch of tombstones.
// Unlike learn, it does not store the extended table. Columns of unknown type are removed from the
// batches.
func (s *source) withTombstones(p *plan, batches []arrow.RecordBatch) (schema.Table, error) {
	t, err := s.messageTable(p, batches[0])
	for i := 0; i < len(batches) && err == nil; i++ {
		rec := batches[i]
		batches[i] = dropUnknownTypes(rec, &t, func([]string) {})
		rec.Release()
		t, _, err = batch.Evolve(batches[i], t, nil)
	}
	return t, err
}

// markBound stores that the query of a target has run with all columns that it names.
func (s *source) markBound(p *plan, t target) error {
	if _, before := s.bound.Load(t.Name); before || t.Query == "" || p.format.Known() {
		return nil
	}
	s.learning.Lock()
	defer s.learning.Unlock()
	s.bound.Store(t.Name, true)
	return s.storeTypes(s.messages.Load())
}

// forgetTypes discards the columns and types that the source inferred from its messages.
func (s *source) forgetTypes() error {
	s.learning.Lock()
	defer s.learning.Unlock()
	s.described.Clear()
	s.bound.Clear()
	s.unknown.clear()
	if s.messages.Swap(nil) == nil {
		return nil
	}
	return s.storeTypes(nil)
}

// storeTypes stores the table Messages and the names of the bound targets in the catalog. If t is
// nil, they are removed there. The caller holds learning.
func (s *source) storeTypes(t *schema.Table) error {
	var failed error
	// Do not use the context of the session: the next session needs the result, even if this one is
	// being stopped.
	_, err := s.manager.store.ChangeSource(context.Background(), s.id, func(c catalog.Source) catalog.Source {
		l, err := decodeStoredDefinition(c.Definition)
		l.Messages, l.Bound = t, nil
		s.bound.Range(func(name, _ any) bool {
			l.Bound = append(l.Bound, name.(engine.TableName))
			return true
		})
		text, encodeErr := l.encode()
		if failed = cmp.Or(err, encodeErr); failed == nil {
			c.Definition = text
		}
		return c
	})
	return cmp.Or(failed, err)
}
