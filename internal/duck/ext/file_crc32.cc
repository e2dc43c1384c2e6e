// CRC-32 with tables, eight bytes at a time. DuckDB's library miniz computes it one byte at a time,
// which takes half as long as decompressing.
#include "file_crc32.hpp"

namespace {

constexpr uint32_t polynomial = 0xedb88320; // CRC-32's polynomial, with its bits reversed

struct Tables {
	uint32_t of[8][256];

	Tables() {
		for (uint32_t n = 0; n < 256; n++) {
			auto crc = n;
			for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
			of[0][n] = crc;
		}
		for (int k = 1; k < 8; k++) {
			for (uint32_t n = 0; n < 256; n++)
				of[k][n] = of[k - 1][n] >> 8 ^ of[0][of[k - 1][n] & 0xff];
		}
	}
};

} // namespace

uint32_t scoter::Crc32(uint32_t crc, const uint8_t *p, size_t n) {
	static const Tables tables;
	auto &t = tables.of;
	crc = ~crc;
	for (; n >= 8; p += 8, n -= 8) {
		auto low = crc ^
			(uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24);
		crc = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^ t[4][low >> 24] ^
			t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
	}
	for (; n > 0; p++, n--) crc = crc >> 8 ^ t[0][(crc ^ *p) & 0xff];
	return ~crc;
}
