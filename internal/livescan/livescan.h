// Scans of parts without the rows that were deleted or changed after the part was written.
//
// A part's file is never changed. The scan gets a separate list of the rows to leave out. If such
// rows are adjacent, they are left out by the mechanism that DuckDB has for deletion files of
// lakehouse formats: for each vector the reader asks which rows to read, and skips the others.
//
// If the rows are scattered, this mechanism costs more than it saves: the reader goes from row to
// row, evaluates conditions over selections instead of plain vectors, and never on a dictionary
// alone. So scattered rows are read like the others and removed from the output of the reader.
// There are two exceptions, in which DuckDB's mechanism is used: a condition might fail for values
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
	// The rowset id of the file, which is the value of the column scoter_source. It is set if
	// addressed is.
	uint64_t source;
	int64_t n;
	const uint32_t *rows;
	// bits has the same rows as one bit for each row of the file; NULL if there are few rows.
	const uint64_t *bits;
	// scattered says that the rows are to be removed after reading, unless conditions may fail for
	// them or become slower.
	bool scattered;
	// dense says that there are many rows: conditions that compute something are slower if they are
	// evaluated for these rows too.
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

// Registers a table function (files VARCHAR[], handle BIGINT) under a name. It reads files like
// read_parquet, without the rows that the handle stands for; the handle 0 stands for no rows. The
// Go function scoterFindRows finds the rows of a handle. A row's address is in the virtual columns
// scoter_source (UBIGINT) and scoter_ordinal (BIGINT). These are read_parquet's columns file_index
// and file_row_number, under names that no table's column has. Returns NULL or an error message,
// which the caller frees.
char *scoter_register_livescan(
	duckdb_connection connection, const char *name, bool late_materialization);

// Marks, in DuckDB's catalog, functions that may fail but that DuckDB would evaluate for whole
// dictionaries (fallible.cc). Returns NULL or an error message, which the caller frees.
char *scoter_mark_fallible(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
