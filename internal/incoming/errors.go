package incoming

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// DuplicateKey returns the error for a row that has the same key as another row. columns are the
// columns of the key.
func DuplicateKey(t schema.Table, columns []arrow.Array, row int) *base.Error {
	var parts []string
	for i, id := range t.PrimaryKey {
		parts = append(parts, t.Columns[t.ColumnByID(id)].Name+": "+columns[i].ValueStr(row))
	}
	return base.Errorf(base.Conflict, "Duplicate key %q violates primary key constraint of table %s", strings.Join(parts, ", "), t.QualifiedName())
}

// RefusedKey returns the error for a plain INSERT of a key that exists, into a table with the
// option on_insert = 'error'. It is the error of DuplicateKey with a hint.
func RefusedKey(t schema.Table, columns []arrow.Array, row int) error {
	return DuplicateKey(t, columns, row).WithHint("INSERT OR REPLACE, OR IGNORE and ON CONFLICT take such a row; ALTER TABLE %s SET (on_insert = 'replace') makes every INSERT replace", schema.QuoteIfNeeded(t.Name))
}

// WithoutMissingNotNull returns a copy of the table for an INSERT that gives values only for
// SentColumns. In the copy, the NOT NULL columns without a value may be NULL, because a row whose
// key exists needs no value for them. The result unset is the name of the first of these columns,
// or empty.
func WithoutMissingNotNull(t schema.Table, sentColumns []schema.Column) (_ schema.Table, unset string) {
	columns := slices.Clone(t.Columns)
	for i := range columns {
		c := &columns[i]
		if !c.NotNull || c.Default != "" || schema.Contains(sentColumns, c.ID) || slices.Contains(t.PrimaryKey, c.ID) {
			continue
		}
		c.NotNull = false
		if unset == "" {
			unset = c.Name
		}
	}
	t.Columns = columns
	return t, unset
}

// ErrMissingNotNull returns the error for a new row without a value for a NOT NULL column.
func ErrMissingNotNull(t schema.Table, column string) error {
	return base.Errorf(base.Invalid, "table %s: a new row has no value for the column %q, which is NOT NULL and has no default", t.QualifiedName(), column)
}
