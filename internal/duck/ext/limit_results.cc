// Frees the results of cached prepared statements.
//
// DuckDB's operators hold the state of a run until the next run: hash tables of joins, sorted rows,
// results of aggregates. A cached statement must hold only its plan.
#include "ext.h"

#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/main/capi/capi_internal.hpp"
#include "duckdb/main/prepared_statement_data.hpp"

namespace {

using namespace duckdb;

// Frees the state of an operator and of the operators below it. Returns false if one of them holds
// rows in another way.
bool Forget(PhysicalOperator &op) {
	op.sink_state.reset();
	op.op_state.reset();
	bool all = true;
	switch (op.type) {
	case PhysicalOperatorType::RECURSIVE_CTE:
	case PhysicalOperatorType::RECURSIVE_KEY_CTE:
	case PhysicalOperatorType::RECURSIVE_CTE_SCAN:
	case PhysicalOperatorType::RECURSIVE_RECURRING_CTE_SCAN:
	case PhysicalOperatorType::CTE:
	case PhysicalOperatorType::CTE_SCAN:
	case PhysicalOperatorType::COLUMN_DATA_SCAN:
	case PhysicalOperatorType::DELIM_SCAN:
	case PhysicalOperatorType::LEFT_DELIM_JOIN:
	case PhysicalOperatorType::RIGHT_DELIM_JOIN:
		all = false;
		break;
	default:
		break;
	}
	for (auto &child : op.GetChildren())
		all = Forget(const_cast<PhysicalOperator &>(child.get())) && all;
	return all;
}

} // namespace

bool scoter_free_results(duckdb_prepared_statement statement) {
	auto &prepared = *reinterpret_cast<PreparedStatementWrapper *>(statement)->statement;
	if (!prepared.data || !prepared.data->physical_plan) return true;
	return Forget(prepared.data->physical_plan->Root());
}
