package write

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

func compareAddresses(a, b base.RowAddress) int {
	if c := cmp.Compare(a.Rowset, b.Rowset); c != 0 {
		return c
	}
	return cmp.Compare(a.Ordinal, b.Ordinal)
}

// addRow adds a row to the bitmap of its rowset.
func addRow(to map[base.RowsetID]*roaring.Bitmap, row base.RowAddress) {
	if to[row.Rowset] == nil {
		to[row.Rowset] = roaring.New()
	}
	to[row.Rowset].Add(uint32(row.Ordinal))
}

// mergeRows adds the row numbers of one map of bitmaps to the other one (to). Each bitmap has rows
// of one rowset, and the keys of both maps are ids of rowsets.
func mergeRows(to, rows map[base.RowsetID]*roaring.Bitmap) {
	for rowset, more := range rows {
		if to[rowset] == nil {
			to[rowset] = roaring.New()
		}
		to[rowset].Or(more)
	}
}

// newValues has new values of columns for rows of a table, such as those that an UPDATE computed.
type newValues struct {
	table      schema.Table
	columns    []schema.Column // the columns that the batches in values have
	values     []arrow.RecordBatch
	columnsSet map[base.ColumnID]bool // the columns to change, a subset of the field columns
}

// patches makes patches for some rows of v: one patch (patch.Layer) for each rowset. The argument
// rows has numbers of rows in v.values. The function address gives the address of each row; these
// addresses must ascend.
func (v *newValues) patches(rows []uint32, address func(row uint32) base.RowAddress) ([]patch.Layer, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var columns []int // indexes into v.columns, by ascending column id
	for i, c := range v.columns {
		if v.columnsSet[c.ID] {
			columns = append(columns, i)
		}
	}
	slices.SortFunc(columns, func(a, b int) int { return cmp.Compare(v.columns[a].ID, v.columns[b].ID) })
	if len(columns) == 0 {
		return nil, nil
	}
	ids := make([]base.ColumnID, len(columns))
	for i, at := range columns {
		ids[i] = v.columns[at].ID
	}
	projected := make([]arrow.RecordBatch, len(v.values))
	for i, rec := range v.values {
		projected[i] = incoming.Project(rec, columns)
		defer projected[i].Release()
	}
	var out []patch.Layer
	for from := 0; from < len(rows); {
		to, rowset := from, address(rows[from]).Rowset
		for to < len(rows) && address(rows[to]).Rowset == rowset {
			to++
		}
		taken, err := batch.Gather(projected, rows[from:to])
		if err != nil {
			return nil, err
		}
		// Batches that arrive over HTTP may have dictionary arrays; patches must not.
		values, err := batch.Plain(taken)
		taken.Release()
		if err != nil {
			return nil, err
		}
		ordinals := make([]uint32, to-from)
		for i, row := range rows[from:to] {
			ordinals[i] = uint32(address(row).Ordinal)
		}
		out = append(out, patch.Layer{Rowset: rowset, Version: v.table.Version, Columns: ids, Ordinals: ordinals, Values: values})
		from = to
	}
	return out, nil
}
