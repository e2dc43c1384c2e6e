package ir

import "strings"

// QuoteName returns an identifier in double quotes, in which every engine takes any name as it is.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
