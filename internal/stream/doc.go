// Package stream fills tables from Kafka topics. Each record is stored exactly once.
//
// # Path of a record
//
//  1. session.consume polls the franz-go client, from the offsets that the engine stores.
//  2. decodings.add decodes the record's value straight into the Arrow buffers of each table that
//     takes columns of it (one decoding for each schema). session.addToBatch adds the record's
//     offset to the batch. A record that cannot be decoded becomes a dead letter.
//  3. When the batch is full or old enough, session.seal finishes the buffers and passes them to
//     the source's committer. The committer runs the queries of tables that are defined by SQL
//     (query.go). It then commits the rows of all tables, the dead letters and the offsets as one
//     edit.
//  4. If a table refuses the batch, source.bisectRefused finds the refused records by halving the
//     batch. The refused records become dead letters too. If the batch is too large for one edit
//     although each record fits, session.store stores it in halves.
//
// Only the offsets that the engine stores decide where reading continues. They are committed
// together with the rows. So after a crash at any point, the next session starts at the first
// record that is not stored. The engine refuses an append whose offsets do not follow the stored
// ones. So neither a defect in this package nor a second reader of the same source can duplicate
// rows. A consumer group, if the source has one, only assigns partitions. Offsets are committed to
// the group for monitoring tools.
//
// # Back-pressure
//
// One batch is filled while another one is appended. A third batch is not fetched. If an append
// fails, for example because the disk is full, it is repeated until it succeeds. The records of
// both batches count in Settings.Memory, which all sources share. In addition, franz-go
// buffers at most fetchBytes per broker.
//
// # Records lost in Kafka
//
// A topic may lose records before they are read: by retention, by an unclean leader election, or
// because the topic was deleted and created again under the same name. Such a loss is recorded as a
// dead letter without a value. The dead letter is committed in the same edit as the new offset, at
// which reading continues after the lost records.
package stream
