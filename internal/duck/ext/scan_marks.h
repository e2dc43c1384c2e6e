// Bits that mark the rows of one vector, in 64-bit words. The lowest bit is that of the first row.
// Bits after the last row are 0.
#ifndef SCOTER_MARKS_H
#define SCOTER_MARKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the number of bits that are set in n words.
int64_t scoter_count(const uint64_t *words, int64_t n);

// Sets bit i of picked, for each i below n, if bit rows[i] of words is set. picked must be zero at
// the call.
void scoter_pick(const uint64_t *words, const uint32_t *rows, int64_t n, uint64_t *picked);

// Copies some of n numbers to the array to, in their order: the numbers whose bit in words is not
// set. The numbers are in from; if from is NULL, they are 0 to n - 1. It may write all n elements
// of to. to may be the same array as from.
void scoter_compress(const uint64_t *words, int64_t n, const uint32_t *from, uint32_t *to);

#ifdef __cplusplus
}
#endif

#endif
