// Package storable decides which UPDATEs can be stored as SQL expressions that are applied when
// rows are read. Such an expression must have the same value each time, and must not fail for any
// row.
package storable
