// Package duckdb describes queries for DuckDB (and Scoter, which speaks its
// dialect): types by preparing on an in-memory database, nullability from the
// bound logical plan. No query is executed. The engine itself needs cgo.
package duckdb
