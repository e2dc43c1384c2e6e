// Package incoming has rows that a request or query brings for a table: which columns they have,
// which of several rows of one key counts, and rows that delete their key.
package incoming
