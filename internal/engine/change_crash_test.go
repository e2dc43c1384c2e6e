package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Changes in the workload of the crash tests. One goroutine makes all of them, on a table of its
// own. So its answers say which states the table may have: every acknowledged change is applied,
// and every other one is applied wholly or not at all.

// bankOp is one change of the bank table: new amounts for some rows, deleted rows, inserted rows,
// and rows that get a long note.
type bankOp struct {
	amount                int64
	set, del, ins, remark []int64
	// load says that the change is made as a load. Then its deletions and insertions do not go
	// through the log.
	load  bool
	acked bool
}

type bankRow struct {
	amount int64
	note   string
}

func (o bankOp) note() string { return strings.Repeat(fmt.Sprintf("note %d ", o.amount), 300) }

// apply applies the change to a model of the table.
func (o bankOp) apply(rows map[int64]bankRow) {
	for _, id := range o.ins {
		rows[id] = bankRow{amount: o.amount}
	}
	for _, id := range o.set {
		if r, ok := rows[id]; ok && !slices.Contains(o.ins, id) {
			r.amount = o.amount
			rows[id] = r
		}
	}
	for _, id := range o.remark {
		if r, ok := rows[id]; ok && !slices.Contains(o.ins, id) {
			r.note = o.note()
			rows[id] = r
		}
	}
	for _, id := range o.del {
		delete(rows, id)
	}
}

// commitLoad makes the change as a load that replaces rows. The load also deletes one of its own
// rows.
func (o bankOp) commitLoad(e *Engine, table schema.Table, s *snapshot.Snapshot, deleted map[base.RowsetID]*roaring.Bitmap) error {
	l, err := e.Load(ctx, table, LoadOptions{})
	if err != nil {
		return err
	}
	for i := range o.ins {
		rec, err := batch.Conform(accountsBatch(int(o.ins[i]), 2, o.amount), table, batch.ConformOptions{})
		if err == nil {
			err = l.Write(ctx, rec, func() {})
		}
		if err != nil {
			return errors.Join(err, l.Abort())
		}
	}
	parts, err := l.Parts(ctx)
	if err == nil {
		for _, p := range parts {
			deleted[p.ID] = roaring.BitmapOf(1)
		}
		_, err = l.CommitReplacing(ctx, s, deleted, Counts{}, AppendOptions{})
	}
	return errors.Join(err, l.Abort())
}

// commit makes the change on the table.
func (o bankOp) commit(e *Engine) error {
	table, err := createAccounts(e, "bank")
	if err != nil {
		return err
	}
	if o.load {
		release, err := e.LockTables(ctx, nil, table.ID)
		if err != nil {
			return err
		}
		defer release()
		if err := e.Flush(ctx); err != nil {
			return err
		}
	}
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	rows, err := accountsIn(e, s.Tables[table.ID])
	if err != nil {
		return err
	}
	c := Change{Table: table.ID}
	amounts, notes := map[base.RowAddress]int64{}, map[base.RowAddress]bool{}
	var gone []base.RowAddress
	for _, id := range o.set {
		if r, ok := rows[id]; ok {
			amounts[r.address] = o.amount
		}
	}
	for _, id := range o.remark {
		if r, ok := rows[id]; ok {
			notes[r.address] = true
		}
	}
	for _, id := range o.del {
		if r, ok := rows[id]; ok {
			gone = append(gone, r.address)
		}
	}
	if o.load {
		return o.commitLoad(e, table, s, rowsAt(gone...))
	}
	c.Deleted, c.Updated = rowsAt(gone...), setAmounts(amounts)
	for rowset, at := range rowsAt(slices.Collect(maps.Keys(notes))...) {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for range at.GetCardinality() {
			b.Append(o.note())
		}
		values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "note", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{b.NewArray()}, int64(at.GetCardinality()))
		c.Updated = append(c.Updated, patch.Layer{Rowset: rowset, Columns: []base.ColumnID{3}, Ordinals: at.ToArray(), Values: values})
	}
	if len(o.ins) > 0 {
		c.Inserted = []arrow.RecordBatch{accountsBatch(int(o.ins[0]), len(o.ins), o.amount)}
	}
	_, err = e.Commit(ctx, s, []Change{c}, AppendOptions{Async: o.amount%3 == 0})
	return err
}

// bankOps returns the changes of a round.
func bankOps(round int) []bankOp {
	r := int64(round)
	ids := func(from, to, step int64) (all []int64) {
		for id := from; id < to; id += step {
			all = append(all, id)
		}
		return all
	}
	return []bankOp{
		{amount: 10*r + 1, ins: ids(r*40, r*40+40, 1), set: ids(0, r*40, 3)},
		{amount: 10*r + 2, set: ids(1, 160, 4), del: ids(5+r, 160, 17), remark: ids(0, 160, 2)},
		{amount: 10*r + 5, del: ids(3+r, 160, 29), ins: []int64{3000 + 10*r, 3003 + 10*r}, load: true},
		{amount: 10*r + 4, set: ids(2, 160, 5), del: ids(7+r, 160, 23), ins: ids(1000+r*5, 1003+r*5, 1)},
	}
}

// rewriteBank rewrites the first part of the bank table. During the rewrite it calls between, which
// makes a change.
func rewriteBank(e *Engine, between func()) error {
	table, err := createAccounts(e, "bank")
	if err != nil {
		return err
	}
	return rewriteFirst(e, table, between)
}

// rewriteFirst rewrites the first part of a table as a merge does, and calls between while it does
// so. If no row of the part is left, the part is removed.
func rewriteFirst(e *Engine, table schema.Table, between func()) error {
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return err
	}
	parts := s.Tables[table.ID].Parts
	s.Release()
	if len(parts) == 0 {
		return nil
	}
	old := parts[0]
	r, err := e.Rewrite(table.ID, []base.RowsetID{old.ID})
	if err != nil {
		return err
	}
	defer r.Close()
	id, err := e.NextRowsetID()
	if err != nil {
		return err
	}
	path, err := e.PartPath(table.ID, id)
	if err != nil {
		return err
	}
	var rows []arrow.RecordBatch
	var from []uint32
	view := *r.Table()
	view.Parts, view.Memtables = []*catalog.Part{old}, nil
	err = eachRowset(e, &view, func(record arrow.RecordBatch, _ base.RowsetID, at func(int) int) {
		record.Retain()
		rows = append(rows, record)
		for i := range int(record.NumRows()) {
			from = append(from, uint32(at(i)))
		}
	})
	if err != nil {
		return err
	}
	between()
	if len(from) == 0 {
		return r.Publish(ctx, nil, &patch.Sorted{Rowset: old.ID})
	}
	written, err := part.WriteBatches(e.fs, path, table, rows, part.Options{})
	if err == nil {
		made := catalog.Part{ID: id, Table: table.ID, SchemaVersion: table.Version, Rows: written.Rows, Bytes: written.Bytes, Checksum: written.Checksum,
			Stats: written.Stats, Level: old.Level + 1, MinSeq: old.MinSeq, MaxSeq: old.MaxSeq}
		err = r.Publish(ctx, []catalog.Part{made}, &patch.Sorted{Rowset: old.ID, Parts: []base.RowsetID{id}, Rows: [][]uint32{from}})
	}
	if err != nil {
		if abandonErr := e.AbandonPart(table.ID, id); abandonErr != nil {
			return abandonErr
		}
	}
	return err
}

// verifyBank checks that the table has one of the states that the history of operations allows.
func (h *history) verifyBank(t *testing.T, e *Engine, what string) {
	t.Helper()
	table, err := createAccounts(e, "bank")
	must(t, err)
	s, err := e.Snapshot(table.ID)
	must(t, err)
	found, err := accountsIn(e, s.Tables[table.ID])
	if err != nil {
		t.Fatalf("%s: bank: %v", what, err)
	}
	s.Release()
	same := func(rows map[int64]bankRow) bool {
		return maps.EqualFunc(rows, found, func(r bankRow, f account) bool { return f.amount == r.amount && f.note == r.note })
	}
	if !allowed(h.bank, 6, func(o bankOp) bool { return o.acked }, bankOp.apply, same) {
		t.Fatalf("%s: the bank's %d rows are no state that its history allows\n%s", what, len(found), e.DebugString())
	}
}

// allowed reports whether rows can be the result of a list of operations. All acknowledged
// operations must be applied, and any of the others may be, each wholly or not at all. Operations
// after a failure that stopped the engine were never written. So only the first most operations of
// those that were not acknowledged are considered.
func allowed[O, R any](ops []O, most int, acked func(O) bool, apply func(O, map[int64]R), same func(map[int64]R) bool) bool {
	var unsure []int
	for i, o := range ops {
		if !acked(o) {
			unsure = append(unsure, i)
		}
	}
	unsure = unsure[:min(len(unsure), most)]
	for subset := range 1 << len(unsure) {
		rows := map[int64]R{}
		for i, o := range ops {
			if k := slices.Index(unsure, i); acked(o) || k >= 0 && subset>>k&1 == 1 {
				apply(o, rows)
			}
		}
		if same(rows) {
			return true
		}
	}
	return false
}

// runBank makes the changes of a round.
func (h *history) runBank(e *Engine, ops []bankOp, note func(error)) {
	for _, o := range ops {
		err := o.commit(e)
		note(err)
		// A power failure may lose asynchronous changes until the next sync.
		o.acked = err == nil && o.amount%3 != 0
		h.mu.Lock()
		h.bank = append(h.bank, o)
		h.mu.Unlock()
	}
}
