#pragma once

#include <cstddef>
#include <cstdint>

namespace scoter {

// Returns the CRC-32 (as in gzip) of some bytes that follow others. crc is the CRC of the others,
// or 0 if there are none.
uint32_t Crc32(uint32_t crc, const uint8_t *data, size_t bytes);

} // namespace scoter
