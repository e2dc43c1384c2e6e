// Scans of parts with rows that were deleted or changed after the part was written.
//
// A part's file is never changed. The scan gets a separate list of the rows to leave out. Rows that
// are adjacent are left out by the mechanism that DuckDB has for deletion files of lakehouse
// formats: the reader asks for each vector which rows to read, and skips the others.
//
// If the rows are scattered, this mechanism costs more than it saves: the reader goes from row to
// row, evaluates conditions over selections instead of plain vectors, and never on a dictionary
// alone. So scattered rows are read like the others and removed from the output of the reader.
// There are two exceptions, in which the first mechanism is used: a condition might fail for values
// of hidden rows, or conditions would take longer to evaluate for all rows.
//
// (Measured on lineitem, time of removal relative to DuckDB's mechanism: without a tenth of the
// rows 0.90 to 0.97, queries without conditions 0.91 and 0.86; without 60% of the rows 0.78 and
// 0.65.)
#ifndef SCOTER_LIVESCAN_H
#define SCOTER_LIVESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

// Rows of one file, which are left out or selected.
typedef struct {
	const char *path;
	// Rowset id of the file, if addressed is set: the value of column scoter_source.
	uint64_t source;
	int64_t n;
	const uint32_t *rows;
	// bits has the same rows as one bit for each row of the file; NULL if there are few rows.
	const uint64_t *bits;
	// Remove the rows after reading, unless conditions may fail for them or get slower.
	bool scattered;
	// dense says that there are so many rows that conditions which compute something are slower if
	// they are evaluated for all rows.
	bool dense;
} scoter_file;

// The rows of all files that one call of the table function leaves out or selects.
typedef struct {
	int64_t n_files;
	const scoter_file *files; // by path, ascending
	bool only; // read only these rows; otherwise read all others
	bool addressed; // all files that are read are listed, with their rowset ids
} scoter_rows;

#ifdef __cplusplus
extern "C" {
#endif

// Registers a table function (files VARCHAR[], handle BIGINT) under a name. It is read_parquet
// without the rows for which the handle stands; handle 0 stands for no rows. scoterFindRows (in Go)
// resolves the handle. A row's address is in the virtual columns scoter_source (UBIGINT) and
// scoter_ordinal (BIGINT). These are read_parquet's file_index and file_row_number under names that
// no table's column has. Returns NULL or an error message, which the caller frees.
char *scoter_register_livescan(
	duckdb_connection connection, const char *name, bool late_materialization);

// Marks, in DuckDB's catalog, functions that may fail but that DuckDB would evaluate for whole
// dictionaries (fallible.cc). Returns NULL or an error message, which the caller frees.
char *scoter_mark_fallible(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
