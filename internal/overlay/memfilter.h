// Filters of a memtable scan. They are the bounds that leave out parts, too, and come with the scan: the function asks DuckDB for none. They only
// leave out rows that the query's own condition leaves out again; what they cannot judge passes.
#ifndef SCOTER_MEMFILTER_H
#define SCOTER_MEMFILTER_H

#include "memscan.h"

// Reports whether the batch leaves out any row from row up to end.
bool scoter_hides(const scoter_batch *batch, int64_t row, int64_t end);

// What a filter on texts wants of a batch's dictionary.
typedef struct {
	uint8_t *
		wanted; // one byte a code and one more, which is 0; NULL if the filter does not judge by codes here
	int64_t n_wanted; // how many codes
	uint32_t one; // one of them
} scoter_match;

// Returns what a filter wants of a batch's dictionary. The caller frees it.
scoter_match scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch);

// Selects rows of a batch that may meet all filters of the scan and are not left out, from row up to end, and returns how
// many. Selected has room for all of them, marks for a byte each. Matches is per filter what scoter_match_codes gave for
// the batch.
int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch,
	const scoter_match *matches, int64_t row, int64_t end, uint32_t *selected, uint8_t *marks);

// Copies rows of a column, which is no SCOTER_DICTIONARY, into a vector.
void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n);

#endif
