// Package encode turns a result, an Arrow schema and a stream of batches, into the bytes
// of a wire format: JSON, NDJSON, CSV, Arrow IPC stream, Parquet, MessagePack, or a table
// for a terminal. It is the mirror of ingest: pure, no engine, no DuckDB.
//
// Memory does not grow with the result: every format but Table and Parquet holds one
// batch and one output buffer, Arrow up to 65,536 rows or 4 MiB, Parquet one row group of up to
// 128 MiB of values, Table the rows it will print.
//
// # How values are written as text
//
// JSON, NDJSON and CSV agree; Table prints what DuckDB's shell prints.
//
//   - Integers up to 64 bits: JSON numbers, exact. Parse them with a 64-bit integer type.
//   - FLOAT, DOUBLE: the shortest digits that read back to the same value, always with a
//     point or an exponent ("1.0"), so that a typed reader sees a float. "NaN", "Infinity",
//     "-Infinity" are JSON strings.
//   - DECIMAL, HUGEINT, UHUGEINT: per value, a JSON number when a double holds it without
//     losing a digit (at most 15 significant digits, or an integer up to 2^53 in magnitude),
//     else a JSON string with all digits. Per value and not per column, because sum() over
//     integers is a HUGEINT: it would otherwise always be a string. Clients that need every
//     digit parse both forms from their text; the column's type says when to expect them.
//   - DATE, TIME, TIMESTAMP: ISO 8601. The fraction of a second has 0, 3, 6 or 9 digits, the
//     fewest that hold it. TIMESTAMP WITH TIME ZONE is in UTC with a Z. Years outside
//     0000-9999 have a sign and at least six digits. "infinity", "-infinity" as in DuckDB.
//   - INTERVAL: ISO 8601 duration in JSON ("P1Y2M3DT4H5.5S"); in CSV and Table DuckDB's own
//     text ("1 year 2 months 3 days 04:00:05.5"), which DuckDB reads back.
//   - BLOB: base64 with padding; Table prints DuckDB's escaped text. UUID, BIT, TIMETZ: text.
//   - VARCHAR: UTF-8; an invalid byte becomes U+FFFD.
//   - JSON: the value itself in JSON and NDJSON if it is valid JSON, else a string.
//   - LIST, ARRAY: JSON array. STRUCT: JSON object, an array if its fields have no names.
//     MAP: JSON object if the keys are VARCHAR or ENUM, else an array of {"key", "value"} objects. UNION: an
//     object of one member, the tag. CSV and Table print these as JSON text too.
//
// # Errors in mid-stream
//
// If Write fails before a byte reached the writer (Stats.Bytes is 0) nothing was written, and
// the caller can still answer with an error of its own. Later, the format says so where it can:
//
//   - JSON: the document ends with "error": {"kind", "message", "hint"?} and stays valid JSON.
//     A client looks for the key "error".
//   - NDJSON: the last line is {"$error": {"kind", "message", "hint"?}}.
//   - MessagePack: the last object is a map with the key "error"; see docs/format/msgpack.md.
//   - Arrow: the end-of-stream marker is missing. Parquet: the footer is missing.
//   - CSV, Table: nothing in the format can say it.
//
// Write returns the error in every case; the server then ends the response, whatever the format, so that the client's
// transport reports it as incomplete (no last chunk, RST_STREAM; HTTP/1.0 has nothing of the kind).
package encode
