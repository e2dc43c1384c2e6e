// Parts whose rows were deleted or changed since the part was written.
//
// A part's file stays as it is. Which of its rows are not to be read there is given to DuckDB beside it, in the way that
// DuckDB has for the deletion files of lakehouse formats: the scan asks, for each vector of rows, which to keep.
#ifndef SCOTER_LIVESCAN_H
#define SCOTER_LIVESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

// Ascending row numbers of one file.
typedef struct {
	const char *path;
	int64_t n;
	const uint32_t *rows;
} scoter_file;

// What one call of the function refers to.
typedef struct {
	int64_t n_files;
	const scoter_file *files; // by path, ascending
	bool only;                // the rows are the ones to read: all others are left out
} scoter_rows;

#ifdef __cplusplus
extern "C" {
#endif

// Registers a table function (files VARCHAR[], handle BIGINT): read_parquet without the rows that the handle stands
// for; 0 stands for none. scoterFindRows (in Go) resolves the handle. Returns what went wrong, to be freed, or NULL.
char *scoter_register_livescan(duckdb_connection connection, const char *name, bool late_materialization);

#ifdef __cplusplus
}
#endif

#endif
