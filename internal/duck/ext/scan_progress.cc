// Where a thread is in a Parquet file.
//
// DuckDB numbers the rows of a file only for queries that ask for the column file_row_number, and
// that costs time. So the position is read from the state of DuckDB's reader. The state is
// ParquetReaderScanState, inside of ParquetReadLocalState, which is in no header.
#include "scan_parts.hpp"

#include <atomic>
#include <cstring>
#include <typeinfo>

#include "parquet_reader.hpp"

namespace {

using namespace duckdb;

// The first member of DuckDB's ParquetReadLocalState (parquet_multi_file_info.cpp).
// scripts/duckdb_headers.py compares it with DuckDB's source.
struct ReadState : public LocalTableFunctionState {
	ParquetReaderScanState scan_state;
};

// The class of which the library's states must be.
const char *const class_name = "N6duckdb21ParquetReadLocalStateE";

// Throws if the state is of a class that is not known.
void CheckClass(const LocalTableFunctionState &state) {
	static std::atomic<const std::type_info *> known{nullptr};
	auto &type = typeid(state);
	if (&type == known.load(std::memory_order_relaxed)) return;
	if (strcmp(type.name(), class_name) != 0) {
		throw InternalException(
			"DuckDB reads Parquet files with %s, which is not known", type.name());
	}
	known.store(&type, std::memory_order_relaxed);
}

} // namespace

scoter::Progress scoter::ProgressOf(const LocalTableFunctionState &state) {
	CheckClass(state);
	auto &scan = static_cast<const ReadState &>(state).scan_state;
	// All vectors of a row group but the last one are full, so this is the first row of the vector.
	auto behind = scan.offset_in_group;
	auto first = (behind - 1) / STANDARD_VECTOR_SIZE * STANDARD_VECTOR_SIZE;
	return {scan.group_offset + first, behind - first, scan.sel.data()};
}
