// Package duckdb describes queries for DuckDB, and for Scoter, which uses the same dialect. It gets
// types by preparing a query on an in-memory database, and nullability from the bound logical plan.
// It executes no query. The engine needs cgo.
package duckdb
