// Marks of the rows of one vector, as bits of words. The lowest bit is the first row. Bits after
// the last row are not set.
#ifndef SCOTER_MARKS_H
#define SCOTER_MARKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns how many bits of n words are set.
int64_t scoter_count(const uint64_t *words, int64_t n);

// Sets the i-th bit of picked if the bit of rows[i] is set in words. picked must be zero at the
// call.
void scoter_pick(const uint64_t *words, const uint32_t *rows, int64_t n, uint64_t *picked);

// Copies from n numbers those whose bit is not set, in order. If from is NULL, the numbers are 0 to
// n - 1. It writes all n elements of to, which may be the same array as from.
void scoter_compress(const uint64_t *words, int64_t n, const uint32_t *from, uint32_t *to);

#ifdef __cplusplus
}
#endif

#endif
