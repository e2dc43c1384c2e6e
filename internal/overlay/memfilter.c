#include "memfilter.h"

#include <stdlib.h>
#include <string.h>

#include "memvalue.h"

// The compiler vectorizes the loops of functions that are marked like this, and uses wider
// instructions if the processor has them.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

scoter_match scoter_match_codes(const scoter_filter *filter, const scoter_batch *batch) {
	scoter_match match = {0};
	const scoter_column *c = &batch->columns[filter->column];
	if (!filter->n_texts || c->layout != SCOTER_DICTIONARY) return match;
	const scoter_column *values = &c->children[0];
	const int32_t *offsets = (const int32_t *)values->data + values->offset;
	match.wanted = calloc((size_t)values->length + 1, 1);
	for (int64_t i = 0; i < values->length; i++) {
		int64_t length = offsets[i + 1] - offsets[i];
		for (int32_t k = 0; k < filter->n_texts && !match.wanted[i]; k++) {
			match.wanted[i] = length == filter->lengths[k] &&
				memcmp(values->bytes + offsets[i], filter->texts[k], (size_t)length) == 0;
		}
		if (match.wanted[i]) {
			match.n_wanted++;
			match.one = (uint32_t)i;
		}
	}
	return match;
}

WIDE static void mark_code(const uint32_t *codes, uint32_t wanted, int64_t n, uint8_t *marks) {
	for (int64_t i = 0; i < n; i++) marks[i] = codes[i] == wanted;
}

static void mark_codes(
	const uint32_t *codes, const uint8_t *wanted, uint32_t last, int64_t n, uint8_t *marks) {
	for (int64_t i = 0; i < n; i++) marks[i] = wanted[codes[i] < last ? codes[i] : last];
}

WIDE static void mark_range(
	const int64_t *values, int64_t least, int64_t most, int64_t n, uint8_t *marks) {
	for (int64_t i = 0; i < n; i++) marks[i] = (values[i] >= least) & (values[i] <= most);
}

WIDE static void mark_range_32(
	const int32_t *values, int64_t least, int64_t most, int64_t n, uint8_t *marks) {
	if (least > INT32_MAX || most < INT32_MIN) {
		memset(marks, 0, (size_t)n);
		return;
	}
	int32_t from = (int32_t)(least < INT32_MIN ? INT32_MIN : least),
			to = (int32_t)(most > INT32_MAX ? INT32_MAX : most);
	for (int64_t i = 0; i < n; i++) marks[i] = (values[i] >= from) & (values[i] <= to);
}

// Sets the marks of the rows from row to end that match a filter of a number, and clears the
// others. The mark of a NULL may be either.
static void mark(const scoter_filter *filter, const scoter_type *type, const scoter_column *c,
	const scoter_match *match, int64_t row, int64_t end, uint8_t *marks) {
	int64_t from = c->offset + row, n = end - row;
	if (!filter->n_texts && type->value_bytes == 4) {
		mark_range_32((const int32_t *)c->data + from, filter->least, filter->most, n, marks);
	} else if (!filter->n_texts) {
		mark_range((const int64_t *)c->data + from, filter->least, filter->most, n, marks);
	} else if (match->n_wanted == 1) {
		mark_code((const uint32_t *)c->data + from, match->one, n, marks);
	} else {
		mark_codes((const uint32_t *)c->data + from, match->wanted, (uint32_t)c->children[0].length,
			n, marks);
	}
}

// Writes the numbers of the marked rows to rows, counted from row. Returns how many there are.
static int64_t list_marked(const uint8_t *marks, int64_t row, int64_t n, uint32_t *rows) {
	int64_t listed = 0, i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t eight;
		memcpy(&eight, marks + i, 8);
		for (int k = 0; eight; k++, eight >>= 8) {
			if (eight & 1) rows[listed++] = (uint32_t)(row + i + k);
		}
	}
	for (; i < n; i++) {
		if (marks[i]) rows[listed++] = (uint32_t)(row + i);
	}
	return listed;
}

// Removes the rows whose dictionary code does not match from a list of n rows, and returns how many
// remain. It has no branch: it copies each row to the front, and advances the index only if the row
// matches.
static int64_t keep_codes(const scoter_column *c, const uint8_t *match, uint32_t *rows, int64_t n) {
	const uint32_t *codes = (const uint32_t *)c->data + c->offset;
	// The index after the last text stands for NULL, whose code may be out of range.
	uint32_t last = (uint32_t)c->children[0].length;
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = rows[i], code = codes[row] < last ? codes[row] : last;
		rows[kept] = row;
		kept += match[code];
	}
	return kept;
}

static int64_t keep_range(const scoter_filter *filter, const scoter_type *type,
	const scoter_column *c, uint32_t *rows, int64_t n) {
	const int64_t *wide = (const int64_t *)c->data + c->offset;
	const int32_t *narrow = (const int32_t *)c->data + c->offset;
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t row = rows[i];
		int64_t value = type->value_bytes == 4 ? narrow[row] : wide[row];
		rows[kept] = row;
		kept += value >= filter->least && value <= filter->most;
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

// Returns the index, in the list of hidden rows, of the first one at or after an ordinal.
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

// Writes the numbers of the rows from row to end that are not hidden to selected. Returns how many
// there are.
static int64_t list_rows(const scoter_batch *b, int64_t row, int64_t end, uint32_t *selected) {
	int64_t n = 0;
	for (int64_t at = first_hidden(b, b->first_ordinal + (uint64_t)row); row < end; row++) {
		int64_t next = end;
		if (at < b->n_hidden && (int64_t)(b->hidden[at] - b->first_ordinal) < end)
			next = (int64_t)(b->hidden[at++] - b->first_ordinal);
		for (; row < next; row++) selected[n++] = (uint32_t)row;
	}
	return n;
}

// Reports whether a filter can check the rows of a batch. A filter on texts cannot if the texts are
// not dictionary-encoded.
static bool judges(const scoter_filter *filter, const scoter_match *match) {
	return !filter->n_texts || match->wanted;
}

int64_t scoter_select(const scoter_scan *scan, const scoter_batch *batch,
	const scoter_match *matches, int64_t row, int64_t end, uint32_t *selected, uint8_t *marks) {
	int64_t n = -1; // number of rows in selected; -1: nothing was written there yet
	for (int32_t f = 0; f < scan->n_filters; f++) {
		const scoter_filter *filter = &scan->filters[f];
		const scoter_column *c = &batch->columns[filter->column];
		const scoter_type *type = &scan->types[filter->column];
		if (!judges(filter, &matches[f])) continue;
		if (filter->n_texts && !matches[f].n_wanted) return 0;
		if (n < 0) { // the first filter checks all rows, each later one only those that remain
			mark(filter, type, c, &matches[f], row, end, marks);
			for (int64_t at = first_hidden(batch, batch->first_ordinal + (uint64_t)row);
				at < batch->n_hidden && (int64_t)(batch->hidden[at] - batch->first_ordinal) < end;
				at++) {
				marks[(int64_t)(batch->hidden[at] - batch->first_ordinal) - row] = 0;
			}
			n = list_marked(marks, row, end - row, selected);
		} else if (filter->n_texts) {
			n = keep_codes(c, matches[f].wanted, selected, n);
		} else {
			n = keep_range(filter, type, c, selected, n);
		}
		if (c->validity) n = keep_valid(c, selected, n); // NULL meets no bound
	}
	return n < 0 ? list_rows(batch, row, end, selected) : n;
}

#define GATHER(type)                                                                               \
	do {                                                                                           \
		const type *in = (const type *)c->data + c->offset;                                        \
		type *out = to;                                                                            \
		for (int64_t i = 0; i < n; i++) out[i] = in[rows[i]];                                      \
	} while (0)

static void gather_fixed(
	void *to, const scoter_column *c, uint8_t width, const uint32_t *rows, int64_t n) {
	switch (width) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
		break;
	}
}

// Copies the elements of the lists or maps of the given rows, one after another, to the vector.
static void gather_lists(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n) {
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
			scoter_gather(duckdb_struct_vector_get_child(child, (idx_t)k), &type->children[k],
				&pairs->children[k], elements, total);
		}
	} else {
		scoter_gather(child, &type->children[0], &c->children[0], elements, total);
	}
	free(elements);
}

static void gather_structs(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n) {
	uint32_t *within = malloc((size_t)n * sizeof(uint32_t));
	for (int64_t i = 0; i < n; i++) within[i] = rows[i] + (uint32_t)c->offset;
	for (int32_t k = 0; k < type->n_children; k++) {
		scoter_gather(duckdb_struct_vector_get_child(vector, (idx_t)k), &type->children[k],
			&c->children[k], within, n);
	}
	free(within);
}

void scoter_gather(duckdb_vector vector, const scoter_type *type, const scoter_column *c,
	const uint32_t *rows, int64_t n) {
	if (n == 0) return;
	if (c->validity) {
		duckdb_vector_ensure_validity_writable(vector);
		uint64_t *valid = duckdb_vector_get_validity(vector);
		memset(valid, 0, (size_t)(n + 63) / 64 * sizeof(uint64_t));
		for (int64_t i = 0; i < n; i++)
			valid[i >> 6] |= (uint64_t)is_set(c->validity, c->offset + rows[i]) << (i & 63);
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
		fill_texts(vector, c, rows, 0, n);
		break;
	case SCOTER_DICTIONARY: // only whole columns are dictionaries
		break;
	case SCOTER_DECIMAL:
		fill_decimals(to, c, type->value_bytes, rows, 0, n);
		break;
	case SCOTER_UUID:
		for (int64_t i = 0; i < n; i++) fill_uuids((duckdb_hugeint *)to + i, c, rows[i], 1);
		break;
	}
}
