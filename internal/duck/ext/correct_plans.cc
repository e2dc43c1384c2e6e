// Corrections of DuckDB's optimizer where it gives wrong rows or ends the process. The queries of
// correct_test.go show the right rows. docs/DUCKDB.md says when a correction may go.
#include "ext.hpp"

#include "duckdb/common/exception/conversion_exception.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/matcher/expression_matcher.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/optimizer/rule/date_trunc_simplification.hpp"
#include "duckdb/optimizer/rule/timestamp_comparison.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression/bound_window_expression.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"
#include "duckdb/planner/operator/logical_comparison_join.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"

namespace {

using namespace duckdb;

// Corrects comparisons such as date_trunc('month', d) = DATE '2020-01-02', which no value can
// satisfy. DuckDB 1.5.6 replaces = by FALSE and <> by TRUE, but the result must be NULL where d is
// NULL (#24368 fixed this on DuckDB's main branch).
class DateTruncRule : public DateTruncSimplificationRule {
public:
	using DateTruncSimplificationRule::DateTruncSimplificationRule;

	unique_ptr<Expression> Apply(LogicalOperator &op, vector<reference<Expression>> &bindings,
		bool &changes_made, bool is_root) override {
		auto comparison = bindings[0].get().GetExpressionType();
		auto result = DateTruncSimplificationRule::Apply(op, bindings, changes_made, is_root);
		bool constant = result && result->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT;
		bool may_be_null = comparison == ExpressionType::COMPARE_EQUAL ||
			comparison == ExpressionType::COMPARE_NOTEQUAL;
		return constant && may_be_null ? nullptr : std::move(result);
	}
};

// Corrects comparisons such as CAST(t AS DATE) = DATE 'infinity', or with one of the last days of
// the calendar. DuckDB 1.5.6 fails to compute bounds for them, although the comparison itself is
// defined (#24306).
class DateCastRule : public TimeStampComparison {
public:
	using TimeStampComparison::TimeStampComparison;

	unique_ptr<Expression> Apply(LogicalOperator &op, vector<reference<Expression>> &bindings,
		bool &changes_made, bool is_root) override {
		try {
			return TimeStampComparison::Apply(op, bindings, changes_made, is_root);
		} catch (const ConversionException &) {
			return nullptr;
		} catch (const OutOfRangeException &) { return nullptr; }
	}
};

template <class RULE, class CORRECTED> void Replace(ExpressionRewriter &rewriter) {
	for (auto &rule : rewriter.rules) {
		if (dynamic_cast<RULE *>(rule.get())) rule = make_uniq<CORRECTED>(rewriter);
	}
}

// Corrects conditions such as (c IS DISTINCT FROM 1 OR c > 5). DuckDB 1.5.6 makes a filter of the
// scan of them that excludes row groups in which all values of c are NULL (#25992). This rule
// writes IS DISTINCT FROM with IS NULL, which does not become such a filter.
class DistinctFromRule : public Rule {
public:
	explicit DistinctFromRule(ExpressionRewriter &rewriter) : Rule(rewriter) {
		auto comparison = make_uniq<ComparisonExpressionMatcher>();
		comparison->expr_type =
			make_uniq<SpecificExpressionTypeMatcher>(ExpressionType::COMPARE_DISTINCT_FROM);
		comparison->policy = SetMatcher::Policy::SOME;
		root = std::move(comparison);
	}

	unique_ptr<Expression> Apply(
		LogicalOperator &, vector<reference<Expression>> &bindings, bool &, bool) override {
		auto &comparison = bindings[0].get().Cast<BoundComparisonExpression>();
		auto column = &comparison.left, constant = &comparison.right;
		if ((*column)->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT)
			std::swap(column, constant);
		if ((*column)->GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) return nullptr;
		if ((*constant)->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
		if ((*constant)->Cast<BoundConstantExpression>().value.IsNull()) return nullptr;
		auto is_null = make_uniq<BoundOperatorExpression>(
			ExpressionType::OPERATOR_IS_NULL, LogicalType::BOOLEAN);
		is_null->children.push_back((*column)->Copy());
		auto differs = make_uniq<BoundComparisonExpression>(
			ExpressionType::COMPARE_NOTEQUAL, std::move(*column), std::move(*constant));
		return make_uniq<BoundConjunctionExpression>(
			ExpressionType::CONJUNCTION_OR, std::move(differs), std::move(is_null));
	}
};

class Corrections : public LogicalOperatorVisitor {
public:
	explicit Corrections(Optimizer &optimizer) : optimizer(optimizer) {}

protected:
	// DuckDB 1.5.6 replaces a filter on ROW_NUMBER(ORDER BY a) OVER (ORDER BY b) by an aggregate
	// that chooses rows by b instead of a (#23678). It does so only if OVER has a single ORDER BY
	// expression. So this correction repeats the expression, which does not change the result.
	unique_ptr<Expression> VisitReplace(
		BoundWindowExpression &window, unique_ptr<Expression> *) override {
		if (window.GetExpressionType() == ExpressionType::WINDOW_ROW_NUMBER &&
			!window.arg_orders.empty() && window.orders.size() == 1) {
			window.orders.push_back(window.orders[0].Copy());
		}
		// DuckDB 1.5.6 negates the offset of LAG and LEAD, and reads outside of its memory if the
		// offset is the smallest BIGINT. So this correction uses the next larger number. No
		// partition has that many rows, so the result is the same.
		if (window.offset_expr && window.offset_expr->return_type == LogicalType::BIGINT) {
			auto smallest = make_uniq<BoundConstantExpression>(
				Value::BIGINT(NumericLimits<int64_t>::Minimum()));
			auto is_smallest = make_uniq<BoundComparisonExpression>(
				ExpressionType::COMPARE_EQUAL, window.offset_expr->Copy(), std::move(smallest));
			auto one = BoundCastExpression::AddCastToType(
				optimizer.context, std::move(is_smallest), LogicalType::BIGINT);
			window.offset_expr =
				optimizer.BindScalarFunction("+", std::move(window.offset_expr), std::move(one));
		}
		return nullptr;
	}

private:
	Optimizer &optimizer;
};

// An operator that gives memory to vectors that lack it. A range join of DuckDB 1.5.6 returns the
// NULLs of rows without a partner as constant vectors without memory. Operators that copy a chunk
// read that memory, and the process crashes. One of them is the operator that streams a result.
class PhysicalWithMemory : public PhysicalOperator {
public:
	PhysicalWithMemory(PhysicalPlan &plan, vector<LogicalType> types, idx_t cardinality)
		: PhysicalOperator(plan, PhysicalOperatorType::EXTENSION, std::move(types), cardinality) {}

	string GetName() const override { return "SCOTER_NULLS"; }
	bool ParallelOperator() const override { return true; }

	OperatorResultType Execute(ExecutionContext &, DataChunk &input, DataChunk &chunk,
		GlobalOperatorState &, OperatorState &) const override {
		chunk.Reference(input);
		for (auto &vector : chunk.data) {
			bool constant = vector.GetVectorType() == VectorType::CONSTANT_VECTOR;
			if (constant && ConstantVector::IsNull(vector))
				vector.Reference(Value(vector.GetType()));
		}
		return OperatorResultType::NEED_MORE_INPUT;
	}
};

class LogicalWithMemory : public LogicalExtensionOperator {
public:
	explicit LogicalWithMemory(unique_ptr<LogicalOperator> join) {
		SetEstimatedCardinality(join->estimated_cardinality);
		children.push_back(std::move(join));
	}

	string GetExtensionName() const override { return "scoter_nulls"; }
	vector<ColumnBinding> GetColumnBindings() override { return children[0]->GetColumnBindings(); }

	PhysicalOperator &CreatePlan(ClientContext &, PhysicalPlanGenerator &planner) override {
		auto &child = planner.CreatePlan(*children[0]);
		auto &op = planner.Make<PhysicalWithMemory>(types, estimated_cardinality);
		op.children.push_back(child);
		return op;
	}

protected:
	void ResolveTypes() override { types = children[0]->types; }
};

bool IsOuterRangeJoin(const LogicalOperator &op) {
	if (op.type != LogicalOperatorType::LOGICAL_COMPARISON_JOIN) return false;
	auto &join = op.Cast<LogicalComparisonJoin>();
	if (join.join_type != JoinType::LEFT && join.join_type != JoinType::RIGHT &&
		join.join_type != JoinType::OUTER)
		return false;
	idx_t ranges;
	return !join.HasEquality(ranges);
}

void Protect(OptimizerExtensionInput &input, unique_ptr<LogicalOperator> &plan) {
	for (auto &child : plan->children) Protect(input, child);
	if (IsOuterRangeJoin(*plan)) plan = make_uniq<LogicalWithMemory>(std::move(plan));
}

void Correct(OptimizerExtensionInput &input, unique_ptr<LogicalOperator> &plan) {
	Replace<DateTruncSimplificationRule, DateTruncRule>(input.optimizer.rewriter);
	Replace<TimeStampComparison, DateCastRule>(input.optimizer.rewriter);
	input.optimizer.rewriter.rules.push_back(make_uniq<DistinctFromRule>(input.optimizer.rewriter));
	Corrections(input.optimizer).VisitOperator(*plan);
}

} // namespace

void scoter::CorrectPlans(ClientContext &context) {
	OptimizerExtension extension;
	extension.pre_optimize_function = Correct;
	extension.optimize_function = Protect;
	OptimizerExtension::Register(DBConfig::GetConfig(context), extension);
}
