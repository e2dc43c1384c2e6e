// Scans of batches in memory in Arrow's layout, for the table function of internal/duck/ext.
//
// Go code describes the batches with the structs below. The structs are in C memory and point into
// the memtables' memory, which Go's garbage collector does not manage. Go keeps both alive until
// the query has ended. The scan copies fixed-width values into DuckDB's vectors. Vectors refer to
// strings where they are (repeating ones refer to a scoter_dictionary), except for strings whose
// memory is freed before the query ends: these are copied.
#ifndef SCOTER_MEMSCAN_H
#define SCOTER_MEMSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <ext.h>

// The memory layout of a column's values, which determines how they are put into a vector.
typedef enum {
	SCOTER_FIXED, // value_bytes bytes per value, the same in Arrow and DuckDB
	SCOTER_BOOL, // a bit per value
	SCOTER_STRING, // int32 offsets into bytes (Arrow's utf8 and binary)
	SCOTER_DICTIONARY, // uint32 codes: indexes of texts in children[0], a SCOTER_STRING
	SCOTER_DECIMAL, // 16 bytes, narrowed to the width of DuckDB's decimal
	SCOTER_UUID, // 16 bytes, big endian
	SCOTER_LIST, // int32 offsets of elements in children[0]
	SCOTER_STRUCT, // values are in children, one per field
	SCOTER_MAP // int32 offsets of entries in children[0], a struct of key and value
} scoter_layout;

// The values of a column of one batch, or of a child of a column.
typedef struct scoter_column {
	int64_t offset; // index of the first row in data and validity, counted in values
	int64_t length; // number of rows
	const uint8_t *validity; // bitmap: 1 for a value, 0 for NULL; NULL pointer if all are values
	const void *data; // values, codes or offsets, depending on layout
	const uint8_t *bytes; // the bytes of strings, into which the offsets in data point
	struct scoter_column *children;
	uint8_t layout; // a scoter_layout; batches may differ (SCOTER_STRING, SCOTER_DICTIONARY)
	uint8_t passing; // not 0: the memory is freed before the query ends, so texts are copied
} scoter_column;

// The type of a column. It is the same for all batches.
typedef struct scoter_type {
	duckdb_type id;
	uint8_t width, scale; // only of decimals
	uint8_t value_bytes; // bytes per value, of SCOTER_FIXED and of DuckDB's decimals
	int32_t n_children;
	struct scoter_type *children;
	const char **names; // only of structs: the names of the fields
} scoter_type;

typedef struct {
	uint64_t source; // first half of the rows' addresses: the rowset id
	uint64_t first_ordinal; // second half of the first row's address
	const uint32_t *ordinals; // second half of each row's address; NULL if they are consecutive
	int64_t rows;
	scoter_column *columns;
	// The ordinals of the rows that are not returned, ascending.
	int64_t n_hidden;
	const uint32_t *hidden;
} scoter_batch;

// A condition on one column that every row of the query's result meets: the value is one of some
// texts, or is a whole number of four or eight bytes between two ends.
typedef struct {
	int32_t column;
	int32_t n_texts; // 0: the condition is on a number
	const char **texts;
	int64_t *lengths;
	int64_t least, most;
} scoter_filter;

// All data of one scan. Besides the table's columns, the scan has two columns for the row address
// (source UBIGINT, ordinal BIGINT). They are computed only if requested.
struct scoter_scan {
	// If lazy is not 0, it is an id, and columns are not described in advance: when a query first
	// requests a column, scoterFillColumns (in Go) describes it. If a column is too large,
	// scoterReadPiece reads some rows at a time.
	uint64_t lazy;
	// cached is not 0 if the statement of this scan is cached, and will run again with other rows
	// under the same id.
	uint8_t cached;
	int32_t n_columns;
	const char **names;
	scoter_type *types;
	int64_t n_batches;
	scoter_batch *batches;
	int64_t rows;
	int32_t n_filters;
	scoter_filter *filters;
};

// A piece: consecutive rows of a batch whose columns are too large to be described at once.
typedef struct {
	scoter_batch batch;
	uintptr_t memory; // handle for scoterFreePiece; 0 if there is nothing to free
} scoter_piece;

// The functions by which DuckDB reads scans.
extern const scoter_scan_functions scoter_scans;

#endif
