// Package encode encodes a result (an Arrow schema and a stream of batches) in a wire format: JSON,
// NDJSON, CSV, Arrow IPC stream, Parquet, MessagePack, or a table for a terminal. It is the
// counterpart of ingest, and depends neither on the engine nor on DuckDB.
//
// Memory does not grow with the result. All formats except Table and Parquet have one batch and one
// output buffer in memory. Arrow gathers up to 65,536 rows or 4 MiB, Parquet one row group with up
// to 128 MiB of values, and Table the rows that it will print.
//
// # How values are written as text
//
// JSON, NDJSON and CSV write the same text, with the differences below. Table prints what DuckDB's
// shell prints.
//
//   - Integers up to 64 bits: JSON numbers, exact. Parse them with a 64-bit integer type.
//   - FLOAT, DOUBLE: the shortest digits that parse to the same value, always with a
//     point or an exponent ("1.0"), so that a typed reader sees a float. "NaN", "Infinity"
//     and "-Infinity" are JSON strings.
//   - DECIMAL, HUGEINT, UHUGEINT: a JSON number if a double represents the value without
//     losing a digit (at most 15 significant digits, or an integer up to 2^53 in magnitude),
//     otherwise a JSON string with all digits. This is decided per value and not per column,
//     because sum() over integers is a HUGEINT, which would otherwise always be a string.
//     Clients that need every digit parse both forms from their text. The column's type
//     tells them when to expect the two forms.
//   - DATE, TIME, TIMESTAMP: ISO 8601. The fraction of a second has the fewest of 0, 3, 6
//     or 9 digits that represent it. TIMESTAMP WITH TIME ZONE is in UTC with a Z. Years
//     outside 0000-9999 have a sign and at least six digits. "infinity" and "-infinity" are
//     written as in DuckDB.
//   - INTERVAL: ISO 8601 duration in JSON ("P1Y2M3DT4H5.5S"); in CSV and Table DuckDB's own
//     text ("1 year 2 months 3 days 04:00:05.5"), which DuckDB can parse.
//   - BLOB: base64 with padding; Table prints DuckDB's escaped text. UUID, BIT, TIMETZ: text.
//   - VARCHAR: UTF-8; an invalid byte becomes U+FFFD.
//   - JSON: the value itself in JSON and NDJSON if it is valid JSON, otherwise a string.
//   - LIST, ARRAY: JSON array. STRUCT: JSON object, or an array if its fields have no names.
//     MAP: JSON object if the keys are VARCHAR or ENUM, otherwise an array of
//     {"key", "value"} objects. UNION: an object with one member, the tag. CSV and Table
//     also print these as JSON text.
//
// # Errors after the first byte
//
// If Write fails before a byte reached the writer (Stats.Bytes is 0), the caller can still answer
// with an error. After that, the format reports the error where it can:
//
//   - JSON: the document ends with "error": {"kind", "message", "hint"?} and stays valid JSON.
//     A client looks for the key "error".
//   - NDJSON: the last line is {"$error": {"kind", "message", "hint"?}}.
//   - MessagePack: the last object is a map with the key "error"; see docs/format/msgpack.md.
//   - Arrow: the end-of-stream marker is missing. Parquet: the footer is missing.
//   - CSV, Table: the format cannot report errors.
//
// Write returns the error in every case. The server then ends the response so that the client's
// transport reports it as incomplete: without the last chunk in HTTP/1.1, and with RST_STREAM in
// HTTP/2. HTTP/1.0 has no such signal.
package encode
