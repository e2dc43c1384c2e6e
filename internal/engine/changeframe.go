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

// frameChange is what a log frame changes in one table. The values of its patches follow the
// batches of the frame.
type frameChange struct {
	table   base.TableID
	version uint32
	deleted map[base.SourceID]*roaring.Bitmap
	updated []patch.Layer

	expression []byte // encoded expression update; nil if there is none
}

// encode returns the content of the section of changes in a log frame: the number of tables, then
// for each table
//
//	table        table id, schema version
//	deletions    count, then for each: rowset id, rows
//	patches      count, then for each: rowset id, number of columns and their ids, rows
//
// "rows" is the length and the bytes of a roaring bitmap in its portable format. The values of the
// patches follow the batches of the frame, one batch for each patch.
func (c *changeSet) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(c.tables)))
	for _, t := range c.tables {
		b = binary.AppendUvarint(b, uint64(t.id))
		b = binary.AppendUvarint(b, uint64(t.version))
		b = binary.AppendUvarint(b, uint64(len(t.gone)))
		for _, source := range slices.Sorted(maps.Keys(t.gone)) {
			b = binary.AppendUvarint(b, uint64(source))
			b = appendRows(b, t.gone[source])
		}
		b = binary.AppendUvarint(b, uint64(len(t.updated)))
		for _, l := range t.updated {
			b = binary.AppendUvarint(b, uint64(l.Source))
			b = binary.AppendUvarint(b, uint64(len(l.Columns)))
			for _, id := range l.Columns {
				b = binary.AppendUvarint(b, uint64(id))
			}
			b = appendRows(b, roaring.BitmapOf(l.Ordinals...))
		}
	}
	return b
}

// encodeExpressions returns the content of the section of expressions in a log frame. For each
// table of the section of changes, in the same order, it has the length and bytes of the expression
// update (see patch.Expression.Encode), or the length 0. It returns nil if there is no expression
// update.
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

// readExpressions reads a section of expressions, and sets frameChange.expression of the changes.
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
		c := frameChange{table: base.TableID(r.uvarint()), deleted: map[base.SourceID]*roaring.Bitmap{}}
		c.version = uint32(r.uvarint())
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			source := base.SourceID(r.uvarint())
			c.deleted[source] = r.rows()
		}
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			l := patch.Layer{Source: base.SourceID(r.uvarint()), Version: c.version}
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

// rows reads the length and bytes of a roaring bitmap. The bitmap owns its memory.
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

// values reads the values of the frame's patches, which follow the batches of the frame.
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
			// The values are copied, so that the patch does not keep the memory of the whole
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

// replayChanges adds the changes of a replayed frame to a generation, and to the patches that
// readers see. Changes of a rowset that does not exist are skipped: the rowset was rewritten, and
// the new rowset has them. The catalog may already have the changes, and later ones. Applying all
// of them again, in their order, has the same result.
func (e *Engine) replayChanges(g *generation, seq base.Seq, changes []frameChange) error {
	for _, c := range changes {
		t := e.tables[c.table]
		if t == nil || seq <= t.truncatedSeq {
			continue
		}
		kept := committed{table: c.table, seq: seq, created: e.now(), deleted: map[base.SourceID]*roaring.Bitmap{}}
		bytes := int64(changeOverhead)
		sets := map[base.SourceID]*patch.Set{}
		known := func(source base.SourceID) bool {
			return t.current.lists(source) || e.replayed(c.table, source)
		}
		for source, rows := range c.deleted {
			if known(source) {
				kept.deleted[source] = rows
				sets[source] = nil
				bytes += int64(rows.GetSizeInBytes())
			}
		}
		for _, l := range c.updated {
			if known(l.Source) {
				l.Seq = seq
				kept.updated = append(kept.updated, l)
				sets[l.Source] = nil
				bytes += batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
			}
		}
		updated := bySource(kept.updated)
		for source := range sets {
			set := t.patches[source]
			if set == nil {
				set = patch.New(source)
			}
			var err error
			if sets[source], err = set.With(seq, kept.deleted[source], updated[source]...); err != nil {
				return err
			}
		}
		e.patchLocked(t, sets)
		if c.expression != nil {
			var err error
			if kept.expression, err = decodeExpression(t, seq, c.version, c.expression); err != nil {
				return err
			}
			e.addExpressionLocked(t, &storedExpression{Expression: kept.expression, created: kept.created}).release()
		}
		g.changes = append(g.changes, kept)
		g.changeBytes += bytes
		g.charged += bytes
		e.budget.force(bytes)
	}
	return nil
}

// replayed reports whether a rowset is a memtable that replay has filled.
func (e *Engine) replayed(table base.TableID, source base.SourceID) bool {
	return slices.ContainsFunc(e.generations, func(g *generation) bool {
		r := g.residents[table]
		return r != nil && r.mem.Source() == source
	})
}
