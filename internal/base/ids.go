// Package base holds the words that every other package uses: ids, sequence
// numbers, error kinds. It imports nothing of ours.
package base

import "fmt"

// Seq numbers edits in the order in which they became visible. The first is 1.
type Seq uint64

// TableID names a table for its whole life, across renames. Never reused.
type TableID uint32

// ColumnID names a column of one table for its whole life, across renames. Never
// reused within its table.
type ColumnID uint32

// SourceID names a part or a memtable: the first half of a row address. Never
// reused, so an address never comes to mean another row.
type SourceID uint64

// RowOrdinal is a row's number within its source, from 0: the second half of a
// row address.
type RowOrdinal uint32

// StreamID names a source of rows outside, such as a Kafka topic that a table is filled
// from (CREATE SOURCE). Never reused. It is no SourceID.
type StreamID uint32

// ExportID names an export, which copies a table's partitions to storage outside (CREATE EXPORT). Never reused.
type ExportID uint32

// SegmentID numbers the files of the write-ahead log, ascending.
type SegmentID uint64

// RowAddress names one row of one table.
type RowAddress struct {
	Source  SourceID
	Ordinal RowOrdinal
}

// String prints an address as source:ordinal.
func (a RowAddress) String() string { return fmt.Sprintf("%d:%d", a.Source, a.Ordinal) }
