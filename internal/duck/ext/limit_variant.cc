// Bounds the nesting of VARIANT values. DuckDB makes and reads them recursively, so a value that is
// nested too deeply ends the process. The linker redirects the function that returns the cast to
// VARIANT (the flags are in ext.go), so that such a value is never made.
#include "limit_functions.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/common/types/variant.hpp"
#include "duckdb/common/types/vector.hpp"
#include "duckdb/function/cast/default_casts.hpp"
#include "duckdb/function/scalar/variant_utils.hpp"

namespace scoter {
namespace {

cast_function_t to_variant;

// Refuses deeply nested JSON inside of a value.
void CheckJSONWithin(Vector &values, idx_t count) {
	auto &type = values.GetType();
	if (type.IsJSONType()) return CheckLevels(values, count);
	switch (type.InternalType()) {
	case PhysicalType::LIST:
		return CheckJSONWithin(ListVector::GetEntry(values), ListVector::GetListSize(values));
	case PhysicalType::ARRAY:
		return CheckJSONWithin(ArrayVector::GetEntry(values), ArrayVector::GetTotalSize(values));
	case PhysicalType::STRUCT:
		for (auto &child : StructVector::GetEntries(values)) CheckJSONWithin(*child, count);
		return;
	default:
		return;
	}
}

// Returns how deeply a VARIANT value is nested. It stops counting beyond most_levels. The local
// list next has values to check, with the levels of these values.
idx_t Levels(const UnifiedVariantVectorData &variants, idx_t row) {
	vector<std::pair<uint32_t, idx_t>> next{{0, 0}};
	idx_t deepest = 0;
	while (!next.empty() && deepest <= most_levels) {
		auto value = next.back();
		next.pop_back();
		if (!VariantUtils::IsNestedType(variants, row, value.first)) continue;
		deepest = MaxValue(deepest, value.second + 1);
		auto nested = VariantUtils::DecodeNestedData(variants, row, value.first);
		for (uint32_t i = 0; i < nested.child_count; i++) {
			next.emplace_back(
				variants.GetValuesIndex(row, nested.children_idx + i), value.second + 1);
		}
	}
	return deepest;
}

bool Cast(Vector &source, Vector &result, idx_t count, CastParameters &parameters) {
	bool constant = source.GetVectorType() == VectorType::CONSTANT_VECTOR;
	CheckJSONWithin(source, constant ? 1 : count);
	if (!to_variant(source, result, count, parameters)) return false;
	RecursiveUnifiedVectorFormat format;
	Vector::RecursiveToUnifiedFormat(result, count, format);
	UnifiedVariantVectorData variants(format);
	for (idx_t row = 0; row < (constant ? 1 : count); row++) {
		// Each level takes at least one value. So a row with at most most_levels values cannot be
		// nested too deeply.
		if (!variants.RowIsValid(row) || variants.GetValuesListEntry(row).length <= most_levels)
			continue;
		if (Levels(variants, row) > most_levels)
			TooMuchWork(
				StringUtil::Format("a VARIANT is nested more than %llu levels deep", most_levels));
	}
	return true;
}

} // namespace
} // namespace scoter

#ifdef __linux__

// DuckDB's method BoundCastInfo DefaultCasts::ImplicitToVariantCast(BindCastInput &, const
// LogicalType &, const LogicalType &)
duckdb::BoundCastInfo RealToVariant(duckdb::BindCastInput &input, const duckdb::LogicalType &source,
	const duckdb::LogicalType
		&target) asm("__real__ZN6duckdb12DefaultCasts21ImplicitToVariantCastERNS_"
					 "13BindCastInputERKNS_11LogicalTypeES5_");
duckdb::BoundCastInfo BoundedToVariant(duckdb::BindCastInput &input,
	const duckdb::LogicalType &source,
	const duckdb::LogicalType
		&target) asm("__wrap__ZN6duckdb12DefaultCasts21ImplicitToVariantCastERNS_"
					 "13BindCastInputERKNS_11LogicalTypeES5_");

duckdb::BoundCastInfo BoundedToVariant(duckdb::BindCastInput &input,
	const duckdb::LogicalType &source, const duckdb::LogicalType &target) {
	auto cast = RealToVariant(input, source, target);
	if (cast.cast_data || cast.init_local_state)
		throw duckdb::InternalException("the cast to VARIANT is not what it was");
	scoter::to_variant = cast.function;
	cast.function = scoter::Cast;
	return cast;
}

#endif
