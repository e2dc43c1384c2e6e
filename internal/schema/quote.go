package schema

import "strings"

// Quote returns an identifier for SQL text: always in double quotes, so that no name
// can be taken for a keyword. DuckDB refuses NUL in identifiers; names are checked for it
// when a table takes them.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteString returns a string literal for SQL text. DuckDB has no escapes in plain
// literals but the doubled quote.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
