package schema

import (
	"strings"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/base"
)

// maxNameBytes bounds names of tables, columns and fields: they are repeated in every
// file footer, query and error.
const maxNameBytes = 1024

// Fold returns the form of a name in which names are compared: DuckDB folds ASCII
// letters and no others.
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

// CheckReserved refuses the names of databases and schemas under which the system's own tables are found.
func CheckReserved(database, schemaName string) error {
	for what, name := range map[string]string{"database": database, "schema": schemaName} {
		switch Fold(name) {
		case "scoter", "information_schema":
			return base.Errorf(base.Invalid, "%s %q is the system's own", what, name).WithHint("choose another name")
		}
	}
	return nil
}

// Columns that the system's queries on tables have beside a table's own, which have none of these names. The first two are a row's address: the
// source that holds it (UBIGINT) and its number there (BIGINT), as the scans of parts (livescan.cc) and of memory (memfunction.cc) give them.
const (
	SourceColumn   = "scoter_source"
	OrdinalColumn  = "scoter_ordinal"
	ActionColumn   = "scoter_action"
	MessageColumn  = "scoter_message"
	TouchedColumn  = "scoter_touched_" // and the name of a column of the primary key
	KeyColumn      = "scoter_key_"     // the same
	ExcludedColumn = "scoter_excluded"
	FoundColumn    = "scoter_found" // true where a row of MERGE's join has a source, else NULL
	EachColumn     = "scoter_one"
	RetypedColumn  = "scoter_retyped" // the values of a column that gets another type
)

// reservedColumn reports whether a column's name is one of the system's own.
func reservedColumn(name string) bool {
	switch name = Fold(name); name {
	case SourceColumn, OrdinalColumn, ActionColumn, MessageColumn, ExcludedColumn, FoundColumn, EachColumn, RetypedColumn:
		return true
	}
	return strings.HasPrefix(name, TouchedColumn) || strings.HasPrefix(name, KeyColumn)
}

// checkName refuses names that DuckDB, Parquet or JSON could not carry.
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
