#include "livescan.h"

#include <algorithm>
#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"

extern "C" scoter_rows *scoterFindRows(uint64_t id);

namespace {

using namespace duckdb;

// Tells the scan of one file which rows of a vector to keep. Threads share it.
class HiddenRows : public DeleteFilter {
public:
	HiddenRows(const scoter_file &file, bool only) : first(file.rows), last(file.rows + file.n), only(only) {}

	idx_t Filter(row_t start, idx_t count, SelectionVector &keep) override {
		auto from = std::lower_bound(first, last, start, [](uint32_t row, row_t start) { return row_t(row) < start; });
		auto to = from;
		while (to != last && row_t(*to) < start + row_t(count)) to++;
		if (from == to && !only) return count;
		keep.Initialize(count);
		auto kept = keep.data();
		idx_t n = 0;
		if (only) {
			for (; from != to; from++) kept[n++] = sel_t(*from - start);
			return n;
		}
		idx_t row = 0;
		for (; from != to; from++, row++) {
			for (idx_t hidden = *from - start; row < hidden; row++) kept[n++] = sel_t(row);
		}
		for (; row < count; row++) kept[n++] = sel_t(row);
		return n;
	}

private:
	const uint32_t *first, *last;
	const bool only;
};

// Reads Parquet files as DuckDB does, and gives each that has such rows its filter.
struct PartReader : public MultiFileReader {
	PartReader(const scoter_rows &hidden, string name) : hidden(hidden) { function_name = std::move(name); }

	unique_ptr<MultiFileReader> Copy() const override { return make_uniq<PartReader>(hidden, function_name); }

	void FinalizeBind(MultiFileReaderData &data, const MultiFileOptions &options, const MultiFileReaderBindData &bind_data,
	                  const vector<MultiFileColumnDefinition> &columns, const vector<ColumnIndex> &ids, ClientContext &context,
	                  optional_ptr<MultiFileReaderGlobalState> state) override {
		MultiFileReader::FinalizeBind(data, options, bind_data, columns, ids, context, state);
		auto end = hidden.files + hidden.n_files;
		auto path = data.reader->file.path.c_str();
		auto file = std::lower_bound(hidden.files, end, path, [](const scoter_file &file, const char *path) { return strcmp(file.path, path) < 0; });
		if (file != end && strcmp(file->path, path) == 0) data.reader->deletion_filter = make_uniq<HiddenRows>(*file, hidden.only);
	}

	const scoter_rows &hidden;
};

// The bind of the function that ours is made of.
struct Original : public TableFunctionInfo {
	explicit Original(table_function_bind_t bind) : bind(bind) {}
	const table_function_bind_t bind;
};

unique_ptr<FunctionData> Bind(ClientContext &context, TableFunctionBindInput &input, vector<LogicalType> &types, vector<string> &names) {
	auto data = input.info->Cast<Original>().bind(context, input, types, names);
	auto id = uint64_t(input.inputs[1].GetValue<int64_t>());
	if (id == 0) return data; // all rows
	auto hidden = scoterFindRows(id);
	if (!hidden) throw BinderException("no such rows");
	data->Cast<MultiFileBindData>().multi_file_reader = make_uniq<PartReader>(*hidden, input.table_function.name);
	return data;
}

void Register(ClientContext &context, const string &name, bool late_materialization) {
	auto &catalog = Catalog::GetSystemCatalog(context);
	auto &parquet = catalog.GetEntry<TableFunctionCatalogEntry>(context, DEFAULT_SCHEMA, "read_parquet");
	auto function = parquet.functions.GetFunctionByArguments(context, {LogicalType::LIST(LogicalType::VARCHAR)});
	function.name = name;
	function.arguments.push_back(LogicalType::BIGINT);
	function.function_info = make_shared_ptr<Original>(function.bind);
	function.bind = Bind;
	function.late_materialization = late_materialization;
	// They count rows by the files' metadata.
	function.get_partition_stats = nullptr;
	// A plan that is copied binds anew, with the handle.
	function.serialize = nullptr;
	function.deserialize = nullptr;
	CreateTableFunctionInfo info(std::move(function));
	catalog.CreateTableFunction(context, info);
}

} // namespace

char *scoter_register_livescan(duckdb_connection connection, const char *name, bool late_materialization) {
	try {
		auto &context = *reinterpret_cast<Connection *>(connection)->context;
		context.RunFunctionInTransaction([&]() { Register(context, name, late_materialization); });
		return nullptr;
	} catch (std::exception &failure) {
		return strdup(failure.what());
	}
}
