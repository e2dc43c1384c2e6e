#pragma once

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Has the database of a connection read gzip and zstd files with their ends and checksums verified.
// Returns NULL, or a message that must be freed.
char *scoter_register_compressed(duckdb_connection connection);

#ifdef __cplusplus
}
#endif
