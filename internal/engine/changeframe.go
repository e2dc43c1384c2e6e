package engine

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/patch"
)

// frameChange is what a log frame changes in the existing rows of one table. In the frame, the
// values of its patches follow the batches of inserted rows.
type frameChange struct {
	table   base.TableID
	version uint32
	deleted map[base.RowsetID]*roaring.Bitmap
	updated []patch.Layer

	// expression is the encoded expression update (an UPDATE that is stored as SQL) of the table in
	// this frame. It is nil if there is none.
	expression []byte
}

// encode returns the content of the section of changes in a log frame. It has the number of tables,
// and then for each table:
//
//	table        table id, schema version
//	deletions    count, then for each: rowset id, rows
//	patches      count, then for each: rowset id, number of columns and their ids, rows
//
// "rows" is the length and the bytes of a roaring bitmap in its portable format. The values of the
// patches are not in the section. They follow the batches of the frame, one batch for each patch.
func (c *changeSet) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(c.tables)))
	for _, t := range c.tables {
		b = binary.AppendUvarint(b, uint64(t.id))
		b = binary.AppendUvarint(b, uint64(t.version))
		b = binary.AppendUvarint(b, uint64(len(t.removed)))
		for _, rowset := range slices.Sorted(maps.Keys(t.removed)) {
			b = binary.AppendUvarint(b, uint64(rowset))
			b = appendRows(b, t.removed[rowset])
		}
		b = binary.AppendUvarint(b, uint64(len(t.updated)))
		for _, l := range t.updated {
			b = binary.AppendUvarint(b, uint64(l.Rowset))
			b = binary.AppendUvarint(b, uint64(len(l.Columns)))
			for _, id := range l.Columns {
				b = binary.AppendUvarint(b, uint64(id))
			}
			b = appendRows(b, roaring.BitmapOf(l.Ordinals...))
		}
	}
	return b
}

// encodeExpressions returns the content of the section of expression updates (UPDATEs that are
// stored as SQL) in a log frame. It has an entry for each table of the section of changes, in the
// same order. The entry is the length and the bytes of the table's expression update (see
// patch.Expression.Encode), or the length 0. If there is no expression update at all,
// encodeExpressions returns nil.
func (c *changeSet) encodeExpressions() []byte {
	var b []byte
	any := false
	for _, t := range c.tables {
		var content []byte
		if t.expression != nil {
			content, any = t.expression.Encode(), true
		}
		b = append(binary.AppendUvarint(b, uint64(len(content))), content...)
	}
	if !any {
		return nil
	}
	return b
}

// readExpressions reads the section of expression updates (UPDATEs that are stored as SQL) of a log
// frame, and stores each update in the frameChange of its table.
func readExpressions(r *frameReader, changes []frameChange) {
	for i := range changes {
		if content := r.bytes(r.uvarint()); len(content) > 0 {
			changes[i].expression = slices.Clone(content)
		}
	}
}

func appendRows(b []byte, rows *roaring.Bitmap) []byte {
	bytes, _ := rows.ToBytes() // writing to memory never fails
	return append(binary.AppendUvarint(b, uint64(len(bytes))), bytes...)
}

func readChanges(r *frameReader) []frameChange {
	var all []frameChange
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		c := frameChange{table: base.TableID(r.uvarint()), deleted: map[base.RowsetID]*roaring.Bitmap{}}
		c.version = uint32(r.uvarint())
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			rowset := base.RowsetID(r.uvarint())
			c.deleted[rowset] = r.rows()
		}
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			l := patch.Layer{Rowset: base.RowsetID(r.uvarint()), Version: c.version}
			for n := r.uvarint(); n > 0 && !r.bad; n-- {
				l.Columns = append(l.Columns, base.ColumnID(r.uvarint()))
			}
			if rows := r.rows(); rows != nil {
				l.Ordinals = rows.ToArray()
			}
			c.updated = append(c.updated, l)
		}
		all = append(all, c)
	}
	return all
}

// rows reads a set of rows: the length and the bytes of a roaring bitmap. The returned bitmap owns
// its memory.
func (r *frameReader) rows() *roaring.Bitmap {
	content := r.bytes(r.uvarint())
	if r.bad {
		return nil
	}
	rows := roaring.New()
	if err := rows.UnmarshalBinary(content); err != nil || rows.Validate() != nil || rows.IsEmpty() {
		r.bad = true
		return nil
	}
	return rows
}

// values reads the values of the frame's patches, which follow the batches of the frame, into the
// layers of the frame's changes.
func (f *frame) values(r *frameReader) error {
	for i := range f.changes {
		c := &f.changes[i]
		for k := range c.updated {
			stream, err := r.stream(c.table)
			if err != nil {
				return err
			}
			record, err := decodeBatch(stream)
			if err != nil {
				return base.Wrap(err, "patch of table %d", c.table)
			}
			// The values are copied. Otherwise the patch would retain the memory of the whole
			// payload.
			l := &c.updated[k]
			l.Values, err = batch.Copy(record)
			record.Release()
			if err == nil {
				err = l.Check()
			}
			if err != nil {
				return base.Errorf(base.Corrupt, "patch of table %d: %w", c.table, err)
			}
		}
	}
	return nil
}

// replayChanges adds the changes of a frame that is replayed from the log to a generation, and to
// the patches that readers see. Changes of a rowset that does not exist are skipped: the rowset was
// rewritten, and the new rowset has them. The catalog may already have these changes, and later
// ones. Applying all of them again, in their order, gives the same result.
func (e *Engine) replayChanges(g *generation, seq base.Seq, changes []frameChange) error {
	for _, c := range changes {
		t := e.tables[c.table]
		if t == nil || seq <= t.truncatedSeq {
			continue
		}
		restored := committedChange{table: c.table, seq: seq, created: e.now(), deleted: map[base.RowsetID]*roaring.Bitmap{}}
		bytes := int64(changeOverhead)
		sets := map[base.RowsetID]*patch.Set{}
		known := func(rowset base.RowsetID) bool {
			return t.current.hasPart(rowset) || e.replayed(c.table, rowset)
		}
		for rowset, rows := range c.deleted {
			if known(rowset) {
				restored.deleted[rowset] = rows
				sets[rowset] = nil
				bytes += int64(rows.GetSizeInBytes())
			}
		}
		for _, l := range c.updated {
			if known(l.Rowset) {
				l.Seq = seq
				restored.updated = append(restored.updated, l)
				sets[l.Rowset] = nil
				bytes += batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
			}
		}
		updated := byRowset(restored.updated)
		for rowset := range sets {
			set := t.patches[rowset]
			if set == nil {
				set = patch.New(rowset)
			}
			var err error
			if sets[rowset], err = set.With(seq, restored.deleted[rowset], updated[rowset]...); err != nil {
				return err
			}
		}
		e.patchLocked(t, sets)
		if c.expression != nil {
			var err error
			if restored.expression, err = decodeExpression(t, seq, c.version, c.expression); err != nil {
				return err
			}
			e.addExpressionLocked(t, &storedExpression{Expression: restored.expression, created: restored.created}).release()
		}
		g.changes = append(g.changes, restored)
		g.changeBytes += bytes
		g.reserved += bytes
		e.memory.Rows.Charge(bytes)
	}
	return nil
}

// replayed reports whether the rowset with this id is a memtable that was filled by replaying the
// log.
func (e *Engine) replayed(table base.TableID, rowset base.RowsetID) bool {
	return slices.ContainsFunc(e.generations, func(g *generation) bool {
		r := g.memtables[table]
		return r != nil && r.mem.Rowset() == rowset
	})
}
