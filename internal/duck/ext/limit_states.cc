// Frees the states of aggregates after errors, in windows and for aggregates that sort.
//
// DuckDB 1.5.6 destroys the states of a window's rows only if it computes these rows to their end.
// An error before that, or EXCLUDE, leaks the memory of the states. So aggregates whose states own
// memory (histogram, mode, min of texts) run on handles: DuckDB uses a handle as the state, and the
// handle refers to the actual state, which belongs to a registry of the expression. When a
// statement ends, the registries of its connection destroy the remaining states.
//
// An aggregate with its own ORDER BY (list(x ORDER BY y)) feeds sorted rows to a state that is
// destroyed only after the last row. It runs on a handle, too.
//
// Other hash tables, ungrouped aggregates, and aggregates with their own window function (quantile)
// need no handles: DuckDB destroys their states in destructors.
#include "limit_functions.hpp"

#include <cstddef>
#include <mutex>
#include <set>

#include "duckdb/function/aggregate_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/expression/bound_window_expression.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"
#include "duckdb/storage/arena_allocator.hpp"

namespace scoter {
namespace {

class States;

// The header of an actual state of an aggregate. The state follows it in memory.
struct alignas(std::max_align_t) Node {
	Node *next; // the next node in the list of nodes without a state
	bool live;

	data_ptr_t State() { return reinterpret_cast<data_ptr_t>(this + 1); }
};

// A handle, which DuckDB uses as the state of an aggregate. It is all zeros at first, since DuckDB
// allocates the states of windows that way.
struct Handle {
	States *owner;
	Node *node; // nullptr if the state was destroyed
	idx_t run; // the run of the owner in which the node was made
};

Handle &HandleAt(const_data_ptr_t state) {
	return *reinterpret_cast<Handle *>(const_cast<data_ptr_t>(state));
}

// The nodes (actual states) of some threads, with a list of the unused ones.
struct Shard {
	std::mutex mutex;
	vector<std::unique_ptr<data_t[]>> slabs;
	Node *unused = nullptr;
	idx_t slab_nodes = 0; // number of nodes in the last slab
};

constexpr idx_t shard_count = 16, first_slab = 16, largest_slab = 1024;

idx_t ShardOfThread() {
	static std::atomic<idx_t> threads{0};
	// The number of the thread's shard plus one; 0 if the thread has no shard yet.
	static __thread idx_t shard = 0;
	if (shard == 0) shard = 1 + threads.fetch_add(1, std::memory_order_relaxed) % shard_count;
	return shard - 1;
}

// The registry of the states of one expression. It lives as long as the plan and each copy of its
// function.
class States : public AggregateFunctionInfo {
public:
	States(const AggregateFunction &original, unique_ptr<FunctionData> bind_data)
		: original(original), bind_data(std::move(bind_data)),
		  node_bytes(sizeof(Node) +
			  AlignValue<idx_t, alignof(Node)>(original.GetStateSizeCallback()(original))) {}
	~States() override { Forget(); }

	void Initialize(Handle &handle) {
		if (IsLive(handle)) {
			Destroy(handle.node);
		} else {
			handle = {this, Take(), run};
		}
		original.GetStateInitCallback()(original, handle.node->State());
		handle.node->live = true;
	}

	bool IsLive(const Handle &handle) const {
		return handle.owner == this && handle.run == run && handle.node;
	}

	// Takes back the nodes of destroyed states. They are a list from first to last.
	void Give(Node *first, Node *last) {
		auto &shard = shards[ShardOfThread()];
		std::lock_guard<std::mutex> lock(shard.mutex);
		last->next = shard.unused;
		shard.unused = first;
	}

	// Destroys the remaining states of the expression. No thread may still use them. Handles of
	// earlier runs are ignored from now on.
	void Forget() {
		run++;
		for (auto &shard : shards) {
			std::lock_guard<std::mutex> lock(shard.mutex);
			for (idx_t i = 0, nodes = first_slab; i < shard.slabs.size();
				i++, nodes = Larger(nodes)) {
				for (idx_t k = 0; k < nodes; k++) {
					auto node = reinterpret_cast<Node *>(shard.slabs[i].get() + k * node_bytes);
					if (node->live) Destroy(node);
				}
			}
			shard.slabs.clear();
			shard.unused = nullptr;
			shard.slab_nodes = 0;
		}
	}

	const AggregateFunction original;

private:
	static idx_t Larger(idx_t nodes) { return MinValue(nodes * 2, largest_slab); }

	Node *Take() {
		auto &shard = shards[ShardOfThread()];
		std::lock_guard<std::mutex> lock(shard.mutex);
		if (!shard.unused) Grow(shard);
		auto node = shard.unused;
		shard.unused = node->next;
		return node;
	}

	void Grow(Shard &shard) {
		idx_t nodes = shard.slab_nodes == 0 ? first_slab : Larger(shard.slab_nodes);
		shard.slabs.push_back(std::unique_ptr<data_t[]>(new data_t[nodes * node_bytes]));
		shard.slab_nodes = nodes;
		for (idx_t k = nodes; k-- > 0;) {
			auto node = reinterpret_cast<Node *>(shard.slabs.back().get() + k * node_bytes);
			*node = {shard.unused, false};
			shard.unused = node;
		}
	}

	// Destroys the state of a node. The arena that the state used may have been freed already, so
	// an empty one is passed. What was in the arena needs no destruction.
	void Destroy(Node *node) {
		node->live = false;
		ArenaAllocator arena(Allocator::DefaultAllocator());
		AggregateInputData input(bind_data.get(), arena);
		auto state = node->State();
		Vector states(LogicalType::POINTER, data_ptr_cast(&state));
		original.GetStateDestructorCallback()(states, input, 1);
	}

	unique_ptr<FunctionData> bind_data;
	const idx_t node_bytes;
	idx_t run = 1;
	Shard shards[shard_count];
};

// A vector with the actual states for a vector of handles. It is constant if the vector of handles
// is.
class Originals {
public:
	Originals(Vector &handles, idx_t count) : states(LogicalType::POINTER, Space(count)) {
		bool constant = handles.GetVectorType() == VectorType::CONSTANT_VECTOR;
		UnifiedVectorFormat format;
		handles.ToUnifiedFormat(count, format);
		auto data = UnifiedVectorFormat::GetData<data_ptr_t>(format);
		auto pointers = FlatVector::GetData<data_ptr_t>(states);
		owner = HandleAt(data[format.sel->get_index(0)]).owner;
		for (idx_t i = 0; i < (constant ? 1 : count); i++)
			pointers[i] = HandleAt(data[format.sel->get_index(i)]).node->State();
		if (constant) states.SetVectorType(VectorType::CONSTANT_VECTOR);
	}

	const AggregateFunction &Function() const { return owner->original; }

private:
	data_ptr_t Space(idx_t count) {
		if (count <= STANDARD_VECTOR_SIZE) return data_ptr_cast(few);
		many.resize(count);
		return data_ptr_cast(many.data());
	}

	data_ptr_t few[STANDARD_VECTOR_SIZE];
	vector<data_ptr_t> many;
	States *owner;

public:
	Vector states;
};

void Initialize(const AggregateFunction &function, data_ptr_t state) {
	auto &states = static_cast<States &>(*function.function_info);
	states.Initialize(HandleAt(state));
}

idx_t Size(const AggregateFunction &) { return sizeof(Handle); }

void Update(
	Vector inputs[], AggregateInputData &input, idx_t columns, Vector &handles, idx_t count) {
	if (count == 0) return;
	Originals to(handles, count);
	to.Function().GetStateUpdateCallback()(inputs, input, columns, to.states, count);
}

void UpdateOne(
	Vector inputs[], AggregateInputData &input, idx_t columns, data_ptr_t state, idx_t count) {
	auto &handle = HandleAt(state);
	handle.owner->original.GetStateSimpleUpdateCallback()(
		inputs, input, columns, handle.node->State(), count);
}

void Combine(Vector &source, Vector &target, AggregateInputData &input, idx_t count) {
	if (count == 0) return;
	Originals from(source, count), to(target, count);
	to.Function().GetStateCombineCallback()(from.states, to.states, input, count);
}

void Finalize(
	Vector &handles, AggregateInputData &input, Vector &result, idx_t count, idx_t offset) {
	if (count == 0) return;
	Originals of(handles, count);
	of.Function().GetStateFinalizeCallback()(of.states, input, result, count, offset);
}

void Window(AggregateInputData &input, const WindowPartitionInput &partition,
	const_data_ptr_t shared, data_ptr_t state, const SubFrames &frames, Vector &result, idx_t row) {
	auto &handle = HandleAt(state);
	auto original = shared ? HandleAt(shared).node->State() : nullptr;
	handle.owner->original.GetWindowCallback()(
		input, partition, original, handle.node->State(), frames, result, row);
}

void InitializeWindow(
	AggregateInputData &input, const WindowPartitionInput &partition, data_ptr_t state) {
	auto &handle = HandleAt(state);
	handle.owner->original.GetWindowInitCallback()(input, partition, handle.node->State());
}

// Destroys the states of some handles, at most STANDARD_VECTOR_SIZE. All have the same owner.
// States that the registry has destroyed already are skipped.
void DestroySome(data_ptr_t *handles, AggregateInputData &input, idx_t count) {
	data_ptr_t originals[STANDARD_VECTOR_SIZE];
	idx_t live = 0;
	Node *first = nullptr, *last = nullptr;
	States *owner = nullptr;
	for (idx_t i = 0; i < count; i++) {
		auto &handle = HandleAt(handles[i]);
		if (!handle.owner || !handle.owner->IsLive(handle)) continue;
		owner = handle.owner;
		auto node = handle.node;
		handle.node = nullptr;
		node->live = false;
		node->next = first;
		first = node;
		if (!last) last = node;
		originals[live++] = node->State();
	}
	if (live == 0) return;
	Vector states(LogicalType::POINTER, data_ptr_cast(originals));
	owner->original.GetStateDestructorCallback()(states, input, live);
	owner->Give(first, last);
}

void Destroy(Vector &handles, AggregateInputData &input, idx_t count) {
	auto data = FlatVector::GetData<data_ptr_t>(handles);
	for (idx_t i = 0; i < count; i += STANDARD_VECTOR_SIZE)
		DestroySome(data + i, input, MinValue<idx_t>(STANDARD_VECTOR_SIZE, count - i));
}

// All registries of the plans of a connection.
class Registries : public ClientContextState {
public:
	void Add(const shared_ptr<States> &states) {
		std::lock_guard<std::mutex> lock(mutex);
		all.push_back(states);
	}

	// The states can be destroyed, because no thread works for the connection at this point.
	void QueryEnd() override {
		std::lock_guard<std::mutex> lock(mutex);
		vector<weak_ptr<States>> left;
		for (auto &one : all) {
			auto states = one.lock();
			if (!states) continue;
			states->Forget();
			left.push_back(one);
		}
		all = std::move(left);
	}

private:
	std::mutex mutex;
	vector<weak_ptr<States>> all;
};

// Makes an aggregate function use handles. Returns false if the function needs no handles.
bool UseHandles(
	ClientContext &context, AggregateFunction &function, optional_ptr<FunctionData> bind_data) {
	if (!function.HasStateDestructorCallback() || function.GetStateInitCallback() == Initialize)
		return false;
	auto states = make_shared_ptr<States>(function, bind_data ? bind_data->Copy() : nullptr);
	context.registered_state->GetOrCreate<Registries>("scoter_states")->Add(states);
	function.function_info = states;
	function.SetStateSizeCallback(Size);
	function.SetStateInitCallback(Initialize);
	if (function.HasStateUpdateCallback()) function.SetStateUpdateCallback(Update);
	if (function.HasStateSimpleUpdateCallback()) function.SetStateSimpleUpdateCallback(UpdateOne);
	if (function.HasStateCombineCallback()) function.SetStateCombineCallback(Combine);
	if (function.HasStateFinalizeCallback()) function.SetStateFinalizeCallback(Finalize);
	if (function.HasWindowCallback()) function.SetWindowCallback(Window);
	if (function.HasWindowInitCallback()) function.SetWindowInitCallback(InitializeWindow);
	function.SetStateDestructorCallback(Destroy);
	return true;
}

class WithHandles : public LogicalOperatorVisitor {
public:
	explicit WithHandles(ClientContext &context) : context(context) {}

protected:
	unique_ptr<Expression> VisitReplace(
		BoundWindowExpression &window, unique_ptr<Expression> *) override {
		if (!window.aggregate || (window.aggregate->CanWindow() && window.arg_orders.empty()))
			return nullptr;
		UseHandles(context, *window.aggregate, window.bind_info.get());
		return nullptr;
	}

private:
	ClientContext &context;
};

} // namespace

void HoldStates(ClientContext &context) {
	OptimizerExtension extension;
	extension.optimize_function = [](OptimizerExtensionInput &input,
									  unique_ptr<LogicalOperator> &plan) {
		WithHandles(input.context).VisitOperator(*plan);
	};
	OptimizerExtension::Register(DBConfig::GetConfig(context), extension);
}

} // namespace scoter

#ifdef __linux__

// DuckDB's method FunctionBinder::BindSortedAggregate. When DuckDB makes the physical plan, it
// replaces an aggregate with an ORDER BY by a sorting aggregate, which contains the original. The
// original then uses handles. If the ORDER BY has no effect, there is no sorting aggregate. Then
// the original gets no handles, since hash tables move states and do not clear their memory.
typedef duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> groups_t;
typedef duckdb::optional_ptr<duckdb::vector<std::set<duckdb::idx_t>>> sets_t;

extern "C" {

void __real__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_24BoundAggregateExpressionERKNS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS7_ELb1EEELb1ESaISA_EEENS_12optional_ptrINS5_ISt3setImSt4lessImESaImEELb1ESaISK_EEELb1EEE(
	duckdb::ClientContext &context, duckdb::BoundAggregateExpression &aggregate,
	const groups_t &groups, sets_t sets);

void __wrap__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_24BoundAggregateExpressionERKNS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS7_ELb1EEELb1ESaISA_EEENS_12optional_ptrINS5_ISt3setImSt4lessImESaImEELb1ESaISK_EEELb1EEE(
	duckdb::ClientContext &context, duckdb::BoundAggregateExpression &aggregate,
	const groups_t &groups, sets_t sets) {
	duckdb::AggregateFunction original = aggregate.function;
	bool sorts = aggregate.order_bys && !aggregate.order_bys->orders.empty();
	bool uses = sorts && scoter::UseHandles(context, aggregate.function, aggregate.bind_info.get());
	__real__ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_24BoundAggregateExpressionERKNS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS7_ELb1EEELb1ESaISA_EEENS_12optional_ptrINS5_ISt3setImSt4lessImESaImEELb1ESaISK_EEELb1EEE(
		context, aggregate, groups, sets);
	if (uses && aggregate.function.GetStateInitCallback() == scoter::Initialize)
		aggregate.function = original;
}

} // extern "C"

#endif
