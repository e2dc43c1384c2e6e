// Bounds how much queries may spill.
#ifndef SCOTER_SPILL_H
#define SCOTER_SPILL_H

#include <stdint.h>
#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the bytes in files to which queries of the connection's database have spilled and that
// still exist.
int64_t scoter_spilled(duckdb_connection connection);

// Limits these bytes. If there are already more, the limit becomes the number of bytes in use.
void scoter_limit_spilled(duckdb_connection connection, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
