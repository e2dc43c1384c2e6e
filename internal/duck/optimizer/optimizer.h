// The C interface of the corrections of DuckDB's optimizer.
#ifndef SCOTER_OPTIMIZER_H
#define SCOTER_OPTIMIZER_H

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Adds the corrections to the plans of a connection's database. Returns NULL, or an error message
// that the caller frees.
char *scoter_register_optimizer(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
