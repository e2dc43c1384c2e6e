package clause

import (
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// ChangesRows reports whether a statement changes rows of a table: INSERT, UPDATE, DELETE or MERGE.
func ChangesRows(s sqltoken.Statement) bool {
	switch s.Verb() {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}

// IsSource reports whether a statement manages Kafka sources, as CREATE SOURCE does.
// DuckDB's parser does not know these statements.
func IsSource(s sqltoken.Statement) bool {
	for _, verb := range []string{"CREATE", "DROP", "PAUSE", "RESUME", "REPLAY"} {
		if s.Starts(verb, "SOURCE") {
			return true
		}
	}
	return false
}

// IsExport reports whether a statement manages exports, as CREATE EXPORT does. DuckDB's
// parser does not know these statements.
func IsExport(s sqltoken.Statement) bool {
	for _, verb := range []string{"CREATE", "DROP", "PAUSE", "RESUME"} {
		if s.Starts(verb, "EXPORT") {
			return true
		}
	}
	return false
}

// CanExplain reports whether Explain supports a statement.
func CanExplain(s sqltoken.Statement) bool {
	switch s.Verb() {
	case "CREATE", "DROP", "ALTER", "TRUNCATE":
		return true
	}
	return ChangesRows(s)
}

// DefiningQuery returns the index of the first token of the query in CREATE TABLE ... AS query or
// CREATE VIEW ... AS query. It returns 0 if there is none.
func DefiningQuery(s sqltoken.Statement) int {
	c := Reader{Statement: s}
	if as := c.Find("AS"); as < len(s.Tokens)-1 {
		return as + 1
	}
	return 0
}
