#include "scan_marks.h"

// With AVX2, eight rows are processed at a time without branches. Branches would be slow: whether a
// bit is set is random, so the CPU could not predict them.
#ifdef __x86_64__

#include <immintrin.h>
#include <pthread.h>

// places[bits] has the positions of the zero bits of a byte, in ascending order. counts[bits] is
// their number.
static uint32_t places[256][8];
static uint8_t counts[256];

static void fill_tables(void) {
	for (int bits = 0; bits < 256; bits++) {
		for (uint32_t i = 0; i < 8; i++) {
			if (!(bits >> i & 1)) places[bits][counts[bits]++] = i;
		}
	}
}

// Reports whether the processor has AVX2. Then it also has popcnt.
static int has_avx2(void) {
	static pthread_once_t filled = PTHREAD_ONCE_INIT;
	if (!__builtin_cpu_supports("avx2")) return 0;
	pthread_once(&filled, fill_tables);
	return 1;
}

__attribute__((target("popcnt"))) static int64_t count_words(const uint64_t *words, int64_t n) {
	int64_t set = 0;
	for (int64_t i = 0; i < n; i++) set += __builtin_popcountll(words[i]);
	return set;
}

// Does the work of scoter_pick for whole groups of eight rows. It moves each row's bit to the top
// of its 32-bit lane. Returns how many rows were processed.
__attribute__((target("avx2"))) static int64_t pick_eights(
	const uint64_t *words, const uint32_t *rows, int64_t n, uint64_t *picked) {
	uint8_t *eights = (uint8_t *)picked;
	__m256i last = _mm256_set1_epi32(31);
	int64_t i = 0;
	for (; i + 8 <= n; i += 8) {
		__m256i at = _mm256_loadu_si256((const __m256i *)(rows + i));
		__m256i halves = _mm256_i32gather_epi32((const int *)words, _mm256_srli_epi32(at, 5), 4);
		__m256i top = _mm256_sllv_epi32(halves, _mm256_andnot_si256(at, last));
		eights[i / 8] = (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(top));
	}
	return i;
}

// Does the work of scoter_compress for whole groups of eight numbers. It moves the numbers that
// remain to the front of a register, which is written as a whole. (D. Lemire, N. Kurz, L. Boytsov,
// "SIMD compression and the intersection of sorted integers", 2016, compact sets this way.) Sets
// *kept to the number of numbers that remain. Returns how many numbers were processed.
__attribute__((target("avx2"))) static int64_t compress_eights(
	const uint64_t *words, int64_t n, const uint32_t *from, uint32_t *to, int64_t *kept) {
	const uint8_t *eights = (const uint8_t *)words;
	__m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	int64_t i = 0, k = 0;
	for (; i + 8 <= n; i += 8) {
		uint8_t bits = eights[i / 8];
		__m256i all = from ? _mm256_loadu_si256((const __m256i *)(from + i))
						   : _mm256_add_epi32(first, _mm256_set1_epi32((int)i));
		__m256i order = _mm256_loadu_si256((const __m256i *)places[bits]);
		_mm256_storeu_si256((__m256i *)(to + k), _mm256_permutevar8x32_epi32(all, order));
		k += counts[bits];
	}
	*kept = k;
	return i;
}

#endif

static uint64_t is_set(const uint64_t *words, int64_t row) {
	return words[row / 64] >> row % 64 & 1;
}

int64_t scoter_count(const uint64_t *words, int64_t n) {
#ifdef __x86_64__
	if (has_avx2()) return count_words(words, n);
#endif
	int64_t set = 0;
	for (int64_t i = 0; i < n; i++) set += __builtin_popcountll(words[i]);
	return set;
}

void scoter_pick(const uint64_t *words, const uint32_t *rows, int64_t n, uint64_t *picked) {
	int64_t i = 0;
#ifdef __x86_64__
	if (has_avx2()) i = pick_eights(words, rows, n, picked);
#endif
	for (; i < n; i++) picked[i / 64] |= is_set(words, rows[i]) << i % 64;
}

void scoter_compress(const uint64_t *words, int64_t n, const uint32_t *from, uint32_t *to) {
	int64_t i = 0, k = 0;
#ifdef __x86_64__
	if (has_avx2()) i = compress_eights(words, n, from, to, &k);
#endif
	for (; i < n; i++) {
		to[k] = from ? from[i] : (uint32_t)i;
		k += !is_set(words, i);
	}
}
