// Corrects aggregates of windows that sort their rows.
//
// DuckDB 1.5.6 computes the partitions of a window in groups (16 or more). It sorts the rows of
// many partitions at a time, and numbers the partitions with 16 bits. For a window over whole
// partitions with an ORDER BY, results that depend on the order (sum(DOUBLE), list and others) are
// wrong if one of the groups has more than 65,536 partitions (#24985, fixed on main). The linker
// redirects the call that makes such an aggregate to the function in this file (the flag is in
// ext.go), which computes results for fewer partitions at a time.
#include <atomic>

#include "duckdb/function/aggregate_function.hpp"
#include "duckdb/planner/expression/bound_window_expression.hpp"

#ifdef __linux__

namespace {

using namespace duckdb;

constexpr idx_t most_states = 1 << 16;

// DuckDB's function that finishes such an aggregate. It is the same for all of them.
std::atomic<aggregate_finalize_t> finalize{nullptr};

void FinalizeSome(
	Vector &states, AggregateInputData &input, Vector &result, idx_t count, idx_t offset) {
	auto some = finalize.load();
	if (count <= most_states) return some(states, input, result, count, offset);
	auto data = FlatVector::GetData<data_ptr_t>(states);
	for (idx_t i = 0; i < count; i += most_states) {
		Vector part(LogicalType::POINTER, data_ptr_cast(data + i));
		some(part, input, result, MinValue(most_states, count - i), offset + i);
	}
}

} // namespace

extern "C" {

void __real__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_21BoundWindowExpressionE(
	ClientContext &context, BoundWindowExpression &window);

void __wrap__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_21BoundWindowExpressionE(
	ClientContext &context, BoundWindowExpression &window) {
	auto before = window.aggregate->GetStateFinalizeCallback();
	__real__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_21BoundWindowExpressionE(
		context, window);
	auto sorting = window.aggregate->GetStateFinalizeCallback();
	if (sorting == before) return; // there is nothing to sort
	finalize.store(sorting);
	window.aggregate->SetStateFinalizeCallback(FinalizeSome);
}

} // extern "C"

#endif
