// Filters of a memtable scan: DuckDB hands none to table functions of the C API, so the bounds of the
// query come with the scan. They only leave out rows that the query's own condition leaves out
// again; what they cannot judge passes.
#ifndef SCOTER_MEMFILTER_H
#define SCOTER_MEMFILTER_H

#include "memscan.h"

// Reports whether the batch leaves out any row from row up to end.
bool scoter_hides(const scoter_batch *batch, int64_t row, int64_t end);

// Selects rows of a batch that may meet all filters of the scan and are not left out, from row up to end, and returns how
// many. Selected has room for all of them. Matches is per filter what scoter_match_codes gave for
// the batch.
int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch, uint8_t *const *matches, int64_t row, int64_t end,
                      uint32_t *selected);

// Returns which codes of a batch's dictionary a filter on texts wants, one byte a code and one
// more that is 0; NULL if the filter does not judge by codes here. The caller frees it.
uint8_t *scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch);

// Copies rows of a column into a vector. Dictionary holds the strings of a SCOTER_DICTIONARY.
void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c, const uint32_t *rows, int64_t n,
                   const duckdb_string_t *dictionary);

#endif
