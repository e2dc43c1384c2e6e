// ORDER BY ... LIMIT over rows that are stored in the opposite order.
#ifndef SCOTER_TOPN_H
#define SCOTER_TOPN_H

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes the plans of the connection's instance leave out, below ORDER BY ... LIMIT n, what is not among the first n of its
// vector. Returns what went wrong, to be freed, or NULL.
char *scoter_register_topn(duckdb_connection connection);

#ifdef __cplusplus
}
#endif

#endif
