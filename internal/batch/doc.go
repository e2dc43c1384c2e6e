// Package batch builds, conforms, sorts, splits and measures Arrow record batches: the only
// currency between a decoder and an encoder.
//
// # Which batches
//
// A decoder emits a batch of natural types, its columns in any order. Conform turns it
// into a batch of the table: Table.Arrow's columns in Table.Arrow's order and storage types, with the
// one liberty that a top-level VARCHAR, ENUM or JSON column is utf8 or dictionary<uint32, utf8>,
// batch by batch, where every dictionary value is set, valid UTF-8 and every index in range. The
// other functions take conforming batches of one table version and return such.
//
// Conform never drops data: a column that the table lacks is an error, unless it holds nothing but NULLs.
// A writer that may change the table calls Conform first, and on an error asks
// Evolve what the table would have to become; it commits that and calls Conform again.
//
// # Row numbers
//
// Functions over several batches number rows by global ordinals: 0 is the first row of
// the first batch, and counting goes on through the next ones. Sort and Partition return
// ordinals, Take gathers them.
//
// # Retain and release
//
// Arguments are borrowed: a function neither releases nor keeps the batches it is given, but its result may
// share their buffers and retains what it shares. Results belong to the caller, who
// releases them once. Memory comes from the Go heap, so a forgotten Release costs nothing and
// a batch is safe to read for as long as it is referenced; a Release too many is a defect all
// the same, because shared buffers may come from C.
package batch
