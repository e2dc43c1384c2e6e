package overlay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// byPending divides each group of parts by the number of expression updates (UPDATEs that are
// stored as SQL) that a part lacks. If a part lacks n of them, these are always the last n of the
// table. So the number is enough to know which ones a part lacks.
func (b *builder) byPending(groups [][]*catalog.Part) [][]*catalog.Part {
	if len(b.table.Expressions) == 0 {
		return groups
	}
	var out [][]*catalog.Part
	for _, group := range groups {
		for n := range len(b.table.Expressions) + 1 {
			some := slices.DeleteFunc(slices.Clone(group), func(p *catalog.Part) bool { return len(b.table.Pending(p)) != n })
			if len(some) > 0 {
				out = append(out, some)
			}
		}
	}
	return out
}

// addPending adds a branch (one SELECT of a UNION ALL) to the relation, for parts that lack some
// expression updates (UPDATEs that are stored as SQL). The argument pending has the updates that
// the parts lack. The branch is a query of the scan, nested in one query for each of these updates.
// The argument from is the SQL of the scan, beginning with FROM. Columns that no expression update
// sets stay plain columns in all of these queries, so that filters on them are pushed down to the
// scan.
func (b *builder) addPending(pending []*patch.Expression, written schema.Table, from, condition string) error {
	at := written
	var more []string
	if b.options.Addresses {
		more = []string{schema.RowsetColumn, schema.OrdinalColumn}
	}
	columns := b.address("", "")
	if condition != "" {
		from += " WHERE " + condition
	}
	// The closure named in returns a query over the SQL text in the variable from. The query's
	// columns are those of the schema version to. The closure also sets the variable at to that
	// version.
	in := func(to schema.Table) string {
		sql := "SELECT " + projection(to, at) + columns + from
		at = to
		return sql
	}
	for _, x := range pending {
		to, ok := b.table.Versions[x.Version]
		if !ok {
			return base.Errorf(base.Internal, "expression %d has unknown schema version %d", x.Seq, x.Version)
		}
		from = " FROM (" + x.Over(to, in(to), more...) + ")"
	}
	b.branches = append(b.branches, in(b.table.Schema))
	return nil
}

// Evaluate applies an expression update (an UPDATE that is stored as SQL) to a batch of a table's
// rows, and returns the new rows. The argument exempt has the ascending numbers of rows that stay
// unchanged. The batch must have the schema version of the expression update, and storage types.
// Texts may be dictionary-encoded. The caller releases the result.
func (o *Overlay) Evaluate(table schema.Table, x *patch.Expression, rec arrow.RecordBatch, exempt []uint32) (arrow.RecordBatch, error) {
	if int64(len(exempt)) == rec.NumRows() {
		rec.Retain()
		return rec, nil
	}
	view := memtable.View{Rowset: 1, Schema: table, Batches: []memtable.Batch{{Record: rec}}, Rows: rec.NumRows()}
	s, err := newScan(table, []memtable.View{view}, func(base.RowsetID) []uint32 { return exempt }, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rows := fmt.Sprintf("SELECT %s, "+schema.OrdinalColumn+" FROM %s(%d)", projection(table, table), scanFunction, s.id)
	var set []schema.Column
	values := []string{schema.OrdinalColumn}
	for _, id := range x.Columns() {
		c := table.Columns[table.ColumnByID(id)]
		set = append(set, c)
		values = append(values, "CAST("+schema.Quote(c.Name)+" AS "+c.Type.StorageSQL()+")")
	}
	made, err := o.read(context.Background(), "SELECT "+strings.Join(values, ", ")+" FROM ("+x.Over(table, rows, schema.OrdinalColumn)+") ORDER BY "+schema.OrdinalColumn)
	if err != nil {
		return nil, err
	}
	if want := rec.NumRows() - int64(len(exempt)); made.NumRows() != want {
		return nil, base.Errorf(base.Internal, "expression %d of table %s: %d rows instead of %d", x.Seq, table.QualifiedName(), made.NumRows(), want)
	}
	newer, err := inStorage(set, made.Columns()[1:])
	if err != nil {
		return nil, err
	}
	at := make([]uint32, made.NumRows())
	for i, ordinal := range made.Column(0).(*array.Int64).Int64Values() {
		at[i] = uint32(ordinal)
	}
	columns := slices.Clone(rec.Columns())
	for i, c := range set {
		k := table.ColumnByID(c.ID)
		if columns[k], err = batch.Overlay(columns[k], at, newer[i], 0); err != nil {
			return nil, base.Wrap(err, "column %q", c.Name)
		}
		defer columns[k].Release()
	}
	return array.NewRecordBatch(rec.Schema(), columns, rec.NumRows()), nil
}
