// Rows taken out of a vector of numbers.
#ifndef SCOTER_COMPRESS_H
#define SCOTER_COMPRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Moves those of n numbers that are not taken out (1, else 0) together, in their order.
void scoter_compress(const uint8_t *taken, int64_t n, uint32_t *numbers);

#ifdef __cplusplus
}
#endif

#endif
