// Bounds the casts between texts and BIGNUM, whose time grows with the square of a value's length.
#include "limit_functions.hpp"

#include "duckdb/function/cast/cast_function_set.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"

namespace scoter {
namespace {

// The maximum number of digits of a number that is cast. The cast of so many takes a second or two.
constexpr idx_t most_digits = 100000;

struct BoundedCast : public BoundCastData {
	BoundedCast(cast_function_t original, idx_t most_bytes)
		: original(original), most_bytes(most_bytes) {}
	unique_ptr<BoundCastData> Copy() const override {
		return make_uniq<BoundedCast>(original, most_bytes);
	}

	cast_function_t original;
	idx_t most_bytes;
};

bool CastBounded(Vector &source, Vector &result, idx_t count, CastParameters &parameters) {
	auto &cast = parameters.cast_data->Cast<BoundedCast>();
	UnifiedVectorFormat values;
	source.ToUnifiedFormat(count, values);
	for (idx_t row = 0; row < count; row++) {
		auto i = values.sel->get_index(row);
		if (values.validity.RowIsValid(i) &&
			UnifiedVectorFormat::GetData<string_t>(values)[i].GetSize() > cast.most_bytes) {
			TooMuchWork(StringUtil::Format(
				"a number of more than %llu digits is cast to BIGNUM or to text", most_digits));
		}
	}
	return cast.original(source, result, count, parameters);
}

void Bound(
	ClientContext &context, const LogicalType &from, const LogicalType &to, idx_t most_bytes) {
	auto &casts = DBConfig::GetConfig(context).GetCastFunctions();
	GetCastFunctionInput input(context);
	auto original = casts.GetCastFunction(from, to, input);
	if (original.cast_data || original.init_local_state)
		throw InternalException(
			"the cast from %s to %s is not what it was", from.ToString(), to.ToString());
	auto cost = casts.ImplicitCastCost(&context, from, to);
	casts.RegisterCastFunction(from, to,
		BoundCastInfo(CastBounded, make_uniq<BoundedCast>(original.function, most_bytes)), cost);
}

} // namespace

void BoundCasts(ClientContext &context) {
	constexpr double digits_of_byte = 2.4;
	Bound(context, LogicalType::VARCHAR, LogicalType::BIGNUM, most_digits);
	Bound(context, LogicalType::BIGNUM, LogicalType::VARCHAR, idx_t(most_digits / digits_of_byte));
}

} // namespace scoter
