// Package merge replaces many small parts by few large ones, in the background: Pick
// decides which, Scheduler when, and merger.execute does it. What a query sees never changes by it.
//
// # How a merge reads its sources
//
// Not through DuckDB, although the overlay's relation would be right by definition. Measured on a million
// rows in 8 or 16 sorted parts of 6 columns (a sorted text, a timestamp, a text of 20 values, three random
// doubles), to one part, CPU seconds per million rows:
//
//	DuckDB, one thread: SELECT ... FROM read_parquet ORDER BY, to Arrow, to part.Write     0.39 to 0.41
//	here, with texts as part.Read gives them, row by row                                   0.33 to 0.36
//	here, with texts as the dictionaries that the file holds (a part.Read that gave them)  0.16 to 0.19
//
// and 0.49 for the compaction of a comparable store. DuckDB must sort anew what is a merge here; its
// result has lost the dictionaries; and it may spill, but does not get by with a batch of each source. Two
// more reasons: the way of each row from (source, ordinal) to its new ordinal is known exactly, and every
// file operation goes through vfs, so that crashes and failures in the midst of merges are tested
// like those of the engine.
//
// The price is that two pieces of code bring rows of an older schema version to the current one: the
// overlay's CASTs, and batch.Conform here. A test compares them for all types.
//
// # Memory
//
// A merge holds a row group of each source, decoded, and one of its result. Policy.MaxOpenBytes
// bounds the former by what the files hold; decoded it is mostly 2 to 4 times that.
package merge
