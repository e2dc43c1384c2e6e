// Package base holds the types that all other packages share: ids, sequence numbers, error kinds.
// It imports no other package of Scoter.
package base

import "fmt"

// Seq is the sequence number of an edit (one atomic change of what queries see). Edits are numbered
// from 1, in the order in which they become visible.
type Seq uint64

// TableID identifies a table for its whole life, across renames. Ids are never reused.
type TableID uint32

// ColumnID identifies a column of a table for its whole life, across renames. Ids are never reused
// within a table.
type ColumnID uint32

// RowsetID identifies a rowset (a part or a memtable): the first half of a row address. Ids are
// never reused, so a row address never refers to another row.
type RowsetID uint64

// RowOrdinal is the number of a row in its rowset, from 0: the second half of a row address.
type RowOrdinal uint32

// SourceID identifies a source (CREATE SOURCE), such as a Kafka topic that fills a table. Ids are
// never reused. The column scoter_source has nothing to do with it: it has RowsetIDs.
type SourceID uint32

// ExportID identifies an export, which copies a table's partitions to object storage (CREATE
// EXPORT). Ids are never reused.
type ExportID uint32

// SegmentID is the number of a segment (one file of the log). Later segments have greater numbers.
type SegmentID uint64

// RowAddress identifies a row of a table: the id of its rowset, and the number of the row in that
// rowset.
type RowAddress struct {
	Rowset  RowsetID
	Ordinal RowOrdinal
}

// String returns the address as rowset:ordinal.
func (a RowAddress) String() string { return fmt.Sprintf("%d:%d", a.Rowset, a.Ordinal) }
