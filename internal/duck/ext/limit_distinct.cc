// Ends all threads of a window with DISTINCT after the first error.
//
// In DuckDB 1.5.6 the threads of a window with DISTINCT build a tree together, level by level. If
// one thread fails, its level stays incomplete, and the other threads wait for it forever. They
// yield the processor and check no flag, in a function that must not throw.
//
// So the aggregator of such a window is replaced by one whose threads build the tree one at a time:
// the first thread does all the work, and the others find the tree complete. If a thread fails,
// the others fail with the same error. The linker redirects the constructor of the operator that
// creates the aggregator to the function at the end of this file.
#include "limit_account.hpp"

#include <exception>
#include <mutex>

#include "duckdb/function/window/window_aggregate_function.hpp"
#include "duckdb/function/window/window_distinct_aggregator.hpp"
#include "duckdb/planner/expression/bound_window_expression.hpp"

#ifdef __linux__

namespace scoter {
namespace {

using namespace duckdb;

// The state of one partition that its threads share.
class SerialState : public GlobalSinkState {
public:
	explicit SerialState(unique_ptr<GlobalSinkState> shared) : shared(std::move(shared)) {}

	const unique_ptr<GlobalSinkState> shared; // of the original aggregator

	std::mutex building;
	std::exception_ptr error; // of the first thread that failed; guarded by building
};

// Passes each call on to the original aggregator, and Finalize one thread at a time.
class SerialAggregator : public WindowAggregator {
public:
	SerialAggregator(const BoundWindowExpression &window, unique_ptr<WindowAggregator> original)
		: WindowAggregator(window), original(std::move(original)) {}

	unique_ptr<GlobalSinkState> GetGlobalState(
		ClientContext &client, idx_t rows, const ValidityMask &partition) const override {
		return make_uniq<SerialState>(original->GetGlobalState(client, rows, partition));
	}

	unique_ptr<LocalSinkState> GetLocalState(
		ExecutionContext &context, const GlobalSinkState &state) const override {
		return original->GetLocalState(context, *state.Cast<SerialState>().shared);
	}

	void Sink(ExecutionContext &context, DataChunk &sink_chunk, DataChunk &collected, idx_t row,
		optional_ptr<SelectionVector> filter, idx_t filtered, OperatorSinkInput &input) override {
		auto passed = Passed(input);
		original->Sink(context, sink_chunk, collected, row, filter, filtered, passed);
	}

	void Finalize(ExecutionContext &context, CollectionPtr collection, const FrameStats &stats,
		OperatorSinkInput &input) override {
		auto &state = input.global_state.Cast<SerialState>();
		std::lock_guard<std::mutex> lock(state.building);
		if (state.error) std::rethrow_exception(state.error);
		try {
			auto passed = Passed(input);
			original->Finalize(context, collection, stats, passed);
		} catch (...) {
			state.error = std::current_exception();
			throw;
		}
	}

	void Evaluate(ExecutionContext &context, const DataChunk &bounds, Vector &result, idx_t count,
		idx_t row, OperatorSinkInput &input) const override {
		auto passed = Passed(input);
		original->Evaluate(context, bounds, result, count, row, passed);
	}

private:
	// The input with which the original aggregator is called.
	static OperatorSinkInput Passed(OperatorSinkInput &input) {
		auto &state = input.global_state.Cast<SerialState>();
		return OperatorSinkInput{*state.shared, input.local_state, input.interrupt_state};
	}

	const unique_ptr<WindowAggregator> original;
};

} // namespace
} // namespace scoter

extern "C" {

void __real__ZN6duckdb23WindowAggregateExecutorC1ERNS_21BoundWindowExpressionERNS_13ClientContextERNS_23WindowSharedExpressionsENS_21WindowAggregationModeE(
	duckdb::WindowAggregateExecutor *self, duckdb::BoundWindowExpression &window,
	duckdb::ClientContext &client, duckdb::WindowSharedExpressions &shared,
	duckdb::WindowAggregationMode mode);

void __wrap__ZN6duckdb23WindowAggregateExecutorC1ERNS_21BoundWindowExpressionERNS_13ClientContextERNS_23WindowSharedExpressionsENS_21WindowAggregationModeE(
	duckdb::WindowAggregateExecutor *self, duckdb::BoundWindowExpression &window,
	duckdb::ClientContext &client, duckdb::WindowSharedExpressions &shared,
	duckdb::WindowAggregationMode mode) {
	__real__ZN6duckdb23WindowAggregateExecutorC1ERNS_21BoundWindowExpressionERNS_13ClientContextERNS_23WindowSharedExpressionsENS_21WindowAggregationModeE(
		self, window, client, shared, mode);
	if (!dynamic_cast<duckdb::WindowDistinctAggregator *>(self->aggregator.get())) return;
	self->aggregator =
		duckdb::make_uniq<scoter::SerialAggregator>(window, std::move(self->aggregator));
}

} // extern "C"

#endif
