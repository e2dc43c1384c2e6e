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

// newBatchTable copies the decoded rows of a batch (pieces) into one temporary table. The pieces
// may have different columns, and the table has the columns of all pieces. It also has the columns
// of earlier batches, because a query may name a column that no record of this batch has.
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

// messageTable returns the table "messages", which queries over a batch read, with the columns that
// are known so far. These are the columns of the previous batch. For the first batch, they are the
// columns of the source's tables that take all columns of the messages. If there is no such table,
// they are the columns of the given batch.
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
			continue // the table does not exist yet: the append of the batch creates it
		}
		for _, c := range there.Columns {
			if t.ColumnIndex(c.Name) < 0 { // several tables may have a column of this name
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

// learnTypes returns the table "messages", which queries over a batch read, extended by the new
// columns of batches. A column of unknown type (only NULL so far) is removed from the batches, and
// its name is remembered for later batches.
//
// If there is no schema, the columns are known only from messages. Then learnTypes also stores the
// extended table in the catalog. If it did not, a query could fail after a restart because it names
// a column that only earlier messages had.
func (s *source) learnTypes(p *plan, batches []arrow.RecordBatch) (schema.Table, error) {
	s.learning.Lock()
	defer s.learning.Unlock()
	known := s.messages.Load()
	t, err := s.messageTable(p, batches[0])
	if err != nil {
		return t, err
	}
	s.unknown.forgetKnown(t) // before the loop, so that no path that the loop adds is removed
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

// withTombstones returns the table "messages", which queries over a batch read, extended by the new
// columns of batches of tombstones (records without a value). The extended table is used for these
// batches only. Columns of unknown type are removed from the batches.
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

// markBound stores in the catalog that the query of a target (a table that the source fills) has
// run successfully. So all columns that the query names have occurred in messages.
func (s *source) markBound(p *plan, t target) error {
	if _, before := s.bound.Load(t.Name); before || t.Query == "" || p.format.Known() {
		return nil
	}
	s.learning.Lock()
	defer s.learning.Unlock()
	s.bound.Store(t.Name, true)
	return s.storeTypes(s.messages.Load())
}

// forgetTypes discards the columns and types that the source inferred from its messages, also in
// the catalog.
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

// storeTypes stores in the catalog what the source learned: t, the table "messages" that queries
// over a batch read, and the names of the tables whose query has run successfully. If t is nil, the
// stored table is removed. The caller holds the lock s.learning.
func (s *source) storeTypes(t *schema.Table) error {
	var failed error
	// This does not use the context of the session, because the next session needs the result even
	// if this session is being stopped.
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
