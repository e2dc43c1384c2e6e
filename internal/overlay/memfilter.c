#include "memfilter.h"

#include <stdlib.h>
#include <string.h>

#include "memvalue.h"

uint8_t *scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch) {
	const scoter_column *c = &batch->columns[filter->column];
	if (!filter->n_texts || c->layout != SCOTER_DICTIONARY) return NULL;
	const scoter_column *values = &c->children[0];
	const int32_t *offsets = (const int32_t *)values->data + values->offset;
	uint8_t *match = calloc((size_t)values->length + 1, 1);
	for (int64_t i = 0; i < values->length; i++) {
		int64_t length = offsets[i + 1] - offsets[i];
		for (int32_t k = 0; k < filter->n_texts && !match[i]; k++) {
			match[i] = length == filter->lengths[k] && memcmp(values->bytes + offsets[i], filter->texts[k], (size_t)length) == 0;
		}
	}
	return match;
}

// Keeps the rows whose code is wanted. Each row is written, and kept by moving on.
static int64_t keep_codes(const scoter_column *c, const uint8_t *match, uint32_t *rows, int64_t n) {
	const uint32_t *codes = (const uint32_t *)c->data + c->offset;
	uint32_t last = (uint32_t)c->children[0].length; // also for NULLs, whose code may be any
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = rows[i], code = codes[row] < last ? codes[row] : last;
		rows[kept] = row;
		kept += match[code];
	}
	return kept;
}

static int64_t keep_range(const scoter_column *c, int64_t least, int64_t most, uint32_t *rows, int64_t n) {
	const int64_t *values = (const int64_t *)c->data + c->offset;
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = rows[i];
		rows[kept] = row;
		kept += values[row] >= least && values[row] <= most;
	}
	return kept;
}

static int64_t keep_valid(const scoter_column *c, uint32_t *rows, int64_t n) {
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = rows[i];
		rows[kept] = row;
		kept += is_set(c->validity, c->offset + row);
	}
	return kept;
}

int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch, uint8_t *const *matches, int64_t row, int64_t end,
                      uint32_t *selected) {
	int64_t n = end - row;
	for (int64_t i = 0; i < n; i++) selected[i] = (uint32_t)(row + i);
	for (int32_t f = 0; f < scan->n_filters; f++) {
		const scoter_filter *filter = &scan->filters[f];
		const scoter_column *c = &batch->columns[filter->column];
		if (filter->n_texts) {
			if (!matches[f]) continue; // plain text here
			n = keep_codes(c, matches[f], selected, n);
		} else {
			n = keep_range(c, filter->least, filter->most, selected, n);
		}
		if (c->validity) n = keep_valid(c, selected, n); // NULL meets no bound
	}
	return n;
}

#define GATHER(type)                                                          \
	do {                                                                      \
		const type *in = (const type *)c->data + c->offset;                   \
		type *out = to;                                                       \
		for (int64_t i = 0; i < n; i++) out[i] = in[rows[i]];                 \
	} while (0)

static void gather_fixed(void *to, const scoter_column *c, uint8_t width, const uint32_t *rows, int64_t n) {
	switch (width) {
	case 1: GATHER(uint8_t); break;
	case 2: GATHER(uint16_t); break;
	case 4: GATHER(uint32_t); break;
	default: GATHER(uint64_t); break;
	}
}

void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c, const uint32_t *rows, int64_t n,
                   const duckdb_string_t *dictionary) {
	if (n == 0) return;
	if (c->validity) {
		duckdb_vector_ensure_validity_writable(vector);
		uint64_t *valid = duckdb_vector_get_validity(vector);
		memset(valid, 0, (size_t)(n + 63) / 64 * sizeof(uint64_t));
		for (int64_t i = 0; i < n; i++) valid[i >> 6] |= (uint64_t)is_set(c->validity, c->offset + rows[i]) << (i & 63);
	}
	void *to = duckdb_vector_get_data(vector);
	switch (c->layout) {
	case SCOTER_FIXED:
		gather_fixed(to, c, type->value_bytes, rows, n);
		break;
	case SCOTER_BOOL:
		for (int64_t i = 0; i < n; i++) ((bool *)to)[i] = is_set(c->data, c->offset + rows[i]);
		break;
	case SCOTER_STRING:
		for (int64_t i = 0; i < n; i++) fill_strings((duckdb_string_t *)to + i, c, rows[i], 1);
		break;
	case SCOTER_DICTIONARY:
		for (int64_t i = 0; i < n; i++) fill_codes((duckdb_string_t *)to + i, c, dictionary, rows[i], 1);
		break;
	case SCOTER_DECIMAL:
		for (int64_t i = 0; i < n; i++) fill_decimals((uint8_t *)to + i * type->value_bytes, c, type->value_bytes, rows[i], 1);
		break;
	case SCOTER_UUID:
		for (int64_t i = 0; i < n; i++) fill_uuids((duckdb_hugeint *)to + i, c, rows[i], 1);
		break;
	}
}
