// Runs statements over few rows on the thread that asks for it.
#ifndef SCOTER_FEWROWS_H
#define SCOTER_FEWROWS_H

#include <stdint.h>

#include <duckdb.h>
#include <limit.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs a prepared statement without parameters, which reads at most so many rows (there is room for no more; 0: none from anywhere), and gives its result: 1,
// and a chunk of all its rows, which the caller destroys; 0, and it did not run, if its plan is not a scan with filters and projections
// over it; or -1, and an error, which the caller frees, as DuckDB words it for a connection that asks for JSON. Its memory is the account's.
int scoter_run_few_rows(scoter_account *account, duckdb_prepared_statement statement, uint64_t rows,
	duckdb_data_chunk *result, char **error);

#ifdef __cplusplus
}
#endif

#endif
