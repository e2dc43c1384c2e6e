package incoming

import (
	"maps"
	"slices"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// If a row of a table with a primary key lacks columns, the existing row keeps its values of them.
// So rows with different columns make different changes. This file splits the rows of a request
// into pieces. All rows of a piece have the same columns.
//
// The pieces are one edit if no piece affects the result of another, and if there are at most
// MaxPieces. Otherwise it depends on the format:
//   - The points of a line protocol request, which may have any fields, are written one piece after
//     the other (write.Writer.Pieces).
//   - Rows of other formats are refused, and the client has to send them in different requests.

// MaxPieces is the maximum number of pieces (groups of rows with the same columns) of a request in
// one edit. Each piece needs its own look-up of keys and its own patches.
const MaxPieces = 256

// MissingColumns returns the columns that some rows of a request lack, by their case-folded names.
// In the batch these rows have NULL there. Columns that the table does not have yet are included,
// so that the result does not depend on whether the table has them.
//
// MissingColumns returns an error if a column that some rows lack is part of the primary key, or if
// another row has NULL as its value of such a column.
func MissingColumns(t schema.Table, rows engine.TableRows) (map[string]bool, error) {
	out := map[string]bool{}
	if rows.WholeRows {
		return out, nil
	}
	nulls, left := map[string]int{}, map[string]int{}
	for _, rec := range rows.Batches {
		for i, f := range rec.Schema().Fields() {
			nulls[f.Name] += rec.Column(i).NullN()
			if count, marked := f.Metadata.GetValue(schema.LackingKey); marked {
				n, err := strconv.Atoi(count)
				if err != nil {
					return nil, base.Errorf(base.Internal, "column %q: %w", f.Name, err)
				}
				left[f.Name] += n
			}
		}
	}
	if rows.NullMeansMissing {
		left = nulls
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		at := t.ColumnIndex(name)
		inKey := at >= 0 && slices.Contains(t.PrimaryKey, t.Columns[at].ID)
		switch {
		case left[name] == 0:
		case left[name] == nulls[name] && (rows.NullMeansMissing || !inKey):
			out[schema.Fold(name)] = true
		default:
			return nil, errMissingColumns(name)
		}
	}
	return out, nil
}

const MissingColumnsHint = "send rows with different columns in separate requests, or send null for a value that is to be NULL"

func errMissingColumns(column string) error {
	return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: a row without the column would keep the stored value of its key", column).WithHint(MissingColumnsHint)
}

// CheckSameColumns returns an error if some rows of a request lack columns that other rows have.
func CheckSameColumns(rows engine.TableRows, t schema.Table) error {
	columns, err := MissingColumns(t, rows)
	if err != nil || len(columns) == 0 {
		return err
	}
	return errMissingColumns(slices.Min(slices.Collect(maps.Keys(columns))))
}

// FitOneEdit reports whether the pieces of a request (groups of rows with the same columns) can be
// one edit. They cannot if a piece might need the result of another piece, a query over existing
// rows, or parts of its own. FitOneEdit assumes that existing rows are found by the table's primary
// key. The argument columns has the columns that some rows lack.
func FitOneEdit(t schema.Table, rows engine.TableRows, columns map[string]bool, chunk int64) bool {
	return hasWholeKey(t, rows, columns) && t.RowVersion == 0 && t.IsDeleted == 0 && t.Condition() == "" && !ChangesPlacement(t, GivenBy(rows, t)) && batch.TotalBytes(rows.Batches) <= chunk
}

// hasWholeKey reports whether all rows have all columns of the primary key. If not, the missing key
// columns get defaults. Then rows that look equal may have different keys, and rows that look
// different may have the same key. columns are the columns that some rows lack.
func hasWholeKey(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return len(keyColumnsOf(t, rows, columns)) == len(t.PrimaryKey)
}

// keyColumnsOf returns the columns of the primary key, except those that some rows of the request
// lack. columns has the names of all columns that some rows lack.
func keyColumnsOf(t schema.Table, rows engine.TableRows, columns map[string]bool) []schema.Column {
	return slices.DeleteFunc(GivenBy(rows, t), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) || columns[schema.Fold(c.Name)]
	})
}
