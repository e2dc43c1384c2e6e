#ifndef SCOTER_CRC32C_H
#define SCOTER_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the CRC32C of some bytes that follow others. crc is the CRC of the others, or 0 if there
// are none.
uint32_t scoter_crc32c(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
