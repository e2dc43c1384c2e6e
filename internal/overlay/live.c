#include "live.h"

#include <string.h>

#include "_cgo_export.h"

// The addresses of a vector's rows.
typedef struct {
	const uint64_t *files;
	const int64_t *rows;
	idx_t n;
} addresses;

// Whether all rows are of one file and ascend. So they come from a scan, but operators that gather
// the rows of several vectors may stand between.
static bool in_order(const addresses *a) {
	uint64_t other = 0;
	int64_t least = 0;
	for (idx_t i = 1; i < a->n; i++) {
		other |= a->files[i] ^ a->files[0];
		least |= a->rows[i] - a->rows[i - 1] - 1; // negative where a row does not ascend
	}
	return other == 0 && least >= 0;
}

// The first place from a place on whose row is not below the given one.
static int64_t lower_bound(const scoter_rows *r, int64_t from, int64_t row) {
	int64_t end = r->n;
	while (from < end) {
		int64_t middle = from + (end - from) / 2;
		if ((int64_t)r->rows[middle] < row) {
			from = middle + 1;
		} else {
			end = middle;
		}
	}
	return from;
}

static const scoter_rows *rows_of(const scoter_hidden *h, uint64_t file) { return file < (uint64_t)h->n_files ? &h->files[file] : NULL; }

// Clears live for the rows of an ordered vector that are hidden; live is written only if there are any.
static bool hide_in_order(const scoter_rows *r, const addresses *a, bool *live) {
	int64_t first = a->rows[0], last = a->rows[a->n - 1];
	int64_t from = lower_bound(r, 0, first);
	if (from == r->n || (int64_t)r->rows[from] > last) return false;
	memset(live, 1, a->n);
	if (last - first == (int64_t)a->n - 1) { // no row between was left out: its number is its place
		for (; from < r->n && (int64_t)r->rows[from] <= last; from++) live[(int64_t)r->rows[from] - first] = false;
		return true;
	}
	for (idx_t at = 0; at < a->n && from < r->n;) {
		if (a->rows[at] < (int64_t)r->rows[from]) {
			at++;
		} else if (a->rows[at] > (int64_t)r->rows[from]) {
			from = lower_bound(r, from, a->rows[at]);
		} else {
			live[at++] = false;
			from++;
		}
	}
	return true;
}

static bool hide(const scoter_hidden *h, const addresses *a, bool *live) {
	if (a->n == 0) return false;
	if (in_order(a)) {
		const scoter_rows *r = rows_of(h, a->files[0]);
		return r && hide_in_order(r, a, live);
	}
	memset(live, 1, a->n);
	for (idx_t i = 0; i < a->n; i++) {
		const scoter_rows *r = rows_of(h, a->files[i]);
		if (!r) continue;
		int64_t at = lower_bound(r, 0, a->rows[i]);
		if (at < r->n && (int64_t)r->rows[at] == a->rows[i]) live[i] = false;
	}
	return true;
}

static void live(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
	const scoter_hidden *h = duckdb_scalar_function_get_bind_data(info);
	addresses a = {
	    duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 1)),
	    duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 2)),
	    duckdb_data_chunk_get_size(input),
	};
	if (!hide(h, &a, duckdb_vector_get_data(output))) {
		duckdb_value all = duckdb_create_bool(true); // one value for the vector: nothing is selected row by row
		duckdb_vector_reference_value(output, all);
		duckdb_destroy_value(&all);
	}
}

static void *share(void *p) { return p; }

static void bind(duckdb_bind_info info) {
	duckdb_client_context context;
	duckdb_scalar_function_get_client_context(info, &context);
	duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 0);
	duckdb_value handle = NULL;
	duckdb_error_data error = duckdb_expression_fold(context, argument, &handle);
	scoter_hidden *h = duckdb_error_data_has_error(error) ? NULL : scoterFindHidden((uint64_t)duckdb_get_int64(handle));
	if (h) {
		duckdb_scalar_function_set_bind_data(info, h, NULL);
		duckdb_scalar_function_set_bind_data_copy(info, share);
	} else {
		duckdb_scalar_function_bind_set_error(info, "no such rows");
	}
	if (handle) duckdb_destroy_value(&handle);
	duckdb_destroy_error_data(&error);
	duckdb_destroy_expression(&argument);
	duckdb_destroy_client_context(&context);
}

duckdb_state scoter_register_live(duckdb_connection connection, const char *name) {
	duckdb_scalar_function f = duckdb_create_scalar_function();
	duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
	duckdb_logical_type index = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
	duckdb_logical_type boolean = duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
	duckdb_scalar_function_set_name(f, name);
	duckdb_scalar_function_add_parameter(f, number);
	duckdb_scalar_function_add_parameter(f, index);
	duckdb_scalar_function_add_parameter(f, number);
	duckdb_scalar_function_set_return_type(f, boolean);
	duckdb_scalar_function_set_bind(f, bind);
	duckdb_scalar_function_set_function(f, live);
	duckdb_state state = duckdb_register_scalar_function(connection, f);
	duckdb_destroy_logical_type(&number);
	duckdb_destroy_logical_type(&index);
	duckdb_destroy_logical_type(&boolean);
	duckdb_destroy_scalar_function(&f);
	return state;
}
