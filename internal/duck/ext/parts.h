// The C interface of the file system with which DuckDB reads parts. See
// docs/rfcs/0002-part-access.md.
#ifndef SCOTER_PARTS_H
#define SCOTER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Registers the file system with the connection's database. Returns NULL, or an error message that
// the caller frees.
char *scoter_register_parts(duckdb_connection connection);

// The result of the Go function scoterOpenPart: a part, or the reason why it cannot be read.
typedef struct scoter_found scoter_found;

// Sets the result to a part. bytes is the size of its file. All arguments are copied. name is the
// name of the part in errors.
void scoter_found_part(scoter_found *found, const char *path, const char *name, int64_t bytes,
	const uint32_t *sums, int64_t n_sums);

// Sets the result to the reason why a part cannot be read: the kind of the error, its message and a
// hint.
void scoter_found_error(
	scoter_found *found, const char *kind, const char *message, const char *hint);

// Removes a part from the cache. Open handles of the part remain valid.
void scoter_uncache_part(uint64_t store, uint64_t id);

#ifdef __cplusplus
}
#endif

#endif
