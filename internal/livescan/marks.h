// Rows of one vector, marked by bits of words, of which the lowest is the first row's. Bits behind the last row are not set.
#ifndef SCOTER_MARKS_H
#define SCOTER_MARKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns how many bits of n words are set.
int64_t scoter_count(const uint64_t *words, int64_t n);

// Sets the i-th bit of picked, which has none, if that of the i-th of n rows is set.
void scoter_pick(const uint64_t *words, const uint32_t *rows, int64_t n, uint64_t *picked);

// Gives those of n numbers whose bit is not set, in their order; of the numbers 0 to n - 1 if from is NULL. It writes all n of to, which may be from.
void scoter_compress(const uint64_t *words, int64_t n, const uint32_t *from, uint32_t *to);

#ifdef __cplusplus
}
#endif

#endif
