package schema

import "strings"

// Quote returns a name as an SQL identifier. It is always in double quotes, so that no name is
// parsed as a keyword. DuckDB refuses NUL in identifiers, so tables cannot have such names.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteString returns a text as an SQL string literal. In DuckDB's plain literals the only escape
// is a doubled quote.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
