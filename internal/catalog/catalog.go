// Package catalog stores everything durable except the log and the part files:
//   - databases, schemas, tables with every version of their schema, and views
//   - the list of parts with their statistics
//   - sources ("streams" in the code) and their offsets
//   - exports and the records of their objects
//   - idempotency records
//   - the segment of the log up to which everything is flushed
//
// It is one SQLite file that any tool can open; schema.sql documents it. SQLite's file operations
// go through vfs.FS, so tests can make the catalog crash and fail like everything else. Queries
// never read the catalog. Open loads all of it. From then on the engine's state in memory is
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
// version. The list says what each version added:
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

// Part describes one part: the Parquet file parts/<table>/<id>.parquet.
type Part struct {
	ID            base.SourceID
	Table         base.TableID
	SchemaVersion uint32 // the version of the table's schema with which the part was written
	// Values of the partitioning columns as the engine writes them; empty without partitioning.
	Partition string
	Rows      int64
	Bytes     int64  // length of the file
	Checksum  uint32 // CRC32C of the whole file
	// Blocks has the checksums of the file's blocks. It is nil if a format before 9 wrote the file,
	// and the file was not read since.
	Blocks blocks.Sums
	// Verified is when the whole file was last read and found intact, in microseconds, UTC. Zero
	// means never since it was written.
	Verified time.Time
	Level    int // number of merges since the flush: 0 after a flush, and one more with each merge
	MinSeq   base.Seq
	MaxSeq   base.Seq
	Created  time.Time // microseconds, UTC
	// readers apply only expression updates after this edit
	Applied base.Seq
	Stats   map[base.ColumnID]schema.ColumnStats
}

// Stored returns the description of the part's file that package blocks needs.
func (p *Part) Stored() blocks.Part {
	return blocks.Part{ID: p.ID, Table: p.Table, Bytes: p.Bytes, Checksum: p.Checksum, Sums: p.Blocks}
}

// PartBlocks has new block checksums of one part's file.
type PartBlocks struct {
	Part     base.SourceID
	Blocks   blocks.Sums
	Verified time.Time // see Part.Verified
}

// MayHaveTombstones reports whether the part may have been written with rows that delete their key:
// rows whose IsDeleted column is true. The answer comes from the part's statistics.
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

// Table is a table's current schema, and the catalog's other data about the table.
type Table struct {
	Schema       schema.Table
	TruncatedSeq base.Seq // replay ignores the table's rows in log frames up to this edit
	// SettledSeq is the edit up to which a table that merges on read is deduplicated: of the rows
	// up to this edit, at most one per key is left. Edit.Settle sets it.
	SettledSeq base.Seq
	Created    time.Time // microseconds, UTC
}

// SchemaName identifies a schema of a database.
type SchemaName struct{ Database, Name string }

// ViewName identifies a view.
type ViewName struct{ Database, Schema, Name string }

// ViewColumn is the name and type of a column of a view's result.
type ViewColumn struct {
	Name string      `json:"name"`
	Type schema.Type `json:"type"`
}

// View is the definition of a view: a stored query.
type View struct {
	Name    ViewName
	SQL     string
	Columns []ViewColumn
	Created time.Time // microseconds, UTC
}

// StreamName identifies a source. A source and a table may have the same name.
type StreamName struct{ Database, Schema, Name string }

// Stream is the definition and state of a source (CREATE SOURCE): a Kafka topic that fills a table.
type Stream struct {
	ID         base.StreamID
	Name       StreamName
	Definition []byte // JSON; opaque to the catalog
	Paused     bool
	Created    time.Time // microseconds, UTC
}

// Offset is the position of a source in one partition of a topic.
type Offset struct {
	Stream    base.StreamID
	Topic     string
	Partition int32
	TopicID   [16]byte // distinguishes topics that had the same name one after the other
	Next      int64    // offset of the next record to read
	Epoch     int32    // leader epoch of the record before Next; -1 if unknown
}

// Key is an idempotency record: an idempotency key with the result of its request.
type Key struct {
	Key      string
	BodyHash []byte
	Result   []byte
	Expires  time.Time // microseconds, UTC
}

// Counters are the next ids to assign. An edit can only increase them. In an Edit, zero leaves a
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
	// TableVersions has all versions that each table's schema has had, oldest first, including the
	// current one.
	TableVersions map[base.TableID][]schema.Table
	Views         []View
	Parts         []Part
	Deletions     []Deletions
	// By Seq and ID: a later one's values replace those of an earlier one.
	Patches        []Patch
	Expressions    []Expression // by table and Seq
	Streams        []Stream
	Offsets        []Offset // by stream, topic, partition
	Exports        []Export
	ExportObjects  []ExportObject // by export, partition, generation
	Keys           []Key
	FlushedThrough base.SegmentID // all segments of the log up to this one are flushed
	Counters       Counters
}

// Edit is one atomic change of the catalog. Removals happen before additions, so one edit may
// replace an object by another one of the same name. The zero Edit changes nothing.
type Edit struct {
	DropViews         []ViewName
	RemoveParts       []base.SourceID // removes parts, and their deletions and patches
	RemovePatches     []base.SourceID
	RemoveExpressions []ExpressionID
	// Removes tables, and their schema versions, parts and expressions.
	DropTables  []base.TableID
	DropStreams []base.StreamID // removes sources, and their offsets
	DropExports []base.ExportID // removes exports, and the records of their objects
	// Removes records of objects, identified by export, partition and generation.
	DropExportObjects []ExportObject
	// Removes schemas, which must be empty after the removals above.
	DropSchemas []SchemaName
	// Removes databases, which must be empty after the removals above.
	DropDatabases []string
	DropKeys      []string

	PutDatabases []string
	PutSchemas   []SchemaName
	// PutTables adds tables, or newer versions of existing ones (after a rename, TRUNCATE or schema
	// change).
	PutTables  []Table
	PutViews   []View
	PutStreams []Stream // adds a source, or replaces the one with the same id
	PutOffsets []Offset // sets offsets of existing sources
	PutExports []Export // adds an export, or replaces the one with the same id
	// PutObjects adds records of objects that existing exports wrote, or replaces the record of the
	// same export, partition and generation.
	PutObjects     []ExportObject
	AddParts       []Part
	PutBlocks      []PartBlocks // sets block checksums of existing parts
	PutDeletions   []Deletions  // replaces the deleted rows of existing parts
	AddPatches     []Patch
	AddExpressions []Expression
	PutKeys        []Key
	// Settle sets Table.SettledSeq of existing tables that merge on read. It can only increase.
	Settle map[base.TableID]base.Seq

	FlushedThrough base.SegmentID // can only increase; zero leaves it unchanged
	Counters       Counters
}

// Frees reports whether the edit makes disk space free: it removes objects, or flushes rows so that
// segments of the log can be removed.
func (e *Edit) Frees() bool {
	return len(e.DropTables)+len(e.RemoveParts)+len(e.RemovePatches)+len(e.DropDatabases)+len(e.DropSchemas)+len(e.DropViews) > 0 || e.FlushedThrough > 0
}
