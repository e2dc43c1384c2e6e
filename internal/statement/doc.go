// Package statement has what all statements need: the names of tables, their arguments, DuckDB's
// functions, and queries whose rows go into a table.
package statement
