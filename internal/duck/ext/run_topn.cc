// ORDER BY ... LIMIT n over rows that are stored in the opposite order.
//
// DuckDB skips a row if n better rows were read before it. In a table in time order, a query for
// the newest rows finds each row better than the rows before it. Then DuckDB skips none: it makes a
// sort key of each row and puts it through a heap, which costs as much as reading the row. The
// operator here, below the sort, drops rows that cannot be among the first n of their own vector.
#include "ext.hpp"

#include <algorithm>

#include "duckdb/common/operator/comparison_operators.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"
#include "duckdb/planner/operator/logical_top_n.hpp"

namespace {

using namespace duckdb;

// The largest LIMIT plus OFFSET for which the operator is added. For larger ones it could drop too
// few rows of a vector.
constexpr idx_t most = STANDARD_VECTOR_SIZE / 8;

// The first sort key and the limit of an ORDER BY ... LIMIT.
struct Order {
	idx_t column; // of the input
	idx_t n; // LIMIT plus OFFSET
	bool descending, nulls_first;
	bool ties; // there are further keys, which order rows with equal first keys
};

// Chooses the rows of vectors that may be among the first n. Each thread has its own.
struct Chooser : public OperatorState {
	// Returns the number of rows of the vector that may be among the first n. Their indices are in
	// keep, in ascending order.
	virtual idx_t Choose(Vector &keys, idx_t count) = 0;
	SelectionVector keep{STANDARD_VECTOR_SIZE};
};

template <class T> struct TypedChooser : public Chooser {
	explicit TypedChooser(const Order &order) : order(order) {}

	bool Before(const T &a, const T &b) const {
		return order.descending ? GreaterThan::Operation(a, b) : GreaterThan::Operation(b, a);
	}

	idx_t Choose(Vector &keys, idx_t count) override {
		UnifiedVectorFormat format;
		keys.ToUnifiedFormat(count, format);
		auto all_valid = format.validity.AllValid();
		if (!all_valid && order.nulls_first) return Every(count);
		auto data = UnifiedVectorFormat::GetData<T>(format);
		auto kept = keep.data();
		idx_t n = 0, n_values = 0;
		for (idx_t row = 0; row < count; row++) {
			auto i = format.sel->get_index(row);
			if (!all_valid && !format.validity.RowIsValid(i)) {
				if (!bounded) kept[n++] = sel_t(row);
				continue;
			}
			if (bounded && !Before(data[i], bound) && !(order.ties && !Before(bound, data[i])))
				continue;
			kept[n++] = sel_t(row);
			values[n_values++] = data[i];
		}
		if (n_values < order.n) return n;
		// There are at least n values that are as good as the bound that is set now, so no NULL is
		// among the first n rows.
		auto nth = values + order.n - 1, end = values + n_values;
		auto before = [this](const T &a, const T &b) { return Before(a, b); };
		if (order.n == 1) {
			bound = *std::min_element(values, end, before);
		} else {
			std::nth_element(values, nth, end, before);
			bound = *nth;
		}
		bounded = true;
		auto better = std::count_if(values, end, [this](const T &v) { return Before(v, bound); });
		// equal is the number of rows to choose among the rows whose key equals the bound.
		idx_t equal = order.ties ? n : order.n - better;
		idx_t chosen = 0;
		for (idx_t k = 0; k < n; k++) {
			auto row = kept[k];
			auto i = format.sel->get_index(row);
			if (!all_valid && !format.validity.RowIsValid(i)) continue;
			if (!Before(data[i], bound)) {
				if (Before(bound, data[i])) continue;
				if (equal == 0) continue;
				equal--;
			}
			kept[chosen++] = row;
		}
		return chosen;
	}

private:
	idx_t Every(idx_t count) {
		for (idx_t row = 0; row < count; row++) keep.set_index(row, row);
		return count;
	}

	const Order order;
	bool bounded = false;
	T bound; // if bounded is true, at least n rows were chosen that are as good or better
	T values[STANDARD_VECTOR_SIZE];
};

unique_ptr<Chooser> NewChooser(PhysicalType type, const Order &order) {
	switch (type) {
	case PhysicalType::INT8:
		return make_uniq<TypedChooser<int8_t>>(order);
	case PhysicalType::INT16:
		return make_uniq<TypedChooser<int16_t>>(order);
	case PhysicalType::INT32:
		return make_uniq<TypedChooser<int32_t>>(order);
	case PhysicalType::INT64:
		return make_uniq<TypedChooser<int64_t>>(order);
	case PhysicalType::UINT8:
		return make_uniq<TypedChooser<uint8_t>>(order);
	case PhysicalType::UINT16:
		return make_uniq<TypedChooser<uint16_t>>(order);
	case PhysicalType::UINT32:
		return make_uniq<TypedChooser<uint32_t>>(order);
	case PhysicalType::UINT64:
		return make_uniq<TypedChooser<uint64_t>>(order);
	case PhysicalType::FLOAT:
		return make_uniq<TypedChooser<float>>(order);
	case PhysicalType::DOUBLE:
		return make_uniq<TypedChooser<double>>(order);
	default:
		return nullptr;
	}
}

class PhysicalLeaders : public PhysicalOperator {
public:
	PhysicalLeaders(
		PhysicalPlan &plan, vector<LogicalType> types, idx_t cardinality, const Order &order)
		: PhysicalOperator(plan, PhysicalOperatorType::EXTENSION, std::move(types), cardinality),
		  order(order) {}

	string GetName() const override { return "SCOTER_TOP_OF_VECTOR"; }
	bool ParallelOperator() const override { return true; }

	unique_ptr<OperatorState> GetOperatorState(ExecutionContext &) const override {
		return NewChooser(types[order.column].InternalType(), order);
	}

	OperatorResultType Execute(ExecutionContext &, DataChunk &input, DataChunk &chunk,
		GlobalOperatorState &, OperatorState &state) const override {
		auto &chooser = state.Cast<Chooser>();
		auto n = chooser.Choose(input.data[order.column], input.size());
		if (n == input.size()) {
			chunk.Reference(input);
		} else {
			chunk.Slice(input, chooser.keep, n);
		}
		return OperatorResultType::NEED_MORE_INPUT;
	}

private:
	const Order order;
};

// The logical operator that drops rows. Its only expression is the first sort key.
class LogicalLeaders : public LogicalExtensionOperator {
public:
	LogicalLeaders(LogicalTopN &top, unique_ptr<LogicalOperator> child) {
		auto &first = top.orders[0];
		order.n = top.limit + top.offset;
		order.descending = first.type == OrderType::DESCENDING;
		order.nulls_first = first.null_order == OrderByNullType::NULLS_FIRST;
		order.ties = top.orders.size() > 1;
		expressions.push_back(first.expression->Copy());
		SetEstimatedCardinality(child->estimated_cardinality);
		children.push_back(std::move(child));
	}

	string GetExtensionName() const override { return "scoter_topn"; }
	vector<ColumnBinding> GetColumnBindings() override { return children[0]->GetColumnBindings(); }

	PhysicalOperator &CreatePlan(ClientContext &, PhysicalPlanGenerator &planner) override {
		auto &child = planner.CreatePlan(*children[0]);
		order.column = expressions[0]->Cast<BoundReferenceExpression>().index;
		auto &op = planner.Make<PhysicalLeaders>(types, estimated_cardinality, order);
		op.children.push_back(child);
		return op;
	}

protected:
	void ResolveTypes() override { types = children[0]->types; }

private:
	Order order;
};

// Reports whether an operator returns rows in the order in which they are stored. The output of
// other operators is rarely sorted by the key over as many rows as LIMIT asks for.
bool IsStored(const LogicalOperator &op) {
	switch (op.type) {
	case LogicalOperatorType::LOGICAL_GET:
		return true;
	case LogicalOperatorType::LOGICAL_PROJECTION:
	case LogicalOperatorType::LOGICAL_FILTER:
	case LogicalOperatorType::LOGICAL_UNION:
		return std::all_of(op.children.begin(), op.children.end(),
			[](const unique_ptr<LogicalOperator> &child) { return IsStored(*child); });
	default:
		return false;
	}
}

bool IsWorthIt(const LogicalTopN &top) {
	auto &key = *top.orders[0].expression;
	return top.limit > 0 && top.limit <= most && top.offset <= most - top.limit &&
		key.GetExpressionType() == ExpressionType::BOUND_COLUMN_REF &&
		NewChooser(key.return_type.InternalType(), Order()) && IsStored(*top.children[0]);
}

void Optimize(OptimizerExtensionInput &input, unique_ptr<LogicalOperator> &plan) {
	for (auto &child : plan->children) Optimize(input, child);
	if (plan->type != LogicalOperatorType::LOGICAL_TOP_N) return;
	auto &top = plan->Cast<LogicalTopN>();
	if (IsWorthIt(top))
		top.children[0] = make_uniq<LogicalLeaders>(top, std::move(top.children[0]));
}

} // namespace

void scoter::AddTopN(ClientContext &context) {
	OptimizerExtension extension;
	extension.optimize_function = Optimize;
	OptimizerExtension::Register(DBConfig::GetConfig(context), extension);
}
