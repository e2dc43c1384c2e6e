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

// The first hidden row of a batch from an ordinal on.
static int64_t first_hidden(const scoter_batch *b, uint64_t ordinal) {
	int64_t from = 0, end = b->n_hidden;
	while (from < end) {
		int64_t middle = from + (end - from) / 2;
		if (b->hidden[middle] < ordinal) {
			from = middle + 1;
		} else {
			end = middle;
		}
	}
	return from;
}

bool scoter_hides(const scoter_batch *b, int64_t row, int64_t end) {
	int64_t at = first_hidden(b, b->first_ordinal + (uint64_t)row);
	return at < b->n_hidden && b->hidden[at] < b->first_ordinal + (uint64_t)end;
}

// Lists the rows from row up to end that are not left out.
static int64_t list_rows(const scoter_batch *b, int64_t row, int64_t end, uint32_t *selected) {
	int64_t n = 0;
	for (int64_t at = first_hidden(b, b->first_ordinal + (uint64_t)row); row < end; row++) {
		int64_t next = end;
		if (at < b->n_hidden && (int64_t)(b->hidden[at] - b->first_ordinal) < end) next = (int64_t)(b->hidden[at++] - b->first_ordinal);
		for (; row < next; row++) selected[n++] = (uint32_t)row;
	}
	return n;
}

int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch, uint8_t *const *matches, int64_t row, int64_t end,
                      uint32_t *selected) {
	int64_t n = list_rows(batch, row, end, selected);
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

// Lists and maps: the rows' elements one after another.
static void gather_lists(duckdb_vector vector, const scoter_type *type, const scoter_column *c, const uint32_t *rows, int64_t n) {
	const int32_t *offsets = (const int32_t *)c->data + c->offset;
	int64_t total = 0;
	for (int64_t i = 0; i < n; i++) total += offsets[rows[i] + 1] - offsets[rows[i]];
	duckdb_list_vector_reserve(vector, (idx_t)total);
	duckdb_list_vector_set_size(vector, (idx_t)total);
	duckdb_list_entry *entries = duckdb_vector_get_data(vector);
	uint32_t *elements = malloc(((size_t)total + 1) * sizeof(uint32_t));
	int64_t at = 0;
	for (int64_t i = 0; i < n; i++) {
		int32_t from = offsets[rows[i]], to = offsets[rows[i] + 1];
		entries[i].offset = (uint64_t)at;
		entries[i].length = (uint64_t)(to - from);
		for (int32_t e = from; e < to; e++) elements[at++] = (uint32_t)e;
	}
	duckdb_vector child = duckdb_list_vector_get_child(vector);
	if (type->id == DUCKDB_TYPE_MAP) {
		const scoter_column *pairs = &c->children[0];
		for (int64_t e = 0; e < total; e++) elements[e] += (uint32_t)pairs->offset;
		for (int32_t k = 0; k < 2; k++) {
			scoter_gather(duckdb_struct_vector_get_child(child, (idx_t)k), &type->children[k], &pairs->children[k], elements, total, NULL);
		}
	} else {
		scoter_gather(child, &type->children[0], &c->children[0], elements, total, NULL);
	}
	free(elements);
}

static void gather_structs(duckdb_vector vector, const scoter_type *type, const scoter_column *c, const uint32_t *rows, int64_t n) {
	uint32_t *within = malloc((size_t)n * sizeof(uint32_t));
	for (int64_t i = 0; i < n; i++) within[i] = rows[i] + (uint32_t)c->offset;
	for (int32_t k = 0; k < type->n_children; k++) {
		scoter_gather(duckdb_struct_vector_get_child(vector, (idx_t)k), &type->children[k], &c->children[k], within, n, NULL);
	}
	free(within);
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
	void *to = c->layout == SCOTER_STRUCT ? NULL : duckdb_vector_get_data(vector);
	switch (c->layout) {
	case SCOTER_LIST:
	case SCOTER_MAP:
		gather_lists(vector, type, c, rows, n);
		break;
	case SCOTER_STRUCT:
		gather_structs(vector, type, c, rows, n);
		break;
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
