// Corrections of DuckDB's optimizer, in C for Go.
#ifndef SCOTER_OPTIMIZER_H
#define SCOTER_OPTIMIZER_H

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Adds the corrections to the plans of a connection's database. Returns an error message, to be
// freed, or NULL.
char *scoter_register_optimizer(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
