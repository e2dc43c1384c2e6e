package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// scriptLoad is a load whose rows are in parts, and not committed yet.
type scriptLoad struct {
	*Load
	written int // number of parts that were shown
	// snapshot is that from which a load that replaces rows finds them. Otherwise it is nil.
	snapshot *snapshot.Snapshot
	unlock   func()
}

// load t columns=(a BIGINT, b VARCHAR) [over]
//
// The input has one JSON object per line. The command begins a load, or adds rows to the one that
// was begun. Each command writes a part of its own. With over, the rows replace those of the same
// primary keys: the load then locks the table, and flushes it.
func (s *script) loadRows(d *datadriven.TestData) (string, error) {
	if s.load == nil {
		if err := s.beginLoad(d); err != nil {
			return "", err
		}
	}
	record, err := batchOfJSON(arg(d, "columns"), d.Input)
	if err == nil {
		record, err = batch.Conform(record, s.load.table, batch.ConformOptions{})
	}
	if err == nil {
		err = s.load.Write(ctx, record, func() {})
	}
	if err != nil {
		return "", err
	}
	parts, err := s.load.Parts(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range parts[s.load.written:] {
		lines = append(lines, fmt.Sprintf("part %d: rows %d, not committed", p.ID, p.Rows))
	}
	s.load.written = len(parts)
	return strings.Join(lines, "\n"), nil
}

func (s *script) beginLoad(d *datadriven.TestData) error {
	t, err := s.table(d)
	if err != nil {
		return err
	}
	l := &scriptLoad{unlock: func() {}}
	if d.HasArg("over") {
		if l.unlock, err = s.engine.LockTables(ctx, nil, t.ID); err != nil {
			return err
		}
		if err = s.engine.DeleteSuperseded(ctx, t.ID); err == nil {
			err = s.engine.Flush(ctx)
		}
		if err == nil {
			l.snapshot, err = s.engine.DeduplicatedSnapshot(ctx, t.ID)
		}
		if err != nil {
			l.unlock()
			return err
		}
	}
	l.Load, err = s.engine.Load(ctx, t, LoadOptions{})
	must(s.t, err)
	s.load = l
	return nil
}

// commit-load
//
// After an error, a load over existing rows continues: the script commits it again, or aborts it.
func (s *script) commitLoad(*datadriven.TestData) (string, error) {
	l := s.load
	if l.snapshot == nil {
		s.load = nil // Commit ends the load, whether it succeeds or not
		rows, err := l.Commit(ctx, AppendOptions{})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("inserted %d", rows), nil
	}
	parts, err := l.Parts(ctx)
	if err != nil {
		return "", err
	}
	// The newest row of a key is the last one, because the ids of the load's parts ascend.
	view := *l.snapshot.Tables[l.table.ID]
	existing := view.Rows()
	view.Parts = append(slices.Clone(view.Parts), parts...)
	rows, err := readRows(s.engine, &view)
	if err != nil {
		return "", err
	}
	newest := map[string]base.RowAddress{}
	for _, r := range rows {
		newest[keyOfRow(l.table, r)] = r.address
	}
	replaced := slices.DeleteFunc(slices.Clone(rows), func(r scriptRow) bool { return newest[keyOfRow(l.table, r)] == r.address })
	var counts Counts
	for _, r := range replaced {
		if r.address.Rowset < parts[0].ID {
			counts.Updated++
		}
	}
	counts.Inserted = int64(len(newest)) - existing
	result, err := l.CommitReplacing(ctx, l.snapshot, bitmapsOf(replaced), counts, AppendOptions{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("inserted %d updated %d seq %d", result.Inserted, result.Updated, result.Seq), s.endLoad()
}

// abort-load
func (s *script) abortLoad(*datadriven.TestData) (string, error) { return "", s.endLoad() }

// endLoad ends the load. If it was not committed, nothing of it is left.
func (s *script) endLoad() error {
	l := s.load
	s.load = nil
	err := l.Abort()
	if l.snapshot != nil {
		l.snapshot.Release()
	}
	l.unlock()
	return err
}
