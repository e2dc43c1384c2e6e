#pragma once

#include <cstddef>
#include <cstdint>

namespace scoter {

// Continues a CRC-32 (as in gzip) with some bytes, and returns the result. crc is the CRC of the
// bytes before them, or 0 if there are none.
uint32_t Crc32(uint32_t crc, const uint8_t *data, size_t bytes);

} // namespace scoter
