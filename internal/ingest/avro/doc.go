// Package avro decodes Avro's binary encoding straight into Arrow buffers, without a value
// object in between. A Plan is made once from the schema that the messages were written
// with; its Decoder reads messages one by one. Unlike Protobuf's, an Avro message has every
// value in the schema's order, so each column is only ever appended to.
//
//	schema, err := avro.Parse(text)
//	plan, err := avro.NewPlan(schema, avro.Options{})
//	decoder := plan.NewDecoder()
//	err = decoder.Append(bytes) // for each message
//	batch := decoder.Finish()
//
// # Types
//
//	boolean, int, long, float, double        bool, int32, int64, float32, float64
//	string, bytes, fixed                     utf8, binary, binary
//	enum                                     utf8: the symbol
//	record                                   struct
//	record without fields                    bool: true
//	array, map                               list, map with utf8 keys
//	[null, T], [T, null], [T]                T
//	other unions                             struct with a field for each branch but null, of which
//	                                         the one that is there is not NULL; named by its type
//	null                                     no column
//	decimal, uuid                            decimal128, uuid
//	date, time-millis, time-micros           date32, time64[us]
//	timestamp-millis, -micros, -nanos        timestamp[us, UTC], timestamp[ns, UTC]
//	local-timestamp-...                      timestamp[us], timestamp[ns]
//	duration                                 month_day_nano_interval
//
// A logical type that is unknown, or not allowed for its type, is ignored, as Avro says. A
// schema that is not a record makes one column, value. Enums that are columns of the batch
// itself are dictionaries.
//
// What is not one column of a table is refused with the plan: a type inside itself, decimals
// of more than 38 digits.
//
// # Evolution
//
// The columns are those of the writer's schema, by name. The table plays the reader: columns
// that it lacks are added, those that a message lacks are NULL, numbers widen. With Options.Reader they are those of
// another schema, to which messages are resolved as Avro says: by names and aliases, with defaults, promoting numbers.
// Stricter: logical types must be the same where both have one.
//
// # Parsing
//
// Schemas are parsed by hamba/avro, with which the tests compare. Stricter than it: text is
// UTF-8, a map's keys are distinct, values are within the ranges of their logical types, and a
// message ends where its value does.
package avro
