#include "compress.h"

#include <string.h>

#ifdef __x86_64__

#include <immintrin.h>
#include <pthread.h>

// By eight rows as bits, of which the lowest is the first: the places of those whose bit is not set, in order, and how many they are.
static uint32_t places[256][8];
static uint8_t counts[256];

static void fill_tables(void) {
	for (int bits = 0; bits < 256; bits++) {
		for (uint32_t i = 0; i < 8; i++) {
			if (!(bits >> i & 1)) places[bits][counts[bits]++] = i;
		}
	}
}

// Eight numbers at a time: those that stay move to the front of a register, which is written whole (D. Lemire, N. Kurz, L. Boytsov, "SIMD compression and
// the intersection of sorted integers", 2016, compact sets this way). Sets *kept, and returns how many numbers it has looked at.
__attribute__((target("avx2"))) static int64_t compress_eights(const uint8_t *taken, int64_t n, uint32_t *numbers, int64_t *kept) {
	int64_t i = 0, k = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t eight;
		memcpy(&eight, taken + i, 8);
		uint8_t bits = (uint8_t)(eight * 0x0102040810204080 >> 56); // one of each byte
		__m256i all = _mm256_loadu_si256((const __m256i *)(numbers + i));
		__m256i order = _mm256_loadu_si256((const __m256i *)places[bits]);
		_mm256_storeu_si256((__m256i *)(numbers + k), _mm256_permutevar8x32_epi32(all, order));
		k += counts[bits];
	}
	*kept = k;
	return i;
}

#endif

void scoter_compress(const uint8_t *taken, int64_t n, uint32_t *numbers) {
	int64_t i = 0, kept = 0;
#ifdef __x86_64__
	static pthread_once_t filled = PTHREAD_ONCE_INIT;
	if (__builtin_cpu_supports("avx2")) {
		pthread_once(&filled, fill_tables);
		i = compress_eights(taken, n, numbers, &kept);
	}
#endif
	for (; i < n; i++) { // without a branch, which nobody could predict
		numbers[kept] = numbers[i];
		kept += !taken[i];
	}
}
