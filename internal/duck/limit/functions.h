// What bounds of scalar functions share.
#ifndef SCOTER_LIMIT_FUNCTIONS_H
#define SCOTER_LIMIT_FUNCTIONS_H

#include "account.h"

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/function/scalar_function.hpp"

namespace scoter {

using namespace duckdb;

// Calls a function for a chunk within its bound, or throws.
typedef void (*bound_t)(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Throws if the query of the function was interrupted.
void CheckInterrupt(ExpressionState &state);

// Calls a function for each row of a chunk, and looks at the interrupt flag in between.
void RowByRow(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Calls a function whose work grows with the bytes of its arguments: for each row if there are many.
// It refuses texts that would take some seconds.
void Linear(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result);

// Bounds the casts whose work grows faster than their values. Call it before there are queries.
void BoundCasts(ClientContext &context);

// Has windows free the states of their aggregates after errors, as aggregates that sort do (see
// states.cc). Call it before there are queries.
void HoldStates(ClientContext &context);

// How deep JSON and the like may be nested where DuckDB walks it by recursion.
constexpr idx_t most_levels = 1000;

// Refuses texts of JSON that are nested deeper.
void CheckLevels(Vector &vector, idx_t count);

// Returns how functions that walk JSON by recursion are bounded; nullptr for others.
bound_t BoundOfJSON(const string &name, ScalarFunction &function);

// Returns how LIKE, GLOB and the like are bounded; nullptr for other functions.
bound_t BoundOfLike(const string &name);

} // namespace scoter

#endif
