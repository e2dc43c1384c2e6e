// CRC32C with the instructions of x86-64 (SSE 4.2) and arm64. An instruction takes three cycles and
// one can start in each cycle, so three streams are computed in parallel. Their results are
// combined with tables of how appended zeros change a CRC.
#include "file_crc32c.h"

#include <pthread.h>
#include <string.h>

// The polynomial of CRC32C, with its bits reversed.
#define POLYNOMIAL 0x82f63b78u

static uint32_t bytewise[8][256]; // for processors without the instructions: eight bytes at a time

// The number of bytes in a stream. Three streams are about an eighth of a block (64 KiB).
enum { stream = 2720 };

// behind_stream says how a CRC changes if as many zeros as a stream has bytes are appended. It has
// the effect for each value of each byte of the CRC.
static uint32_t behind_stream[4][256];

static uint32_t shift_by_zeros(uint32_t crc, size_t bytes) {
	while (bytes-- > 0) crc = crc >> 8 ^ bytewise[0][crc & 0xff];
	return crc;
}

static void fill_tables(void) {
	for (uint32_t n = 0; n < 256; n++) {
		uint32_t crc = n;
		for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		bytewise[0][n] = crc;
	}
	for (uint32_t n = 0; n < 256; n++) {
		for (int k = 1; k < 8; k++) bytewise[k][n] = shift_by_zeros(bytewise[0][n], k);
	}
	uint32_t bits[32]; // the effect on each bit of a CRC
	for (int bit = 0; bit < 32; bit++) bits[bit] = shift_by_zeros((uint32_t)1 << bit, stream);
	for (int at = 0; at < 4; at++) {
		for (uint32_t n = 0; n < 256; n++) {
			uint32_t crc = 0;
			for (int bit = 0; bit < 8; bit++) {
				if (n >> bit & 1) crc ^= bits[8 * at + bit];
			}
			behind_stream[at][n] = crc;
		}
	}
}

static uint32_t shift_stream(uint32_t crc) {
	return behind_stream[0][crc & 0xff] ^ behind_stream[1][crc >> 8 & 0xff] ^
		behind_stream[2][crc >> 16 & 0xff] ^ behind_stream[3][crc >> 24];
}

static uint64_t word(const uint8_t *p) {
	uint64_t w;
	memcpy(&w, p, sizeof w);
	return w;
}

#if defined(__x86_64__)
#include <immintrin.h>
#define WITH_CRC __attribute__((target("sse4.2")))
#define CRC_WORD(crc, w) (uint32_t)_mm_crc32_u64(crc, w)
#define CRC_BYTE(crc, b) _mm_crc32_u8(crc, b)
static int has_instructions(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
static int has_instructions(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
static int has_instructions(void) { return 1; } // all processors of Apple have them
#endif
#if defined(__clang__)
#define WITH_CRC __attribute__((target("crc")))
#else
#define WITH_CRC __attribute__((target("+crc")))
#endif
#define CRC_WORD(crc, w) __crc32cd(crc, w)
#define CRC_BYTE(crc, b) __crc32cb(crc, b)
#endif

#ifdef WITH_CRC
WITH_CRC static uint32_t by_instructions(uint32_t crc, const uint8_t *p, size_t n) {
	for (; n >= 3 * stream; p += 3 * stream, n -= 3 * stream) {
		uint32_t a = crc, b = 0, c = 0;
		for (size_t i = 0; i < stream; i += 8) {
			a = CRC_WORD(a, word(p + i));
			b = CRC_WORD(b, word(p + stream + i));
			c = CRC_WORD(c, word(p + 2 * stream + i));
		}
		crc = shift_stream(shift_stream(a) ^ b) ^ c;
	}
	for (; n >= 8; p += 8, n -= 8) crc = CRC_WORD(crc, word(p));
	for (; n > 0; p++, n--) crc = CRC_BYTE(crc, *p);
	return crc;
}
#endif

static uint32_t by_tables(uint32_t crc, const uint8_t *p, size_t n) {
	for (; n >= 8; p += 8, n -= 8) {
		uint32_t low = crc ^
			((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
		crc = bytewise[7][low & 0xff] ^ bytewise[6][low >> 8 & 0xff] ^
			bytewise[5][low >> 16 & 0xff] ^ bytewise[4][low >> 24] ^ bytewise[3][p[4]] ^
			bytewise[2][p[5]] ^ bytewise[1][p[6]] ^ bytewise[0][p[7]];
	}
	for (; n > 0; p++, n--) crc = crc >> 8 ^ bytewise[0][(crc ^ *p) & 0xff];
	return crc;
}

static uint32_t (*update)(uint32_t, const uint8_t *, size_t);

static void choose(void) {
	fill_tables();
	update = by_tables;
#ifdef WITH_CRC
	if (has_instructions()) update = by_instructions;
#endif
}

uint32_t scoter_crc32c(uint32_t crc, const void *data, size_t bytes) {
	static pthread_once_t chosen = PTHREAD_ONCE_INIT;
	pthread_once(&chosen, choose);
	return ~update(~crc, (const uint8_t *)data, bytes);
}
