// Speeds up ORDER BY ... LIMIT over rows that are stored in the opposite order.
#ifndef SCOTER_TOPN_H
#define SCOTER_TOPN_H

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Adds an operator to plans of the connection's instance. Below ORDER BY ... LIMIT n it drops the
// rows that are not among the first n of their vector. Returns NULL or an error message, which the
// caller frees.
char *scoter_register_topn(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
