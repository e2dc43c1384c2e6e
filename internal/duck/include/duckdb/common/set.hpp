//===----------------------------------------------------------------------===//
//                         DuckDB
//
// duckdb/common/set.hpp
//
//
//===----------------------------------------------------------------------===//

#pragma once

#include <set>

namespace duckdb {
using std::multiset;
using std::set;
} // namespace duckdb
