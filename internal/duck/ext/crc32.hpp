#pragma once

#include <cstddef>
#include <cstdint>

namespace scoter {

// Returns the CRC-32 of gzip of some bytes behind others of which it is crc; 0 of none.
uint32_t Crc32(uint32_t crc, const uint8_t *data, size_t bytes);

} // namespace scoter
