// Package stream fills tables from Kafka topics, each record exactly once.
//
// # A record's journey
//
//  1. session.consume polls franz-go's client, from the offsets that the engine has.
//  2. decodings.add decodes the record's value straight into the Arrow buffers of each table that takes
//     columns of it (a decoding per schema); session.note enters its offset. What cannot be decoded becomes a dead letter.
//  3. When the batch is full or old enough, session.seal finishes the buffers and hands them to the
//     committer, which runs the queries of tables that are defined by SQL (query.go), and
//     appends everything, the rows of all tables, dead letters and the offsets, as one edit.
//  4. Rows that a table refuses are found by halving the batch (source.sift), and become dead letters too. What cannot be stored together
//     although each record fits is stored in halves (session.store).
//
// Offsets that the engine has are the only truth. A crash anywhere leaves rows and offsets that agree, and
// the next session begins there. The engine refuses an append whose offsets do not follow, so that a
// defect here, or a second reader of the same source, cannot double rows. A consumer group, if there is one,
// assigns partitions; offsets are committed to it for others to look at.
//
// # Back-pressure
//
// One batch is being filled while another is being appended; the third is not fetched. An append
// that fails because the disk is full or slow is tried again until it succeeds. The records of both
// batches count against Settings.MemoryBytes for all sources together, and franz-go buffers
// at most fetchBytes per broker besides.
//
// # What is lost outside
//
// Records that the topic lost before they were read (retention, an unclean election, a topic that was made
// again under the same name) are told of by a dead letter without a value, in the same edit in which the stream
// goes on behind them.
package stream
