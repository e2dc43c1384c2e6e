// Package part writes, verifies and reads parts: immutable, sorted Parquet files that any Parquet
// tool can open.
//
// A part has rows of one table. Their types are the storage types of one version of the table's
// schema. The part's column names are those of the table at the time of writing. Its Parquet
// field_ids are the table's column ids, which do not change when a column is renamed.
package part

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// RowGroupRows is the maximum number of rows of a row group. All row groups of a file but the last
// have exactly that many, unless rows are so large that GroupBytes ends the group. DuckDB scans row
// groups in parallel, and leaves out row groups by their statistics.
const RowGroupRows = 122_880

// vectorRows is the number of rows that DuckDB reads at a time.
const vectorRows = 2048

// GroupBytes is the approximate maximum size in bytes of a row group's values. There is a limit
// because row groups are read, merged and searched as a whole.
const GroupBytes = 256 << 20

// Profile says whether a file is optimized for a short writing time or for a small size.
type Profile uint8

const (
	// Fast minimizes the CPU time for writing. It is used for flushes, since the next merge
	// rewrites their files.
	Fast Profile = iota
	// Best spends more CPU time to make files smaller. It is used for merges.
	Best
)

// Options configure how a part is written.
type Options struct {
	Profile Profile
}

// Written describes a part file that was written. Write returns it, and Verify compares a file with
// it.
type Written struct {
	Rows     int64
	Bytes    int64       // size of the file in bytes
	Checksum uint32      // CRC32C of the whole file
	Blocks   blocks.Sums // CRC32C of each block of the file
	Stats    map[base.ColumnID]schema.ColumnStats
}

// summary is what the footer of a part's file says about the part.
type summary struct {
	Table         base.TableID
	SchemaVersion uint32
	Rows          int64
	RowGroups     int
	Columns       []summaryColumn // the columns, in their order in the file
	Stats         map[base.ColumnID]schema.ColumnStats
}

// summaryColumn is what the footer of a part's file says about one column.
type summaryColumn struct {
	ID   base.ColumnID
	Name string // name of the column when the part was written
}
