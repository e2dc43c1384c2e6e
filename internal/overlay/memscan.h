// A DuckDB table function (memfunction.cc) over batches that lie in memory in Arrow's layout.
//
// The Go side describes the batches with the structs below, in C memory that points
// into the memtables' arenas (which Go does not manage), and keeps both alive until
// the query has ended. Nothing is copied but fixed-width values into DuckDB's
// vectors, and strings that go before the query has; others are referenced where they lie (memdictionary.cc: those that repeat).
#ifndef SCOTER_MEMSCAN_H
#define SCOTER_MEMSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

// How a column's values lie in memory, and so how they get into a vector.
typedef enum {
	SCOTER_FIXED, // width bytes a value, the same in Arrow and DuckDB
	SCOTER_BOOL, // bitmap
	SCOTER_STRING, // int32 offsets into bytes (utf8 and binary)
	SCOTER_DICTIONARY, // uint32 codes into children[0], a SCOTER_STRING
	SCOTER_DECIMAL, // 16 bytes, narrowed to the width of DuckDB's decimal
	SCOTER_UUID, // 16 bytes, big endian
	SCOTER_LIST, // int32 offsets into children[0]
	SCOTER_STRUCT, // children, no values of its own
	SCOTER_MAP // int32 offsets into children[0], a struct of key and value
} scoter_layout;

// A column of one batch, or the child of one.
typedef struct scoter_column {
	int64_t offset; // of the first row within data and validity, in values
	int64_t length; // rows
	const uint8_t *validity; // bitmap, a set bit is a value; NULL if all are values
	const void *data; // values, codes or offsets
	const uint8_t *bytes; // what offsets of strings point into
	struct scoter_column *children;
	uint8_t layout; // scoter_layout; may differ between batches (string, dictionary)
	uint8_t passing; // not 0: it goes before the query ends, so texts are copied
} scoter_column;

// The type of a column, the same for all batches.
typedef struct scoter_type {
	duckdb_type id;
	uint8_t width, scale; // of decimals
	uint8_t value_bytes; // of SCOTER_FIXED and of DuckDB's decimals
	int32_t n_children;
	struct scoter_type *children;
	const char **names; // of a struct's children
} scoter_type;

typedef struct {
	uint64_t source; // first half of its rows' addresses
	uint64_t first_ordinal; // second half, of its first row
	const uint32_t *ordinals; // second half, row by row; NULL if they follow the first
	int64_t rows;
	scoter_column *columns;
	// Rows that are left out, as ascending ordinals.
	int64_t n_hidden;
	const uint32_t *hidden;
} scoter_batch;

// What every row of the query's result meets in one column: one of some texts, or a whole number of four or eight bytes between two ends.
typedef struct {
	int32_t column;
	int32_t n_texts; // 0: a number
	const char **texts;
	int64_t *lengths;
	int64_t least, most;
} scoter_filter;

// All that one scan reads. Followed by two more columns than it has: the row
// address (source UBIGINT, ordinal BIGINT), computed only if asked for.
typedef struct {
	// Not 0: columns are described when a query first asks for them, by scoterFillColumns (in Go), under
	// this number; where they are too large for that, by scoterReadPiece, some rows at a time.
	uint64_t lazy;
	// Not 0: the statement that reads it is kept, and run again with other rows under the same number.
	uint8_t kept;
	int32_t n_columns;
	const char **names;
	scoter_type *types;
	int64_t n_batches;
	scoter_batch *batches;
	int64_t rows;
	int32_t n_filters;
	scoter_filter *filters;
} scoter_scan;

// Some rows of a batch whose columns are not described, from the first one asked for.
typedef struct {
	scoter_batch batch;
	uintptr_t memory; // what scoterFreePiece frees; 0 if there is none
} scoter_piece;

// Why rows are not to be had: texts to be freed. All are NULL if nothing failed.
typedef struct {
	char *message, *kind, *hint; // the kind is a base.Kind's name; the hint may be NULL
} scoter_failure;

#ifdef __cplusplus
extern "C" {
#endif

// Returns the DuckDB type that a description stands for; the caller destroys it.
duckdb_logical_type scoter_logical_type(const scoter_type *t);

// A scan that runs, which threads share, and what one of them reads of it, morsel by morsel.
typedef struct scoter_run scoter_run;
typedef struct scoter_reader scoter_reader;

// Begins to read the given columns, by number. Returns NULL, and what went wrong, if they are not to be had.
scoter_run *scoter_begin(
	scoter_scan *scan, const idx_t *projected, idx_t n_projected, scoter_failure *failure);
uint64_t scoter_threads(const scoter_run *run);
void scoter_end(scoter_run *run);

scoter_reader *scoter_open_reader(const scoter_run *run);
// Gives the next rows, of one morsel, none at the end. Returns false, and what went wrong, if they are not to be had.
bool scoter_read(
	scoter_run *run, scoter_reader *reader, duckdb_data_chunk rows, scoter_failure *failure);
// Returns a number that is greater for each later morsel of the scan: that of the rows given last.
uint64_t scoter_morsel(const scoter_reader *reader);
void scoter_close_reader(scoter_reader *reader);

// The texts of a SCOTER_DICTIONARY, for DuckDB's vectors to refer to.
typedef struct scoter_dictionary scoter_dictionary;

scoter_dictionary *scoter_make_dictionary(const scoter_column *c);
void scoter_free_dictionary(scoter_dictionary *dictionary);
// Makes a vector of the texts in some rows of the column, or in n rows from row on. Of one dictionary there is one such vector at a time.
void scoter_refer(scoter_dictionary *dictionary, duckdb_vector vector, const scoter_column *c,
	const uint32_t *rows, int64_t row, int64_t n);

// Registers the function under its name, with one BIGINT parameter that scoterFindScan
// (in Go) resolves to a scan. Returns what went wrong, to be freed, or NULL.
char *scoter_register_memscan(duckdb_connection connection, const char *name);

#ifdef __cplusplus
}
#endif

#endif
