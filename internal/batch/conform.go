package batch

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// ConformOptions says what a batch does not say itself. The zero value is valid.
type ConformOptions struct {
	// FirstRow is the number, from 0, of the batch's first row within its request. Errors
	// count rows from 1 and from there.
	FirstRow int64
	// Defaults holds values for columns that the batch may lack: one for all its rows, or one for each. They are
	// converted to the column's type like values.
	Defaults map[base.ColumnID]arrow.Array
	// AllowNull leaves NULLs in columns that are NOT NULL: stored rows have them from before, where they were deleted or changed since.
	AllowNull bool
}

// Conform returns the batch as a batch of the table: columns in the table's order, found
// by name as DuckDB compares names, in storage types. A column that the batch lacks is its default or NULL.
// A column that the table lacks is an error unless all its values are NULL.
//
// Values are converted if nothing is lost: between numbers if the value is exact in the column's type, between
// timestamps of different units, from text that is fully a value of the type, from numbers to text. Two things are
// taken less literally, because nobody means them so: a double becomes the nearest FLOAT, and its
// shortest decimal text stands for it where a DECIMAL is wanted (19.99 is 19.99). Columns that have their
// storage type already are not copied, but looked through where a value could still be unreadable later (UTF-8,
// digits of decimals, dictionary indices).
//
// Errors are Invalid and name table, row, column and value.
func Conform(rec arrow.RecordBatch, table schema.Table, options ConformOptions) (arrow.RecordBatch, error) {
	source, err := matchColumns(rec, table)
	if err != nil {
		return nil, err
	}
	rows := int(rec.NumRows())
	columns := make([]arrow.Array, len(table.Columns))
	defer releaseAll(columns)
	for i, c := range table.Columns {
		c.NotNull = c.NotNull && !options.AllowNull
		if source[i] < 0 {
			if columns[i], err = missingColumn(table, c, options.Defaults[c.ID], rows); err != nil {
				return nil, err
			}
			continue
		}
		converted, f := convert(rec.Column(source[i]), c.Type, true)
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

// matchColumns returns, per column of the table, the batch's column of its name or -1.
func matchColumns(rec arrow.RecordBatch, table schema.Table) ([]int, error) {
	position := make(map[string]int, len(table.Columns))
	source := make([]int, len(table.Columns))
	for i, c := range table.Columns {
		position[schema.Fold(c.Name)] = i
		source[i] = -1
	}
	for j, f := range rec.Schema().Fields() {
		i, known := position[schema.Fold(f.Name)]
		if !known {
			if allNull(rec.Column(j)) {
				continue
			}
			return nil, base.Errorf(base.Invalid, "table %s has no column %s", table.QualifiedName(), shorten(f.Name))
		}
		if source[i] >= 0 {
			return nil, base.Errorf(base.Invalid, "table %s: column %s comes twice", table.QualifiedName(), shorten(f.Name))
		}
		source[i] = j
	}
	return source, nil
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

// fault is the first value of a column that cannot be converted.
type fault struct {
	row   int // within the array
	value string
	why   string
}

func (f *fault) report(table schema.Table, c schema.Column, firstRow int64) *base.Error {
	return base.Errorf(base.Invalid, "table %s: row %d, column %q: %s %s",
		table.QualifiedName(), firstRow+int64(f.row)+1, c.Name, f.value, f.why)
}

// faultAt describes the value in a row of a source array.
func faultAt(a arrow.Array, row int, format string, args ...any) *fault {
	value := "NULL"
	if a.IsValid(row) {
		value = shorten(a.ValueStr(row))
	}
	return &fault{row: row, value: value, why: fmt.Sprintf(format, args...)}
}

// shownBytes is how much of a value or name an error repeats.
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

// Nulls returns an array of NULLs of a type, in its storage type. The caller releases it.
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

// retyped returns the same buffers under another type of the same layout.
func retyped(a arrow.Array, dt arrow.DataType) arrow.Array {
	old := a.Data()
	data := array.NewData(dt, old.Len(), old.Buffers(), old.Children(), old.NullN(), old.Offset())
	defer data.Release()
	return array.MakeFromData(data)
}
