// Package export copies the partitions of tables to object storage, as Parquet objects: CREATE
// EXPORT.
//
// Each export has a goroutine. It checks periodically which partitions differ from their objects
// (engine.ExportState). It exports a partition if the partition's time is over and it has differed
// for some time (exporter.write). To do so it runs a query over the partition's parts in one
// snapshot, encodes the result as Parquet and streams it to the storage. There the new object
// appears as a whole and replaces the old one. Then the export records in the catalog which state
// of the partition the object has. After a crash before that, or after any error, the partition
// still differs and is exported again, so nothing has to be repaired. A partition that fails does
// not delay the other partitions (exporter.each).
//
// An export never replaces objects that it did not write. A mark (an object with a known name in
// the export's place) says which export owns the place (owned). Before a partition's object is
// written for the first time, the export checks that there is no object yet (exporter.claim). A
// restored backup may have outdated information on objects, so they are compared with the storage
// first (exporter.adopt).
//
// The recorded state is the partition's fingerprint (a text that identifies the state of its rows)
// from before the query. If rows are added or changed while the query runs, the object may have
// more than the catalog knows, but never less. The fingerprints then differ, and the object is
// written again.
//
// The rows of a partition are dropped from the table (exporter.drop) only if two conditions hold:
// for every export of the table, the storage has the partition's object as it was written, and the
// committer finds that these objects match the partition. From then on the objects are closed: rows
// that are added to the partition later go to another object, which has the next generation (a
// number in the object's path).
package export
