// What is known of the conditions of a part scan.
#include "scan_parts.hpp"

#include <algorithm>

#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"

namespace {

using namespace duckdb;

// Reports whether an expression never fails. DuckDB's own answer cannot be used: it does not know
// this of all functions, and wrongly assumes it of casts of text to BIT.
bool NeverFails(const Expression &expression) {
	switch (expression.GetExpressionClass()) {
	case ExpressionClass::BOUND_REF:
	case ExpressionClass::BOUND_CONSTANT:
	case ExpressionClass::BOUND_COMPARISON:
	case ExpressionClass::BOUND_CONJUNCTION:
	case ExpressionClass::BOUND_OPERATOR:
		break;
	case ExpressionClass::BOUND_FUNCTION: {
		static const char *const names[] = {"~~", "!~~", "~~*", "!~~*", "contains", "prefix",
			"suffix", "starts_with", "ends_with", "lower", "upper", "length"};
		auto &name = expression.Cast<BoundFunctionExpression>().function.name;
		if (std::none_of(std::begin(names), std::end(names),
				[&](const char *known) { return name == known; }))
			return false;
		break;
	}
	default:
		return false;
	}
	bool never = true;
	ExpressionIterator::EnumerateChildren(
		expression, [&](const Expression &child) { never = never && NeverFails(child); });
	return never;
}

bool NeverFails(const TableFilter &filter) {
	auto child = [](const unique_ptr<TableFilter> &child) { return NeverFails(*child); };
	switch (filter.filter_type) {
	case TableFilterType::CONSTANT_COMPARISON:
	case TableFilterType::IS_NULL:
	case TableFilterType::IS_NOT_NULL:
	case TableFilterType::IN_FILTER:
	// An optional filter has only these three kinds. DuckDB makes it, for example, for the other
	// side of a join.
	case TableFilterType::OPTIONAL_FILTER:
	case TableFilterType::DYNAMIC_FILTER:
	case TableFilterType::BLOOM_FILTER:
		return true;
	case TableFilterType::CONJUNCTION_AND:
	case TableFilterType::CONJUNCTION_OR: {
		auto &children = static_cast<const ConjunctionFilter &>(filter).child_filters;
		return std::all_of(children.begin(), children.end(), child);
	}
	case TableFilterType::EXPRESSION_FILTER:
		return NeverFails(*filter.Cast<ExpressionFilter>().expr);
	default:
		return false;
	}
}

// Reports whether a condition computes a value for each row, which costs more than comparing the
// stored value.
bool Computes(const TableFilter &filter) {
	switch (filter.filter_type) {
	case TableFilterType::EXPRESSION_FILTER:
		return true;
	case TableFilterType::CONJUNCTION_AND:
	case TableFilterType::CONJUNCTION_OR: {
		auto &children = static_cast<const ConjunctionFilter &>(filter).child_filters;
		return std::any_of(children.begin(), children.end(),
			[](const unique_ptr<TableFilter> &child) { return Computes(*child); });
	}
	default:
		return false;
	}
}

} // namespace

bool scoter::NeverFail(optional_ptr<TableFilterSet> filters) {
	if (!filters) return true;
	for (auto &filter : filters->filters) {
		if (!NeverFails(*filter.second)) return false;
	}
	return true;
}

bool scoter::Compute(optional_ptr<TableFilterSet> filters) {
	if (!filters) return false;
	for (auto &filter : filters->filters) {
		if (Computes(*filter.second)) return true;
	}
	return false;
}
