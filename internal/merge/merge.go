package merge

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

const (
	// reserveBytes is the disk space in bytes that a merge must leave free for the log. A merge
	// that fills the disk would stop writers.
	reserveBytes = 128 << 20
	// rewriteBytes is the size in bytes of the decoded rows that the method rewrite sorts in one
	// step, if the merge's share of memory is not less.
	rewriteBytes = 64 << 20
)

// begin takes a snapshot of the parts of a plan, to rewrite them. It returns nil if one of the
// parts does not exist any more, or must be rewritten on its own because the table's sort key or
// partitioning has changed since the plan was made.
func (m *merger) begin(table base.TableID, plan Plan) (*engine.Rewrite, error) {
	ids := make([]base.RowsetID, len(plan.Sources))
	for i, p := range plan.Sources {
		ids[i] = p.ID
	}
	rewrite, err := m.engine.Rewrite(table, ids)
	if kind := base.KindOf(err); err != nil && (kind == base.Conflict || kind == base.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	since := rewrite.Table().LayoutSince()
	if len(plan.Sources) > 1 && slices.ContainsFunc(plan.Sources, func(p *catalog.Part) bool { return p.SchemaVersion < since }) {
		rewrite.Close()
		return nil, nil
	}
	return rewrite, nil
}

// execute writes new parts with the rows of the plan's parts, and replaces the old parts by them.
// It reports whether they were replaced. If an old part was dropped meanwhile, nothing is replaced
// and no new file is left. That is not an error.
func (m *merger) execute(ctx context.Context, rewrite *engine.Rewrite, plan Plan, yield func() error) (replaced bool, err error) {
	t := rewrite.Table()
	made, remap, err := m.writeAll(ctx, t, plan, yield)
	if err == nil {
		// Do not cancel publishing when ctx ends: only its outcome tells whether the new files are
		// in use.
		err = rewrite.Publish(context.Background(), made, remap)
		if replaced = err == nil; replaced {
			return true, nil
		}
		if kind := base.KindOf(err); kind == base.Conflict || kind == base.NotFound {
			err = nil
		}
	}
	for _, p := range made {
		err = errors.Join(err, m.engine.AbandonPart(p.Table, p.ID))
	}
	return false, err
}

// writeAll writes the new parts of a merge by calling write. It counts the written rows and the
// dropped tombstones. If their sum is not the number of rows in the old parts that are not deleted,
// it returns an error.
func (m *merger) writeAll(ctx context.Context, t *snapshot.Table, plan Plan, yield func() error) (made []catalog.Part, remap patch.Remap, err error) {
	made, remap, rows, err := m.write(ctx, t, plan, yield)
	if err != nil {
		return made, remap, err
	}
	for _, p := range made {
		rows += p.Rows
	}
	if want := liveRows(t, plan); rows != want {
		err = base.Errorf(base.Internal, "%d rows were written, but the old parts have %d", rows, want)
	}
	return made, remap, err
}

// liveRows returns how many rows the plan's parts have, without deleted rows.
func liveRows(t *snapshot.Table, plan Plan) int64 {
	rows := int64(0)
	for _, p := range plan.Sources {
		rows += p.Rows - t.Patches[p.ID].DeletedRows()
	}
	return rows
}

// write writes the new parts of a merge, or none if no rows are left. It returns the parts, the
// remap (which maps old row addresses to new ones), and the number of tombstones that were dropped.
// After an error, files of the returned parts may exist.
func (m *merger) write(ctx context.Context, t *snapshot.Table, plan Plan, yield func() error) (made []catalog.Part, remap patch.Remap, dropped int64, err error) {
	if err := m.checkSpace(plan); err != nil {
		return nil, nil, 0, err
	}
	inputs := make([]*input, 0, len(plan.Sources))
	defer func() {
		for _, s := range inputs {
			s.close()
			dropped += int64(s.dropped.GetCardinality())
		}
	}()
	for _, p := range plan.Sources {
		s, err := m.open(ctx, t, p, len(plan.Sources))
		if err != nil {
			return nil, nil, 0, &inputError{p.ID, err}
		}
		s.retype = plan.retype
		inputs = append(inputs, s)
	}
	if plan.retype != nil {
		written := *t
		written.Schema = plan.retype.to
		t = &written
	}
	like := describe(plan.Sources)
	like.SchemaVersion = t.Schema.Version
	if plan.Sources[0].SchemaVersion < t.LayoutSince() {
		made, move, err := m.rewrite(t, inputs[0], like, yield)
		return made, move, 0, err
	}
	like.Level++
	in := newInterleave(inputs, t.Schema, yield)
	defer in.close()
	var first arrow.RecordBatch
	err = io.EOF
	if liveRows(t, plan) > 0 {
		first, err = in.next()
	}
	if err == nil {
		next := func() (arrow.RecordBatch, error) {
			if rec := first; rec != nil {
				first = nil
				return rec, nil
			}
			return in.next()
		}
		var one catalog.Part
		one, err = m.writePart(t, like, next)
		made = append(made, one)
		like.ID = one.ID
		if first != nil {
			first.Release()
		}
	} else if err == io.EOF { // no rows are left, so there is no new part
		err = nil
	}
	for _, s := range inputs {
		in.move.LeaveOut(s.part.ID, s.dropped)
	}
	in.move.Finish(like.ID)
	return made, in.move, 0, err
}

// describe returns a part with the properties that the new part of a merge takes over from the old
// parts.
func describe(parts []*catalog.Part) catalog.Part {
	d := catalog.Part{Table: parts[0].Table, Partition: parts[0].Partition, MinSeq: parts[0].MinSeq}
	for _, p := range parts {
		d.Level = max(d.Level, p.Level)
		d.MinSeq = min(d.MinSeq, p.MinSeq)
		d.MaxSeq = max(d.MaxSeq, p.MaxSeq)
	}
	return d
}

// writePart writes rows as one part. The argument named like gives the properties of the part that
// are not computed from its rows. The function next returns the rows batch by batch, and then
// io.EOF. After an error, the file of the returned part may exist.
func (m *merger) writePart(t *snapshot.Table, like catalog.Part, next func() (arrow.RecordBatch, error)) (catalog.Part, error) {
	id, err := m.engine.NextRowsetID()
	if err != nil {
		return like, err
	}
	like.ID = id
	path, err := m.engine.PartPath(like.Table, id)
	if err != nil {
		return like, err
	}
	written, err := part.Write(m.fs, path, t.Schema, next, part.Options{Profile: part.Best})
	if err != nil {
		return like, base.Wrap(err, "part %d", id)
	}
	like.Rows, like.Bytes, like.Checksum, like.Blocks, like.Stats = written.Rows, written.Bytes, written.Checksum, written.Blocks, written.Stats
	return like, nil
}

// rewrite writes a part again after the table's sort key or partitioning has changed. The part's
// rows are not in the new order, so rewrite works like a flush: it sorts as many rows at once as
// fit into memory (rewriteBytes), and writes one part for each partition. Later merges combine
// these parts.
func (m *merger) rewrite(t *snapshot.Table, s *input, like catalog.Part, yield func() error) (made []catalog.Part, move *patch.Sorted, err error) {
	var chunk []arrow.RecordBatch
	var ordinals []uint32 // ordinals[i] is the number that row i of chunk has in the old part
	bytes := int64(0)
	drop := func() {
		releaseRecords(chunk)
		m.work.Release(bytes)
		chunk, ordinals, bytes = nil, nil, 0
	}
	defer drop()
	move = &patch.Sorted{Rowset: s.part.ID}
	for {
		if err := yield(); err != nil {
			return made, nil, err
		}
		r, err := s.next()
		if err != nil && err != io.EOF {
			return made, nil, err
		}
		end := err == io.EOF
		if !end {
			chunk = append(chunk, r.rec)
			size := batch.Bytes(r.rec)
			m.work.Charge(size)
			bytes += size
			for i := range int(r.rec.NumRows()) {
				ordinals = append(ordinals, r.ordinal(i))
			}
		}
		if len(ordinals) > 0 && (end || bytes >= min(rewriteBytes, m.share)) {
			parts, err := m.writeSorted(t, chunk, like, func(part base.RowsetID, rows []uint32) {
				from := make([]uint32, len(rows))
				for i, row := range rows {
					from[i] = ordinals[row]
				}
				move.Parts, move.Rows = append(move.Parts, part), append(move.Rows, from)
			})
			made = append(made, parts...)
			if err != nil {
				return made, nil, err
			}
			drop()
		}
		if end {
			return made, move, nil
		}
	}
}

// writeSorted sorts a chunk of rows, and writes one part for each partition. For each part it calls
// the function wrote with the id of the part, and with the indexes that the part's rows have in the
// chunk.
func (m *merger) writeSorted(t *snapshot.Table, chunk []arrow.RecordBatch, like catalog.Part, wrote func(base.RowsetID, []uint32)) (made []catalog.Part, err error) {
	order, err := batch.Sort(chunk, t.Schema)
	if err != nil {
		return nil, err
	}
	partitions, err := batch.Partition(chunk, t.Schema, order)
	if err != nil {
		return nil, err
	}
	for _, p := range partitions {
		rows := p.Rows
		like.Partition = p.Key.Text
		written, err := m.writePart(t, like, func() (arrow.RecordBatch, error) {
			if len(rows) == 0 {
				return nil, io.EOF
			}
			rec, n, err := batch.TakeFirst(chunk, rows, part.RowGroupRows)
			rows = rows[n:]
			return rec, err
		})
		made = append(made, written)
		if err != nil {
			return made, err
		}
		wrote(written.ID, p.Rows)
	}
	return made, nil
}

// checkSpace returns an error if the disk may not have enough space for the result of a merge. The
// old parts are not removed before the merge ends.
func (m *merger) checkSpace(plan Plan) error {
	free, err := m.fs.FreeSpace(filepath.Dir(m.engine.PartFile(plan.Sources[0]).Path()))
	if err != nil {
		return err
	}
	if need := uint64(plan.Bytes) + reserveBytes; free < need {
		return base.Errorf(base.StorageFull, "a merge needs %d bytes of free disk space, and %d are available", need, free).
			WithHint("free some space: merges then continue automatically")
	}
	return nil
}
