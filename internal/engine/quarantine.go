package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// damagedName is the name of the folder in the data directory to which quarantined parts are moved.
const damagedName = "damaged"

// QuarantinedPart says which rows a table lost when a damaged part was quarantined.
type QuarantinedPart struct {
	Table schema.Table
	Part  catalog.Part
	Rows  int64 // number of the part's rows, without deleted ones
	// SortKeyRange has three texts: the name of the first column of the sort key, and the least and
	// the greatest value of that column in the part. It is empty if the table has no sort key, or
	// if these values are not known.
	SortKeyRange []string
	Copy         string // new path of the part's file; empty if the file is missing
	Described    string // path of a JSON file with what the catalog knew about the part
	// OlderRowsVisible says that older rows with the keys of the lost rows may be visible again.
	// That is possible if the table merges on read, and was not deduplicated after the lost rows
	// arrived.
	OlderRowsVisible bool
}

// DamagedParts reads all parts and returns those that are damaged. damages[i] is the error that
// reading parts[i] gave.
func (e *Engine) DamagedParts(ctx context.Context) (parts []*catalog.Part, damages []error, err error) {
	s, err := e.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer s.Release()
	for id, t := range s.Tables {
		for _, p := range t.Parts {
			written, err := e.TableVersion(id, p.SchemaVersion)
			if err == nil {
				err = part.Verify(ctx, e.PartFile(p), written, part.Written{Rows: p.Rows, Stats: p.Stats})
			}
			if err == nil {
				continue
			}
			if base.KindOf(err) != base.Corrupt {
				return nil, nil, base.Wrap(err, "part %d of table %s", p.ID, t.Schema.QualifiedName())
			}
			parts, damages = append(parts, p), append(damages, err)
		}
	}
	return parts, damages, nil
}

// Quarantine quarantines a part: it removes the part, with its deletions and patches, from its
// table. The table loses the part's rows. Quarantine first copies the part's file, and what the
// catalog knows about the part, durably to the folder "damaged". Then it removes the part from the
// catalog. If a crash happens before that, nothing has changed, and Quarantine can be called again.
func (e *Engine) Quarantine(ctx context.Context, p *catalog.Part) (QuarantinedPart, error) {
	lost := QuarantinedPart{Part: *p}
	e.mu.RLock()
	t, err := e.tableLocked(p.Table)
	if err == nil {
		lost.Table, lost.Rows = t.current.schema, p.Rows
		if set := t.patches[p.ID]; set != nil {
			lost.Rows -= set.DeletedRows()
		}
		lost.OlderRowsVisible = t.dedup != nil && p.MaxSeq > t.dedup.dedupedThrough
	}
	e.mu.RUnlock()
	if err != nil {
		return lost, err
	}
	if keys := lost.Table.SortKey; len(keys) > 0 {
		if stats, ok := p.Stats[keys[0].Column]; ok && !stats.Min.IsNull() {
			at := lost.Table.ColumnByID(keys[0].Column)
			lost.SortKeyRange = []string{lost.Table.Columns[at].Name, readable(stats.Min, lost.Table.Columns[at].Type), readable(stats.Max, lost.Table.Columns[at].Type)}
		}
	}
	if err := e.copyToQuarantine(&lost); err != nil {
		return lost, base.Wrap(err, "move part %d to quarantine", p.ID)
	}
	return lost, base.Wrap(e.removePart(ctx, p.Table, p.ID), "move part %d to quarantine", p.ID)
}

// readable formats v, the least or greatest value of a column in a part, as text for a person.
func readable(v schema.Value, typ schema.Type) string {
	units := map[schema.Kind]int64{schema.Date: 86_400e9, schema.TimestampS: 1e9, schema.TimestampMS: 1e6, schema.Timestamp: 1e3, schema.TimestampTZ: 1e3, schema.TimestampNS: 1}
	n, whole := v.Int()
	if unit := units[typ.Kind]; whole && unit > 0 {
		perSecond := int64(1e9) / min(unit, 1e9)
		seconds, rest := n/perSecond*max(1, unit/1e9), n%perSecond*unit
		return time.Unix(seconds, rest).UTC().Format("2006-01-02 15:04:05.999999999")
	}
	if text, ok := v.Text(); ok {
		return strconv.Quote(text)
	}
	return v.String()[1:] // without the first letter, which stands for the kind of the value
}

// copyToQuarantine copies the file of a part, and what the catalog knows about the part, to the
// folder "damaged". It stores the paths of the copies in the argument lost.
func (e *Engine) copyToQuarantine(lost *QuarantinedPart) error {
	dir := filepath.Join(e.dir, damagedName)
	if err := vfs.MkdirAll(e.fs, dir); err != nil {
		return err
	}
	name := filepath.Join(dir, fmt.Sprintf("%d-%d", lost.Part.Table, lost.Part.ID))
	lost.Described = name + ".json"
	text, err := json.MarshalIndent(map[string]any{"table": lost.Table, "part": lost.Part, "rows_lost": lost.Rows}, "", "  ")
	if err != nil {
		return base.Errorf(base.Internal, "describe the part: %w", err)
	}
	err = vfs.WriteFile(e.fs, lost.Described, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	from, err := e.fs.Open(e.partPath(lost.Part.Table, lost.Part.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // the file was only read, so nothing is lost if Close fails
	size, err := from.Size()
	if err != nil {
		return err
	}
	lost.Copy = name + ".parquet"
	return vfs.WriteFile(e.fs, lost.Copy, func(w io.Writer) error {
		block := make([]byte, 64<<10)
		for at := int64(0); at < size; at += int64(len(block)) {
			data := block[:min(int64(len(block)), size-at)]
			if _, err := from.ReadAt(data, at); err != nil && err != io.EOF {
				clear(data) // this block cannot be read, but a copy of the other blocks is useful
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
}

// removePart removes a part from its table in one edit of the catalog. If exports have written the
// part's rows to objects, the objects stay as they are.
func (e *Engine) removePart(ctx context.Context, from base.TableID, id base.RowsetID) error {
	var t *table
	var edit *catalog.Edit
	var remaining []*partFile
	var gone *partFile
	return e.change(ctx, func() (_ *catalog.Edit, err error) {
		if t, err = e.tableLocked(from); err != nil {
			return nil, err
		}
		edit, remaining, gone = &catalog.Edit{RemoveParts: []base.RowsetID{id}}, nil, nil
		for _, p := range t.current.parts {
			if p.ID == id {
				gone = p
			} else {
				remaining = append(remaining, p)
			}
		}
		if gone == nil {
			return nil, base.Errorf(base.Conflict, "part %d no longer exists", id)
		}
		e.carryOverFingerprints(edit, t, []base.RowsetID{id}, slices.Clone(remaining), nil)
		t.removeExpressions(edit, remaining)
		return edit, e.syncBefore()
	}, func() []*version {
		e.retire(t, gone)
		v := t.current
		old := t.installLocked(e.newVersionLocked(v.schema, remaining, v.memtables))
		e.patchLocked(t, map[base.RowsetID]*patch.Set{id: nil})
		t.addWriteSet(writeSet{seq: e.seq, allColumns: true})
		e.showObjectsLocked(edit.PutObjects)
		e.dropUnneededLocked()
		return []*version{old}
	})
}
