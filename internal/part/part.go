// Package part writes, checks and reads parts: immutable, sorted Parquet files that any
// Parquet tool can open.
//
// One part holds rows of one table in the storage types of one version of its schema.
// Column names are the table's when the part was written; the Parquet field_id is the
// column id, which stays when the column is renamed.
package part

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// RowGroupRows is how many rows a row group holds at most, and all but the last of a file do unless their rows are large: DuckDB's
// own unit of parallel scans and of pruning by statistics.
const RowGroupRows = 122_880

// vectorRows is how many rows DuckDB reads at a time.
const vectorRows = 2048

// GroupBytes is how large the values of a row group may be, about: what is read, merged or looked through at once.
const GroupBytes = 256 << 20

// Profile says what a file is written for.
type Profile uint8

const (
	// Fast costs the least CPU: for flushes, whose files the next merge rewrites.
	Fast Profile = iota
	// Best costs more CPU for smaller files: for merges.
	Best
)

// Options is how a part is written.
type Options struct {
	Profile Profile
}

// Written describes a part file: what Write returns, and what Verify compares.
type Written struct {
	Rows     int64
	Bytes    int64       // of the file
	Checksum uint32      // CRC32C of the file
	Blocks   blocks.Sums // of the file
	Stats    map[base.ColumnID]schema.ColumnStats
}

// summary is what a part says of itself.
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
	Name string // the column's name when the part was written
}
