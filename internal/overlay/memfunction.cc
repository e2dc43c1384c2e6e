// DuckDB's table function that reads memscan.h's scans.
//
// For each vector the function tells DuckDB its position in the scan, which is not possible through
// DuckDB's C API. Without positions, DuckDB runs queries that must keep the order of rows (LIMIT,
// and every query without ORDER BY whose rows are its result) on one thread, including their scans
// of parts.

#include "memscan.h"

#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"
#include "duckdb/storage/statistics/node_statistics.hpp"

extern "C" scoter_scan *scoterFindScan(uint64_t id);

namespace {

using namespace duckdb;

// Throws an exception that internal/duck turns into a base.Error of the given kind. DuckDB's error
// types do not distinguish these kinds, and most of them mean that the statement is wrong.
[[noreturn]] void Throw(const string &message, const string &kind, const string &hint) {
	unordered_map<string, string> about{{"scoter_kind", kind}, {"scoter_hint", hint}};
	throw Exception(about, ExceptionType::IO, message);
}

void ThrowIfSet(scoter_failure &failure) {
	if (!failure.message) return;
	string message(failure.message), kind(failure.kind), hint(failure.hint ? failure.hint : "");
	free(failure.message);
	free(failure.kind);
	free(failure.hint);
	Throw(message, kind, hint);
}

scoter_scan &Find(uint64_t id) {
	auto scan = scoterFindScan(id);
	if (!scan) Throw("no such scan", "internal", "");
	return *scan;
}

struct Bound : public TableFunctionData {
	explicit Bound(uint64_t id) : id(id) {}
	const uint64_t id;
};

struct Running : public GlobalTableFunctionState {
	explicit Running(scoter_run *run) : run(run) {}
	~Running() override { scoter_end(run); }
	idx_t MaxThreads() const override { return MaxValue<idx_t>(scoter_threads(run), 1); }
	scoter_run *const run;
};

struct Reading : public LocalTableFunctionState {
	explicit Reading(const scoter_run *run) : reader(scoter_open_reader(run)) {}
	~Reading() override { scoter_close_reader(reader); }
	scoter_reader *const reader;
};

unique_ptr<FunctionData> Bind(ClientContext &, TableFunctionBindInput &input,
	vector<LogicalType> &types, vector<string> &names) {
	auto bound = make_uniq<Bound>(uint64_t(input.inputs[0].GetValue<int64_t>()));
	auto &scan = Find(bound->id);
	for (int32_t i = 0; i < scan.n_columns; i++) {
		auto type = scoter_logical_type(&scan.types[i]);
		types.push_back(*reinterpret_cast<LogicalType *>(type));
		names.push_back(scan.names[i]);
		duckdb_destroy_logical_type(&type);
	}
	types.push_back(LogicalType::UBIGINT);
	types.push_back(LogicalType::BIGINT);
	names.push_back("scoter_source");
	names.push_back("scoter_ordinal");
	return std::move(bound);
}

unique_ptr<NodeStatistics> Cardinality(ClientContext &, const FunctionData *bound) {
	auto &scan = Find(bound->Cast<Bound>().id);
	// a cached statement runs again with other rows, so its plan must not depend on their number
	if (scan.cached) return make_uniq<NodeStatistics>(1);
	return make_uniq<NodeStatistics>(idx_t(scan.rows), idx_t(scan.rows));
}

unique_ptr<GlobalTableFunctionState> Begin(ClientContext &, TableFunctionInitInput &input) {
	// The scan is looked up for each run, because a cached statement is bound once and runs with
	// many scans of the same id.
	auto &scan = Find(input.bind_data->Cast<Bound>().id);
	scoter_failure failure{};
	auto run = scoter_begin(&scan, input.column_ids.data(), input.column_ids.size(), &failure);
	ThrowIfSet(failure);
	return make_uniq<Running>(run);
}

unique_ptr<LocalTableFunctionState> Open(
	ExecutionContext &, TableFunctionInitInput &, GlobalTableFunctionState *running) {
	return make_uniq<Reading>(running->Cast<Running>().run);
}

void Read(ClientContext &, TableFunctionInput &input, DataChunk &rows) {
	scoter_failure failure{};
	auto run = input.global_state->Cast<Running>().run;
	auto reader = input.local_state->Cast<Reading>().reader;
	if (!scoter_read(run, reader, reinterpret_cast<duckdb_data_chunk>(&rows), &failure))
		ThrowIfSet(failure);
}

OperatorPartitionData Place(ClientContext &, TableFunctionGetPartitionInput &input) {
	if (input.partition_info.RequiresPartitionColumns())
		throw InternalException("memory has no partition columns");
	return OperatorPartitionData(scoter_morsel(input.local_state->Cast<Reading>().reader));
}

void Register(ClientContext &context, const string &name) {
	TableFunction function(name, {LogicalType::BIGINT}, Read, Bind, Begin, Open);
	function.cardinality = Cardinality;
	function.get_partition_data = Place;
	function.projection_pushdown = true;
	CreateTableFunctionInfo info(std::move(function));
	Catalog::GetSystemCatalog(context).CreateTableFunction(context, info);
}

} // namespace

char *scoter_register_memscan(duckdb_connection connection, const char *name) {
	try {
		auto &context = *reinterpret_cast<Connection *>(connection)->context;
		context.RunFunctionInTransaction([&]() { Register(context, name); });
		return nullptr;
	} catch (std::exception &failure) { return strdup(failure.what()); }
}
