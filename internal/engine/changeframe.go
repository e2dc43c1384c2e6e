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

// frameChange is what a frame changes of one table, without the patches' values.
type frameChange struct {
	table   base.TableID
	version uint32
	deleted map[base.SourceID]*roaring.Bitmap
	updated []patch.Layer

	expression []byte // its encoding; nil: none
}

// encode returns the content of a frame's section: number of tables, then for each
//
//	table        table id, schema version
//	deletions    count, then for each: source id, rows
//	patches      count, then for each: source id, number of columns and their ids, rows
//
// where rows are the length and bytes of a roaring bitmap in its portable format. The patches' values follow
// the frame's batches, a batch for each.
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

// encodeExpressions returns the content of the section behind that of the changes: for each of their tables in order length and bytes of
// its expression (see patch.Expression.Encode), 0 if it has none. It is nil if none has.
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

// readExpressions adds the expressions of a section to the changes that they belong to.
func readExpressions(r *frameReader, changes []frameChange) {
	for i := range changes {
		if content := r.bytes(r.uvarint()); len(content) > 0 {
			changes[i].expression = slices.Clone(content)
		}
	}
}

func appendRows(b []byte, rows *roaring.Bitmap) []byte {
	bytes, _ := rows.ToBytes() // in memory: it cannot fail
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

// rows reads a roaring bitmap into memory of its own.
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

// values reads the values of the frame's patches, which stand behind its batches.
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
			// The payload's memory is not the patch's to keep.
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

// replayChanges adds what a frame changed to a generation and to what readers see. A source that is not there was written
// anew since, with what the frame says of it. The catalog may have the change already, and later ones: then all of them
// come once more, in their order.
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

// replayed reports whether a source is a memtable of a replayed generation.
func (e *Engine) replayed(table base.TableID, source base.SourceID) bool {
	return slices.ContainsFunc(e.generations, func(g *generation) bool {
		r := g.residents[table]
		return r != nil && r.mem.Source() == source
	})
}
