// Joins the small chunks of a result into larger ones.
#ifndef SCOTER_GATHER_H
#define SCOTER_GATHER_H

#include <stdbool.h>
#include <stdlib.h>
#include <duckdb.h>

// A result that is being read, with the state that the conversion of its chunks needs.
typedef struct {
	duckdb_result result;
	duckdb_arrow_options options;
	bool gather;             // join small chunks
	duckdb_data_chunk ahead; // the next chunk, if it has already been fetched
	bool ended;              // there are no more chunks; no fetch is allowed
} scoter_result;

// Limit in bytes for the values of variable width in joined chunks. Copying larger values costs
// more than handling another chunk.
enum { scoter_gathered_bytes = 1 << 20 };

static bool scoter_valid(duckdb_vector v, idx_t row) {
	uint64_t *valid = duckdb_vector_get_validity(v);
	return !valid || duckdb_validity_row_is_valid(valid, row);
}

// Returns the bytes that texts take in some rows of a flat vector. With elements set, it includes
// the texts in lists, whose elements must then be flat too. Adds to largest the maximum number of
// bytes that the value of one row takes.
static idx_t scoter_text_bytes(
	duckdb_vector v, idx_t from, idx_t to, bool elements, idx_t *largest) {
	duckdb_logical_type type = duckdb_vector_get_column_type(v);
	idx_t bytes = 0, most = 0;
	switch (duckdb_get_type_id(type)) {
	case DUCKDB_TYPE_VARCHAR:
	case DUCKDB_TYPE_BLOB:
	case DUCKDB_TYPE_BIT:
	case DUCKDB_TYPE_BIGNUM:
	case DUCKDB_TYPE_GEOMETRY: {
		duckdb_string_t *texts = duckdb_vector_get_data(v);
		for (idx_t i = from; i < to; i++) {
			idx_t value = scoter_valid(v, i) ? duckdb_string_t_length(texts[i]) : 0;
			bytes += value;
			if (value > most) most = value;
		}
		break;
	}
	case DUCKDB_TYPE_STRUCT:
		for (idx_t i = 0; elements && i < duckdb_struct_type_child_count(type); i++)
			bytes += scoter_text_bytes(duckdb_struct_vector_get_child(v, i), from, to, true, &most);
		break;
	case DUCKDB_TYPE_ARRAY: {
		idx_t n = duckdb_array_type_array_size(type);
		if (elements)
			bytes =
				scoter_text_bytes(duckdb_array_vector_get_child(v), from * n, to * n, true, &most);
		most *= n;
		break;
	}
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_MAP: {
		duckdb_list_entry *lists = duckdb_vector_get_data(v);
		duckdb_vector child = duckdb_list_vector_get_child(v);
		for (idx_t i = from; i < to; i++) {
			if (!scoter_valid(v, i)) continue;
			idx_t value = sizeof(duckdb_list_entry) * lists[i].length, element = 0;
			if (elements)
				value += scoter_text_bytes(
					child, lists[i].offset, lists[i].offset + lists[i].length, true, &element);
			bytes += value;
			if (value > most) most = value;
		}
		break;
	}
	default:
		break;
	}
	duckdb_destroy_logical_type(&type);
	*largest += most;
	return bytes;
}

// Returns the bytes of the texts in a chunk, without its first rows: from is the index of the first
// row that counts. Sets largest to the approximate number of bytes of the largest row.
static idx_t scoter_chunk_bytes(
	duckdb_data_chunk chunk, idx_t from, bool elements, idx_t *largest) {
	*largest = 0;
	idx_t bytes = 0, columns = duckdb_data_chunk_get_column_count(chunk),
		  rows = duckdb_data_chunk_get_size(chunk);
	for (idx_t i = 0; i < columns; i++)
		bytes += scoter_text_bytes(
			duckdb_data_chunk_get_vector(chunk, i), from, rows, elements, largest);
	return bytes;
}

// Appends the rows of a chunk to another chunk, which must have space for them. Returns the bytes
// of their texts.
static idx_t scoter_append(
	duckdb_data_chunk to, duckdb_data_chunk from, duckdb_selection_vector in_order) {
	idx_t at = duckdb_data_chunk_get_size(to), n = duckdb_data_chunk_get_size(from);
	for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(to); i++) {
		duckdb_vector_copy_sel(duckdb_data_chunk_get_vector(from, i),
			duckdb_data_chunk_get_vector(to, i), in_order, n, 0, at);
	}
	duckdb_data_chunk_set_size(to, at + n);
	idx_t largest;
	return scoter_chunk_bytes(to, at, true, &largest);
}

static duckdb_data_chunk scoter_fetch(scoter_result *r) {
	duckdb_data_chunk chunk = r->ended ? NULL : duckdb_fetch_chunk(r->result);
	r->ended = !chunk;
	return chunk;
}

// Reports whether a chunk may be joined with chunks that together have the given numbers of rows
// and bytes.
static bool scoter_fits(duckdb_data_chunk chunk, idx_t rows, idx_t bytes) {
	idx_t largest;
	return chunk && rows + duckdb_data_chunk_get_size(chunk) <= duckdb_vector_size() &&
		bytes + scoter_chunk_bytes(chunk, 0, false, &largest) <= scoter_gathered_bytes;
}

// Returns a chunk with the rows of the first chunk. If the next chunks of the result fit into it,
// it has their rows too. It takes over the first chunk.
static duckdb_data_chunk scoter_join_chunks(scoter_result *r, duckdb_data_chunk first) {
	const idx_t most = duckdb_vector_size();
	idx_t n = duckdb_data_chunk_get_size(first);
	if (2 * n >= most || !scoter_fits(first, 0, 0)) return first;
	r->ahead = scoter_fetch(r);
	if (!scoter_fits(r->ahead, n, 0)) return first;
	idx_t columns = duckdb_data_chunk_get_column_count(first);
	duckdb_logical_type *types = malloc(columns * sizeof(duckdb_logical_type));
	for (idx_t i = 0; i < columns; i++) types[i] = duckdb_column_logical_type(&r->result, i);
	duckdb_data_chunk all = duckdb_create_data_chunk(types, columns);
	for (idx_t i = 0; i < columns; i++) duckdb_destroy_logical_type(&types[i]);
	free(types);
	duckdb_selection_vector in_order = duckdb_create_selection_vector(most);
	sel_t *rows = duckdb_selection_vector_get_data_ptr(in_order);
	for (idx_t i = 0; i < most; i++) rows[i] = i;
	idx_t bytes = scoter_append(all, first, in_order);
	duckdb_destroy_data_chunk(&first);
	while (scoter_fits(r->ahead, duckdb_data_chunk_get_size(all), bytes)) {
		bytes += scoter_append(all, r->ahead, in_order);
		duckdb_destroy_data_chunk(&r->ahead);
		r->ahead = scoter_fetch(r);
	}
	duckdb_destroy_selection_vector(in_order);
	return all;
}

#endif
