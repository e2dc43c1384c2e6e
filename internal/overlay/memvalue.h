// Conversion of single values from Arrow's layout to DuckDB's.
#ifndef SCOTER_MEMVALUE_H
#define SCOTER_MEMVALUE_H

#include <string.h>

#include "memscan.h"

static inline bool is_set(const uint8_t *bitmap, int64_t i) {
	return bitmap[i >> 3] >> (i & 7) & 1;
}

static inline duckdb_string_t string_at(const uint8_t *p, uint32_t length) {
	duckdb_string_t s;
	memset(&s, 0, sizeof s);
	s.value.pointer.length = length;
	if (length <= 12) {
		memcpy(s.value.inlined.inlined, p, length);
	} else {
		memcpy(s.value.pointer.prefix, p, 4);
		s.value.pointer.ptr = (char *)p;
	}
	return s;
}

// Fills a vector with texts. The rows are those listed in rows or, if it is NULL, n rows beginning
// at row. The vector refers to the texts' memory, unless that is freed before the query ends: then
// it copies the texts.
static inline void fill_texts(
	duckdb_vector vector, const scoter_column *c, const uint32_t *rows, int64_t row, int64_t n) {
	const int32_t *offsets = (const int32_t *)c->data + c->offset;
	duckdb_string_t *out = (duckdb_string_t *)duckdb_vector_get_data(vector);
	for (int64_t i = 0; i < n; i++) {
		int64_t at = rows ? (int64_t)rows[i] : row + i;
		const uint8_t *text = c->bytes + offsets[at];
		uint32_t length = (uint32_t)(offsets[at + 1] - offsets[at]);
		if (c->passing) {
			duckdb_unsafe_vector_assign_string_element_len(
				vector, (idx_t)i, (const char *)text, length);
		} else {
			out[i] = string_at(text, length);
		}
	}
}

// Copies decimals of 16 bytes to decimals of value_bytes bytes. The rows are those listed in rows
// or, if it is NULL, n rows beginning at row. Decimals are little-endian two's complement: if a
// value fits, its low bytes are the narrow value.
static inline void fill_decimals(void *out, const scoter_column *c, uint8_t value_bytes,
	const uint32_t *rows, int64_t row, int64_t n) {
	const uint8_t *in = (const uint8_t *)c->data + c->offset * 16;
#define NARROW(bytes)                                                                              \
	for (int64_t i = 0; i < n; i++)                                                                \
	memcpy((uint8_t *)out + i * bytes, in + (rows ? (int64_t)rows[i] : row + i) * 16, bytes)
	switch (value_bytes) { // memcpy of a constant size compiles to a single move
	case 2:
		NARROW(2);
		break;
	case 4:
		NARROW(4);
		break;
	case 8:
		NARROW(8);
		break;
	default:
		NARROW(16);
		break;
	}
#undef NARROW
}

static inline void fill_uuids(duckdb_hugeint *out, const scoter_column *c, int64_t row, int64_t n) {
	const uint8_t *in = (const uint8_t *)c->data + (c->offset + row) * 16;
	for (int64_t i = 0; i < n; i++) {
		uint64_t high, low;
		memcpy(&high, in + i * 16, 8);
		memcpy(&low, in + i * 16 + 8, 8);
		// DuckDB stores a UUID as a signed number whose order is that of the UUID's text. So the
		// highest bit is flipped.
		out[i].upper = (int64_t)(__builtin_bswap64(high) ^ (1ull << 63));
		out[i].lower = __builtin_bswap64(low);
	}
}

#endif
