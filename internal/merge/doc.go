// Package merge replaces many small parts by few large ones, in the background. Pick decides which
// parts to merge. Scheduler decides when. merger.execute merges them. Merges never change what
// queries see.
//
// # How a merge reads its inputs
//
// A merge does not read through DuckDB, although reading by a relation (the SQL text with which
// queries read a table, see package overlay) would be correct by definition. The following was
// measured on a million rows in 8 or 16 sorted parts of 6 columns (a sorted text, a timestamp, a
// text of 20 values, three random doubles), which were merged to one part. The numbers are CPU
// seconds per million rows:
//
//	DuckDB, one thread: SELECT ... FROM read_parquet ORDER BY, to Arrow, to part.Write  0.39 to 0.41
//	here, texts as part.Read returns them, row by row                                   0.33 to 0.36
//	here, texts as dictionaries of the file (a part.Read that returns them)             0.16 to 0.19
//
// The compaction of a comparable database takes 0.49. DuckDB must sort where merging sorted parts
// is enough, and its result does not have the dictionaries any more. Although it may spill, it
// needs more memory than a batch per part. There are two more reasons. The mapping of each row from
// its old address to its new row number is known exactly. And all file operations go through vfs,
// so that crashes and failures during a merge are tested like those of the engine.
//
// The price is that two pieces of code convert rows of an older schema version to the current one:
// the CASTs of the overlay, and batch.Conform here. A test compares them for all types.
//
// # Memory
//
// A merge has one decoded row group of each input in memory, and one of its result.
// Policy.MaxOpenBytes limits the size that the row groups of the inputs have in the files. Decoded
// they are usually 2 to 4 times as large.
package merge
