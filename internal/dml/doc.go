// Package dml plans the statements that change rows: INSERT, UPDATE, DELETE and MERGE INTO. A plan
// is a query that finds the rows and computes their new values, and the actions that apply to them.
package dml
