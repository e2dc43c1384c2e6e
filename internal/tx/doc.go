// Package tx runs changes of rows as transactions of one statement: it takes table locks and
// memory, and runs a change again if other statements changed what it had read.
package tx
