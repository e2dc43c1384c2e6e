// Package duckdb describes queries for DuckDB, and for Scoter, which uses the same SQL dialect: it
// finds the types of their parameters and columns, and which columns can be NULL. It gets types by
// preparing a query on an in-memory database, and nullability from the bound logical plan. It
// executes no query. The package needs cgo.
package duckdb
