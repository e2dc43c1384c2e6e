package batch

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// ConformOptions are what Conform must know about a batch in addition to its content. The zero
// value is valid.
type ConformOptions struct {
	// FirstRow is the number, from 0, of the batch's first row within its request. Error messages
	// number rows from 1, starting at the request's first row.
	FirstRow int64
	// Defaults has values for columns that the batch lacks: one value for all rows, or one value
	// for each row. They are converted to the column's type like other values.
	Defaults map[base.ColumnID]arrow.Array
	// AllowNull allows NULLs in NOT NULL columns. It is for stored rows: a row may have been
	// written with NULL before the column became NOT NULL, and then been deleted or got another
	// value.
	AllowNull bool
}

// Conform converts a batch with any columns to a batch of the table: the result has the table's
// columns, in the table's order and storage types. Columns are matched by name, without regard to
// case, as in DuckDB. If the batch lacks a column, the column gets its default, or NULL. If the
// batch has a column that the table does not have, that is an error, unless all its values are
// NULL.
//
// Values are converted if nothing is lost:
//   - between numbers, if the value is exact in the column's type
//   - between timestamps of different units
//   - from text that as a whole is a value of the type
//   - from numbers to text
//
// Two conversions are less strict, because users expect them: a double becomes the nearest FLOAT,
// and a double in a DECIMAL column is converted from its shortest decimal text (19.99 is 19.99).
//
// If a column already has its storage type, it is not copied. Only what would make its values
// unreadable later is checked: UTF-8, the digits of decimals, and dictionary indices.
//
// Errors are base.Invalid, and name table, row, column and value.
func Conform(rec arrow.RecordBatch, table schema.Table, options ConformOptions) (arrow.RecordBatch, error) {
	from, err := matchColumns(rec, table)
	if err != nil {
		return nil, err
	}
	rows := int(rec.NumRows())
	columns := make([]arrow.Array, len(table.Columns))
	defer releaseAll(columns)
	for i, c := range table.Columns {
		c.NotNull = c.NotNull && !options.AllowNull
		if from[i] < 0 {
			if columns[i], err = missingColumn(table, c, options.Defaults[c.ID], rows); err != nil {
				return nil, err
			}
			continue
		}
		converted, f := convert(rec.Column(from[i]), c.Type, true)
		if f == nil && c.NotNull && converted.NullN() > 0 {
			f = &fault{row: firstNull(converted), value: "NULL", why: "in a column that is NOT NULL"}
			converted.Release()
		}
		if f != nil {
			return nil, f.report(table, c, options.FirstRow)
		}
		columns[i] = converted
	}
	return newRecord(table, columns, rows), nil
}

// matchColumns returns, for each column of the table, the index of the batch's column of the same
// name, or -1 if the batch has no such column.
func matchColumns(rec arrow.RecordBatch, table schema.Table) ([]int, error) {
	position := make(map[string]int, len(table.Columns))
	from := make([]int, len(table.Columns))
	for i, c := range table.Columns {
		position[schema.Fold(c.Name)] = i
		from[i] = -1
	}
	for j, f := range rec.Schema().Fields() {
		i, known := position[schema.Fold(f.Name)]
		if !known {
			if allNull(rec.Column(j)) {
				continue
			}
			return nil, base.Errorf(base.Invalid, "table %s has no column %s", table.QualifiedName(), shorten(f.Name))
		}
		if from[i] >= 0 {
			return nil, base.Errorf(base.Invalid, "table %s: column %s occurs twice", table.QualifiedName(), shorten(f.Name))
		}
		from[i] = j
	}
	return from, nil
}

func missingColumn(table schema.Table, c schema.Column, value arrow.Array, rows int) (arrow.Array, error) {
	if value != nil {
		if n := value.Len(); n != 1 && n != rows {
			return nil, base.Errorf(base.Internal, "table %s: column %q: defaults of %d rows for %d", table.QualifiedName(), c.Name, n, rows)
		}
		values, f := convert(value, c.Type, true)
		switch {
		case f != nil:
			return nil, base.Errorf(base.Invalid, "table %s: column %q: default %s: %s", table.QualifiedName(), c.Name, f.value, f.why)
		case values.NullN() > 0 && c.NotNull && rows > 0:
			values.Release()
			return nil, base.Errorf(base.Invalid, "table %s: column %q is NOT NULL, and missing, and its default is NULL", table.QualifiedName(), c.Name)
		case values.Len() == rows:
			return values, nil
		}
		defer values.Release()
		data, err := gather(values.DataType(), []arrow.Array{values}, make([]place, rows))
		if err != nil {
			return nil, base.Wrap(err, "table %s: column %q: default", table.QualifiedName(), c.Name)
		}
		defer data.Release()
		return array.MakeFromData(data), nil
	}
	if c.NotNull && rows > 0 {
		return nil, base.Errorf(base.Invalid, "table %s: column %q is NOT NULL, has no default, and is missing", table.QualifiedName(), c.Name)
	}
	return Nulls(c.Type, rows), nil
}

// fault says which value of an array cannot be converted, and why. If there are several such
// values, it is about the first one.
type fault struct {
	row   int // number of the value's row in the array, from 0
	value string
	why   string
}

func (f *fault) report(table schema.Table, c schema.Column, firstRow int64) *base.Error {
	return base.Errorf(base.Invalid, "table %s: row %d, column %q: %s %s",
		table.QualifiedName(), firstRow+int64(f.row)+1, c.Name, f.value, f.why)
}

// faultAt returns the fault (the reason why a value cannot be converted) for one row of an array.
// The arguments format and args say what is wrong with the value of the row.
func faultAt(a arrow.Array, row int, format string, args ...any) *fault {
	value := "NULL"
	if a.IsValid(row) {
		value = shorten(a.ValueStr(row))
	}
	return &fault{row: row, value: value, why: fmt.Sprintf(format, args...)}
}

// shownBytes is the maximum length in bytes of a value or name that an error message shows. Longer
// ones are shortened.
const shownBytes = 80

func shorten(s string) string {
	if len(s) <= shownBytes {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:shownBytes], len(s))
}

func allNull(a arrow.Array) bool {
	return a.DataType().ID() == arrow.NULL || a.NullN() == a.Len()
}

func firstNull(a arrow.Array) int {
	for i := range a.Len() {
		if a.IsNull(i) {
			return i
		}
	}
	return 0
}

// Nulls returns an array that has only NULLs, in the storage type of t. The argument rows is the
// length of the array. The caller releases the array.
func Nulls(t schema.Type, rows int) arrow.Array {
	dt := t.Arrow()
	ext, ok := dt.(arrow.ExtensionType)
	if !ok {
		return array.MakeArrayOfNull(memory.DefaultAllocator, dt, rows)
	}
	storage := array.MakeArrayOfNull(memory.DefaultAllocator, ext.StorageType(), rows)
	defer storage.Release()
	return retyped(storage, dt)
}

// retyped returns an array that has the buffers of the array a, and the type dt. Both types must
// have the same memory layout.
func retyped(a arrow.Array, dt arrow.DataType) arrow.Array {
	old := a.Data()
	data := array.NewData(dt, old.Len(), old.Buffers(), old.Children(), old.NullN(), old.Offset())
	defer data.Release()
	return array.MakeFromData(data)
}
