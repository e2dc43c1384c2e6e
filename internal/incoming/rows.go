package incoming

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
)

// Policy says what happens to an incoming row if its key exists already, and if it does
// not.
type Policy uint8

const (
	ReplaceRow Policy = iota // set the row's columns in the existing row, or insert the row
	SkipRow                  // insert the row, or leave it out if the key exists
	// UpdateOnConflict: set the row's columns in the existing row; leave the row out if there is no
	// existing row.
	UpdateOnConflict
	DeleteOnConflict // delete the existing row
	RefuseRow        // fail if the key exists, or occurs twice in the request
)

// Rows are incoming rows for a table with a primary key, all with the same columns.
type Rows struct {
	Table          schema.Table      // the table with only the columns that the rows have
	Rows           arrow.RecordBatch // the rows, conformed to the table; no two have the same key
	Assigned       []schema.Column   // the columns that the rows set in existing rows
	Hashes         []batch.KeyHash
	MissingNotNull string // the name of a NOT NULL column without a value, or empty; see Bulk
	RowVersions
}

func (a *Rows) Release() { a.Rows.Release() }

// ReleaseAll releases all of the rows.
func ReleaseAll(all []*Rows) {
	for _, a := range all {
		a.Release()
	}
}

// New turns batches that conform to the table into incoming rows. There must be at least
// one batch. The argument SentColumns has the columns that the sender gave. The argument given has
// the columns to set in existing rows.
//
// If several rows have the same key, New retains only the row with the highest version. If
// their versions are equal it retains the last one, or with SkipRow the first one. With RefuseRow,
// two rows of one key are an error.
func New(t schema.Table, batches []arrow.RecordBatch, sentColumns, given []schema.Column, c Policy) (*Rows, error) {
	all, err := batch.Concat(batches)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	versions, err := RowVersionsOf(t, all, sentColumns)
	if err != nil {
		return nil, err
	}
	return newAs(t, all, versions, given, c)
}

// newAs turns one batch into incoming rows, as New does. The argument own has the
// versions and deletion marks of these rows.
func newAs(t schema.Table, all arrow.RecordBatch, own RowVersions, given []schema.Column, c Policy) (*Rows, error) {
	hashes, err := batch.KeyHashes(keys.Key(t, all))
	if err != nil {
		return nil, err
	}
	a := &Rows{Table: t, Assigned: given, Hashes: hashes, RowVersions: own}
	at := make(map[batch.KeyHash]uint32, len(hashes))
	for i, h := range hashes {
		other, there := at[h]
		if there && c == RefuseRow {
			return nil, RefusedKey(t, keys.Key(t, all), i)
		}
		if !there || a.replaces(uint32(i), other, c) {
			at[h] = uint32(i)
		}
		if a.unversionedDeletes != nil {
			a.keyDeleted[at[h]] = a.unversionedDeletes[i] || there && a.keyDeleted[other]
		}
	}
	if len(at) == len(hashes) {
		all.Retain()
		a.Rows = all
		return a, nil
	}
	var order []uint32
	a.Hashes = nil
	for i, h := range hashes {
		if at[h] == uint32(i) {
			order = append(order, uint32(i))
			a.Hashes = append(a.Hashes, h)
		}
	}
	a.RowVersions = a.take(order)
	a.Rows, err = batch.Take([]arrow.RecordBatch{all}, order)
	return a, err
}
