package ir

import "strings"

// QuoteName returns an identifier in double quotes. Every engine accepts any name in this form.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
