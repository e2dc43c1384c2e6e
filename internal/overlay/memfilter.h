// Filters of a memtable scan. They are made from the bounds that also prune parts, and are part of
// the scan's description; there is no filter pushdown from DuckDB. They only leave out rows that
// the query's own condition excludes as well. Where a filter cannot be applied, all rows pass.
#ifndef SCOTER_MEMFILTER_H
#define SCOTER_MEMFILTER_H

#include "memscan.h"

// Reports whether a row of the batch from row to end is hidden.
bool scoter_hides(const scoter_batch *batch, int64_t row, int64_t end);

// The codes of a batch's dictionary that match a filter on texts.
typedef struct {
	// wanted has one byte per code, and one more byte that is 0. NULL if the column is not
	// dictionary-encoded.
	uint8_t *wanted;
	int64_t n_wanted; // how many codes match
	uint32_t one;     // the last matching code
} scoter_match;

// Returns the codes of a batch's dictionary that match a filter. The caller frees them.
scoter_match scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch);

// Selects the rows of a batch from row to end that may meet all filters and are not hidden. Returns
// how many rows it selected. selected must have space for all rows, and marks one byte per row.
// matches has the result of scoter_match_codes for the batch, by filter.
int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch,
	const scoter_match *matches, int64_t row, int64_t end, uint32_t *selected, uint8_t *marks);

// Copies rows of a column, which is not a SCOTER_DICTIONARY, into a vector.
void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n);

#endif
