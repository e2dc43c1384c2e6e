package incoming

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// columnSets has the rows of a request in which some rows lack columns that other rows have. The
// rows are grouped into sets. All rows of a set have the same columns.
//
// If two rows have the same key, the later row is in the same set as the earlier row or in a later
// set. The rows of one key are combined into one row if the table has no versions and no deletion
// column, and all rows have all columns of the key.
type columnSets struct {
	rows     engine.TableRows
	all      arrow.RecordBatch
	optional []int // indexes of the columns that some rows lack
	// first[i] is the number in the request of the i-th row of the field all. If that row combines
	// several rows of one key, first[i] is the number of the first of them. If no rows were
	// combined, the slice first is nil.
	first []uint32
	Sets  []*columnSet
}

// columnSet is a group of rows that have the same columns.
type columnSet struct {
	// has says which columns the rows of this set have. It has one byte for each column in
	// columnSets.optional: 1 if the rows have the column.
	has  string
	rows []uint32
}

func (s *columnSets) Release() { s.all.Release() }

// Numbers returns the numbers that the rows of a set have in the request.
func (s *columnSets) Numbers(set *columnSet) []int32 {
	numbers := make([]int32, len(set.rows))
	for i, row := range set.rows {
		if s.first != nil {
			row = s.first[row]
		}
		numbers[i] = int32(row)
	}
	return numbers
}

// SetsOf groups the rows of a request by the columns that they have. The argument columns has the
// case-folded names of the columns that some rows lack, as MissingColumns returns them.
func SetsOf(t schema.Table, rows engine.TableRows, columns map[string]bool) (_ *columnSets, err error) {
	s := &columnSets{rows: rows}
	if s.all, err = batch.Concat(rows.Batches); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Release()
		}
	}()
	for i, f := range s.all.Schema().Fields() {
		if columns[schema.Fold(f.Name)] {
			s.optional = append(s.optional, i)
		}
	}
	key, err := keyHashes(t, s.all, columns)
	if err != nil {
		return nil, err
	}
	// If a table has versions or deletions, rows must not be combined: a row may be dropped because
	// of its version, or may undo the rows before it. If rows lack key columns, their keys are not
	// known yet.
	if t.RowVersion == 0 && t.IsDeleted == 0 && hasWholeKey(t, rows, columns) {
		folded, keys, first, err := combineByKey(s.all, key, s.optional)
		if err != nil {
			return nil, err
		}
		if folded != s.all {
			s.all.Release()
		}
		s.all, key, s.first = folded, keys, first
	}
	at := map[string][]int{}        // set indexes, by the columns that the rows have
	last := map[batch.KeyHash]int{} // for each key, the set of its last row
	has := make([]byte, len(s.optional))
	for row := range int(s.all.NumRows()) {
		for i, column := range s.optional {
			has[i] = 0
			if s.all.Column(column).IsValid(row) {
				has[i] = 1
			}
		}
		from := last[key[row]]
		i := slices.IndexFunc(at[string(has)], func(i int) bool { return i >= from })
		if i >= 0 {
			i = at[string(has)][i]
		} else {
			i = len(s.Sets)
			s.Sets = append(s.Sets, &columnSet{has: string(has)})
			at[string(has)] = append(at[string(has)], i)
		}
		s.Sets[i].rows, last[key[row]] = append(s.Sets[i].rows, uint32(row)), i
	}
	return s, nil
}

// Pieces returns the rows of each set in an element of its own, with only the columns that these
// rows have. The caller must call the returned function release, even after an error.
func (s *columnSets) Pieces() (pieces []engine.TableRows, release func(), err error) {
	var taken []arrow.RecordBatch
	release = func() { batch.ReleaseAll(taken) }
	for _, set := range s.Sets {
		rec, err := batch.Take([]arrow.RecordBatch{s.all}, set.rows)
		if err != nil {
			return nil, release, err
		}
		taken = append(taken, rec)
		var fields []arrow.Field
		var columns []arrow.Array
		for i, f := range rec.Schema().Fields() {
			if n := slices.Index(s.optional, i); n < 0 || set.has[n] == 1 {
				said := f.Metadata.ToMap()
				delete(said, schema.LackingKey)
				f.Metadata = arrow.MetadataFrom(said)
				fields, columns = append(fields, f), append(columns, rec.Column(i))
			}
		}
		piece := s.rows
		piece.Batches = []arrow.RecordBatch{array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())}
		taken = append(taken, piece.Batches[0])
		pieces = append(pieces, piece)
	}
	return pieces, release, nil
}

// combineByKey combines all rows of one key into one row, which has the last value of each column.
// The argument some has the indexes of the columns that rows may lack. In such a column, the
// combined row has the last value of a row that has the column. The argument key has the key of
// each row.
//
// combineByKey returns the combined rows, their keys, and for each of them the number of the first
// row with its key.
func combineByKey(all arrow.RecordBatch, key []batch.KeyHash, some []int) (arrow.RecordBatch, []batch.KeyHash, []uint32, error) {
	numbers, keys := map[batch.KeyHash]int{}, []batch.KeyHash{}
	of := make([]int, len(key)) // of[i] is the number of the key of row i
	var first []uint32
	for row, k := range key {
		n, known := numbers[k]
		if !known {
			n = len(keys)
			numbers[k], keys, first = n, append(keys, k), append(first, uint32(row))
		}
		of[row] = n
	}
	if len(keys) == len(key) {
		return all, key, nil, nil
	}
	columns := make([]arrow.Array, all.NumCols()) // the arrays are on Go's heap and need no release
	for i, c := range all.Columns() {
		last := slices.Clone(first)
		lacks := slices.Contains(some, i)
		for row, n := range of {
			if !lacks || c.IsValid(row) {
				last[n] = uint32(row)
			}
		}
		var err error
		if columns[i], err = batch.TakeValues(c, last); err != nil {
			return nil, nil, nil, err
		}
	}
	return array.NewRecordBatch(all.Schema(), columns, int64(len(keys))), keys, first, nil
}

// keyHashes returns a hash of the primary key of each row. Key columns that some rows lack are not
// hashed. columns are the names of all columns that some rows lack. Rows with the same key have the
// same hash.
func keyHashes(t schema.Table, rec arrow.RecordBatch, columns map[string]bool) ([]batch.KeyHash, error) {
	sub := t
	if sub.Columns = keyColumnsOf(t, engine.TableRows{Batches: []arrow.RecordBatch{rec}}, columns); len(sub.Columns) == 0 {
		return make([]batch.KeyHash, rec.NumRows()), nil
	}
	conformed, err := batch.Conform(SelectColumns(rec, sub.Columns), sub, batch.ConformOptions{})
	if err != nil {
		return nil, err
	}
	defer conformed.Release()
	return batch.KeyHashes(conformed.Columns())
}
