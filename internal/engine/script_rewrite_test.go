package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// pausedWork is a flush or merge that has written its first part, and is held before the part is
// synced. So nothing of it is published yet.
type pausedWork struct {
	goOn   chan struct{}
	result chan scriptResult
}

type scriptResult struct {
	out string
	err error
}

// run runs a flush or merge. With the argument pause-before-publish it returns as soon as the work
// is held. If the work writes no part, it is not held.
func (s *script) run(d *datadriven.TestData, work func() (string, error)) (string, error) {
	if !d.HasArg("pause-before-publish") {
		return work()
	}
	p := &pausedWork{make(chan struct{}), make(chan scriptResult, 1)}
	held := make(chan struct{})
	s.fs.SetRule(vfs.Where(func(op vfs.Op) bool { return op.Kind == vfs.OpSync && strings.Contains(op.Path, ".parquet") }, func(op vfs.Op) error {
		if op.Index == 0 {
			close(held)
			<-p.goOn
		}
		return nil
	}))
	go func() {
		out, err := work()
		p.result <- scriptResult{out, err}
	}()
	select {
	case <-held:
		s.fs.SetRule(vfs.Never)
		s.paused = p
		return "paused", nil
	case r := <-p.result:
		s.fs.SetRule(vfs.Never)
		return r.out, r.err
	}
}

// continue
//
// The paused flush or merge publishes what it has written.
func (s *script) goOn(*datadriven.TestData) (string, error) { return s.finish() }

func (s *script) finish() (string, error) {
	p := s.paused
	s.paused = nil
	close(p.goOn)
	r := <-p.result
	return r.out, r.err
}

// flush [pause-before-publish]
//
// The output has the new parts.
func (s *script) flush(d *datadriven.TestData) (string, error) {
	e := s.engine
	before, err := partIDs(e)
	if err != nil {
		return "", err
	}
	return s.run(d, func() (string, error) {
		if err := e.Flush(ctx); err != nil {
			return "", err
		}
		return newParts(e, before)
	})
}

// partIDs returns the ids of all parts.
func partIDs(e *Engine) (ids []base.RowsetID, err error) {
	held, err := e.Snapshot()
	if err != nil {
		return nil, err
	}
	defer held.Release()
	for _, t := range held.Tables {
		for _, p := range t.Parts {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// newParts describes all parts that are not in the argument before.
func newParts(e *Engine, before []base.RowsetID) (string, error) {
	held, err := e.Snapshot()
	if err != nil {
		return "", err
	}
	defer held.Release()
	var lines []string
	for _, t := range held.Tables {
		for _, p := range t.Parts {
			if slices.Contains(before, p.ID) {
				continue
			}
			line := fmt.Sprintf("part %d of %s: rows %d", p.ID, t.Schema.Name, p.Rows)
			if set := t.Patches[p.ID]; set != nil {
				line += fmt.Sprintf(" deleted %d patched %d", set.DeletedRows(), set.PatchedRows())
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// merge t [parts=(1, 2)] [pause-before-publish]
//
// The merge writes all parts of a table, or some of them, as one part. The rows of package merge
// are the same: without deleted rows, with their newest values, and with the results of expression
// updates.
func (s *script) merge(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err != nil {
		return "", err
	}
	e := s.engine
	held, err := e.Snapshot(t.ID)
	if err != nil {
		return "", err
	}
	defer held.Release()
	before, err := partIDs(e)
	if err != nil {
		return "", err
	}
	var ids []base.RowsetID
	for _, p := range held.Tables[t.ID].Parts {
		if named := values(d, "parts"); len(named) > 0 && !slices.Contains(named, strconv.Itoa(int(p.ID))) {
			continue
		}
		if t.MergeOnRead && p.MaxSeq > held.Tables[t.ID].DedupedThrough {
			return "", fmt.Errorf("part %d is not deduplicated", p.ID)
		}
		ids = append(ids, p.ID)
	}
	return s.run(d, func() (string, error) {
		r, err := e.Rewrite(t.ID, ids)
		if err != nil {
			return "", err
		}
		defer r.Close()
		var made []catalog.Part
		remap, err := writeMerged(e, r.Table(), ids, &made)
		if err == nil {
			err = r.Publish(ctx, made, remap)
		}
		if err != nil {
			return "", abandon(e, made, err)
		}
		return newParts(e, before)
	})
}

func abandon(e *Engine, made []catalog.Part, err error) error {
	for _, p := range made {
		err = errors.Join(err, e.AbandonPart(p.Table, p.ID))
	}
	return err
}

// writeMerged writes the rows of some parts of a table as one part, and adds it to the argument
// made. If there are no rows, it writes no part.
func writeMerged(e *Engine, t *snapshot.Table, ids []base.RowsetID, made *[]catalog.Part) (patch.Remap, error) {
	view := *t
	view.Parts, view.Memtables = nil, nil
	leftOut := map[base.RowsetID]*roaring.Bitmap{}
	like := catalog.Part{Table: t.Schema.ID, SchemaVersion: t.Schema.Version}
	for _, p := range t.Parts {
		if !slices.Contains(ids, p.ID) {
			continue
		}
		view.Parts, leftOut[p.ID] = append(view.Parts, p), nil
		if set := t.Patches[p.ID]; set != nil {
			leftOut[p.ID] = set.Deleted
		}
		if like.MinSeq == 0 || p.MinSeq < like.MinSeq {
			like.MinSeq = p.MinSeq
		}
		like.Partition, like.Level, like.MaxSeq = p.Partition, max(like.Level, p.Level+1), max(like.MaxSeq, p.MaxSeq)
	}
	remap := patch.NewInterleaved(leftOut)
	rows, err := readRows(e, &view)
	if err != nil || len(rows) == 0 {
		remap.Finish(0)
		return remap, err
	}
	var all []cells
	for _, r := range rows {
		all = append(all, r.cells)
	}
	record, err := recordOf(t.Schema.Columns, all)
	if err == nil {
		record, err = batch.Conform(record, t.Schema, batch.ConformOptions{})
	}
	if err != nil {
		return nil, err
	}
	order, err := batch.Sort([]arrow.RecordBatch{record}, t.Schema)
	if err == nil {
		record, err = batch.Take([]arrow.RecordBatch{record}, order)
	}
	if err != nil {
		return nil, err
	}
	for _, i := range order {
		remap.Add(remap.Lane(rows[i].address.Rowset))
	}
	if like.ID, err = e.NextRowsetID(); err != nil {
		return nil, err
	}
	remap.Finish(like.ID)
	path, err := e.PartPath(t.Schema.ID, like.ID)
	if err != nil {
		return nil, err
	}
	written, err := part.WriteBatches(e.fs, path, t.Schema, []arrow.RecordBatch{record}, part.Options{})
	like.Rows, like.Bytes, like.Checksum, like.Blocks, like.Stats = written.Rows, written.Bytes, written.Checksum, written.Blocks, written.Stats
	*made = append(*made, like)
	return remap, err
}

// mutate makes the statement's change by rewriting the parts of its rows.
func (x *scriptStatement) mutate() error {
	m, err := x.engine.Mutate(ctx, x.snapshot, x.change, AppendOptions{})
	if err != nil {
		return err
	}
	defer m.Close()
	changed := *m.Table()
	changed.Patches = m.Sets
	var made []catalog.Part
	remaps := patch.Remaps{}
	for _, id := range slices.Sorted(maps.Keys(m.Sets)) {
		if remaps[id], err = writeMerged(x.engine, &changed, []base.RowsetID{id}, &made); err != nil {
			return abandon(x.engine, made, err)
		}
	}
	if _, err := m.Publish(ctx, made, remaps); err != nil {
		return abandon(x.engine, made, err)
	}
	return nil
}

// dedup t
//
// It deletes the superseded rows.
func (s *script) dedup(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err == nil {
		err = s.engine.DeleteSuperseded(ctx, t.ID)
	}
	if err != nil {
		return "", err
	}
	held, err := s.engine.Snapshot(t.ID)
	if err != nil {
		return "", err
	}
	defer held.Release()
	return fmt.Sprintf("deduplicated up to %d", held.Tables[t.ID].DedupedThrough), nil
}
