//===----------------------------------------------------------------------===//
//                         DuckDB
//
// duckdb/common/shared_ptr.hpp
//
//
//===----------------------------------------------------------------------===//

#pragma once

#include "duckdb/common/compatible_with_ipp.hpp"
#include "duckdb/common/shared_ptr_ipp.hpp"
#include "duckdb/common/weak_ptr_ipp.hpp"
#include "duckdb/common/enable_shared_from_this_ipp.hpp"
