// The file system by which DuckDB reads parts, in C. See docs/rfcs/0002-part-access.md.
#ifndef SCOTER_PARTS_H
#define SCOTER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Registers the file system with the connection's database. Returns what went wrong, to be freed, or NULL.
char *scoter_register_parts(duckdb_connection connection);

// What scoterFindPart fills: a part, or why there is none.
typedef struct scoter_found scoter_found;

// Describes a part of so many bytes; all is copied. Errors call it by its name.
void scoter_found_part(scoter_found *found, const char *path, const char *name, int64_t bytes,
	const uint32_t *sums, int64_t n_sums);

// Says why a part cannot be read: the error's kind, its message and a hint.
void scoter_found_error(
	scoter_found *found, const char *kind, const char *message, const char *hint);

// Drops what is kept of a part. Those who have it open go on.
void scoter_forget_part(uint64_t store, uint64_t id);

#ifdef __cplusplus
}
#endif

#endif
