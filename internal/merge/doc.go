// Package merge replaces many small parts by few large ones, in the background: Pick
// decides which, Scheduler when, and merger.merge how. What a query sees never changes by it.
//
// # How a merge reads its sources
//
// Not through DuckDB. Measured on a million rows in 8 or 16 sorted parts of 6 columns (a sorted text, a
// timestamp, a text of 20 values, three random doubles), to one part, CPU seconds per million
// rows:
//
//	DuckDB, one thread: SELECT ... FROM read_parquet ORDER BY, to Arrow, to part.Write    0.39 to 0.41
//	here, text read as plain text                                                         0.33 to 0.36
//	here, text read as the dictionaries it is stored as                                   0.18 to 0.19
//
// and 0.49 for a comparable store's compaction. The sort that DuckDB must do anew is a merge here; its
// result has lost the dictionaries; it can spill, but not work within a few batches of each
// source. Two more reasons: the way of each row from (source, ordinal) to its new ordinal is known
// exactly, and every file operation goes through vfs, so that crashes and failures in the midst of merges
// are tested like those of the engine.
//
// The price is that two pieces of code bring rows of an older schema version to the current one: the
// overlay's CASTs, and batch.Conform here. A test compares them for all types.
package merge
