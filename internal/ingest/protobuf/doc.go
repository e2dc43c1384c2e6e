// Package protobuf decodes Protobuf messages straight into Arrow buffers, without a
// message object in between. A Plan is made once from a message type's descriptor;
// its Decoder reads messages one by one, finds each field's op by its tag, and
// writes the value at the message's row of buffers that are zero before, so that an
// absent field costs nothing.
//
//	files, err := protobuf.CompileProto(ctx, os.DirFS("schemas"), "event.proto")
//	message, err := protobuf.FindMessage(files, "shop.Event")
//	plan, err := protobuf.NewPlan(message, protobuf.Options{})
//	decoder := plan.NewDecoder()
//	err = decoder.Append(bytes) // for each message
//	batch := decoder.Finish()
//	batch.Release() // the next batch is made of its memory
//
// Whoever keeps a part of a batch holds a reference to it or a copy: a batch that was released is written again.
//
// # Types
//
//	bool, int32, int64, uint32, uint64,      bool, int32, int64, uint32, uint64,
//	float, double, and their other encodings float32, float64
//	string, bytes                            utf8, binary
//	enum                                     utf8: the value's name, of several the first;
//	                                         for a number without a name the number as text
//	message, group                           struct
//	message without fields                   bool: true where it is present
//	repeated                                 list, empty if there is no element
//	map                                      map; of entries with the same key the last
//	google.protobuf.Timestamp                timestamp[us, UTC]
//	google.protobuf.Duration                 int64: nanoseconds
//	google.protobuf.*Value (wrappers)        the value's type, NULL if absent
//
// Strings and enums that are columns of the batch itself are dictionaries where
// that pays. A column of timestamps is timestamp[ns, UTC] in a batch in which one
// has nanoseconds below the microsecond; if another timestamp of the batch is then
// out of the years 1677 to 2262, Append returns ErrFull. Timestamps that are not
// one, and durations that are none or beyond 292 years, make a message invalid.
//
// # Presence
//
// An absent message, and an absent scalar with explicit presence (proto2, optional,
// members of oneofs), is NULL, and so is all that an absent message would hold. An
// absent scalar with implicit presence is its default. A required field must be
// there. Each member of a oneof is a column; at most one of them is not NULL.
//
// # Projections
//
// Options.Columns chooses columns by path, for tables of their own: a.b is a field of
// a message, a.list[0].c a field of a repeated one's first element, and with
// a.list[].c every element makes a row, beside which the columns of what is around
// it repeat. A message without elements makes no row, as with SQL's UNNEST. The [] of
// all paths are of one repeated field, or of one inside the other's elements. All
// else is passed over at the speed of its lengths, unread and unchecked.
//
// # Parsing
//
// Bytes mean what they mean to protobuf-go, which the tests compare with: the last
// of several values of a scalar stays, pieces of a message merge, the later member
// of a oneof clears the earlier, packed and unpacked numbers are both read, a field
// of another wire type than its descriptor's is unknown, unknown fields and
// extensions are passed over, enums are open. One thing is stricter: text is UTF-8
// in proto2 too.
//
// # Recursion
//
// A message type inside itself would make columns without end. The field that leads
// back to a type (more often than Options.Recursion allows), and a message nested
// too deep for ingest.MaxNesting, is a binary column with the message's bytes, as
// they came and unread; pieces of it are joined, which merges them. So nothing is
// lost, and depth in the data costs no stack.
package protobuf
