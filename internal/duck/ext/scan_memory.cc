// The table function that reads rows in memory. C code describes the scans and fills the vectors
// (internal/overlay/memscan.c). This file is what DuckDB's C API does not allow.
//
// For each vector the function tells DuckDB its position in the scan, which is not possible through
// DuckDB's C API. Without positions, DuckDB runs queries that must keep the order of rows (LIMIT,
// and every query without ORDER BY whose rows are its result) on one thread, including their scans
// of parts.
#include "ext.hpp"

#include <cstdlib>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"
#include "duckdb/storage/statistics/node_statistics.hpp"

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

// Holds the functions that know the scans.
struct Functions : public TableFunctionInfo {
	explicit Functions(const scoter_scan_functions &of) : of(of) {}
	const scoter_scan_functions &of;
};

struct Bound : public TableFunctionData {
	Bound(const scoter_scan_functions &of, uint64_t id) : of(of), id(id) {}

	// The scan is looked up for each run, because a cached statement is bound once and runs with
	// many scans of the same id.
	scoter_scan *Find() const {
		auto scan = of.find(id);
		if (!scan) Throw("no such scan", "internal", "");
		return scan;
	}

	const scoter_scan_functions &of;
	const uint64_t id;
};

struct Running : public GlobalTableFunctionState {
	Running(const scoter_scan_functions &of, scoter_run *run) : of(of), run(run) {}
	~Running() override { of.end(run); }
	idx_t MaxThreads() const override { return MaxValue<idx_t>(of.threads(run), 1); }
	const scoter_scan_functions &of;
	scoter_run *const run;
};

struct Reading : public LocalTableFunctionState {
	explicit Reading(const Running &running)
		: of(running.of), reader(of.open_reader(running.run)) {}
	~Reading() override { of.close_reader(reader); }
	const scoter_scan_functions &of;
	scoter_reader *const reader;
};

unique_ptr<FunctionData> Bind(ClientContext &, TableFunctionBindInput &input,
	vector<LogicalType> &types, vector<string> &names) {
	auto &of = input.info->Cast<Functions>().of;
	auto bound = make_uniq<Bound>(of, uint64_t(input.inputs[0].GetValue<int64_t>()));
	auto scan = bound->Find();
	auto shape = of.shape(scan);
	for (int32_t i = 0; i < shape.n_columns; i++) {
		auto type = of.type(scan, i);
		types.push_back(*reinterpret_cast<LogicalType *>(type));
		names.push_back(shape.names[i]);
		duckdb_destroy_logical_type(&type);
	}
	types.push_back(LogicalType::UBIGINT);
	types.push_back(LogicalType::BIGINT);
	names.push_back("scoter_source");
	names.push_back("scoter_ordinal");
	return std::move(bound);
}

unique_ptr<NodeStatistics> Cardinality(ClientContext &, const FunctionData *data) {
	auto &bound = data->Cast<Bound>();
	auto shape = bound.of.shape(bound.Find());
	// a cached statement runs again with other rows, so its plan must not depend on their number
	if (shape.cached) return make_uniq<NodeStatistics>(1);
	return make_uniq<NodeStatistics>(idx_t(shape.rows), idx_t(shape.rows));
}

unique_ptr<GlobalTableFunctionState> Begin(ClientContext &, TableFunctionInitInput &input) {
	auto &bound = input.bind_data->Cast<Bound>();
	scoter_failure failure{};
	auto run =
		bound.of.begin(bound.Find(), input.column_ids.data(), input.column_ids.size(), &failure);
	ThrowIfSet(failure);
	return make_uniq<Running>(bound.of, run);
}

unique_ptr<LocalTableFunctionState> Open(
	ExecutionContext &, TableFunctionInitInput &, GlobalTableFunctionState *running) {
	return make_uniq<Reading>(running->Cast<Running>());
}

void Read(ClientContext &, TableFunctionInput &input, DataChunk &rows) {
	scoter_failure failure{};
	auto &running = input.global_state->Cast<Running>();
	auto reader = input.local_state->Cast<Reading>().reader;
	auto chunk = reinterpret_cast<duckdb_data_chunk>(&rows);
	if (!running.of.read(running.run, reader, chunk, &failure)) ThrowIfSet(failure);
}

OperatorPartitionData Place(ClientContext &, TableFunctionGetPartitionInput &input) {
	if (input.partition_info.RequiresPartitionColumns())
		throw InternalException("memory has no partition columns");
	auto &reading = input.local_state->Cast<Reading>();
	return OperatorPartitionData(reading.of.morsel(reading.reader));
}

} // namespace

void scoter::AddMemoryScan(
	ClientContext &context, const char *name, const scoter_scan_functions &functions) {
	TableFunction function(name, {LogicalType::BIGINT}, Read, Bind, Begin, Open);
	function.cardinality = Cardinality;
	function.get_partition_data = Place;
	function.projection_pushdown = true;
	function.function_info = make_shared_ptr<Functions>(functions);
	CreateTableFunctionInfo info(std::move(function));
	Catalog::GetSystemCatalog(context).CreateTableFunction(context, info);
}
