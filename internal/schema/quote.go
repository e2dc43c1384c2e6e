package schema

import "strings"

// Quote returns an identifier for SQL. It is always in double quotes, so that no name can be parsed
// as a keyword. DuckDB refuses NUL in identifiers; tables refuse such names when they are created.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteString returns a string literal for SQL. In DuckDB's plain literals a doubled quote is the
// only escape.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
