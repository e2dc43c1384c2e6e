// What the files of the part scan share.
#pragma once

#include "ext.hpp"

#include "duckdb/common/multi_file/multi_file_reader.hpp"

namespace scoter {

// The vector that a thread has read last from a Parquet file.
struct Progress {
	duckdb::idx_t first; // row number in the file of its first row
	duckdb::idx_t read; // number of its rows
	const duckdb::sel_t *selection; // rows that meet the conditions; not used if all do
};

// Returns how far a thread has read a Parquet file, from the state of DuckDB's reader.
Progress ProgressOf(const duckdb::LocalTableFunctionState &state);

// Tells DuckDB's reader of a file which rows of a vector to read: with only, those of file, and
// otherwise all others.
duckdb::unique_ptr<duckdb::DeleteFilter> SkipRows(const scoter_file &file, bool only);

// Removes hidden rows from a chunk that a file reader has filled.
void RemoveRows(const scoter_file &file, const Progress &progress, duckdb::DataChunk &chunk);

// Reports whether no condition of a scan can fail, so that the conditions may be evaluated for
// hidden rows. Values of hidden rows must not make a query fail.
bool NeverFail(duckdb::optional_ptr<duckdb::TableFilterSet> filters);

// Reports whether a condition computes a value for each row, which costs more than comparing the
// stored value.
bool Compute(duckdb::optional_ptr<duckdb::TableFilterSet> filters);

} // namespace scoter
