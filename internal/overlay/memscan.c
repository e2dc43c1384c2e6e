#include "memscan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "memfilter.h"
#include "memvalue.h"

// Rows that a thread takes at a time: enough to make the counter free, few enough
// to share a small memtable between threads.
#define MORSEL_ROWS (8 * 2048)

typedef struct {
	scoter_scan *scan;
	idx_t n_projected;
	idx_t *projected;
	// The next morsel: batch and row within it, packed so that one compare-and-swap
	// hands it out.
	_Atomic uint64_t next; // batch << 32 | row
} global_state;

typedef struct {
	scoter_batch *batch;
	int64_t row, end;
	// Per projected column: the current batch's dictionary as DuckDB strings.
	duckdb_string_t **dictionaries;
	scoter_batch *dictionaries_of;
	// Whether only some of the morsel's rows are wanted: which, how many of them were handed out, and per
	// filter the codes that it wants in the current batch.
	bool selecting;
	uint32_t *selected;
	uint8_t *marks;
	int64_t n_selected, handed_out;
	scoter_match *matches;
	int32_t n_matches;
} local_state;

duckdb_logical_type scoter_logical_type(const scoter_type *t) {
	switch (t->id) {
	case DUCKDB_TYPE_DECIMAL:
		return duckdb_create_decimal_type(t->width, t->scale);
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_MAP:
	case DUCKDB_TYPE_STRUCT: {
		duckdb_logical_type *children = malloc((size_t)t->n_children * sizeof(duckdb_logical_type));
		for (int32_t i = 0; i < t->n_children; i++) children[i] = scoter_logical_type(&t->children[i]);
		duckdb_logical_type result;
		if (t->id == DUCKDB_TYPE_LIST) {
			result = duckdb_create_list_type(children[0]);
		} else if (t->id == DUCKDB_TYPE_MAP) {
			result = duckdb_create_map_type(children[0], children[1]);
		} else {
			result = duckdb_create_struct_type(children, t->names, (idx_t)t->n_children);
		}
		for (int32_t i = 0; i < t->n_children; i++) duckdb_destroy_logical_type(&children[i]);
		free(children);
		return result;
	}
	default:
		return duckdb_create_logical_type(t->id);
	}
}

static void bind(duckdb_bind_info info) {
	duckdb_value parameter = duckdb_bind_get_parameter(info, 0);
	uint64_t number = (uint64_t)duckdb_get_int64(parameter);
	scoter_scan *scan = scoterFindScan(number);
	duckdb_destroy_value(&parameter);
	if (!scan) {
		duckdb_bind_set_error(info, "no such scan");
		return;
	}
	for (int32_t i = 0; i < scan->n_columns; i++) {
		duckdb_logical_type type = scoter_logical_type(&scan->types[i]);
		duckdb_bind_add_result_column(info, scan->names[i], type);
		duckdb_destroy_logical_type(&type);
	}
	duckdb_logical_type address = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
	duckdb_bind_add_result_column(info, "scoter_source", address);
	duckdb_bind_add_result_column(info, "scoter_ordinal", address);
	duckdb_destroy_logical_type(&address);
	if (scan->kept) {
		duckdb_bind_set_cardinality(info, 1, false); // the statement's next run has other rows
	} else {
		duckdb_bind_set_cardinality(info, (idx_t)scan->rows, true);
	}
	uint64_t *id = malloc(sizeof(uint64_t));
	*id = number;
	duckdb_bind_set_bind_data(info, id, free);
}

static void free_global(void *p) {
	free(((global_state *)p)->projected);
	free(p);
}

static void init_global(duckdb_init_info info) {
	global_state *g = calloc(1, sizeof(global_state));
	duckdb_init_set_init_data(info, g, free_global);
	// Found anew, since a kept statement is bound once and run with many scans of one number.
	g->scan = scoterFindScan(*(uint64_t *)duckdb_init_get_bind_data(info));
	if (!g->scan) {
		duckdb_init_set_error(info, "no such scan");
		return;
	}
	g->n_projected = duckdb_init_get_column_count(info);
	g->projected = malloc((g->n_projected + 1) * sizeof(idx_t));
	for (idx_t i = 0; i < g->n_projected; i++) g->projected[i] = duckdb_init_get_column_index(info, i);
	if (g->scan->lazy) {
		char *failure = scoterFillColumns(g->scan->lazy, g->projected, g->n_projected);
		if (failure) {
			duckdb_init_set_error(info, failure);
			free(failure);
		}
	}
	int64_t morsels = 0;
	for (int64_t b = 0; b < g->scan->n_batches; b++) {
		morsels += (g->scan->batches[b].rows + MORSEL_ROWS - 1) / MORSEL_ROWS;
	}
	duckdb_init_set_max_threads(info, morsels > 0 ? (idx_t)morsels : 1);
}

// The number of projected columns stands in front of the local state, for its release.
typedef struct {
	idx_t n_projected;
	local_state state;
} local_holder;

static void drop_dictionaries(local_holder *h) {
	for (idx_t i = 0; i < h->n_projected; i++) {
		free(h->state.dictionaries[i]);
		h->state.dictionaries[i] = NULL;
	}
	for (int32_t f = 0; f < h->state.n_matches; f++) {
		free(h->state.matches[f].wanted);
		h->state.matches[f].wanted = NULL;
	}
}

static void free_local(void *p) {
	local_holder *h = p;
	drop_dictionaries(h);
	free(h->state.dictionaries);
	free(h->state.matches);
	free(h->state.selected);
	free(h->state.marks);
	free(h);
}

static void init_local(duckdb_init_info info) {
	local_holder *h = calloc(1, sizeof(local_holder));
	h->n_projected = duckdb_init_get_column_count(info);
	h->state.dictionaries = calloc(h->n_projected + 1, sizeof(duckdb_string_t *));
	duckdb_init_set_init_data(info, h, free_local);
}

// Hands out the next morsel; false at the end.
static bool next_morsel(global_state *g, local_state *l) {
	uint64_t at = atomic_load(&g->next);
	for (;;) {
		int64_t b = (int64_t)(at >> 32), row = (int64_t)(at & 0xffffffffu);
		while (b < g->scan->n_batches && row >= g->scan->batches[b].rows) {
			b++;
			row = 0;
		}
		if (b >= g->scan->n_batches) return false;
		scoter_batch *batch = &g->scan->batches[b];
		int64_t end = row + MORSEL_ROWS < batch->rows ? row + MORSEL_ROWS : batch->rows;
		if (atomic_compare_exchange_weak(&g->next, &at, (uint64_t)b << 32 | (uint64_t)end)) {
			l->batch = batch;
			l->row = row;
			l->end = end;
			return true;
		}
	}
}

// Copies n validity bits from Arrow's bitmap, starting at a row, to a vector.
static void fill_validity(duckdb_vector vector, const scoter_column *c, int64_t row, int64_t n) {
	if (!c->validity) return;
	int64_t from = c->offset + row;
	duckdb_vector_ensure_validity_writable(vector);
	uint64_t *out = duckdb_vector_get_validity(vector);
	for (int64_t word = 0; word * 64 < n; word++) {
		uint64_t bits = 0;
		int64_t count = n - word * 64 < 64 ? n - word * 64 : 64;
		if (((from + word * 64) & 7) == 0) {
			memcpy(&bits, c->validity + ((from + word * 64) >> 3), (size_t)(count + 7) / 8);
		} else {
			for (int64_t i = 0; i < count; i++) {
				bits |= (uint64_t)is_set(c->validity, from + word * 64 + i) << i;
			}
		}
		out[word] = bits;
	}
}

static duckdb_string_t *dictionary_strings(const scoter_column *c) {
	const scoter_column *values = &c->children[0];
	// One more than there are values, so that the code of a NULL (any) reads something.
	duckdb_string_t *strings = calloc((size_t)values->length + 1, sizeof(duckdb_string_t));
	fill_strings(strings, values, 0, values->length);
	return strings;
}

static void fill(duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n,
                 const duckdb_string_t *dictionary);

// Lists and maps: entries relative to the first, and the children of all rows at once.
static void fill_list(duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n) {
	const int32_t *offsets = (const int32_t *)c->data + c->offset + row;
	duckdb_list_entry *entries = duckdb_vector_get_data(vector);
	for (int64_t i = 0; i < n; i++) {
		entries[i].offset = (uint64_t)(offsets[i] - offsets[0]);
		entries[i].length = (uint64_t)(offsets[i + 1] - offsets[i]);
	}
	int64_t children = offsets[n] - offsets[0];
	duckdb_list_vector_reserve(vector, (idx_t)children);
	duckdb_list_vector_set_size(vector, (idx_t)children);
	duckdb_vector child = duckdb_list_vector_get_child(vector);
	if (type->id == DUCKDB_TYPE_MAP) {
		const scoter_column *pairs = &c->children[0];
		for (int32_t k = 0; k < 2; k++) {
			fill(duckdb_struct_vector_get_child(child, (idx_t)k), &type->children[k], &pairs->children[k],
			     pairs->offset + offsets[0], children, NULL);
		}
	} else {
		fill(child, &type->children[0], &c->children[0], offsets[0], children, NULL);
	}
}

static void fill(duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n,
                 const duckdb_string_t *dictionary) {
	if (n == 0) return; // an array without values may have no buffers at all
	fill_validity(vector, c, row, n);
	switch (c->layout) {
	case SCOTER_FIXED:
		memcpy(duckdb_vector_get_data(vector), (const uint8_t *)c->data + (c->offset + row) * type->value_bytes,
		       (size_t)n * type->value_bytes);
		break;
	case SCOTER_BOOL: {
		bool *out = duckdb_vector_get_data(vector);
		for (int64_t i = 0; i < n; i++) out[i] = is_set(c->data, c->offset + row + i);
		break;
	}
	case SCOTER_STRING:
		fill_strings(duckdb_vector_get_data(vector), c, row, n);
		break;
	case SCOTER_DICTIONARY: {
		duckdb_string_t *own = dictionary ? NULL : dictionary_strings(c);
		fill_codes(duckdb_vector_get_data(vector), c, dictionary ? dictionary : own, row, n);
		free(own);
		break;
	}
	case SCOTER_DECIMAL:
		fill_decimals(duckdb_vector_get_data(vector), c, type->value_bytes, row, n);
		break;
	case SCOTER_UUID:
		fill_uuids(duckdb_vector_get_data(vector), c, row, n);
		break;
	case SCOTER_LIST:
	case SCOTER_MAP:
		fill_list(vector, type, c, row, n);
		break;
	case SCOTER_STRUCT:
		for (int32_t k = 0; k < type->n_children; k++) {
			fill(duckdb_struct_vector_get_child(vector, (idx_t)k), &type->children[k], &c->children[k],
			     c->offset + row, n, NULL);
		}
		break;
	}
}

// Writes the first or second half of the addresses of the given rows, or of n rows from row on.
static void fill_address(duckdb_vector vector, const scoter_batch *batch, bool source, const uint32_t *rows, int64_t row, int64_t n) {
	uint64_t *out = duckdb_vector_get_data(vector);
	for (int64_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)(rows ? (int64_t)rows[i] : row + i);
		out[i] = source ? batch->source : batch->ordinals ? batch->ordinals[at] : batch->first_ordinal + at;
	}
}

// Goes on to the next rows that are not handed out; false at the end.
static bool advance(global_state *g, local_holder *h) {
	local_state *l = &h->state;
	for (;;) {
		if (l->selecting ? l->handed_out < l->n_selected : l->row < l->end) return true;
		if (!next_morsel(g, l)) return false;
		if (l->dictionaries_of != l->batch) {
			drop_dictionaries(h);
			l->dictionaries_of = l->batch;
			for (int32_t f = 0; f < l->n_matches; f++) l->matches[f] = scoter_match_codes(&g->scan->filters[f], l->batch);
		}
		l->selecting = g->scan->n_filters > 0 || scoter_hides(l->batch, l->row, l->end);
		if (l->selecting) {
			if (!l->selected) {
				l->selected = malloc(MORSEL_ROWS * sizeof(uint32_t));
				l->marks = malloc(MORSEL_ROWS);
			}
			l->n_selected = scoter_select(g->scan, l->batch, l->matches, l->row, l->end, l->selected, l->marks);
			l->handed_out = 0;
		}
	}
}

static void scan(duckdb_function_info info, duckdb_data_chunk output) {
	global_state *g = duckdb_function_get_init_data(info);
	local_holder *h = duckdb_function_get_local_init_data(info);
	local_state *l = &h->state;
	if (g->scan->n_filters && !l->matches) {
		l->n_matches = g->scan->n_filters;
		l->matches = calloc((size_t)l->n_matches, sizeof(scoter_match));
	}
	if (!advance(g, h)) {
		duckdb_data_chunk_set_size(output, 0);
		return;
	}
	int64_t n = l->selecting ? l->n_selected - l->handed_out : l->end - l->row;
	if (n > (int64_t)duckdb_vector_size()) n = (int64_t)duckdb_vector_size();
	const uint32_t *rows = l->selecting ? l->selected + l->handed_out : NULL;
	for (idx_t i = 0; i < g->n_projected; i++) {
		idx_t column = g->projected[i];
		duckdb_vector vector = duckdb_data_chunk_get_vector(output, i);
		if (column >= (idx_t)g->scan->n_columns) {
			// A scan that asks for no column at all (count(*)) projects a row id: any value does.
			if (column - (idx_t)g->scan->n_columns < 2) {
				fill_address(vector, l->batch, column == (idx_t)g->scan->n_columns, rows, l->row, n);
			}
			continue;
		}
		const scoter_column *c = &l->batch->columns[column];
		if (c->layout == SCOTER_DICTIONARY && !l->dictionaries[i]) l->dictionaries[i] = dictionary_strings(c);
		if (l->selecting) {
			scoter_gather(vector, &g->scan->types[column], c, rows, n, l->dictionaries[i]);
		} else {
			fill(vector, &g->scan->types[column], c, l->row, n, l->dictionaries[i]);
		}
	}
	if (l->selecting) {
		l->handed_out += n;
	} else {
		l->row += n;
	}
	duckdb_data_chunk_set_size(output, (idx_t)n);
}

duckdb_state scoter_register_memscan(duckdb_connection connection, const char *name) {
	duckdb_table_function f = duckdb_create_table_function();
	duckdb_logical_type id = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
	duckdb_table_function_set_name(f, name);
	duckdb_table_function_add_parameter(f, id);
	duckdb_table_function_set_bind(f, bind);
	duckdb_table_function_set_init(f, init_global);
	duckdb_table_function_set_local_init(f, init_local);
	duckdb_table_function_set_function(f, scan);
	duckdb_table_function_supports_projection_pushdown(f, true);
	duckdb_state state = duckdb_register_table_function(connection, f);
	duckdb_destroy_logical_type(&id);
	duckdb_destroy_table_function(&f);
	return state;
}
