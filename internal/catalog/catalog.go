// Package catalog stores everything that is durable, except the log and the part files:
//   - databases, schemas, tables with every version of their schema, and views
//   - the list of parts with their statistics
//   - sources ("streams" in the SQL of the catalog) and their offsets
//   - exports and the records of their objects
//   - idempotency records
//   - the segment of the log up to which everything is flushed
//
// The catalog is one SQLite file that any tool can open; schema.sql documents it. SQLite's file
// operations go through vfs.FS, so tests can simulate crashes and failures of the catalog's disk.
// Queries never read the catalog. Open loads all of it. From then on the engine's state in memory
// is authoritative, and the catalog follows with one transaction per Edit.
package catalog

import (
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// FileName is the name of the catalog's file in a data directory.
const FileName = "catalog.db"

// JournalSuffix is the end of the name of SQLite's rollback journal. The journal is in the
// catalog's folder. Its name is the catalog's name followed by this suffix.
const JournalSuffix = "-journal"

// FormatVersion is the version of the data directory's layout that this binary writes, and the
// newest one that it can read. Open refuses a catalog with a greater version, and upgrades one with
// a smaller version. The list says what each version added:
//
//	1  the first
//	2  streams; log frames of format 2
//	3  deletions and patches of parts; log frames with changes
//	4  tables whose rows have versions and tombstones
//	5  the times at which deletions and patches were stored
//	6  expression updates (UPDATEs that are stored as SQL)
//	7  tables that merge on read, and up to which edit they are deduplicated
//	8  exports
//	9  checksums of the blocks of parts and of the pages of the catalog; on_insert of tables
const FormatVersion = 9

// checksumFormat is the first format version in which each page of the catalog has a checksum.
const checksumFormat = 9

// Part describes one part: the Parquet file parts/<table>/<id>.parquet.
type Part struct {
	ID            base.RowsetID
	Table         base.TableID
	SchemaVersion uint32 // version of the table's schema with which the part was written
	// Partition has the values of the partitioning columns, as the engine writes them. It is empty
	// if the table is not partitioned.
	Partition string
	Rows      int64
	Bytes     int64  // length of the file in bytes
	Checksum  uint32 // CRC32C of the whole file
	// Blocks has the checksums of the file's blocks. It is nil for a file that was written in a
	// format before 9 and was not read since then.
	Blocks blocks.Sums
	// Verified is when the whole file was last read and found intact, in UTC with microseconds.
	// Zero means that this did not happen since the file was written.
	Verified time.Time
	// Level is the number of merges that led to the part: 0 after a flush, and one more with each
	// merge.
	Level   int
	MinSeq  base.Seq
	MaxSeq  base.Seq
	Created time.Time // when the part was written, in UTC with microseconds
	// Applied is the sequence number of an edit. The part's rows were written with all expression
	// updates (UPDATEs that are stored as SQL) up to this edit. So readers apply only later ones.
	Applied base.Seq
	Stats   map[base.ColumnID]schema.ColumnStats
}

// Stored returns a description of the part's file, in the form that package blocks uses.
func (p *Part) Stored() blocks.Part {
	return blocks.Part{ID: p.ID, Table: p.Table, Bytes: p.Bytes, Checksum: p.Checksum, Sums: p.Blocks}
}

// PartBlocks has block checksums of one part's file to be stored in the catalog.
type PartBlocks struct {
	Part     base.RowsetID
	Blocks   blocks.Sums
	Verified time.Time // when the file was last found intact, see Part.Verified
}

// MayHaveTombstones reports whether the part may have tombstones (rows whose column IsDeleted is
// true, which say that their key is deleted). It finds that out from the part's statistics.
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

// Table is a table's current schema, and other data that the catalog has about the table.
type Table struct {
	Schema schema.Table
	// TruncatedSeq is the edit of the table's last TRUNCATE. When the log is replayed, rows of the
	// table that were logged by this edit or by an earlier one are ignored.
	TruncatedSeq base.Seq
	// DedupedSeq is the edit up to which a table that merges on read is deduplicated: among the
	// rows that were added up to this edit, superseded rows (those that another row of the same key
	// replaces) are deleted. Edit.Deduped sets it.
	DedupedSeq base.Seq
	Created    time.Time // when the table was created, in UTC with microseconds
}

// SchemaName identifies a schema by the names of its database and of itself.
type SchemaName struct{ Database, Name string }

// ViewName identifies a view by the names of its database, its schema and itself.
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
	Created time.Time // when the view was created, in UTC with microseconds
}

// SourceName identifies a source (CREATE SOURCE). A source and a table may have the same name.
type SourceName struct{ Database, Schema, Name string }

// Source is the definition and the state of a source (CREATE SOURCE), which fills a table from a
// Kafka topic.
type Source struct {
	ID         base.SourceID
	Name       SourceName
	Definition []byte // definition of the source as JSON; the catalog does not interpret it
	Paused     bool
	Created    time.Time // when the source was created, in UTC with microseconds
}

// Offset is the position of a source in one partition of a topic.
type Offset struct {
	Source    base.SourceID
	Topic     string
	Partition int32
	// Kafka's id of the topic; it distinguishes topics that had the same name at different times
	TopicID [16]byte
	Next    int64 // offset of the next record to read
	Epoch   int32 // leader epoch of the record before Next; -1 if it is unknown
}

// Key is an idempotency record: an idempotency key, and the result of the request with that key.
type Key struct {
	Key      string
	BodyHash []byte
	Result   []byte
	Expires  time.Time // when the key is forgotten, in UTC with microseconds
}

// Counters are the next ids and numbers to assign. An edit can only increase them. In an Edit, a
// counter that is zero stays unchanged.
type Counters struct {
	NextTable  base.TableID
	NextRowset base.RowsetID
	NextSeq    base.Seq
	NextSource base.SourceID
	NextExport base.ExportID
}

// State is the whole content of a catalog, as it was when the catalog was opened. Its slices are
// sorted by id or name. It shares no memory with the Catalog.
type State struct {
	Databases []string
	Schemas   []SchemaName
	Tables    []Table
	// TableVersions has all versions that each table's schema has had, by table id, oldest first.
	// The current version is the last one.
	TableVersions map[base.TableID][]schema.Table
	Views         []View
	Parts         []Part
	Deletions     []Deletions
	// Patches are ordered by Seq and then ID. If two patches have a value for the same row and
	// column, the value of the later patch counts.
	Patches []Patch
	// Expressions are the expression updates (UPDATEs that are stored as SQL), ordered by table and
	// Seq.
	Expressions []Expression
	Sources     []Source
	Offsets     []Offset // offsets of sources, ordered by source, topic and partition
	Exports     []Export
	// ExportObjects are the records of exported objects, ordered by export, partition and
	// generation (the number of the object among those of its partition).
	ExportObjects []ExportObject
	Keys          []Key
	// FlushedThrough is the last segment of the log that is flushed; all earlier ones are flushed,
	// too.
	FlushedThrough base.SegmentID
	Counters       Counters
}

// Edit is one atomic change of the catalog. Removals are applied before additions, so one edit may
// replace an object by another one of the same name. The zero Edit changes nothing.
type Edit struct {
	DropViews         []ViewName
	RemoveParts       []base.RowsetID // parts to be removed, with their deletions and patches
	RemovePatches     []base.RowsetID
	RemoveExpressions []ExpressionID
	// DropTables are tables to be removed, with their schema versions, parts and expression updates
	// (UPDATEs that are stored as SQL).
	DropTables  []base.TableID
	DropSources []base.SourceID // sources to be removed, with their offsets
	// DropExports are exports to be removed, with the records of their objects.
	DropExports []base.ExportID
	// DropExportObjects are records of exported objects to be removed. They are identified by
	// export, partition and generation (the number of the object among those of its partition).
	DropExportObjects []ExportObject
	// DropSchemas are schemas to be removed. They must be empty after the tables, views and other
	// objects of this edit are removed.
	DropSchemas []SchemaName
	// DropDatabases are databases to be removed. They must be empty after the schemas and other
	// objects of this edit are removed.
	DropDatabases []string
	DropKeys      []string

	PutDatabases []string
	PutSchemas   []SchemaName
	// PutTables are tables to be added, or newer versions of existing tables (after a rename,
	// TRUNCATE or schema change).
	PutTables  []Table
	PutViews   []View
	PutSources []Source // sources to be added, or to replace those with the same ids
	PutOffsets []Offset // offsets of existing sources to be set
	PutExports []Export // exports to be added, or to replace those with the same ids
	// PutObjects are records of objects that existing exports wrote. A record is added, or replaces
	// the one with the same export, partition and generation (the number of the object among those
	// of its partition).
	PutObjects []ExportObject
	AddParts   []Part
	PutBlocks  []PartBlocks // block checksums of existing parts to be set
	// PutDeletions are all deleted rows of some existing parts. They replace the stored deletions
	// of these parts.
	PutDeletions   []Deletions
	AddPatches     []Patch
	AddExpressions []Expression
	PutKeys        []Key
	// Deduped has new values of Table.DedupedSeq, by table id, for existing tables that merge on
	// read. DedupedSeq can only increase.
	Deduped map[base.TableID]base.Seq

	// FlushedThrough is the last segment of the log that is flushed. It can only increase. Zero
	// leaves it unchanged.
	FlushedThrough base.SegmentID
	Counters       Counters
}

// FreesSpace reports whether the edit frees disk space. That is so if it removes objects, or if it
// flushes rows so that segments of the log can be removed.
func (e *Edit) FreesSpace() bool {
	return len(e.DropTables)+len(e.RemoveParts)+len(e.RemovePatches)+len(e.DropDatabases)+len(e.DropSchemas)+len(e.DropViews) > 0 || e.FlushedThrough > 0
}
