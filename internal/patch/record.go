package patch

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// ordinalColumn is the id, and ordinalName the name, of the column that has the row numbers in a
// stored layer (new values of rows). The id is greater than the ids of all columns of tables.
const (
	ordinalColumn = base.ColumnID(1<<31 - 1)
	ordinalName   = "scoter_ordinal"
)

// Table returns the schema in which layers (new values of rows) are stored. It is the schema of a
// table that has the row numbers in its first column, and then the new values of the given columns.
// t is the schema version that gives the types of the values.
func Table(t schema.Table, columns []base.ColumnID) (schema.Table, error) {
	stored := schema.Table{ID: t.ID, Database: t.Database, Schema: t.Schema, Name: t.Name, Version: t.Version}
	ordinal := schema.Column{ID: ordinalColumn, Name: ordinalName, Type: schema.Of(schema.UInteger), NotNull: true}
	for _, id := range columns {
		i := t.ColumnByID(id)
		if i < 0 {
			return schema.Table{}, base.Errorf(base.Corrupt, "patch of column %d, which version %d of table %s does not have", id, t.Version, t.QualifiedName())
		}
		c := t.Columns[i]
		c.NotNull = false
		stored.Columns = append(stored.Columns, c)
	}
	for stored.ColumnIndex(ordinal.Name) >= 0 {
		ordinal.Name += "_"
	}
	stored.Columns = slices.Insert(stored.Columns, 0, ordinal)
	return stored, nil
}

// Record returns the layer as a batch. The batch conforms to the schema in the argument stored,
// which the function Table returned.
func (l Layer) Record(stored schema.Table) arrow.RecordBatch {
	b := array.NewUint32Builder(memory.DefaultAllocator)
	b.AppendValues(l.Ordinals, nil)
	return array.NewRecordBatch(stored.Arrow(), append([]arrow.Array{b.NewArray()}, l.Values.Columns()...), int64(len(l.Ordinals)))
}

// FromRecords returns the layer that was stored in the given batches, which Record has made. It
// does not retain the batches.
func FromRecords(rowset base.RowsetID, seq base.Seq, stored schema.Table, records []arrow.RecordBatch) (Layer, error) {
	l := Layer{Rowset: rowset, Seq: seq, Version: stored.Version}
	whole, err := batch.Concat(records)
	if err != nil {
		return l, err
	}
	defer whole.Release()
	own, err := batch.Copy(whole)
	if err != nil {
		return l, err
	}
	want := stored.Arrow()
	if own.NumCols() != int64(want.NumFields()) {
		return l, base.Errorf(base.Corrupt, "patch of %d columns, expected %d", own.NumCols(), want.NumFields())
	}
	for i, f := range want.Fields() {
		if !arrow.TypeEqual(own.Column(i).DataType(), f.Type) {
			return l, base.Errorf(base.Corrupt, "patch: column %q is %s, expected %s", f.Name, own.Column(i).DataType(), f.Type)
		}
	}
	l.Ordinals = own.Column(0).(*array.Uint32).Uint32Values()
	var fields []arrow.Field
	for i, c := range stored.Columns[1:] {
		l.Columns = append(l.Columns, c.ID)
		fields = append(fields, fieldOf(c.ID, own.Column(i+1).DataType()))
	}
	l.Values = newRecord(fields, own.Columns()[1:])
	if err := l.Check(); err != nil {
		return l, base.Errorf(base.Corrupt, "%w", err)
	}
	return l, nil
}
