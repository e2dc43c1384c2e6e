// Package batch builds, conforms, sorts, splits and measures Arrow record batches. Batches are the
// only data that decoders pass to encoders.
//
// # Conforming batches
//
// A decoder returns a batch of natural types (the types that decoders make), with its columns in
// any order. Conform converts it to a batch of the table: it has the columns of Table.Arrow, in
// their order and storage types. There is one exception: a top-level VARCHAR, ENUM or JSON column
// is either utf8 or dictionary<uint32, utf8>, which may differ from batch to batch. All values of
// such a dictionary are valid UTF-8 and not NULL, and all indices are in range. The other functions
// take conforming batches of one table version, and return such batches.
//
// Conform never drops data: a column that is missing in the table is an error, unless it has only
// NULLs. A writer that may change the table calls Conform first. If that fails, it calls Evolve for
// the table that the batch needs, commits that table, and calls Conform again.
//
// # Row numbers
//
// Functions that take several batches number rows by global ordinals: 0 is the first row of the
// first batch, and the numbers continue through the following batches. Sort and Partition return
// ordinals, and Take gathers rows by ordinals.
//
// # Retain and release
//
// The caller keeps ownership of arguments: a function neither releases the batches that it receives
// nor retains them. Its result may share their buffers, and retains those that it shares. The
// caller owns the result and releases it once.
//
// Memory comes from the Go heap, so a missing Release leaks nothing, and a batch can be read as
// long as it is referenced. A Release too many is still a defect, because shared buffers may come
// from C.
package batch
