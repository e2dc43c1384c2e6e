package write

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
)

// This file completes patches in tables with stored expressions (UPDATEs that are stored as SQL and
// applied when rows are read). The first patch of a row must have values for all pending columns:
// the columns with a stored expression that no merge has applied yet. For an UPDATE, its query
// yields these values (dml.Plan.ChooseColumns). For rows that an index finds by key, this file
// reads them. If a pending column decides where a row is stored, the row is deleted and inserted
// again.

// filledTable is the table name under which the query of withCurrentValues reads the rows.
const filledTable = "scoter.filled"

// patchesWithPending makes patches with new values for some rows. Each patch also has the values
// that the row has now in the columns that expression updates set (UPDATEs that are stored as SQL
// and applied when rows are read). The argument given has the new values, and rows has the numbers
// of its rows, in the order of their addresses.
func (m *Writer) patchesWithPending(ctx context.Context, t *snapshot.Table, given newValues, rows []uint32, addresses []base.RowAddress) ([]patch.Layer, error) {
	var columns []schema.Column
	for _, id := range t.PendingColumns(nil) {
		if !given.columnsSet[id] {
			columns = append(columns, t.Schema.Columns[t.Schema.ColumnByID(id)])
		}
	}
	values, err := m.withCurrentValues(ctx, t, given, columns, rows, addresses)
	if err != nil {
		return nil, err
	}
	defer values.values[0].Release()
	order := make([]uint32, len(rows))
	for i := range order {
		order[i] = uint32(i)
	}
	return values.patches(order, func(i uint32) base.RowAddress { return addresses[rows[i]] })
}

// moveRows adds a deletion and an insertion to the change for each incoming row that cannot get a
// patch. It takes the rows to update (the argument updated), and returns those that can get a
// patch.
//
// A row with only some columns cannot get a patch if the part of the existing row lacks the results
// of an expression update (an UPDATE that is stored as SQL) that sets a key column. That happens if
// the table was sorted or partitioned by the column after the part was written.
func (m *Writer) moveRows(ctx context.Context, t *snapshot.Table, a *incoming.Rows, change *engine.Change, updated []uint32, addresses []base.RowAddress) (others []uint32, err error) {
	moves := map[base.RowsetID]bool{}
	if len(t.Expressions) > 0 {
		for _, p := range t.Parts {
			moves[p.ID] = slices.ContainsFunc(t.PendingColumns(p), t.Schema.InKey)
		}
	}
	var moved []uint32
	for _, i := range updated {
		if !moves[addresses[i].Rowset] {
			others = append(others, i)
			continue
		}
		moved = append(moved, i)
		addRow(change.Deleted, addresses[i])
		change.Keys = append(change.Keys, a.Hashes[i].High)
	}
	if len(moved) == 0 {
		return others, nil
	}
	given := newValuesOf(a)
	left := slices.DeleteFunc(slices.Clone(t.Schema.Columns), func(c schema.Column) bool { return given.columnsSet[c.ID] })
	values, err := m.withCurrentValues(ctx, t, given, left, moved, addresses)
	if err != nil {
		return nil, err
	}
	defer values.values[0].Release()
	order := make([]int, len(t.Schema.Columns))
	for i, c := range values.columns {
		order[t.Schema.ColumnByID(c.ID)] = i
	}
	change.Inserted = append(change.Inserted, incoming.Project(values.values[0], order))
	return others, nil
}

// newValuesOf returns the values that the incoming rows set in existing rows. They do not include
// the columns of the key, which are the same in both.
func newValuesOf(a *incoming.Rows) newValues {
	set := map[base.ColumnID]bool{}
	for _, c := range a.Assigned {
		set[c.ID] = !slices.Contains(a.Table.PrimaryKey, c.ID)
	}
	return newValues{table: a.Table, columns: a.Table.Columns, columnsSet: set, values: []arrow.RecordBatch{a.Rows}}
}

// withCurrentValues returns the new values of some rows of parts, joined with the values that the
// rows have now in other columns. The result is one batch in the order of rows.
func (m *Writer) withCurrentValues(ctx context.Context, t *snapshot.Table, given newValues, columns []schema.Column, rows []uint32, addresses []base.RowAddress) (newValues, error) {
	only, err := onlyRows(t, rows, addresses)
	if err != nil {
		return newValues{}, err
	}
	sql := "SELECT " + schema.RowsetColumn + ", " + schema.OrdinalColumn
	for _, c := range columns {
		sql += ", " + statement.StoredExpression(c)
	}
	sql += " FROM "
	found, err := m.Planner.Find(ctx, sqlquery.Request{SQL: sql + filledTable, Database: t.Schema.Database, Target: len(sql), Transient: &sqlquery.Transient{Name: filledTable, Table: only}})
	if err != nil {
		return newValues{}, err
	}
	defer found.Close()
	present := newCurrentValues(columns)
	defer present.release()
	if err := sqlquery.Each(ctx, found, present.add); err != nil {
		return newValues{}, err
	}
	return present.combine(given, rows, addresses)
}

// currentValues has the values that some rows of a table have in a snapshot, in some columns.
type currentValues struct {
	columns []schema.Column
	values  []arrow.RecordBatch // batches with the columns in storage types
	rows    map[base.RowAddress]uint32
}

func newCurrentValues(columns []schema.Column) *currentValues {
	return &currentValues{columns: columns, rows: map[base.RowAddress]uint32{}}
}

func (p *currentValues) release() {
	for _, rec := range p.values {
		rec.Release()
	}
}

// add reads one batch of a query's result. The batch has the addresses of rows, and the values that
// the rows have now.
func (p *currentValues) add(rec arrow.RecordBatch) error {
	rowsets, ordinals := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
	for i := range int(rec.NumRows()) {
		p.rows[base.RowAddress{Rowset: base.RowsetID(rowsets.Value(i)), Ordinal: base.RowOrdinal(ordinals.Value(i))}] = uint32(len(p.rows))
	}
	fields, arrays := make([]arrow.Field, len(p.columns)), make([]arrow.Array, len(p.columns))
	for i, c := range p.columns {
		converted, err := batch.Convert(rec.Column(2+i), c.Type)
		if err != nil {
			return err
		}
		defer converted.Release()
		fields[i], arrays[i] = c.Arrow(), converted
	}
	p.values = append(p.values, array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, rec.NumRows()))
	return nil
}

// combine joins the new values of some rows with the values that they have now. Both become columns
// of one batch, in the order of rows.
func (p *currentValues) combine(given newValues, rows []uint32, addresses []base.RowAddress) (newValues, error) {
	order := make([]uint32, len(rows))
	for i, row := range rows {
		at, ok := p.rows[addresses[row]]
		if !ok {
			return newValues{}, base.Errorf(base.Internal, "row %d of rowset %d does not exist", addresses[row].Ordinal, addresses[row].Rowset)
		}
		order[i] = at
	}
	now, err := batch.Take(p.values, order)
	if err != nil {
		return newValues{}, err
	}
	defer now.Release()
	come, err := batch.Take(given.values, rows)
	if err != nil {
		return newValues{}, err
	}
	defer come.Release()
	both := newValues{table: given.table, columns: slices.Clone(p.columns), columnsSet: map[base.ColumnID]bool{}}
	fields, arrays := slices.Clone(now.Schema().Fields()), slices.Clone(now.Columns())
	for i, c := range given.columns {
		if given.columnsSet[c.ID] {
			both.columns = append(both.columns, c)
			fields, arrays = append(fields, come.Schema().Field(i)), append(arrays, come.Column(i))
		}
	}
	for _, c := range both.columns {
		both.columnsSet[c.ID] = true
	}
	both.values = []arrow.RecordBatch{array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(len(rows)))}
	return both, nil
}

// onlyRows returns a copy of a snapshot's table in which all rows are hidden except the given rows.
// These must be in parts.
func onlyRows(t *snapshot.Table, rows []uint32, addresses []base.RowAddress) (*snapshot.Table, error) {
	wanted := map[base.RowsetID]*roaring.Bitmap{}
	for _, i := range rows {
		addRow(wanted, addresses[i])
	}
	only, hidden := *t, map[base.RowsetID]*roaring.Bitmap{}
	only.Memtables = nil
	only.Parts = slices.DeleteFunc(slices.Clone(t.Parts), func(p *catalog.Part) bool { return wanted[p.ID] == nil })
	for _, p := range only.Parts {
		hidden[p.ID] = roaring.Flip(wanted[p.ID], 0, uint64(p.Rows))
	}
	var err error
	only.Patches, err = withDeletions(t.Patches, hidden)
	return &only, err
}
