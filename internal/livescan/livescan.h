// Parts whose rows were deleted or changed since the part was written.
//
// A part's file stays as it is. Which of its rows are not to be read there is given to DuckDB beside it. Where they lie
// side by side, this goes the way that DuckDB has for the deletion files of lakehouse formats: the reader asks, for each vector
// of rows, which to keep, and skips what nobody wants. Where they are scattered that costs more than it saves: the reader goes
// from row to row, evaluates conditions over selections instead of plain vectors, and never on a dictionary alone. Then they are
// read like the others and taken out of what came, before anybody else sees it; unless a condition that the reader
// evaluates might fail for what they hold, or would take longer for all rows. (Measured on lineitem, the time of taking out to that of
// DuckDB's way: without a tenth of its rows 0.90 to 0.97, queries without conditions 0.91 and 0.86; without 60% of them 0.78 and 0.65.)
#ifndef SCOTER_LIVESCAN_H
#define SCOTER_LIVESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

// Ascending row numbers of one file.
typedef struct {
	const char *path;
	uint64_t source; // what the column scoter_source has, if the call's rows are addressed
	int64_t n;
	const uint32_t *rows;
	const uint64_t *bits; // the same, if they are many: one for each of the file's rows
	bool scattered; // they are taken out of what was read, unless conditions do better without them
	bool dense; // they are so many that conditions which compute something do
} scoter_file;

// What one call of the function refers to.
typedef struct {
	int64_t n_files;
	const scoter_file *files; // by path, ascending
	bool only; // the rows are the ones to read: all others are left out
	bool addressed; // all files that are read are here, with their sources
} scoter_rows;

#ifdef __cplusplus
extern "C" {
#endif

// Registers a table function (files VARCHAR[], handle BIGINT): read_parquet without the rows that the handle stands
// for; 0 stands for none. A row's address is in virtual columns, scoter_source (UBIGINT) and scoter_ordinal (BIGINT), which are
// read_parquet's file_index and file_row_number under names that no table's column has. scoterFindRows (in Go) resolves the handle. Returns what went wrong, to be freed, or NULL.
char *scoter_register_livescan(
	duckdb_connection connection, const char *name, bool late_materialization);

// Lets DuckDB know which functions may fail, of those that it does not ask of rows alone (fallible.cc). Returns what went wrong, to be freed, or NULL.
char *scoter_mark_fallible(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
