// Filters of a scan of memtables. Go code makes them of the bounds that also prune parts, and
// passes them with the description of the scan: DuckDB pushes no filter into the scan. A filter
// only leaves out rows that the query's own condition excludes as well. If a filter cannot check a
// column, all rows pass it.
#ifndef SCOTER_MEMFILTER_H
#define SCOTER_MEMFILTER_H

#include "memscan.h"

// Reports whether any row of the batch, from row to end, is hidden.
bool scoter_hides(const scoter_batch *batch, int64_t row, int64_t end);

// The codes of a batch's dictionary whose texts match a filter.
typedef struct {
	// wanted[code] is 1 if the code matches. The byte after the last code is 0. The pointer is NULL
	// if the column is not dictionary-encoded.
	uint8_t *wanted;
	int64_t n_wanted; // number of matching codes
	uint32_t one;     // the last matching code
} scoter_match;

// Returns which codes of a batch's dictionary match a filter on texts. The caller frees wanted.
scoter_match scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch);

// Selects the rows of a batch from row to end that are not hidden and may meet all filters, and
// returns how many it selected. selected and marks have space for end - row rows. matches has, for
// each filter, the result of scoter_match_codes for the batch.
int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch,
	const scoter_match *matches, int64_t row, int64_t end, uint32_t *selected, uint8_t *marks);

// Copies the values of selected rows of a column to a vector. The column's layout is not
// SCOTER_DICTIONARY.
void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n);

#endif
