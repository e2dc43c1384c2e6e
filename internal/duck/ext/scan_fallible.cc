// Lists functions that may fail although DuckDB (1.5.5) says that they never do.
//
// DuckDB evaluates a function that never fails once for the whole dictionary of a column chunk or
// of a batch in memory, instead of for each row. The dictionary also has the values of rows that
// are left out. If such a function does fail for some values, a query could fail because of deleted
// or changed rows, or of rows that its own WHERE excludes.
#include "ext.hpp"

#include <algorithm>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp"
#include "duckdb/main/client_context.hpp"

namespace {

using namespace duckdb;

struct Fallible {
	Fallible(const char *name, LogicalTypeId argument = LogicalTypeId::INVALID)
		: name(name), argument(argument) {}
	const char *name;
	LogicalTypeId argument; // if valid, only the overloads with an argument of this type may fail
};

// The functions that may fail. The list does not have functions that fail only for arguments that
// are rarely columns (the pattern of regexp_replace, the length of substring), because these owe
// their speed to the dictionary. The test TestFunctionsThatMayFailSayThatTheyDo searches for
// functions that are missing here.
const Fallible fallible[] = {
	{"bar"},
	{"chr"},
	{"hamming"},
	{"jaccard"},
	{"mismatches"},
	{"to_base"},
	// These functions fail at the limits of the calendar.
	{"+", LogicalTypeId::TIMESTAMP_TZ},
	{"-", LogicalTypeId::TIMESTAMP_TZ},
	{"date_sub"},
	{"datesub"},
	{"epoch_ms", LogicalTypeId::BIGINT},
	{"epoch_ns"},
	{"epoch_us", LogicalTypeId::DATE},
	{"epoch_us", LogicalTypeId::INTERVAL},
	{"generate_series"},
	{"last_day"},
	{"make_timestamp_ms"},
	{"make_timestamp_ns"},
	{"range"},
	{"to_timestamp"},
	// These functions call another function for each element of a list, and that function may fail.
	// DuckDB does not check it.
	{"apply"},
	{"array_apply"},
	{"array_filter"},
	{"array_reduce"},
	{"array_transform"},
	{"filter"},
	{"list_apply"},
	{"list_filter"},
	{"list_reduce"},
	{"list_transform"},
	{"reduce"},
	// These functions fail if package limit (internal/duck/limit) refuses the work: distances of
	// long texts, order in long lists, deeply nested JSON, GLOB with many *. Functions that package
	// limit refuses only for texts of megabytes are not in the list, because such texts are in no
	// dictionary.
	{"levenshtein"},
	{"editdist3"},
	{"damerau_levenshtein"},
	{"jaro_similarity"},
	{"jaro_winkler_similarity"},
	{"~~~"},
	{"list_sort"},
	{"array_sort"},
	{"list_reverse_sort"},
	{"array_reverse_sort"},
	{"list_grade_up"},
	{"array_grade_up"},
	{"grade_up"},
	{"list_distinct"},
	{"array_distinct"},
	{"list_unique"},
	{"array_unique"},
	{"list_intersect"},
	{"array_intersect"},
	{"list_has_any"},
	{"array_has_any"},
	{"&&"},
	{"list_has_all"},
	{"array_has_all"},
	{"@>"},
	{"<@"},
	{"json_structure"},
	{"json_contains"},
	{"json_merge_patch"},
	{"json_transform"},
	{"json_transform_strict"},
	{"from_json"},
	{"from_json_strict"},
};

} // namespace

void scoter::MarkFallible(ClientContext &context) {
	auto &catalog = Catalog::GetSystemCatalog(context);
	for (auto &f : fallible) {
		for (auto &function :
			catalog.GetEntry<ScalarFunctionCatalogEntry>(context, DEFAULT_SCHEMA, f.name)
				.functions.functions) {
			auto is = [&](const LogicalType &type) { return type.id() == f.argument; };
			if (f.argument == LogicalTypeId::INVALID ||
				std::any_of(function.arguments.begin(), function.arguments.end(), is))
				function.SetFallible();
		}
	}
}
