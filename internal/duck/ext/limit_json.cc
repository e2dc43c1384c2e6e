// Bounds functions that walk JSON recursively. In DuckDB they end the process if a value is nested
// so deeply that the stack overflows, from some 10,000 levels on. Here they refuse values that are
// nested more deeply than people write them.
#include "limit_functions.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression.hpp"

namespace scoter {
namespace {

// Returns how deeply arrays and objects are nested in a text. Brackets within strings do not count.
idx_t Levels(string_t json) {
	auto text = json.GetData();
	idx_t levels = 0, deepest = 0;
	bool within_string = false;
	for (idx_t i = 0; i < json.GetSize(); i++) {
		char c = text[i];
		if (within_string) {
			if (c == '\\') i++;
			within_string = c != '"';
		} else if (c == '"') {
			within_string = true;
		} else if (c == '[' || c == '{') {
			deepest = MaxValue(deepest, ++levels);
		} else if ((c == ']' || c == '}') && levels > 0) {
			levels--;
		}
	}
	return deepest;
}

} // namespace

void CheckLevels(Vector &vector, idx_t count) {
	if (vector.GetType().InternalType() != PhysicalType::VARCHAR) return;
	UnifiedVectorFormat values;
	vector.ToUnifiedFormat(count, values);
	for (idx_t row = 0; row < count; row++) {
		auto i = values.sel->get_index(row);
		if (!values.validity.RowIsValid(i) ||
			Levels(UnifiedVectorFormat::GetData<string_t>(values)[i]) <= most_levels)
			continue;
		TooMuchWork(StringUtil::Format("JSON is nested more than %llu levels deep", most_levels));
	}
}

namespace {

void Nested(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	for (auto &column : args.data) {
		CheckLevels(
			column, column.GetVectorType() == VectorType::CONSTANT_VECTOR ? 1 : args.size());
	}
	Linear(function, args, state, result);
}

// DuckDB's bind function of json_transform and similar functions. These walk a constant structure
// when they are bound.
bind_scalar_function_t transform_bind;

unique_ptr<FunctionData> BindTransform(
	ClientContext &context, ScalarFunction &function, vector<unique_ptr<Expression>> &arguments) {
	for (auto &argument : arguments) {
		if (argument->return_type.InternalType() != PhysicalType::VARCHAR ||
			!argument->IsFoldable())
			continue;
		Vector constant(ExpressionExecutor::EvaluateScalar(context, *argument));
		CheckLevels(constant, 1);
	}
	return transform_bind(context, function, arguments);
}

} // namespace

bound_t BoundOfJSON(const string &name, ScalarFunction &function) {
	for (auto walks :
		{"json_structure", "json_contains", "json_merge_patch", "json_deserialize_sql"}) {
		if (name == walks) return Nested;
	}
	for (auto transforms :
		{"json_transform", "json_transform_strict", "from_json", "from_json_strict"}) {
		if (name != transforms) continue;
		if (transform_bind && function.bind != transform_bind && function.bind != BindTransform)
			throw InternalException("%s is not bound as it was", name);
		transform_bind = function.bind != BindTransform ? function.bind : transform_bind;
		function.bind = BindTransform;
		return Nested;
	}
	return nullptr;
}

} // namespace scoter
