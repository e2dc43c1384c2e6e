package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// scriptStatement is a statement that changes rows of a table. It computes its change from a
// snapshot, and then commits it.
type scriptStatement struct {
	engine   *Engine
	snapshot *snapshot.Snapshot
	table    *snapshot.Table
	rows     []scriptRow // the rows to which the statement's condition applies
	change   Change
	rewrite  bool // whether the change rewrites the parts of its rows
}

// begin takes the snapshot of a statement, or uses the held one that from=name names. Then it finds
// the statement's rows.
func (s *script) begin(d *datadriven.TestData) (*scriptStatement, error) {
	held, t, err := s.take(d, "from")
	if err != nil {
		return nil, err
	}
	x := &scriptStatement{engine: s.engine, snapshot: held, table: t, change: Change{Table: t.Schema.ID}, rewrite: d.HasArg("rewrite")}
	all, err := readRows(s.engine, t)
	for _, r := range all {
		matches := false
		if err == nil {
			matches, err = holds(arg(d, "where"), t.Schema, r.cells)
		}
		if matches {
			x.rows = append(x.rows, r)
		}
	}
	if d.HasArg("reads") {
		dependency := ReadDependency{Table: t.Schema.ID}
		for _, name := range values(d, "reads") {
			dependency.Columns = append(dependency.Columns, t.Schema.Columns[t.Schema.ColumnIndex(name)].ID)
		}
		x.change.ReadDependencies = append(x.change.ReadDependencies, dependency)
	}
	if err != nil {
		held.Release()
	}
	return x, err
}

// end ends the statement.
func (x *scriptStatement) end() { x.snapshot.Release() }

// commit commits the statement's change. If the change rewrites parts, the returned sequence number
// is 0.
func (x *scriptStatement) commit() (seq base.Seq, err error) {
	if x.rewrite {
		return 0, x.mutate()
	}
	r, err := x.engine.Commit(ctx, x.snapshot, []Change{x.change}, AppendOptions{})
	return r.Seq, err
}

// done commits the change of an update or deletion, and returns the output of its command. If there
// are no rows to change, it commits nothing.
func (x *scriptStatement) done(verb string) (string, error) {
	out := fmt.Sprintf("%s %d", verb, len(x.rows))
	if len(x.rows) == 0 {
		return out, nil
	}
	seq, err := x.commit()
	if err != nil {
		return "", err
	}
	if seq > 0 {
		out += fmt.Sprintf(" seq %d", seq)
	}
	return out, nil
}

// layers returns the new values that the assignments give to the rows. The first patch of a row
// also needs its values of the columns that pending expression updates set.
func (x *scriptStatement) layers(rows []scriptRow, set []patch.Assignment) (layers []patch.Layer, err error) {
	byRowset := map[base.RowsetID][]scriptRow{}
	for _, r := range rows {
		byRowset[r.address.Rowset] = append(byRowset[r.address.Rowset], r)
	}
	for _, id := range slices.Sorted(maps.Keys(byRowset)) {
		l := patch.Layer{Rowset: id}
		for _, a := range set {
			l.Columns = append(l.Columns, a.Column)
		}
		for _, p := range x.table.Parts {
			if p.ID == id {
				l.Columns = append(l.Columns, x.table.PendingColumns(p)...)
			}
		}
		slices.Sort(l.Columns)
		l.Columns = slices.Compact(l.Columns)
		var columns []schema.Column
		for _, c := range l.Columns {
			columns = append(columns, x.table.Schema.Columns[x.table.Schema.ColumnByID(c)])
		}
		var all []cells
		for _, r := range byRowset[id] {
			next := maps.Clone(r.cells)
			for _, a := range set {
				if next[a.Column], err = evaluate(a.Value, x.table.Schema, r.cells); err != nil {
					return nil, err
				}
			}
			l.Ordinals, all = append(l.Ordinals, uint32(r.address.Ordinal)), append(all, next)
		}
		if l.Values, err = recordOf(columns, all); err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// addKeys adds the primary keys of rows to the keys that the change writes.
func (x *scriptStatement) addKeys(rows []scriptRow) error {
	if len(x.table.Schema.PrimaryKey) == 0 {
		return nil
	}
	var all []cells
	for _, r := range rows {
		all = append(all, r.cells)
	}
	record, err := recordOf(x.table.Schema.Columns, all)
	if err != nil {
		return err
	}
	hashes, err := batch.KeyHashes(keys.Key(x.table.Schema, record))
	for _, h := range hashes {
		x.change.Keys = append(x.change.Keys, h.High)
	}
	return err
}

// bitmapsOf returns the addresses of rows as one bitmap for each rowset.
func bitmapsOf(rows []scriptRow) map[base.RowsetID]*roaring.Bitmap {
	var addresses []base.RowAddress
	for _, r := range rows {
		addresses = append(addresses, r.address)
	}
	return rowsAt(addresses...)
}

// rowsOfBatch returns the rows of a batch, after it was made to conform to a table.
func rowsOfBatch(t schema.Table, record arrow.RecordBatch) (rows []scriptRow, err error) {
	record, err = batch.Conform(record, t, batch.ConformOptions{})
	if err != nil {
		return nil, err
	}
	return rowset{written: t}.read(&snapshot.Table{Schema: t}, record, 0)
}

// keyOfRow returns the primary key of a row as text.
func keyOfRow(t schema.Table, r scriptRow) string {
	var key []string
	for _, id := range t.PrimaryKey {
		key = append(key, r.cells[id])
	}
	return strings.Join(key, ",")
}
