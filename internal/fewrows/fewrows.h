// Runs statements over few rows on the calling thread.
#ifndef SCOTER_FEWROWS_H
#define SCOTER_FEWROWS_H

#include <stdint.h>

#include <duckdb.h>
#include <limit.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs a prepared statement without parameters that reads at most the given number of rows. 0 rows
// means that the statement has no FROM. There is no space for more rows. The memory of the
// statement is counted for the account. Returns one of these numbers:
//   - 1, and a chunk with all rows of the result, which the caller destroys;
//   - 0, if the plan is not a scan with filters and projections above it, so that the statement did
//     not run;
//   - -1, and an error message, which the caller frees, in the form that DuckDB uses for a
//     connection that asks for errors as JSON.
int scoter_run_few_rows(scoter_account *account, duckdb_prepared_statement statement, uint64_t rows,
	duckdb_data_chunk *result, char **error);

#ifdef __cplusplus
}
#endif

#endif
