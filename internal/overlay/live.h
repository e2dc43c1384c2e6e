// Scalar functions for parts whose rows were deleted or changed since the part was written.
//
// A part's file stays as it is; which of its rows are no longer to be read there is given to DuckDB beside
// it, as ascending row numbers. Vectors that come from a scan hold rows of one file with ascending row
// numbers, so that one search says whether any of them is concerned; mostly none is.
#ifndef SCOTER_LIVE_H
#define SCOTER_LIVE_H

#include "memscan.h"

// Ascending row numbers of one file.
typedef struct {
	int64_t n;
	const uint32_t *rows;
} scoter_rows;

// What one call in a relation refers to: rows of the files of one read_parquet, by file_index.
typedef struct {
	int64_t n_files;
	const scoter_rows *files;
} scoter_hidden;

// Registers the function (handle BIGINT, file_index UBIGINT, file_row_number BIGINT) -> BOOLEAN: whether
// the row is none of those that the handle stands for. scoterFindHidden (in Go) resolves the handle.
duckdb_state scoter_register_live(duckdb_connection connection, const char *name);

#endif
