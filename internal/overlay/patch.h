// Scalar functions that read rows of parts that were deleted or changed since the part was written.
//
// A part's file never changes: what became of its rows is given to DuckDB beside it, as ascending row
// numbers and, for changed columns, values. Vectors that come from a scan hold rows of one file with
// ascending row numbers, so that one search says whether any of them is concerned; mostly none is.
#ifndef SCOTER_PATCH_H
#define SCOTER_PATCH_H

#include "memscan.h"

// Rows of one file, as ascending numbers, and new values of one column for them. Of deleted rows
// there are no values.
typedef struct {
	int64_t n;
	const uint32_t *rows;
	scoter_column values;
	const duckdb_string_t *dictionary; // of values that are SCOTER_DICTIONARY
} scoter_changes;

// What one call in a relation refers to: changes of the files of one read_parquet, by file_index.
typedef struct {
	int64_t n_files;
	const scoter_changes *files;
	const scoter_type *type; // of values
} scoter_overlay;

// Registers live(handle, file_index, file_row_number) -> BOOLEAN: whether the row is none of the changes'.
duckdb_state scoter_register_live(duckdb_connection connection, const char *name);

// Registers patch(handle, file_index, file_row_number, value) -> value: the new value of the row if
// there is one, else the given.
duckdb_state scoter_register_patch(duckdb_connection connection, const char *name, const scoter_type *type);

#endif
