// Package part writes, verifies and reads parts: immutable, sorted Parquet files that any Parquet
// tool can open.
//
// A part has rows of one table in the storage types of one version of its schema. Column names are
// those of the table when the part was written. The Parquet field_id is the column id, which
// renames do not change.
package part

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// RowGroupRows is the largest number of rows of a row group. All row groups but the last of a file
// have that many unless rows are large. It is also DuckDB's unit of parallel scans and of pruning
// by statistics.
const RowGroupRows = 122_880

// vectorRows is the number of rows that DuckDB reads at a time.
const vectorRows = 2048

// GroupBytes is the approximate limit of the size of a row group's values, which are read, merged
// or searched at once.
const GroupBytes = 256 << 20

// Profile is the purpose of a file.
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

// Written describes a part file. Write returns it, and Verify compares it.
type Written struct {
	Rows     int64
	Bytes    int64       // of the file
	Checksum uint32      // CRC32C of the file
	Blocks   blocks.Sums // of the file
	Stats    map[base.ColumnID]schema.ColumnStats
}

// summary describes a part according to its footer.
type summary struct {
	Table         base.TableID
	SchemaVersion uint32
	Rows          int64
	RowGroups     int
	Columns       []summaryColumn // in file order
	Stats         map[base.ColumnID]schema.ColumnStats
}

// summaryColumn is a column of a part.
type summaryColumn struct {
	ID   base.ColumnID
	Name string // when the part was written
}
