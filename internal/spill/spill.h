// Limits how many bytes queries may spill to disk.
#ifndef SCOTER_SPILL_H
#define SCOTER_SPILL_H

#include <stdint.h>
#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the size in bytes of the files to which queries of the connection's database have
// spilled. Files that were removed do not count.
int64_t scoter_spilled(duckdb_connection connection);

// Limits the bytes that queries of the connection's database may spill. If more bytes are in use
// already, the limit becomes the number of bytes in use.
void scoter_limit_spilled(duckdb_connection connection, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
