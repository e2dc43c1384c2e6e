#ifndef SCOTER_CRC32C_H
#define SCOTER_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the CRC32C of the bytes before, whose CRC32C is crc (0: there are none), and of more.
uint32_t scoter_crc32c(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
