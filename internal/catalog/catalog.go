// Package catalog keeps what is durable besides the write-ahead log and the part
// files: databases, schemas, tables with every version of their schema, views, the list
// of parts with their statistics, streams and their offsets, exports and their objects, idempotency
// keys, how far the log is flushed.
//
// It is one SQLite file that anybody can open; schema.sql documents it. SQLite's file
// operations go through vfs.FS, so a test can crash and fail the catalog like everything
// else. Queries never read it: Open loads all of it, and from then on the engine's
// in-memory versions are the truth and the catalog follows, one transaction per Edit.
package catalog

import (
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// FileName is the catalog's in a data directory.
const FileName = "catalog.db"

// JournalSuffix ends the name of what SQLite keeps beside it of an edit under way.
const JournalSuffix = "-journal"

// FormatVersion is the newest layout of a data directory that this binary reads, and the
// one it writes. A catalog with a greater one is refused; one with a smaller one is brought to this
// one by Open.
//
//	1  the first
//	2  streams; log frames of format 2
//	3  deletions and patches of parts; log frames with changes
//	4  tables whose rows have versions and tombstones
//	5  when deletions and patches were stored
//	6  expressions
//	7  tables that merge on read, and up to which edit they are settled
//	8  exports
//	9  checksums of the blocks of parts and of the pages of the catalog; on_insert of tables
const FormatVersion = 9

// checksumFormat is the first format whose catalog has a checksum in each page.
const checksumFormat = 9

// Part is the durable description of one Parquet file, parts/<table>/<id>.parquet.
type Part struct {
	ID            base.SourceID
	Table         base.TableID
	SchemaVersion uint32 // the version of the table's schema that it was written with
	Partition     string // the partition's key as the engine spells it; empty without partitioning
	Rows          int64
	Bytes         int64       // of the file
	Checksum      uint32      // CRC32C of the file
	Blocks        blocks.Sums // of the file; nil if a format before 9 wrote it and nobody read it since
	Verified      time.Time   // microseconds, UTC: when all of the file was verified last; zero: never since it was written
	Level         int         // 0 after a flush, one more after each merge
	MinSeq        base.Seq
	MaxSeq        base.Seq
	Created       time.Time // microseconds, UTC
	Applied       base.Seq  // expressions up to this one are not to be applied to its rows
	Stats         map[base.ColumnID]schema.ColumnStats
}

// Stored describes the part's file.
func (p *Part) Stored() blocks.Part {
	return blocks.Part{ID: p.ID, Table: p.Table, Bytes: p.Bytes, Checksum: p.Checksum, Sums: p.Blocks}
}

// PartBlocks is what is known of the blocks of a part's file.
type PartBlocks struct {
	Part     base.SourceID
	Blocks   blocks.Sums
	Verified time.Time // see Part.Verified
}

// MayHaveTombstones reports whether the part, as it was written, may have rows which say that their key is deleted.
func (p *Part) MayHaveTombstones(t schema.Table) bool {
	if t.IsDeleted == 0 {
		return false
	}
	stats, ok := p.Stats[t.IsDeleted]
	if ok && stats.Nulls == p.Rows {
		return false
	}
	most, known := stats.Max.Int()
	return !ok || !known || most != 0
}

// Table is a table with what the catalog knows of it besides its schema.
type Table struct {
	Schema       schema.Table
	TruncatedSeq base.Seq  // log frames up to this one hold no rows of the table any more
	SettledSeq   base.Seq  // of rows that came up to this edit no two have one key, if the table merges on read; Edit.Settle sets it
	Created      time.Time // microseconds, UTC
}

// SchemaName names a schema within a database.
type SchemaName struct{ Database, Name string }

// ViewName names a view.
type ViewName struct{ Database, Schema, Name string }

// ViewColumn is one column that a view gives.
type ViewColumn struct {
	Name string      `json:"name"`
	Type schema.Type `json:"type"`
}

// View is a stored query.
type View struct {
	Name    ViewName
	SQL     string
	Columns []ViewColumn
	Created time.Time // microseconds, UTC
}

// StreamName names a stream. Streams and tables may have the same names.
type StreamName struct{ Database, Schema, Name string }

// Stream is a source of rows outside, such as a Kafka topic.
type Stream struct {
	ID         base.StreamID
	Name       StreamName
	Definition []byte // JSON; the catalog does not look into it
	Paused     bool
	Created    time.Time // microseconds, UTC
}

// Offset is how far a stream is in one partition of a topic.
type Offset struct {
	Stream    base.StreamID
	Topic     string
	Partition int32
	TopicID   [16]byte // which topic of this name
	Next      int64    // the first offset that is not in the tables
	Epoch     int32    // leader epoch of the offset before; -1 if unknown
}

// Key is an idempotency key with the result of the request that brought it.
type Key struct {
	Key      string
	BodyHash []byte
	Result   []byte
	Expires  time.Time // microseconds, UTC
}

// Counters are the next numbers to give. An edit only raises them; zero leaves one as
// it is.
type Counters struct {
	NextTable  base.TableID
	NextSource base.SourceID
	NextSeq    base.Seq
	NextStream base.StreamID
	NextExport base.ExportID
}

// State is everything in a catalog, as Open found it. Slices are sorted by their id or
// name; nothing in it is shared.
type State struct {
	Databases      []string
	Schemas        []SchemaName
	Tables         []Table
	TableVersions  map[base.TableID][]schema.Table // every version ever, oldest first, the current one included
	Views          []View
	Parts          []Part
	Deletions      []Deletions
	Patches        []Patch      // by Seq and ID: later ones count
	Expressions    []Expression // by table and Seq
	Streams        []Stream
	Offsets        []Offset // by stream, topic, partition
	Exports        []Export
	ExportObjects  []ExportObject // by export, partition, generation
	Keys           []Key
	FlushedThrough base.SegmentID // segments up to this one are in parts
	Counters       Counters
}

// Edit is one atomic change. Removals happen before additions, so one edit may replace
// a thing by another of the same name. The zero Edit changes nothing.
type Edit struct {
	DropViews         []ViewName
	RemoveParts       []base.SourceID // with their deletions and patches
	RemovePatches     []base.SourceID
	RemoveExpressions []ExpressionID
	DropTables        []base.TableID  // with their versions, parts and expressions
	DropStreams       []base.StreamID // with their offsets
	DropExports       []base.ExportID // with the list of their objects
	DropExportObjects []ExportObject  // by export, partition and generation
	DropSchemas       []SchemaName    // must be empty after the removals above
	DropDatabases     []string        // must be empty after the removals above
	DropKeys          []string

	PutDatabases   []string
	PutSchemas     []SchemaName
	PutTables      []Table // new, or the newest version of one that is there (rename, truncate, new schema)
	PutViews       []View
	PutStreams     []Stream       // new, or instead of the one with this id
	PutOffsets     []Offset       // of streams that are there
	PutExports     []Export       // new, or instead of the one with this id
	PutObjects     []ExportObject // of exports that are there; new, or instead of the one of this generation
	AddParts       []Part
	PutBlocks      []PartBlocks // of parts that are there
	PutDeletions   []Deletions  // instead of those that the part has
	AddPatches     []Patch
	AddExpressions []Expression
	PutKeys        []Key
	Settle         map[base.TableID]base.Seq // Table.SettledSeq, which only rises, of tables that are there

	FlushedThrough base.SegmentID // only rises; zero leaves it
	Counters       Counters
}

// Frees reports whether the edit lists less than before of what takes space, or brings rows out of the log.
func (e *Edit) Frees() bool {
	return len(e.DropTables)+len(e.RemoveParts)+len(e.RemovePatches)+len(e.DropDatabases)+len(e.DropSchemas)+len(e.DropViews) > 0 || e.FlushedThrough > 0
}
