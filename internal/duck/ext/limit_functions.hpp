// Declarations that the files with bounds of functions and casts share.
#ifndef SCOTER_LIMIT_FUNCTIONS_H
#define SCOTER_LIMIT_FUNCTIONS_H

#include "ext.hpp"
#include "limit_account.hpp"

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/function/scalar_function.hpp"

namespace scoter {

using namespace duckdb;

// Calls a function for a chunk, with limits on its work. Throws if the chunk exceeds them.
typedef void (*bound_t)(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Throws if the query of the function was interrupted.
void CheckInterrupt(ExpressionState &state);

// Calls a function for each row of a chunk, and checks the interrupt flag before each call.
void RowByRow(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Calls a function whose work grows with the bytes of its arguments. If there are many bytes it
// calls the function row by row. It refuses texts that would take some seconds.
void Linear(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Maximum nesting depth of JSON and similar values where DuckDB walks them recursively.
constexpr idx_t most_levels = 1000;

// Refuses JSON texts that are nested more deeply than most_levels.
void CheckLevels(Vector &vector, idx_t count);

// Returns the bound for functions that walk JSON recursively, or nullptr for other functions.
bound_t BoundOfJSON(const string &name, ScalarFunction &function);

// Returns the bound for LIKE, GLOB and similar functions, or nullptr for other functions.
bound_t BoundOfLike(const string &name);

} // namespace scoter

#endif
