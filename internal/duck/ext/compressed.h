#pragma once

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes the database of a connection verify the ends and checksums of gzip and zstd files that it
// reads. Returns NULL, or a message that the caller frees.
char *scoter_register_compressed(duckdb_connection connection);

#ifdef __cplusplus
}
#endif
