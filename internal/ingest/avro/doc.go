// Package avro decodes Avro's binary encoding directly into Arrow buffers, without value objects. A
// Plan is made once from the schema that the messages were written with. Its Decoder reads messages
// one by one. Unlike a Protobuf message, an Avro message has every value in the schema's order, so
// columns are only ever appended to.
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
//	other unions                             struct with a field per branch except null, named by
//	                                         its type; only the field of the branch is not NULL
//	null                                     no column
//	decimal, uuid                            decimal128, uuid
//	date, time-millis, time-micros           date32, time64[us]
//	timestamp-millis, -micros, -nanos        timestamp[us, UTC], timestamp[ns, UTC]
//	local-timestamp-...                      timestamp[us], timestamp[ns]
//	duration                                 month_day_nano_interval
//
// A logical type is ignored, as Avro specifies, if it is unknown or not allowed for its base type.
// A schema that is not a record makes one column, named value. Enums that are columns of the batch
// become dictionaries.
//
// NewPlan refuses types that cannot be columns: types that contain themselves, and decimals of more
// than 38 digits.
//
// # Evolution
//
// The columns are those of the writer's schema, by name. The table has the role of the reader:
// columns that it lacks are added, columns that a message lacks are NULL, and numbers are widened.
//
// With Options.Reader the columns are those of another schema. Messages are resolved to it by
// Avro's rules: by names and aliases, with defaults, and with promotion of numbers. There is one
// stricter rule: if both schemas have a logical type, it must be the same.
//
// # Parsing
//
// hamba/avro parses the schemas, and the tests compare the decoded values with it. This package is
// stricter: text must be UTF-8, the keys of a map must be distinct, values must be in the range of
// their logical types, and a message must end where its value ends.
package avro
