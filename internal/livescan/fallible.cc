// Functions that refuse some values, and of which DuckDB (1.5.5) believes that they never fail.
//
// It asks a function that never fails for the whole dictionary of a column chunk or of a batch in memory, once, instead of for each row. The
// values of rows that are left out are there still: a query would fail because of what was deleted or changed, or of what its own WHERE excludes.

#include "livescan.h"

#include <algorithm>
#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"

namespace {

using namespace duckdb;

struct Fallible {
	Fallible(const char *name, LogicalTypeId argument = LogicalTypeId::INVALID)
		: name(name), argument(argument) {}
	const char *name;
	LogicalTypeId argument; // if valid: of those overloads only that have one of the type
};

// Those that refuse values only of arguments that hardly ever are columns (the pattern of regexp_replace, the length of substring) are not
// here: it is the dictionary that makes them fast. TestFunctionsThatMayFailSayThatTheyDo looks for more.
const Fallible fallible[] = {
	{"bar"},
	{"chr"},
	{"hamming"},
	{"jaccard"},
	{"mismatches"},
	{"to_base"},
	// Ends of the calendar.
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
	// What they call of each element may fail, and DuckDB does not look there.
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
	// What package limit refuses (internal/duck/limit): distances of long texts, order in long
	// lists, deeply nested JSON, GLOB with many *. Expressions that are too large for texts of
	// megabytes are not here: such texts are in no dictionary.
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

// Is called before there are queries: entries of a catalog do not change otherwise.
void Mark(ClientContext &context) {
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

} // namespace

char *scoter_mark_fallible(duckdb_connection connection) {
	try {
		auto &context = *reinterpret_cast<Connection *>(connection)->context;
		context.RunFunctionInTransaction([&]() { Mark(context); });
		return nullptr;
	} catch (std::exception &failure) { return strdup(failure.what()); }
}
