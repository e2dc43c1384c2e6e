// How much queries may spill.
#ifndef SCOTER_SPILL_H
#define SCOTER_SPILL_H

#include <stdint.h>
#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns how many bytes the queries of the connection's database have spilled to files that are still there.
int64_t scoter_spilled(duckdb_connection connection);

// Limits these bytes. If they are more already, there will be no more of them.
void scoter_limit_spilled(duckdb_connection connection, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
