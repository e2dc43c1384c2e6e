// Package ddl runs the statements that change definitions: CREATE, ALTER, DROP and TRUNCATE, and
// the statements that manage Kafka sources and exports.
//
// DuckDB's own catalog stays empty. Where DuckDB's parser or binder has to check a definition, ddl
// creates a temporary table and drops it afterwards.
package ddl
