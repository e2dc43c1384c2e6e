// Finds INTERVALs that Arrow's type for intervals cannot represent.
#ifndef SCOTER_INTERVAL_H
#define SCOTER_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <duckdb.h>

// The factor between DuckDB's microseconds in an INTERVAL and Arrow's nanoseconds. DuckDB (1.5.5)
// multiplies by it without checking for overflow.
enum { scoter_nanos_per_micro = 1000 };

// Reports whether a type contains an INTERVAL.
static bool scoter_has_interval(duckdb_logical_type type) {
	duckdb_logical_type child = NULL;
	bool has = false;
	switch (duckdb_get_type_id(type)) {
	case DUCKDB_TYPE_INTERVAL:
		return true;
	case DUCKDB_TYPE_STRUCT:
		for (idx_t i = 0; !has && i < duckdb_struct_type_child_count(type); i++) {
			child = duckdb_struct_type_child_type(type, i);
			has = scoter_has_interval(child);
			duckdb_destroy_logical_type(&child);
		}
		return has;
	case DUCKDB_TYPE_UNION:
		for (idx_t i = 0; !has && i < duckdb_union_type_member_count(type); i++) {
			child = duckdb_union_type_member_type(type, i);
			has = scoter_has_interval(child);
			duckdb_destroy_logical_type(&child);
		}
		return has;
	case DUCKDB_TYPE_ARRAY:
		child = duckdb_array_type_child_type(type);
		break;
	case DUCKDB_TYPE_LIST:
		child = duckdb_list_type_child_type(type);
		break;
	case DUCKDB_TYPE_MAP:
		child = duckdb_map_type_key_type(type);
		has = scoter_has_interval(child);
		duckdb_destroy_logical_type(&child);
		child = duckdb_map_type_value_type(type);
		break;
	default:
		return false;
	}
	has = has || scoter_has_interval(child);
	duckdb_destroy_logical_type(&child);
	return has;
}

// Reports whether some rows of a vector have an INTERVAL that is too long for Arrow. The vector and
// all vectors inside of it must be flat.
static bool scoter_too_long(duckdb_vector v, idx_t from, idx_t to) {
	const int64_t most = INT64_MAX / scoter_nanos_per_micro;
	duckdb_logical_type type = duckdb_vector_get_column_type(v);
	bool too_long = false;
	switch (duckdb_get_type_id(type)) {
	case DUCKDB_TYPE_INTERVAL: {
		duckdb_interval *values = duckdb_vector_get_data(v);
		for (idx_t i = from; i < to && !too_long; i++)
			too_long = scoter_valid(v, i) && (values[i].micros > most || values[i].micros < -most);
		break;
	}
	case DUCKDB_TYPE_STRUCT:
		for (idx_t i = 0; i < duckdb_struct_type_child_count(type) && !too_long; i++)
			too_long = scoter_too_long(duckdb_struct_vector_get_child(v, i), from, to);
		break;
	case DUCKDB_TYPE_UNION: // stored as a struct of the tag and the members
		for (idx_t i = 0; i < duckdb_union_type_member_count(type) && !too_long; i++)
			too_long = scoter_too_long(duckdb_struct_vector_get_child(v, i + 1), from, to);
		break;
	case DUCKDB_TYPE_ARRAY: {
		idx_t n = duckdb_array_type_array_size(type);
		too_long = scoter_too_long(duckdb_array_vector_get_child(v), from * n, to * n);
		break;
	}
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_MAP: {
		duckdb_list_entry *lists = duckdb_vector_get_data(v);
		duckdb_vector child = duckdb_list_vector_get_child(v);
		for (idx_t i = from; i < to && !too_long; i++)
			too_long = scoter_valid(v, i) &&
				scoter_too_long(child, lists[i].offset, lists[i].offset + lists[i].length);
		break;
	}
	default:
		break;
	}
	duckdb_destroy_logical_type(&type);
	return too_long;
}

// Returns the index of the first column of a chunk that has an INTERVAL that is too long for Arrow,
// or -1.
static int64_t scoter_long_interval(duckdb_data_chunk chunk) {
	idx_t columns = duckdb_data_chunk_get_column_count(chunk),
		  rows = duckdb_data_chunk_get_size(chunk);
	for (idx_t i = 0; rows > 0 && i < columns; i++) {
		duckdb_vector v = duckdb_data_chunk_get_vector(chunk, i);
		duckdb_logical_type type = duckdb_vector_get_column_type(v);
		bool too_long = false;
		// The rows are copied, because a copy is flat. The vectors of a chunk may not be flat,
		// especially vectors inside of lists.
		if (scoter_has_interval(type)) {
			duckdb_vector copy = duckdb_create_vector(type, rows);
			duckdb_selection_vector in_order = duckdb_create_selection_vector(rows);
			sel_t *at = duckdb_selection_vector_get_data_ptr(in_order);
			for (idx_t row = 0; row < rows; row++) at[row] = row;
			duckdb_vector_copy_sel(v, copy, in_order, rows, 0, 0);
			too_long = scoter_too_long(copy, 0, rows);
			duckdb_destroy_selection_vector(in_order);
			duckdb_destroy_vector(&copy);
		}
		duckdb_destroy_logical_type(&type);
		if (too_long) return i;
	}
	return -1;
}

#endif
