// Package export copies the partitions of tables to storage outside, as Parquet objects: CREATE EXPORT.
//
// Each export has a goroutine that looks, again and again, which partitions' objects are not what the partitions hold now (engine.ExportState).
// Those whose time is over, and which were seen to differ some time ago, it exports (exporter.write): a query over the partition's parts on
// one snapshot, encoded as Parquet and streamed to the storage, where the object appears whole, in the place of the one before. Then the
// catalog is told which state of the partition the object holds. After a crash in between, or after any error, the partition still differs
// and is exported again: there is nothing to repair. One that fails waits by itself (exporter.each).
//
// What was not written by the export is not replaced. Its place has a mark, which says whose it is (owned), and before a partition's object is written for the first time nothing may
// be there (exporter.claim). A restored backup may know of objects what is not true any more: those are compared first (exporter.adopt).
//
// What is told is the fingerprint from before the query. So if rows come or change meanwhile, the object may have more than it is known for, never less,
// and is written again.
//
// Rows are dropped (exporter.drop) if the storages of all exports of the table say that the object is there as it was written, and the committer that it is
// in step. From then on it is closed: rows that come to the partition later make an object of the next generation, beside it.
package export
