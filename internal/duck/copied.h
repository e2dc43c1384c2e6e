// Counts the memory of Arrow batches into which results are copied. No allocator counts this
// memory.
#ifndef SCOTER_COPIED_H
#define SCOTER_COPIED_H

#include <stdlib.h>
#include <duckdb.h>
#include <ext.h>

#include "joinchunks.h"

// scoter_large_copy is a size in bytes: the copies of a chunk are counted if its texts and lists
// are at least this large. All of them are copied into the batch. Then the rows are copied one
// after the other into the result's wire format. There a row is in memory scoter_row_copies times
// while the buffer grows.
enum { scoter_large_copy = 1 << 20, scoter_row_copies = 2 };

// What is needed to release a batch whose memory is counted.
typedef struct {
	void (*release)(struct ArrowArray *);
	void *private_data;
	int64_t bytes;
} scoter_reservation;

static void scoter_release_counted(struct ArrowArray *batch) {
	scoter_reservation *counted = batch->private_data;
	batch->release = counted->release;
	batch->private_data = counted->private_data;
	scoter_memory_give(counted->bytes);
	free(counted);
	batch->release(batch);
}

// Reserves memory for the copies of a chunk, if the chunk is large enough to be counted. Sets bytes
// to what it reserved. Returns false and an error if there is not enough memory.
static bool scoter_reserve_copies(
	duckdb_data_chunk chunk, int64_t *bytes, duckdb_error_data *error) {
	idx_t largest = 0;
	*bytes = scoter_memory_scarce() ? scoter_chunk_bytes(chunk, 0, true, &largest) : 0;
	*bytes = *bytes < scoter_large_copy ? 0 : *bytes + scoter_row_copies * largest;
	if (*bytes == 0 || scoter_memory_reserve(*bytes)) return true;
	*error = duckdb_create_error_data(DUCKDB_ERROR_OUT_OF_MEMORY,
		"{\"exception_type\":\"Out of Memory\",\"exception_message\":\"the values of some rows of "
		"the result take more memory than there is for queries\"}");
	return false;
}

// Makes a batch give the given number of bytes back when it is released.
static void scoter_own_reservation(struct ArrowArray *batch, int64_t bytes) {
	if (bytes == 0) return;
	scoter_reservation *counted = malloc(sizeof(scoter_reservation));
	counted->release = batch->release;
	counted->private_data = batch->private_data;
	counted->bytes = bytes;
	batch->release = scoter_release_counted;
	batch->private_data = counted;
}

#endif
