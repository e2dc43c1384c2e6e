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

// damagedName is the folder in the data directory to which quarantined parts are moved.
const damagedName = "damaged"

// LostPart says what a table lost with a quarantined part.
type LostPart struct {
	Table schema.Table
	Part  catalog.Part
	Rows  int64 // rows that were not deleted
	// Sorted has three texts: the name of the first column of the sort key, and its least and
	// greatest value in the part. It is empty if the table has no sort key, or the bounds are not
	// known.
	Sorted    []string
	Copy      string // new path of the part's file; empty if the file was missing
	Described string // path of a JSON file with what the catalog had of the part
	// Older says that older rows with keys of the part's rows may be visible again. That is so if
	// the table merges on read, and was not deduplicated since the part's rows arrived.
	Older bool
}

// DamagedParts reads all parts and returns those that are damaged. damages[i] is the error of
// parts[i].
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

// SetAside quarantines a part: it removes the part, with its deletions and patches, from its table.
// The table loses the part's rows. First SetAside copies the file, and what the catalog has of the
// part, durably to the folder "damaged". Then it removes the part from the catalog. If a crash
// comes before that, nothing has changed, and SetAside can be called again.
func (e *Engine) SetAside(ctx context.Context, p *catalog.Part) (LostPart, error) {
	lost := LostPart{Part: *p}
	e.mu.RLock()
	t, err := e.tableLocked(p.Table)
	if err == nil {
		lost.Table, lost.Rows = t.current.schema, p.Rows
		if set := t.patches[p.ID]; set != nil {
			lost.Rows -= set.DeletedRows()
		}
		lost.Older = t.settling != nil && p.MaxSeq > t.settling.upTo
	}
	e.mu.RUnlock()
	if err != nil {
		return lost, err
	}
	if keys := lost.Table.SortKey; len(keys) > 0 {
		if stats, ok := p.Stats[keys[0].Column]; ok && !stats.Min.IsNull() {
			at := lost.Table.ColumnByID(keys[0].Column)
			lost.Sorted = []string{lost.Table.Columns[at].Name, readable(stats.Min, lost.Table.Columns[at].Type), readable(stats.Max, lost.Table.Columns[at].Type)}
		}
	}
	if err := e.copyAside(&lost); err != nil {
		return lost, base.Wrap(err, "set part %d aside", p.ID)
	}
	return lost, base.Wrap(e.unlist(ctx, p.Table, p.ID), "set part %d aside", p.ID)
}

// readable formats a bound of a column's values as text for a person.
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
	return v.String()[1:] // without the first letter, which stands for the value's kind
}

// copyAside copies the part's file, and what the catalog has of the part, to the folder "damaged".
// It sets the paths in lost.
func (e *Engine) copyAside(lost *LostPart) error {
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
	defer func() { _ = from.Close() }() // the file was only read, so a failed Close loses nothing
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
				clear(data) // this block is unreadable, but the others are worth a copy
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
}

// unlist removes a part from its table in one edit. Objects of exports that contain its rows do not
// change.
func (e *Engine) unlist(ctx context.Context, from base.TableID, id base.SourceID) error {
	var t *table
	var edit *catalog.Edit
	var kept []*partFile
	var gone *partFile
	return e.change(ctx, func() (_ *catalog.Edit, err error) {
		if t, err = e.tableLocked(from); err != nil {
			return nil, err
		}
		edit, kept, gone = &catalog.Edit{RemoveParts: []base.SourceID{id}}, nil, nil
		for _, p := range t.current.parts {
			if p.ID == id {
				gone = p
			} else {
				kept = append(kept, p)
			}
		}
		if gone == nil {
			return nil, base.Errorf(base.Conflict, "part %d is gone", id)
		}
		e.followExports(edit, t, []base.SourceID{id}, slices.Clone(kept), nil)
		t.removeExpressions(edit, kept)
		return edit, e.syncBefore()
	}, func() []*version {
		e.retire(t, gone)
		v := t.current
		old := t.installLocked(e.newVersionLocked(v.schema, kept, v.residents))
		e.patchLocked(t, map[base.SourceID]*patch.Set{id: nil})
		t.note(written{seq: e.seq, all: true})
		e.showObjectsLocked(edit.PutObjects)
		e.forgetLocked()
		return []*version{old}
	})
}
