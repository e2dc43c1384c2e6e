package engine

import (
	"maps"
	"testing"
)

// Operations of the crash tests' workload on a table that merges on read. One goroutine runs all of
// them. So every acknowledged operation is applied, and every other one is applied wholly or not at
// all.

// dedupOp is one operation on the table: rows are appended or loaded, deleted, or get another
// version.
type dedupOp struct {
	rows     []keyedVersion
	load     bool
	deleted  []int64
	versions map[int64]rowVersion
	async    bool
	acked    bool
}

// apply applies the operation to a model of the table.
func (o dedupOp) apply(rows map[int64]rowVersion) {
	for _, r := range o.rows {
		if there, ok := rows[r.id]; !ok || r.ver >= there.ver {
			rows[r.id] = r.rowVersion
		}
	}
	for _, id := range o.deleted {
		delete(rows, id)
	}
	for id, v := range o.versions {
		if there, ok := rows[id]; ok {
			rows[id] = rowVersion{v.ver, there.amount}
		}
	}
}

func (o dedupOp) do(e *Engine) error {
	table, err := createMergeOnRead(e, "settling", true)
	if err != nil {
		return err
	}
	switch {
	case o.load:
		return loadMergeOnRead(e, table, o.rows)
	case len(o.rows) > 0:
		return appendMergeOnRead(e, table, o.rows, AppendOptions{Async: o.async})
	}
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	rows, err := deduplicatedRows(e, s.Tables[table.ID])
	if err != nil {
		return err
	}
	_, err = e.Commit(ctx, s, []Change{dedupChange(table, rows, o.deleted, o.versions, 2)}, AppendOptions{})
	return err
}

// dedupOps returns the operations of a round.
func dedupOps(round int) (ops []dedupOp) {
	rows := func(from, n, step int64) (all []keyedVersion) {
		for i := range n {
			id := (from + i*step) % 40
			all = append(all, keyedVersion{id, rowVersion{(id*7 + int64(round)*3 + from) % 9, int64(round)*1000 + from + i}})
		}
		return all
	}
	r := int64(round)
	return []dedupOp{
		{rows: rows(r, 30, 1)},
		{rows: rows(3*r, 15, 3), async: true},
		{versions: map[int64]rowVersion{r: {ver: 5}, r + 7: {ver: 1}, r + 13: {ver: 9}}},
		{rows: rows(2*r+1, 20, 2), load: true},
		{rows: rows(r+4, 10, 4)},
		{deleted: []int64{r + 1, r + 5, r + 20}},
		{rows: rows(r+1, 12, 5)},
	}
}

// deduplicateTable deletes the table's superseded rows, as merges do in between.
func deduplicateTable(e *Engine) error {
	table, err := createMergeOnRead(e, "settling", true)
	if err != nil {
		return err
	}
	return e.DeleteSuperseded(ctx, table.ID)
}

// runDedup runs the operations of a round.
func (h *history) runDedup(e *Engine, ops []dedupOp, note func(error)) {
	for i, o := range ops {
		err := o.do(e)
		note(err)
		o.acked = err == nil && !o.async
		h.mu.Lock()
		h.dedup = append(h.dedup, o)
		h.mu.Unlock()
		if i == 3 {
			note(deduplicateTable(e))
		}
	}
}

// verifyDedup checks that the table has one of the states that the history of operations allows.
// It checks this twice: at once, and after the table's superseded rows were deleted.
func (h *history) verifyDedup(t *testing.T, e *Engine, what string) {
	t.Helper()
	table, err := createMergeOnRead(e, "settling", true)
	must(t, err)
	found, err := readDeduplicated(e, table)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	same := func(rows map[int64]rowVersion) bool { return maps.Equal(rows, found) }
	if !allowed(h.dedup, 8, func(o dedupOp) bool { return o.acked }, dedupOp.apply, same) {
		t.Fatalf("%s: the %d rows are no state that their history allows\n%s", what, len(found), e.DebugString())
	}
	must(t, e.DeleteSuperseded(ctx, table.ID))
	s, err := e.Snapshot(table.ID)
	must(t, err)
	defer s.Release()
	var raw map[int64]deduplicatedRow
	if raw, err = deduplicatedRows(e, s.Tables[table.ID]); err != nil {
		t.Fatalf("%s: settled: %v", what, err)
	}
	if !maps.EqualFunc(raw, found, func(r deduplicatedRow, f rowVersion) bool { return r.rowVersion == f }) {
		t.Fatalf("%s: %d rows when settled, %d before: %s", what, len(raw), len(found), e.DebugString())
	}
}
