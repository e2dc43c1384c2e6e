// Adds points at which the planning of a statement can be interrupted.
//
// DuckDB checks its interrupt flag between the chunks of a running query, and hardly ever while it
// binds and optimizes one. That may take minutes and gigabytes for a statement of a few lines.
// Meanwhile DuckDB makes expressions, operators and column names. The linker redirects the calls of
// their constructors from other source files to the functions here (the flags are in limit.go),
// which may throw. If a version of DuckDB does not have one of these constructors, linking fails.
#include "limit_account.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/parsed_expression.hpp"

#ifdef __linux__

// REDIRECT defines the function that is called in place of a constructor. It passes arguments as
// the ABI of C++ does: objects with destructors by address, numbers in registers.
#define REDIRECT(symbol, parameters, arguments)                                                    \
	extern "C" void __real_##symbol parameters;                                                    \
	extern "C" void __wrap_##symbol parameters {                                                   \
		scoter::CheckStatement();                                                                  \
		__real_##symbol arguments;                                                                 \
	}

// The constructor Expression(ExpressionType, ExpressionClass, LogicalType)
REDIRECT(_ZN6duckdb10ExpressionC2ENS_14ExpressionTypeENS_15ExpressionClassENS_11LogicalTypeE,
	(void *self, uint8_t type, uint8_t kind, void *result), (self, type, kind, result))

// The constructor LogicalOperator(LogicalOperatorType)
REDIRECT(_ZN6duckdb15LogicalOperatorC2ENS_19LogicalOperatorTypeE, (void *self, uint8_t type),
	(self, type))
// The constructor LogicalOperator(LogicalOperatorType, vector<unique_ptr<Expression>>)
REDIRECT(
	_ZN6duckdb15LogicalOperatorC2ENS_19LogicalOperatorTypeENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS4_ELb1EEELb1ESaIS7_EEE,
	(void *self, uint8_t type, void *expressions), (self, type, expressions))

// The constructor PhysicalOperator(PhysicalPlan &, PhysicalOperatorType, vector<LogicalType>,
// idx_t)
REDIRECT(
	_ZN6duckdb16PhysicalOperatorC2ERNS_12PhysicalPlanENS_20PhysicalOperatorTypeENS_6vectorINS_11LogicalTypeELb1ESaIS5_EEEm,
	(void *self, void *plan, uint8_t type, void *types, uint64_t rows),
	(self, plan, type, types, rows))

// The constructor ColumnRefExpression(string, const BindingAlias &). A * in a select list becomes
// such expressions.
REDIRECT(
	_ZN6duckdb19ColumnRefExpressionC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_12BindingAliasE,
	(void *self, void *column, void *alias), (self, column, alias))

// Maximum number of columns of a SELECT. DuckDB compares all columns with each other when it binds
// them, and makes no expression meanwhile. So this work cannot be interrupted.
static constexpr size_t most_columns = 100000;

typedef duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> Expressions;

// DuckDB's method Binder::ExpandStarExpressions, whose two arguments are of the type
// vector<unique_ptr<ParsedExpression>> &
extern "C" void
__real__ZN6duckdb6Binder21ExpandStarExpressionsERNS_6vectorINS_10unique_ptrINS_16ParsedExpressionESt14default_deleteIS3_ELb1EEELb1ESaIS6_EEES9_(
	void *self, Expressions &from, Expressions &to);
extern "C" void
__wrap__ZN6duckdb6Binder21ExpandStarExpressionsERNS_6vectorINS_10unique_ptrINS_16ParsedExpressionESt14default_deleteIS3_ELb1EEELb1ESaIS6_EEES9_(
	void *self, Expressions &from, Expressions &to) {
	__real__ZN6duckdb6Binder21ExpandStarExpressionsERNS_6vectorINS_10unique_ptrINS_16ParsedExpressionESt14default_deleteIS3_ELb1EEELb1ESaIS6_EEES9_(
		self, from, to);
	if (to.size() > most_columns)
		scoter::TooMuchWork(duckdb::StringUtil::Format(
			"a SELECT of %llu columns: at most %llu", to.size(), most_columns));
}

#endif
