// Package part writes, verifies and reads parts: immutable, sorted Parquet files that any Parquet
// tool can open.
//
// A part has rows of one table, in the storage types of one version of its schema. Its column names
// are those of the table at the time of writing. Its Parquet field_ids are the table's column ids,
// which do not change when a column is renamed.
package part

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// RowGroupRows is the largest number of rows of a row group. All row groups of a file but the last
// have exactly that many, unless rows are so large that GroupBytes ends the group. It is also
// DuckDB's unit of parallel scans and of pruning by statistics.
const RowGroupRows = 122_880

// vectorRows is the number of rows that DuckDB reads at a time.
const vectorRows = 2048

// GroupBytes is the approximate limit of the size of a row group's values, because row groups are
// read, merged and searched as a whole.
const GroupBytes = 256 << 20

// Profile says whether a file is optimized for writing time or for size.
type Profile uint8

const (
	// Fast minimizes CPU time. It is for flushes, whose files the next merge rewrites.
	Fast Profile = iota
	// Best spends more CPU time for smaller files. It is for merges.
	Best
)

// Options configure how a part is written.
type Options struct {
	Profile Profile
}

// Written describes a written part file. Write returns it, and Verify compares a file with it.
type Written struct {
	Rows     int64
	Bytes    int64       // size of the file
	Checksum uint32      // CRC32C of the whole file
	Blocks   blocks.Sums // checksum of each block of the file
	Stats    map[base.ColumnID]schema.ColumnStats
}

// summary is what a part's footer says about the part.
type summary struct {
	Table         base.TableID
	SchemaVersion uint32
	Rows          int64
	RowGroups     int
	Columns       []summaryColumn // in file order
	Stats         map[base.ColumnID]schema.ColumnStats
}

// summaryColumn is what a part's footer says about one column.
type summaryColumn struct {
	ID   base.ColumnID
	Name string // name of the column when the part was written
}
