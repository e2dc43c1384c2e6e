// The version of DuckDB for which this package is written, and what the package assumes of it
// beyond what its headers say. docs/DUCKDB.md has the list of all that is touched.
#include "ext.hpp"

#include <cstring>
#include <type_traits>

#include "duckdb/common/enums/expression_type.hpp"
#include "duckdb/common/enums/logical_operator_type.hpp"
#include "duckdb/common/enums/physical_operator_type.hpp"
#include "duckdb/common/exception.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/interval.hpp"
#include "duckdb/common/types/selection_vector.hpp"
#include "duckdb/common/types/string_type.hpp"
#include "duckdb/function/cast/default_casts.hpp"
#include "duckdb/parser/parsed_expression.hpp"
#include "duckdb/planner/expression.hpp"

namespace {

using namespace duckdb;

// The version of the headers in internal/duck/include. scripts/duckdb_headers.py compares them with
// the source of this version. Only headers of exactly the library's version are sure to match it.
const char *const version = "v1.5.6";

// Vectors have the same layout in C code (internal/overlay, internal/duck) and in DuckDB.
static_assert(sizeof(string_t) == sizeof(duckdb_string_t) && sizeof(string_t) == 16 &&
		string_t::INLINE_LENGTH == 12,
	"texts of C code are DuckDB's");
static_assert(sizeof(list_entry_t) == sizeof(duckdb_list_entry), "lists of C code are DuckDB's");
static_assert(sizeof(hugeint_t) == sizeof(duckdb_hugeint), "numbers of C code are DuckDB's");
static_assert(sizeof(interval_t) == sizeof(duckdb_interval), "INTERVALs of C code are DuckDB's");
static_assert(std::is_same<sel_t, uint32_t>::value, "indexes of rows are uint32_t in C code");
static_assert(
	std::is_same<duckdb::idx_t, uint64_t>::value && std::is_same<column_t, uint64_t>::value,
	"indexes of columns are uint64_t in C code");
static_assert(sizeof(validity_t) == sizeof(uint64_t), "C code writes validity by words of 64 bits");

// Marks of rows, and the shapes of hidden rows (internal/livescan), are made for this size.
static_assert(STANDARD_VECTOR_SIZE == 2048, "a vector has 2,048 rows");

// Functions that the linker redirects (limit_planning.cc, limit_values.cc) take these types in
// registers, as numbers ...
static_assert(sizeof(ExpressionType) == 1 && sizeof(ExpressionClass) == 1 &&
		sizeof(LogicalOperatorType) == 1 && sizeof(PhysicalOperatorType) == 1,
	"enums are passed as bytes");
static_assert(sizeof(duckdb::idx_t) == sizeof(uint64_t), "idx_t is passed as 64 bits");
// ... these by address, and return these through an address that is the first argument: a type with
// a destructor is never in registers.
static_assert(!std::is_trivially_destructible<LogicalType>::value &&
		!std::is_trivially_destructible<string>::value &&
		!std::is_trivially_destructible<vector<LogicalType>>::value &&
		!std::is_trivially_destructible<vector<unique_ptr<Expression>>>::value &&
		!std::is_trivially_destructible<Value>::value &&
		!std::is_trivially_destructible<BoundCastInfo>::value,
	"objects are passed by address");

} // namespace

void scoter::CheckLibrary() {
	if (strcmp(duckdb_library_version(), version) != 0) {
		throw InvalidInputException("the library of DuckDB is %s, its headers in "
									"internal/duck/include are of %s",
			duckdb_library_version(), version);
	}
	if (duckdb_vector_size() != STANDARD_VECTOR_SIZE) {
		throw InvalidInputException("the library of DuckDB has vectors of %llu rows, not of %llu",
			duckdb_vector_size(), duckdb::idx_t(STANDARD_VECTOR_SIZE));
	}
}
