#ifndef SCOTER_CRC32C_H
#define SCOTER_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Continues a CRC32C with some bytes, and returns the result. crc is the CRC of the bytes before
// them, or 0 if there are none.
uint32_t scoter_crc32c(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
