// Package clause reads the clauses of an SQL statement from its tokens, and composes queries from
// pieces of a statement. Errors of such a query get positions in the text that the user wrote.
package clause
