// A DuckDB table function (memfunction.cc) over batches in memory in Arrow's layout.
//
// Go code describes the batches with the structs below. The descriptions are in C memory and point
// into the memtables' memory, which Go's garbage collector does not manage. Go keeps both alive
// until the query has ended. The scan copies only fixed-width values, into DuckDB's vectors, and
// strings whose memory is freed before the end of the query. Other strings are referenced in place
// (memdictionary.cc: repeating ones).
#ifndef SCOTER_MEMSCAN_H
#define SCOTER_MEMSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

// The memory layout of a column's values, which determines how they are put into a vector.
typedef enum {
	SCOTER_FIXED,      // value_bytes per value, the same in Arrow and DuckDB
	SCOTER_BOOL,       // bitmap
	SCOTER_STRING,     // int32 offsets into bytes (utf8 and binary)
	SCOTER_DICTIONARY, // uint32 codes into children[0], a SCOTER_STRING
	SCOTER_DECIMAL,    // 16 bytes, narrowed to the width of DuckDB's decimal
	SCOTER_UUID,       // 16 bytes, big endian
	SCOTER_LIST,       // int32 offsets into children[0]
	SCOTER_STRUCT,     // children, no values of its own
	SCOTER_MAP         // int32 offsets into children[0], a struct of key and value
} scoter_layout;

// A column of one batch, or the child of a column.
typedef struct scoter_column {
	int64_t offset;          // index of the first row in data and validity, in values
	int64_t length;          // rows
	const uint8_t *validity; // bitmap in which a set bit is a value; NULL if all are values
	const void *data;        // values, codes or offsets
	const uint8_t *bytes;    // bytes into which the offsets of strings point
	struct scoter_column *children;
	uint8_t layout; // scoter_layout; may differ between batches (string, dictionary)
	uint8_t passing; // not 0: freed before the query ends, so texts are copied
} scoter_column;

// The type of a column. It is the same for all batches.
typedef struct scoter_type {
	duckdb_type id;
	uint8_t width, scale;     // of decimals
	uint8_t value_bytes;      // of SCOTER_FIXED and of DuckDB's decimals
	int32_t n_children;
	struct scoter_type *children;
	const char **names; // of a struct's children
} scoter_type;

typedef struct {
	uint64_t source;          // first half of the rows' addresses
	uint64_t first_ordinal;   // second half of the first row's address
	const uint32_t *ordinals; // second half of each row's address; NULL if they are consecutive
	int64_t rows;
	scoter_column *columns;
	// Hidden rows, as ascending ordinals.
	int64_t n_hidden;
	const uint32_t *hidden;
} scoter_batch;

// A condition on one column that every row of the query's result meets: it is one of some texts, or
// a whole number of four or eight bytes between two ends.
typedef struct {
	int32_t column;
	int32_t n_texts; // 0: a number
	const char **texts;
	int64_t *lengths;
	int64_t least, most;
} scoter_filter;

// All data of one scan. The scan has two more columns after these: the row address (source UBIGINT,
// ordinal BIGINT), which is computed only if requested.
typedef struct {
	// Not 0: scoterFillColumns (in Go) describes columns when a query first requests them, under
	// this id. If they are too large, scoterReadPiece reads some rows at a time.
	uint64_t lazy;
	// Not 0: the statement of this scan is cached, and runs again with other rows under the same
	// id.
	uint8_t cached;
	int32_t n_columns;
	const char **names;
	scoter_type *types;
	int64_t n_batches;
	scoter_batch *batches;
	int64_t rows;
	int32_t n_filters;
	scoter_filter *filters;
} scoter_scan;

// Consecutive rows of a batch whose columns are not described.
typedef struct {
	scoter_batch batch;
	uintptr_t memory; // handle for scoterFreePiece; 0 if there is none
} scoter_piece;

// Why rows could not be read. The caller frees the texts. All are NULL if nothing failed.
typedef struct {
	char *message, *kind, *hint; // kind is the name of a base.Kind; hint may be NULL
} scoter_failure;

#ifdef __cplusplus
extern "C" {
#endif

// Returns the DuckDB type of a description. The caller destroys it.
duckdb_logical_type scoter_logical_type(const scoter_type *t);

// A running scan, which threads share, and the state of one thread, which reads it morsel by
// morsel.
typedef struct scoter_run scoter_run;
typedef struct scoter_reader scoter_reader;

// Starts to read the columns with the given indexes. Returns NULL and sets *failure on errors.
scoter_run *scoter_begin(
	scoter_scan *scan, const idx_t *projected, idx_t n_projected, scoter_failure *failure);
uint64_t scoter_threads(const scoter_run *run);
void scoter_end(scoter_run *run);

scoter_reader *scoter_open_reader(const scoter_run *run);
// Returns the next rows, which belong to one morsel, and no rows at the end. Returns false and sets
// *failure on errors.
bool scoter_read(
	scoter_run *run, scoter_reader *reader, duckdb_data_chunk rows, scoter_failure *failure);
// Returns the number of the current morsel. Later morsels of the scan have greater numbers.
uint64_t scoter_morsel(const scoter_reader *reader);
void scoter_close_reader(scoter_reader *reader);

// The texts of a SCOTER_DICTIONARY, which DuckDB's vectors refer to.
typedef struct scoter_dictionary scoter_dictionary;

scoter_dictionary *scoter_make_dictionary(const scoter_column *c);
void scoter_free_dictionary(scoter_dictionary *dictionary);
// Makes a vector refer to the texts of some rows of the column, or of n rows beginning at row. Only
// one vector at a time may refer to a dictionary.
void scoter_refer(scoter_dictionary *dictionary, duckdb_vector vector, const scoter_column *c,
	const uint32_t *rows, int64_t row, int64_t n);

// Registers the function under its name. It has one BIGINT parameter, which scoterFindScan (in Go)
// resolves to a scan. Returns NULL or an error message, which the caller frees.
char *scoter_register_memscan(duckdb_connection connection, const char *name);

#ifdef __cplusplus
}
#endif

#endif
