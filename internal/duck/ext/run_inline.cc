// Inline execution: a prepared statement over few rows runs on the calling thread, operator by
// operator, without DuckDB's scheduler.
//
// DuckDB executes a statement as pipelines. Their tasks go through a queue to its threads, with
// buffers for vectors of 2,048 rows between all operators and after the last one. For a statement
// that changes one row, the queue and the buffers take a third of the CPU time, and ten times the
// cost of evaluating its expressions. Here the same plan runs with DuckDB's own operators, which
// are only called in a different way.
#include "ext.h"

#include <cstring>

#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/main/capi/capi_internal.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/prepared_statement_data.hpp"
#include "duckdb/parallel/interrupt.hpp"
#include "duckdb/parallel/thread_context.hpp"

namespace {

using namespace duckdb;

unique_ptr<DataChunk> NewChunk(ClientContext &context, const PhysicalOperator &op, idx_t capacity) {
	auto chunk = make_uniq<DataChunk>();
	chunk->Initialize(Allocator::Get(context), op.GetTypes(), capacity);
	return chunk;
}

// A filter or projection and its state.
struct Step {
	Step(ExecutionContext &context, const PhysicalOperator &op, idx_t capacity)
		: op(op), shared(op.GetGlobalOperatorState(context.client)),
		  own(op.GetOperatorState(context)), rows(NewChunk(context.client, op, capacity)) {}

	void Execute(ExecutionContext &context, DataChunk &input) {
		rows->Reset();
		if (op.Execute(context, input, *rows, *shared, *own) !=
			OperatorResultType::NEED_MORE_INPUT) {
			throw InternalException("%s has more than one vector for a vector", op.GetName());
		}
	}

	const PhysicalOperator &op;
	unique_ptr<GlobalOperatorState> shared;
	unique_ptr<OperatorState> own;
	unique_ptr<DataChunk> rows; // the operator's output
};

// The scan of a plan.
class Scan {
public:
	Scan(ExecutionContext &context, const PhysicalOperator &op)
		: context(context), op(op), shared(op.GetGlobalSourceState(context.client)),
		  own(op.GetLocalSourceState(context, *shared)) {}

	// Reads the next vector. It has no rows at the end.
	void Next(DataChunk &rows) {
		rows.Reset();
		OperatorSourceInput input{*shared, *own, interrupt};
		if (finished) return;
		auto state = op.GetData(context, rows, input);
		if (state == SourceResultType::BLOCKED)
			throw InternalException("%s waits for something", op.GetName());
		finished = state == SourceResultType::FINISHED;
	}

private:
	ExecutionContext &context;
	const PhysicalOperator &op;
	unique_ptr<GlobalSourceState> shared;
	unique_ptr<LocalSourceState> own;
	InterruptState interrupt;
	bool finished = false;
};

// Reports whether a plan can run inline. It can if it is a scan, or the single row of a SELECT
// without FROM, and the operators above return exactly one chunk per input chunk.
bool IsRowwise(const PhysicalOperator &op, bool scans) {
	switch (op.type) {
	case PhysicalOperatorType::TABLE_SCAN:
		return scans && op.children.empty();
	case PhysicalOperatorType::DUMMY_SCAN:
		return true;
	case PhysicalOperatorType::PROJECTION:
	case PhysicalOperatorType::FILTER:
		return op.children.size() == 1 && IsRowwise(op.children[0].get(), scans);
	default:
		return false;
	}
}

unique_ptr<DataChunk> Run(ClientContext &context, const PhysicalOperator &root, idx_t capacity) {
	ThreadContext thread(context);
	ExecutionContext execution(context, thread, nullptr);
	vector<unique_ptr<Step>> steps; // the operator nearest to the scan is last, and runs first
	auto op = &root;
	for (; !op->children.empty(); op = &op->children[0].get())
		steps.push_back(make_uniq<Step>(execution, *op, capacity));
	Scan scan(execution, *op);
	auto now = NewChunk(context, *op, capacity), next = NewChunk(context, *op, capacity);
	unique_ptr<DataChunk> all; // all rows of the result; used only if they are in several vectors
	scan.Next(*now);
	for (;;) {
		auto rows = &now;
		for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
			(*step)->Execute(execution, **rows);
			rows = &(*step)->rows;
		}
		scan.Next(*next); // a separate chunk, because rows may refer to data in now
		if (next->size() == 0 && !all) return std::move(*rows);
		if (!all) all = NewChunk(context, root, capacity);
		all->Append(**rows, true);
		if (next->size() == 0) return all;
		std::swap(now, next);
	}
}

} // namespace

int scoter_run_inline(scoter_account *account, duckdb_prepared_statement statement, uint64_t rows,
	duckdb_data_chunk *out, char **error) {
	struct Counted {
		explicit Counted(scoter_account *account) : before(scoter_account_enter(account)) {}
		~Counted() { scoter_account_leave(before); }
		scoter_account *before;
	} counted(account);
	try {
		auto &prepared = *reinterpret_cast<PreparedStatementWrapper *>(statement)->statement;
		auto &context = *prepared.context;
		auto &root = prepared.data->physical_plan->Root();
		case_insensitive_map_t<BoundParameterData> none;
		if (!IsRowwise(root, rows > 0) || !prepared.data->properties.modified_databases.empty())
			return 0;
		context.ClearInterrupt(); // the flag may be left from the previous statement
		unique_ptr<DataChunk> result;
		bool stale = false;
		context.RunFunctionInTransaction([&]() {
			stale = prepared.data->RequireRebind(context, &none);
			// The chunks have only as many rows as needed, because full vectors (2,048 rows) would
			// cost more than all other work here.
			if (!stale)
				result = Run(context, root,
					NextPowerOfTwo(
						MinValue<idx_t>(MaxValue<idx_t>(rows, 64), STANDARD_VECTOR_SIZE)));
		});
		if (stale) return 0;
		*out = reinterpret_cast<duckdb_data_chunk>(result.release());
		return 1;
	} catch (std::exception &failure) {
		duckdb::ErrorData data(failure);
		data.ConvertErrorToJSON();
		*error = strdup(data.Message().c_str());
		return -1;
	}
}
