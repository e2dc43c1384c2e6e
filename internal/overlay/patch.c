#include "patch.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "memfilter.h"
#include "memvalue.h"

// The rows of a vector.
typedef struct {
	const uint64_t *files;
	const int64_t *rows;
	idx_t n;
} addresses;

static const scoter_overlay *overlay_of(duckdb_function_info info) { return duckdb_scalar_function_get_bind_data(info); }

static addresses addresses_of(duckdb_data_chunk input) {
	addresses a;
	a.files = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 1));
	a.rows = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 2));
	a.n = duckdb_data_chunk_get_size(input);
	return a;
}

// Whether all rows are of one file and ascend: so they come from a scan, but operators that gather
// rows of several vectors may stand between.
static bool in_order(const addresses *a) {
	uint64_t first = a->files[0], other = 0;
	int64_t descents = 0;
	for (idx_t i = 1; i < a->n; i++) {
		other |= a->files[i] ^ first;
		descents |= a->rows[i] - a->rows[i - 1] - 1; // negative if the row does not follow
	}
	return other == 0 && descents >= 0;
}

// The first place whose row is not below the given one.
static int64_t lower_bound(const uint32_t *rows, int64_t from, int64_t n, int64_t row) {
	while (from < n) {
		int64_t middle = from + (n - from) / 2;
		if ((int64_t)rows[middle] < row) {
			from = middle + 1;
		} else {
			n = middle;
		}
	}
	return from;
}

// A changed row of a vector: its place there and in the changes.
typedef struct {
	const scoter_changes *changes;
	int64_t from; // place of the change
	idx_t at;     // place in the vector
} hit;

// Finds the changed rows of a vector, in order, and calls each(context, changes, place of the change, place in the vector).
// (macro-free: written to an array of hits by the caller)
static idx_t find_in_order(const scoter_changes *c, const addresses *a, hit *hits) {
	int64_t first = a->rows[0], last = a->rows[a->n - 1];
	int64_t from = lower_bound(c->rows, 0, c->n, first);
	idx_t n = 0;
	if (last - first == (int64_t)a->n - 1) { // no gaps
		for (; from < c->n && (int64_t)c->rows[from] <= last; from++) {
			hits[n++] = (hit){c, from, (idx_t)((int64_t)c->rows[from] - first)};
		}
		return n;
	}
	idx_t at = 0;
	while (from < c->n && (int64_t)c->rows[from] <= last) {
		while (a->rows[at] < (int64_t)c->rows[from]) at++;
		if (a->rows[at] == (int64_t)c->rows[from]) {
			hits[n++] = (hit){c, from, at};
			from++;
		} else {
			from = lower_bound(c->rows, from, c->n, a->rows[at]);
		}
	}
	return n;
}

static idx_t find(const scoter_overlay *o, const addresses *a, hit *hits) {
	if (a->n == 0) return 0;
	if (in_order(a)) {
		if (a->files[0] >= (uint64_t)o->n_files) return 0;
		return find_in_order(&o->files[a->files[0]], a, hits);
	}
	idx_t n = 0;
	for (idx_t i = 0; i < a->n; i++) {
		if (a->files[i] >= (uint64_t)o->n_files) continue;
		const scoter_changes *c = &o->files[a->files[i]];
		int64_t from = lower_bound(c->rows, 0, c->n, a->rows[i]);
		if (from < c->n && (int64_t)c->rows[from] == a->rows[i]) hits[n++] = (hit){c, from, i};
	}
	return n;
}

static void *same(void *p) { return p; }

static void bind(duckdb_bind_info info) {
	duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 0);
	duckdb_client_context context;
	duckdb_scalar_function_get_client_context(info, &context);
	duckdb_value value = NULL;
	duckdb_error_data error = duckdb_expression_fold(context, argument, &value);
	scoter_overlay *o = NULL;
	if (!duckdb_error_data_has_error(error)) o = scoterFindOverlay((uint64_t)duckdb_get_int64(value));
	if (o) {
		duckdb_scalar_function_set_bind_data(info, o, NULL);
		duckdb_scalar_function_set_bind_data_copy(info, same);
	} else {
		duckdb_scalar_function_bind_set_error(info, "no such changes");
	}
	if (value) duckdb_destroy_value(&value);
	duckdb_destroy_error_data(&error);
	duckdb_destroy_client_context(&context);
	duckdb_destroy_expression(&argument);
}

static void live(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_overlay *o = overlay_of(info);
	addresses a = addresses_of(input);
	hit hits[2048];
	idx_t n = find(o, &a, hits);
	if (n == 0) {
		duckdb_value yes = duckdb_create_bool(true);
		duckdb_vector_reference_value(output, yes);
		duckdb_destroy_value(&yes);
		return;
	}
	bool *out = duckdb_vector_get_data(output);
	memset(out, 1, a.n);
	for (idx_t i = 0; i < n; i++) out[hits[i].at] = false;
}

static void live1(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_overlay *o = overlay_of(info);
	addresses a;
	a.rows = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 1));
	a.n = duckdb_data_chunk_get_size(input);
	hit hits[2048];
	idx_t n = a.n ? find_in_order(&o->files[0], &a, hits) : 0;
	if (n == 0) {
		duckdb_value yes = duckdb_create_bool(true);
		duckdb_vector_reference_value(output, yes);
		duckdb_destroy_value(&yes);
		return;
	}
	bool *out = duckdb_vector_get_data(output);
	memset(out, 1, a.n);
	for (idx_t i = 0; i < n; i++) out[hits[i].at] = false;
}

static void touched(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_overlay *o = overlay_of(info);
	addresses a = addresses_of(input);
	hit hits[2048];
	idx_t n = find(o, &a, hits);
	if (n == 0) {
		duckdb_value yes = duckdb_create_bool(false);
		duckdb_vector_reference_value(output, yes);
		duckdb_destroy_value(&yes);
		return;
	}
	bool *out = duckdb_vector_get_data(output);
	memset(out, 0, a.n);
	for (idx_t i = 0; i < n; i++) out[hits[i].at] = true;
}

static void value(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_overlay *o = overlay_of(info);
	addresses a = addresses_of(input);
	hit hits[2048];
	uint32_t rows[2048];
	idx_t n = find(o, &a, hits);
	for (idx_t i = 0; i < n; i++) rows[i] = (uint32_t)hits[i].from;
	scoter_gather(output, o->type, &hits[0].changes->values, rows, n, hits[0].changes->dictionary);
}

static void patch(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_overlay *o = overlay_of(info);
	addresses a = addresses_of(input);
	duckdb_vector in = duckdb_data_chunk_get_vector(input, 3);
	hit hits[2048];
	idx_t n = find(o, &a, hits);
	if (n == 0) {
		duckdb_vector_reference_vector(output, in);
		return;
	}
	uint32_t bytes = o->type->value_bytes ? o->type->value_bytes : 16;
	memcpy(duckdb_vector_get_data(output), duckdb_vector_get_data(in), a.n * bytes);
	uint64_t *valid = duckdb_vector_get_validity(in);
	if (valid) {
		duckdb_vector_ensure_validity_writable(output);
		memcpy(duckdb_vector_get_validity(output), valid, (a.n + 63) / 64 * 8);
	}
	for (idx_t i = 0; i < n; i++) {
		const scoter_column *c = &hits[i].changes->values;
		uint8_t *to = (uint8_t *)duckdb_vector_get_data(output) + hits[i].at * bytes;
		if (c->layout == SCOTER_STRING) {
			fill_strings((duckdb_string_t *)to, c, hits[i].from, 1);
		} else if (c->layout == SCOTER_DECIMAL) {
			fill_decimals(to, c, o->type->value_bytes, hits[i].from, 1);
		} else {
			memcpy(to, (const uint8_t *)c->data + (c->offset + hits[i].from) * bytes, bytes);
		}
	}
}

static duckdb_state register_function(duckdb_connection connection, const char *name, duckdb_scalar_function_t function, duckdb_type returns,
                                      const scoter_type *type, int argument) {
	duckdb_scalar_function f = duckdb_create_scalar_function();
	duckdb_logical_type handle = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT), file = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
	duckdb_logical_type r = type ? scoter_logical_type(type) : duckdb_create_logical_type(returns);
	duckdb_scalar_function_set_name(f, name);
	duckdb_scalar_function_add_parameter(f, handle);
	if (argument >= 0) duckdb_scalar_function_add_parameter(f, file);
	duckdb_scalar_function_add_parameter(f, handle);
	if (argument>0) duckdb_scalar_function_add_parameter(f, r);
	duckdb_scalar_function_set_return_type(f, r);
	duckdb_scalar_function_set_special_handling(f);
	duckdb_scalar_function_set_bind(f, bind);
	duckdb_scalar_function_set_function(f, function);
	duckdb_state state = duckdb_register_scalar_function(connection, f);
	duckdb_destroy_logical_type(&r);
	duckdb_destroy_logical_type(&handle);
	duckdb_destroy_logical_type(&file);
	duckdb_destroy_scalar_function(&f);
	return state;
}

duckdb_state scoter_register_live(duckdb_connection connection, const char *name) {
	register_function(connection, "scoter_live1", live1, DUCKDB_TYPE_BOOLEAN, NULL, -1);
	register_function(connection, "scoter_touched", touched, DUCKDB_TYPE_BOOLEAN, NULL, false);
	return register_function(connection, name, live, DUCKDB_TYPE_BOOLEAN, NULL, false);
}

duckdb_state scoter_register_patch(duckdb_connection connection, const char *name, const scoter_type *type) {
	char v[100] = "scoter_value";
	strcat(v, name);
	register_function(connection, v, value, 0, type, false);
	return register_function(connection, name, patch, 0, type, true);
}
