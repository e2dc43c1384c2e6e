#include "memscan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "memdictionary.h"
#include "memfilter.h"
#include "memvalue.h"

// A morsel is the rows that a thread takes at a time. It is large enough that the counter shared by
// all threads costs nothing, and small enough that threads can share a small memtable. In a batch
// that is read in pieces, a thread takes as many rows as are worth a query.
#define MORSEL_ROWS (8 * 2048)

struct scoter_run {
	scoter_scan *scan;
	idx_t n_projected;
	idx_t *projected;
	uint64_t *rows_before; // rows_before[i] is the number of rows of all batches before batch i
	// in_pieces[i] is the number of rows of a morsel if batch i is read in pieces, and otherwise 0.
	int64_t *in_pieces;
	uint64_t threads; // number of threads that are worth starting for the rows
	// next is the start of the next morsel: a batch and a row of it, packed so that one
	// compare-and-swap takes a morsel.
	_Atomic uint64_t next; // batch << 32 | row
};

struct scoter_reader {
	idx_t n_projected;
	scoter_batch *batch; // current batch of the scan, or current piece
	uint64_t morsel; // number of the morsel's first row in the whole scan
	int64_t row, end; // current rows, from row to end: of a morsel or a piece
	// Only for a batch that is read in pieces: its index, the current piece, and the rest of the
	// morsel, from behind to morsel_end.
	int64_t pieced;
	scoter_piece piece;
	int64_t behind, morsel_end;
	// dictionaries[i] is the dictionary of projected column i in the current batch; NULL until it
	// is used.
	scoter_dictionary **dictionaries;
	// selecting says that only some of the current rows are returned. Then selected has n_selected
	// rows, of which handed_out were returned, and matches[i] has the codes that filter i matches
	// in the current batch.
	bool selecting;
	uint32_t *selected;
	uint8_t *marks;
	int64_t n_selected, handed_out;
	scoter_match *matches;
	int32_t n_matches;
};

static duckdb_logical_type logical_type(const scoter_type *t) {
	switch (t->id) {
	case DUCKDB_TYPE_DECIMAL:
		return duckdb_create_decimal_type(t->width, t->scale);
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_MAP:
	case DUCKDB_TYPE_STRUCT: {
		duckdb_logical_type *children = malloc((size_t)t->n_children * sizeof(duckdb_logical_type));
		for (int32_t i = 0; i < t->n_children; i++) children[i] = logical_type(&t->children[i]);
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

static int64_t morsel_rows(const scoter_run *run, int64_t batch) {
	return run->in_pieces[batch] ? run->in_pieces[batch] : MORSEL_ROWS;
}

static scoter_run *begin(
	scoter_scan *scan, const idx_t *projected, idx_t n_projected, scoter_failure *failure) {
	int64_t *in_pieces = calloc((size_t)scan->n_batches + 1, sizeof(int64_t));
	if (scan->lazy &&
		!scoterFillColumns(scan->lazy, (idx_t *)projected, n_projected, in_pieces, failure)) {
		free(in_pieces);
		return NULL;
	}
	scoter_run *run = calloc(1, sizeof(scoter_run));
	run->in_pieces = in_pieces;
	run->scan = scan;
	run->n_projected = n_projected;
	run->projected = malloc((n_projected + 1) * sizeof(idx_t));
	memcpy(run->projected, projected, n_projected * sizeof(idx_t));
	run->rows_before = malloc(((size_t)scan->n_batches + 1) * sizeof(uint64_t));
	uint64_t rows = 0, whole = 0;
	for (int64_t b = 0; b < scan->n_batches; b++) {
		run->rows_before[b] = rows;
		rows += (uint64_t)scan->batches[b].rows;
		if (in_pieces[b]) {
			run->threads +=
				(uint64_t)((scan->batches[b].rows + morsel_rows(run, b) - 1) / morsel_rows(run, b));
		} else {
			whole += (uint64_t)scan->batches[b].rows;
		}
	}
	// Only the number of rows counts, not the number of batches: a few threads read many small
	// batches, perhaps of single rows, faster than many threads do, and one thread reads them in
	// order of arrival.
	run->threads += (whole + MORSEL_ROWS - 1) / MORSEL_ROWS;
	return run;
}

static uint64_t threads(const scoter_run *run) { return run->threads; }

static void end_run(scoter_run *run) {
	free(run->projected);
	free(run->rows_before);
	free(run->in_pieces);
	free(run);
}

static scoter_reader *open_reader(const scoter_run *run) {
	scoter_reader *r = calloc(1, sizeof(scoter_reader));
	r->n_projected = run->n_projected;
	r->dictionaries = calloc(run->n_projected + 1, sizeof(scoter_dictionary *));
	r->n_matches = run->scan->n_filters;
	r->matches = calloc((size_t)r->n_matches + 1, sizeof(scoter_match));
	return r;
}

static uint64_t morsel(const scoter_reader *r) { return r->morsel; }

static void drop_dictionaries(scoter_reader *r) {
	for (idx_t i = 0; i < r->n_projected; i++) {
		scoter_free_dictionary(r->dictionaries[i]);
		r->dictionaries[i] = NULL;
	}
	for (int32_t f = 0; f < r->n_matches; f++) {
		free(r->matches[f].wanted);
		r->matches[f].wanted = NULL;
	}
}

static void drop_piece(scoter_reader *r) {
	if (r->piece.memory) scoterFreePiece(r->piece.memory);
	r->piece.memory = 0;
}

static void close_reader(scoter_reader *r) {
	drop_dictionaries(r);
	drop_piece(r);
	free(r->dictionaries);
	free(r->matches);
	free(r->selected);
	free(r->marks);
	free(r);
}

// Makes a batch or piece the current one.
static void use(scoter_run *run, scoter_reader *r, scoter_batch *batch) {
	r->batch = batch;
	drop_dictionaries(r);
	for (int32_t f = 0; f < r->n_matches; f++)
		r->matches[f] = scoter_match_codes(&run->scan->filters[f], batch);
}

// Takes the next morsel: the rows from *row to *end of a batch. Returns the index of the batch, or
// -1 if all rows were taken.
static int64_t next_morsel(scoter_run *run, int64_t *row, int64_t *end) {
	scoter_scan *scan = run->scan;
	uint64_t at = atomic_load(&run->next);
	for (;;) {
		int64_t b = (int64_t)(at >> 32);
		*row = (int64_t)(at & 0xffffffffu);
		while (b < scan->n_batches && *row >= scan->batches[b].rows) {
			b++;
			*row = 0;
		}
		if (b >= scan->n_batches) return -1;
		*end = *row + morsel_rows(run, b);
		if (*end > scan->batches[b].rows) *end = scan->batches[b].rows;
		if (atomic_compare_exchange_weak(&run->next, &at, (uint64_t)b << 32 | (uint64_t)*end))
			return b;
	}
}

// Makes the next rows the current ones: of the same piece, of the next piece, or of the next
// morsel. Sets *ended if no rows are left. Returns false and sets *failure on errors.
static bool next_rows(scoter_run *run, scoter_reader *r, bool *ended, scoter_failure *failure) {
	if (r->batch == &r->piece.batch && r->end < r->piece.batch.rows) {
		r->row = r->end;
	} else {
		if (r->behind == r->morsel_end) {
			int64_t row, end, b = next_morsel(run, &row, &end);
			if (b < 0) {
				*ended = true;
				return true;
			}
			r->morsel = run->rows_before[b] + (uint64_t)row;
			if (!run->in_pieces[b]) {
				drop_piece(r);
				if (r->batch != &run->scan->batches[b]) use(run, r, &run->scan->batches[b]);
				r->row = row;
				r->end = end;
				return true;
			}
			r->pieced = b;
			r->behind = row;
			r->morsel_end = end;
		}
		drop_piece(r);
		if (!scoterReadPiece(run->scan->lazy, r->pieced, r->behind, r->morsel_end, run->projected,
				run->n_projected, &r->piece, failure))
			return false;
		r->behind += r->piece.batch.rows;
		use(run, r, &r->piece.batch);
		r->row = 0;
	}
	r->end =
		r->row + MORSEL_ROWS < r->piece.batch.rows ? r->row + MORSEL_ROWS : r->piece.batch.rows;
	return true;
}

// Copies n bits from Arrow's validity bitmap, beginning at the bit of a row, to the vector's
// validity.
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

static void fill(
	duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n);

// Fills a vector of lists or maps for n rows: first the entries, with offsets that begin at 0, and
// then the elements of all rows at once.
static void fill_list(
	duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n) {
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
			fill(duckdb_struct_vector_get_child(child, (idx_t)k), &type->children[k],
				&pairs->children[k], pairs->offset + offsets[0], children);
		}
	} else {
		fill(child, &type->children[0], &c->children[0], offsets[0], children);
	}
}

static void fill(
	duckdb_vector vector, const scoter_type *type, const scoter_column *c, int64_t row, int64_t n) {
	if (n == 0) return; // an empty array may have no buffers at all
	fill_validity(vector, c, row, n);
	switch (c->layout) {
	case SCOTER_FIXED:
		memcpy(duckdb_vector_get_data(vector),
			(const uint8_t *)c->data + (c->offset + row) * type->value_bytes,
			(size_t)n * type->value_bytes);
		break;
	case SCOTER_BOOL: {
		bool *out = duckdb_vector_get_data(vector);
		for (int64_t i = 0; i < n; i++) out[i] = is_set(c->data, c->offset + row + i);
		break;
	}
	case SCOTER_STRING:
		fill_texts(vector, c, NULL, row, n);
		break;
	case SCOTER_DICTIONARY: // only whole columns are dictionaries
		break;
	case SCOTER_DECIMAL:
		fill_decimals(duckdb_vector_get_data(vector), c, type->value_bytes, NULL, row, n);
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
			fill(duckdb_struct_vector_get_child(vector, (idx_t)k), &type->children[k],
				&c->children[k], c->offset + row, n);
		}
		break;
	}
}

// Writes one half of the row addresses: the sources or, if source is false, the ordinals. The rows
// are those listed in rows or, if it is NULL, n rows beginning at row.
static void fill_address(duckdb_vector vector, const scoter_batch *batch, bool source,
	const uint32_t *rows, int64_t row, int64_t n) {
	uint64_t *out = duckdb_vector_get_data(vector);
	for (int64_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)(rows ? (int64_t)rows[i] : row + i);
		out[i] = source       ? batch->source
			: batch->ordinals ? batch->ordinals[at]
							  : batch->first_ordinal + at;
	}
}

// Makes rows current that were not returned yet, if the current ones were. Sets *ended if no rows
// are left. Returns false and sets *failure on errors.
static bool advance(scoter_run *run, scoter_reader *r, bool *ended, scoter_failure *failure) {
	for (;;) {
		if (r->selecting ? r->handed_out < r->n_selected : r->row < r->end) return true;
		if (!next_rows(run, r, ended, failure)) return false;
		if (*ended) return true;
		r->selecting = r->n_matches > 0 || scoter_hides(r->batch, r->row, r->end);
		if (r->selecting) {
			if (!r->selected) {
				r->selected = malloc(MORSEL_ROWS * sizeof(uint32_t));
				r->marks = malloc(MORSEL_ROWS);
			}
			r->n_selected = scoter_select(
				run->scan, r->batch, r->matches, r->row, r->end, r->selected, r->marks);
			r->handed_out = 0;
		}
	}
}

static bool read_rows(
	scoter_run *run, scoter_reader *r, duckdb_data_chunk output, scoter_failure *failure) {
	bool ended = false;
	if (!advance(run, r, &ended, failure)) return false;
	if (ended) {
		duckdb_data_chunk_set_size(output, 0);
		return true;
	}
	scoter_scan *scan = run->scan;
	int64_t n = r->selecting ? r->n_selected - r->handed_out : r->end - r->row;
	if (n > (int64_t)duckdb_vector_size()) n = (int64_t)duckdb_vector_size();
	const uint32_t *rows = r->selecting ? r->selected + r->handed_out : NULL;
	for (idx_t i = 0; i < run->n_projected; i++) {
		idx_t column = run->projected[i];
		duckdb_vector vector = duckdb_data_chunk_get_vector(output, i);
		if (column >= (idx_t)scan->n_columns) {
			// In queries that need no column (count(*)), DuckDB requests a row id, whose value does
			// not matter.
			if (column - (idx_t)scan->n_columns < 2) {
				fill_address(vector, r->batch, column == (idx_t)scan->n_columns, rows, r->row, n);
			}
			continue;
		}
		const scoter_column *c = &r->batch->columns[column];
		if (c->layout == SCOTER_DICTIONARY) {
			if (!r->dictionaries[i]) r->dictionaries[i] = scoter_column_dictionary(c);
			scoter_refer_column(r->dictionaries[i], vector, c, rows, r->row, n);
		} else if (r->selecting) {
			scoter_gather(vector, &scan->types[column], c, rows, n);
		} else {
			fill(vector, &scan->types[column], c, r->row, n);
		}
	}
	if (r->selecting) {
		r->handed_out += n;
	} else {
		r->row += n;
	}
	duckdb_data_chunk_set_size(output, (idx_t)n);
	return true;
}

static scoter_scan_shape shape(const scoter_scan *scan) {
	scoter_scan_shape s = {scan->n_columns, scan->names, scan->rows, scan->cached != 0};
	return s;
}

static duckdb_logical_type column_type(const scoter_scan *scan, int32_t column) {
	return logical_type(&scan->types[column]);
}

const scoter_scan_functions scoter_scans = {
	.find = scoterFindScan,
	.shape = shape,
	.type = column_type,
	.begin = begin,
	.threads = threads,
	.end = end_run,
	.open_reader = open_reader,
	.read = read_rows,
	.morsel = morsel,
	.close_reader = close_reader,
};
