#include "memdictionary.h"

#include "memvalue.h"

scoter_dictionary *scoter_column_dictionary(const scoter_column *c) {
	const scoter_column *texts = &c->children[0];
	duckdb_vector vector;
	scoter_dictionary *made =
		scoter_make_dictionary((idx_t)texts->length, c->validity != NULL, &vector);
	fill_texts(vector, texts, NULL, 0, texts->length);
	return made;
}

void scoter_refer_column(scoter_dictionary *dictionary, duckdb_vector vector,
	const scoter_column *c, const uint32_t *rows, int64_t row, int64_t n) {
	const uint32_t *codes = (const uint32_t *)c->data + c->offset;
	uint32_t *indexes = scoter_dictionary_indexes(dictionary);
	if (rows) {
		for (int64_t i = 0; i < n; i++) indexes[i] = codes[rows[i]];
	} else if (n > 0) {
		memcpy(indexes, codes + row, (size_t)n * sizeof(uint32_t));
	}
	if (c->validity) { // a NULL may have any code, so it gets the index of NULL
		uint32_t null = (uint32_t)c->children[0].length;
		for (int64_t i = 0; i < n; i++) {
			if (!is_set(c->validity, c->offset + (rows ? (int64_t)rows[i] : row + i)))
				indexes[i] = null;
		}
	}
	scoter_refer(dictionary, vector);
}
