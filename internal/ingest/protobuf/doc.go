// Package protobuf decodes Protobuf messages directly into Arrow buffers, without message objects.
//
// A Plan is made once from the descriptor of a message type. Its Decoder reads messages one by one.
// It finds how to decode a field by the field's tag, and writes the value to the message's row. The
// buffers are zero before, so an absent field costs nothing.
//
//	files, err := protobuf.CompileProto(ctx, os.DirFS("schemas"), "event.proto")
//	message, err := protobuf.FindMessage(files, "shop.Event")
//	plan, err := protobuf.NewPlan(message, protobuf.Options{})
//	decoder := plan.NewDecoder()
//	err = decoder.Append(bytes) // for each message
//	batch := decoder.Finish()
//	batch.Release() // the next batch reuses its memory
//
// A released batch is overwritten. To use a part of a batch longer, retain or copy it.
//
// # Types
//
//	bool, int32, int64, uint32, uint64,      bool, int32, int64, uint32, uint64,
//	float, double, and their other encodings float32, float64
//	string, bytes                            utf8, binary
//	enum                                     utf8: the value's name (the first of several), or
//	                                         the number as text if it has no name
//	message, group                           struct
//	message without fields                   bool: true if it is present
//	repeated                                 list, empty if there is no element
//	map                                      map; the last of several entries with the same key
//	google.protobuf.Timestamp                timestamp[us, UTC]
//	google.protobuf.Duration                 int64: nanoseconds
//	google.protobuf.*Value (wrappers)        the value's type, NULL if absent
//
// Strings and enums that are columns of the batch become dictionaries where that pays off.
//
// A timestamp column is timestamp[ns, UTC] in a batch where a value has nanoseconds below the
// microsecond. If another timestamp of that batch is outside of the years 1677 to 2262, Append
// returns wire.ErrFull. A message is invalid if it contains an invalid timestamp, an invalid
// duration or a duration of more than 292 years.
//
// # Presence
//
// Absent messages are NULL, and so is everything inside them. Absent scalars with explicit presence
// (proto2, optional, members of oneofs) are NULL. An absent scalar with implicit presence has its
// default value. A required field must be present. Each member of a oneof is a column, and at most
// one of them is not NULL.
//
// # Projections
//
// Options.Columns selects columns by path:
//   - a.b is a field of a message
//   - a.list[0].c is a field of the first element of a repeated field
//   - a.list[].c makes one row per element; columns outside of the list repeat in these rows
//
// A message without elements makes no row, as in SQL's UNNEST. All [] of the paths must refer to
// the same repeated field, or to repeated fields nested in its elements. Everything else in the
// message is skipped by its length, neither decoded nor checked.
//
// # Parsing
//
// Decoding follows protobuf-go, and the tests compare the two:
//   - the last of several values of a scalar wins
//   - if a message field occurs several times, the messages are merged
//   - a later member of a oneof clears an earlier one
//   - packed and unpacked numbers are both accepted
//   - a field with another wire type than its descriptor's is unknown
//   - unknown fields and extensions are skipped
//   - enums are open
//
// There is one difference: text must be UTF-8 in proto2, too.
//
// # Recursion
//
// A message type that contains itself would need infinitely many columns. So a field becomes a
// binary column with the message's undecoded bytes in two cases: its type is nested in itself more
// often than Options.Recursion allows, or its depth would exceed ingest.MaxNesting. If such a field
// occurs several times, the bytes are concatenated, which merges the messages. No data is lost, and
// deeply nested data uses no stack.
package protobuf
