// Columns of texts that repeat, as DuckDB's vectors with a dictionary.
#ifndef SCOTER_MEMDICTIONARY_H
#define SCOTER_MEMDICTIONARY_H

#include "memscan.h"

// Returns a dictionary of the texts of a SCOTER_DICTIONARY column.
scoter_dictionary *scoter_column_dictionary(const scoter_column *c);

// Fills a vector with texts of a column by reference to its dictionary. The rows are those listed
// in rows or, if it is NULL, n rows beginning at row. Only one vector at a time may refer to a
// dictionary.
void scoter_refer_column(scoter_dictionary *dictionary, duckdb_vector vector,
	const scoter_column *c, const uint32_t *rows, int64_t row, int64_t n);

#endif
