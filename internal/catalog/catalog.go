// Package catalog stores everything durable except the log and the part files: databases, schemas,
// tables with every version of their schema, views, the list of parts with their statistics,
// sources ("streams" in the code) and their offsets, exports and their objects, idempotency keys,
// and up to which segment the log is flushed.
//
// It is one SQLite file that any tool can open; schema.sql documents it. SQLite's file operations
// go through vfs.FS, so tests can crash the catalog and make it fail like everything else. Queries
// never read it. Open loads all of it. From then on the engine's versions in memory are
// authoritative, and the catalog follows with one transaction per Edit.
package catalog

import (
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// FileName is the name of the catalog in a data directory.
const FileName = "catalog.db"

// JournalSuffix ends the name of SQLite's rollback journal, which is next to the catalog.
const JournalSuffix = "-journal"

// FormatVersion is the newest layout of a data directory that this binary reads, and the one that
// it writes. Open refuses a catalog with a greater version, and upgrades one with a smaller
// version.
//
//	1  the first
//	2  streams; log frames of format 2
//	3  deletions and patches of parts; log frames with changes
//	4  tables whose rows have versions and tombstones
//	5  when deletions and patches were stored
//	6  expression updates
//	7  tables that merge on read, and up to which edit they are deduplicated
//	8  exports
//	9  checksums of the blocks of parts and of the pages of the catalog; on_insert of tables
const FormatVersion = 9

// checksumFormat is the first format whose catalog has a checksum in each page.
const checksumFormat = 9

// Part is the durable description of one Parquet file, parts/<table>/<id>.parquet.
type Part struct {
	ID            base.SourceID
	Table         base.TableID
	SchemaVersion uint32 // the version of the table's schema with which the part was written
	Partition     string // the partition's key as the engine spells it; empty without partitioning
	Rows          int64
	Bytes         int64  // of the file
	Checksum      uint32 // CRC32C of the file
	// Blocks has the checksums of the file's blocks. It is nil if a format before 9 wrote the file
	// and it was not read since.
	Blocks blocks.Sums
	// Verified is when the whole file was last verified (microseconds, UTC); zero: never since it
	// was written.
	Verified time.Time
	Level    int // 0 after a flush, one more after each merge
	MinSeq   base.Seq
	MaxSeq   base.Seq
	Created  time.Time // microseconds, UTC
	Applied  base.Seq  // expression updates up to this edit do not apply to the part's rows
	Stats    map[base.ColumnID]schema.ColumnStats
}

// Stored describes the part's file.
func (p *Part) Stored() blocks.Part {
	return blocks.Part{ID: p.ID, Table: p.Table, Bytes: p.Bytes, Checksum: p.Checksum, Sums: p.Blocks}
}

// PartBlocks has the checksums of the blocks of a part's file.
type PartBlocks struct {
	Part     base.SourceID
	Blocks   blocks.Sums
	Verified time.Time // see Part.Verified
}

// MayHaveTombstones reports whether the part, as it was written, may have rows that delete their
// key.
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

// Table is a table's schema and the catalog's other data about it.
type Table struct {
	Schema       schema.Table
	TruncatedSeq base.Seq // log frames up to this edit have no rows of the table any more
	// SettledSeq is the last edit whose rows are deduplicated, if the table merges on read: of the
	// rows up to it, at most one per key is left. Edit.Settle sets it.
	SettledSeq base.Seq
	Created    time.Time // microseconds, UTC
}

// SchemaName identifies a schema of a database.
type SchemaName struct{ Database, Name string }

// ViewName identifies a view.
type ViewName struct{ Database, Schema, Name string }

// ViewColumn is a column of a view's result.
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

// StreamName identifies a stream. A stream and a table may have the same name.
type StreamName struct{ Database, Schema, Name string }

// Stream is a source (CREATE SOURCE), such as a Kafka topic.
type Stream struct {
	ID         base.StreamID
	Name       StreamName
	Definition []byte // JSON; opaque to the catalog
	Paused     bool
	Created    time.Time // microseconds, UTC
}

// Offset is the progress of a stream in one partition of a topic.
type Offset struct {
	Stream    base.StreamID
	Topic     string
	Partition int32
	TopicID   [16]byte // identifies the topic, as its name may be reused
	Next      int64    // the first offset whose record is not in the tables
	Epoch     int32    // leader epoch of the previous offset; -1 if unknown
}

// Key is an idempotency record: an idempotency key with the result of its request.
type Key struct {
	Key      string
	BodyHash []byte
	Result   []byte
	Expires  time.Time // microseconds, UTC
}

// Counters are the next ids and numbers to assign. An edit can only increase them; zero leaves a
// counter unchanged.
type Counters struct {
	NextTable  base.TableID
	NextSource base.SourceID
	NextSeq    base.Seq
	NextStream base.StreamID
	NextExport base.ExportID
}

// State is the whole content of a catalog when it was opened. Slices are sorted by id or name. The
// State shares no data with the Catalog.
type State struct {
	Databases []string
	Schemas   []SchemaName
	Tables    []Table
	// TableVersions has all versions ever, oldest first, including the current one.
	TableVersions  map[base.TableID][]schema.Table
	Views          []View
	Parts          []Part
	Deletions      []Deletions
	Patches        []Patch      // by Seq and ID: later ones take precedence
	Expressions    []Expression // by table and Seq
	Streams        []Stream
	Offsets        []Offset // by stream, topic, partition
	Exports        []Export
	ExportObjects  []ExportObject // by export, partition, generation
	Keys           []Key
	FlushedThrough base.SegmentID // segments up to this one are in parts
	Counters       Counters
}

// Edit is one atomic change. Removals happen before additions, so one edit may replace an object by
// another one of the same name. The zero Edit changes nothing.
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

	PutDatabases []string
	PutSchemas   []SchemaName
	// PutTables are new tables, or newer versions of existing ones (rename, truncate, new schema).
	PutTables  []Table
	PutViews   []View
	PutStreams []Stream // new, or replacing the one with the same id
	PutOffsets []Offset // of existing streams
	PutExports []Export // new, or replacing the one with the same id
	// PutObjects are objects of existing exports. They are new, or replace the object of the same
	// generation.
	PutObjects     []ExportObject
	AddParts       []Part
	PutBlocks      []PartBlocks // of existing parts
	PutDeletions   []Deletions  // replacing those of the part
	AddPatches     []Patch
	AddExpressions []Expression
	PutKeys        []Key
	// Settle has new values of Table.SettledSeq, which only increases, for existing tables.
	Settle map[base.TableID]base.Seq

	FlushedThrough base.SegmentID // only increases; zero leaves it unchanged
	Counters       Counters
}

// Frees reports whether the edit removes objects that take space, or flushes rows out of the log.
func (e *Edit) Frees() bool {
	return len(e.DropTables)+len(e.RemoveParts)+len(e.RemovePatches)+len(e.DropDatabases)+len(e.DropSchemas)+len(e.DropViews) > 0 || e.FlushedThrough > 0
}
