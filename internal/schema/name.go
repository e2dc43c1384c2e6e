package schema

import (
	"strings"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/base"
)

// maxNameBytes is the maximum size in bytes of the name of a table, column or field. Names are
// repeated in every file footer, query and error.
const maxNameBytes = 1024

// Fold returns a name in the form in which names are compared. Like DuckDB it changes ASCII letters
// to lower case, and no other letters.
func Fold(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			b := []byte(name)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return name
}

// CheckReserved returns an error if a name of a database or schema is reserved for the system
// tables.
func CheckReserved(database, schemaName string) error {
	for what, name := range map[string]string{"database": database, "schema": schemaName} {
		switch Fold(name) {
		case "scoter", "information_schema":
			return base.Errorf(base.Invalid, "the %s name %q is reserved", what, name).WithHint("choose another name")
		}
	}
	return nil
}

// Names of columns that internal queries add to a table's own columns. Tables cannot have columns
// with these names. The first two columns are the row address: the id of the rowset (UBIGINT), and
// the number of the row in it (BIGINT). The scans of parts (scan_parts.cc) and of memtables
// (scan_memory.cc) return these two.
const (
	RowsetColumn  = "scoter_source"
	OrdinalColumn = "scoter_ordinal"
	ActionColumn  = "scoter_action"
	MessageColumn = "scoter_message"
	// TouchedColumn is a prefix of column names. The rest of such a name is the name of a primary
	// key column or, in the query of a Kafka source, of a column that has the position of a
	// message. The columns identify existing rows, or the messages from which rows are made.
	TouchedColumn = "scoter_touched_"
	// KeyColumn is a prefix of column names. The rest of such a name is the name of a primary key
	// column. The columns have the primary key of an incoming row.
	KeyColumn      = "scoter_key_"
	ExcludedColumn = "scoter_excluded"
	// FoundColumn is a column in the join of a MERGE. It is true if the joined row has a row of the
	// USING table, and otherwise NULL.
	FoundColumn   = "scoter_found"
	EachColumn    = "scoter_one"
	RetypedColumn = "scoter_retyped" // converted values of a column whose type is being changed
)

// reservedColumn reports whether tables cannot have a column with this name, because internal
// queries use the name.
func reservedColumn(name string) bool {
	switch name = Fold(name); name {
	case RowsetColumn, OrdinalColumn, ActionColumn, MessageColumn, ExcludedColumn, FoundColumn, EachColumn, RetypedColumn:
		return true
	}
	return strings.HasPrefix(name, TouchedColumn) || strings.HasPrefix(name, KeyColumn)
}

// checkName returns an error for a name that DuckDB, Parquet or JSON cannot represent. The argument
// what is the kind of object that has the name, such as "column". It is used in the error.
func checkName(what, name string) error {
	switch {
	case name == "":
		return base.Errorf(base.Invalid, "%s without a name", what)
	case len(name) > maxNameBytes:
		return base.Errorf(base.Invalid, "%s name %q has %d bytes: the limit is %d", what, shorten(name, 40), len(name), maxNameBytes)
	case !utf8.ValidString(name):
		return base.Errorf(base.Invalid, "%s name %q is not valid UTF-8", what, shorten(name, 40))
	case strings.IndexByte(name, 0) >= 0:
		return base.Errorf(base.Invalid, "%s name %q contains a NUL byte", what, shorten(name, 40))
	}
	return nil
}
