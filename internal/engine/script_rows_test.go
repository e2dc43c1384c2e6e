package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Scripts read rows as queries do: without deleted rows, with the newest values, with the results
// of expression updates, and with the columns of the present schema.

// scriptRow is a row of a table of a snapshot.
type scriptRow struct {
	cells
	address base.RowAddress
	// stored says that all values of the row are in a part: the row has no patch. Expression
	// updates apply to such rows.
	stored bool
}

// text returns the row as text: the values in the order of their names.
func (r scriptRow) text(t schema.Table) string {
	named := map[string]string{}
	for _, c := range t.Columns {
		named[c.Name] = r.cells[c.ID]
	}
	return rowText(named)
}

// rowset is one part or memtable of which rows are read.
type rowset struct {
	id      base.RowsetID
	written schema.Table // the schema version of its rows
	pending []*patch.Expression
	part    bool
}

// readRows returns the rows of a table of a snapshot, in the order of their addresses in each
// rowset.
func readRows(e *Engine, t *snapshot.Table) (rows []scriptRow, err error) {
	for _, p := range t.Parts {
		first := 0
		of := rowset{p.ID, t.Versions[p.SchemaVersion], t.Pending(p), true}
		err := part.Read(e.PartFile(p), of.written, func(record arrow.RecordBatch) error {
			read, err := of.read(t, record, first)
			rows, first = append(rows, read...), first+int(record.NumRows())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, m := range t.Memtables {
		for _, b := range m.Batches {
			read, err := rowset{m.Rowset, m.Schema, nil, false}.read(t, b.Record, int(b.FirstOrdinal))
			if err != nil {
				return nil, err
			}
			rows = append(rows, read...)
		}
	}
	return rows, nil
}

// read returns the rows of one batch of the rowset. The argument first is the number of the batch's
// first row.
func (r rowset) read(t *snapshot.Table, record arrow.RecordBatch, first int) (rows []scriptRow, err error) {
	set := t.Patches[r.id]
	if set == nil {
		set = patch.New(r.id)
	}
	for i := range int(record.NumRows()) {
		ordinal := uint32(first + i)
		if set.Deleted != nil && set.Deleted.Contains(ordinal) {
			continue
		}
		row := scriptRow{cells{}, base.RowAddress{Rowset: r.id, Ordinal: base.RowOrdinal(ordinal)}, r.part && !set.Patched().Contains(ordinal)}
		for k, c := range r.written.Columns {
			// Clone the text, because the memory of the record is released.
			row.cells[c.ID] = strings.Clone(record.Column(k).ValueStr(i))
		}
		if row.stored {
			if err := row.apply(t, r.pending); err != nil {
				return nil, err
			}
		}
		for _, c := range t.Schema.Columns {
			if _, ok := row.cells[c.ID]; !ok {
				row.cells[c.ID] = null // the column was added later
			}
			newer, err := set.Column(c)
			if err != nil {
				return nil, err
			}
			if newer == nil {
				continue
			}
			if at, ok := slices.BinarySearch(newer.Ordinals, ordinal); ok {
				row.cells[c.ID] = strings.Clone(newer.Values.ValueStr(at))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// apply applies expression updates to the row.
func (r scriptRow) apply(t *snapshot.Table, pending []*patch.Expression) error {
	for _, x := range pending {
		version := t.Versions[x.Version]
		matches, err := holds(x.Where, version, r.cells)
		if err != nil {
			return err
		}
		if !matches {
			continue
		}
		before := maps.Clone(r.cells)
		for _, a := range x.Set {
			if r.cells[a.Column], err = evaluate(a.Value, version, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// tableIn returns the command's table, as it is in a held snapshot.
func (s *script) tableIn(d *datadriven.TestData, held *snapshot.Snapshot) (*snapshot.Table, error) {
	for _, t := range held.Tables {
		if t.Schema.Name == nameOf(d).Name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("table %s is not in the snapshot", nameOf(d).Name)
}

// take returns a held snapshot, whose name is the argument with the given key. Without the argument
// it takes a new snapshot of the command's table. The caller releases it.
func (s *script) take(d *datadriven.TestData, key string) (*snapshot.Snapshot, *snapshot.Table, error) {
	held := s.snapshots[arg(d, key)]
	if held != nil {
		held.Retain()
	} else {
		t, err := s.table(d)
		if err == nil {
			held, err = s.engine.DeduplicatedSnapshot(ctx, t.ID)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	t, err := s.tableIn(d, held)
	if err != nil {
		held.Release()
	}
	return held, t, err
}

// rows t [snapshot=name] [addresses]
//
// The output has the rows that a query sees: without superseded ones.
func (s *script) rows(d *datadriven.TestData) (string, error) {
	held, t, err := s.take(d, "snapshot")
	if err != nil {
		return "", err
	}
	defer held.Release()
	rows, err := readRows(s.engine, t)
	var lines []string
	for _, r := range rows {
		if d.HasArg("addresses") {
			lines = append(lines, r.address.String()+" "+r.text(t.Schema))
		} else {
			lines = append(lines, r.text(t.Schema))
		}
	}
	if !d.HasArg("addresses") {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n"), err
}

// superseded t
//
// The output has the rows that are stored, but superseded, with their addresses.
func (s *script) superseded(d *datadriven.TestData) (string, error) {
	held, t, err := s.take(d, "snapshot")
	if err != nil {
		return "", err
	}
	defer held.Release()
	all, err := s.engine.Snapshot(t.Schema.ID)
	if err != nil {
		return "", err
	}
	defer all.Release()
	rows, err := readRows(s.engine, all.Tables[t.Schema.ID])
	var lines []string
	for _, r := range rows {
		if hidden := t.Superseded[r.address.Rowset]; hidden != nil && hidden.Contains(uint32(r.address.Ordinal)) {
			lines = append(lines, r.address.String()+" "+r.text(t.Schema))
		}
	}
	return strings.Join(lines, "\n"), err
}

// expressions t
//
// The output has the stored expression updates, and the parts that lack them.
func (s *script) expressions(d *datadriven.TestData) (string, error) {
	held, t, err := s.take(d, "snapshot")
	if err != nil {
		return "", err
	}
	defer held.Release()
	var b strings.Builder
	for _, x := range t.Expressions {
		var lacking []base.RowsetID
		for _, p := range t.Parts {
			if slices.Contains(t.Pending(p), x) {
				lacking = append(lacking, p.ID)
			}
		}
		fmt.Fprintf(&b, "seq %d version %d: %s, for parts %v\n", x.Seq, x.Version, x.String(t.Versions[x.Version]), lacking)
	}
	return b.String(), nil
}
