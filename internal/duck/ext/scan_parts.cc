// Scans of parts with rows that were deleted or changed after the part was written.
//
// A part's file is never changed. The scan gets a separate list of the rows to leave out. Rows that
// are adjacent are left out by the mechanism that DuckDB has for deletion files of lakehouse
// formats: the reader asks for each vector which rows to read, and skips the others.
//
// If the rows are scattered, this mechanism costs more than it saves: the reader goes from row to
// row, evaluates conditions over selections instead of plain vectors, and never on a dictionary
// alone. So scattered rows are read like the others and removed from the output of the reader.
// There are two exceptions, in which the first mechanism is used: a condition might fail for values
// of hidden rows, or conditions would take longer to evaluate for all rows.
//
// (Measured on lineitem, time of removal relative to DuckDB's mechanism: without a tenth of the
// rows 0.90 to 0.97, queries without conditions 0.91 and 0.86; without 60% of the rows 0.78 and
// 0.65.)
#include "scan_parts.hpp"

#include "file_access.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"

namespace {

using namespace duckdb;

// The names of the virtual columns that have a row's address. No column of a part file has such a
// name.
const char *const source_name = "scoter_source", *const ordinal_name = "scoter_ordinal";

// The scan that runs on this thread. DuckDB does not pass it to FinalizeChunk.
thread_local const MultiFileLocalState *scanning;

// Calls an action that reads a part. If the part is damaged, it throws an exception that
// internal/duck turns into an error of kind Corrupt. DuckDB has no exception type of its own for
// damaged files.
template <class PATH, class ACTION>
auto Reading(PATH path, bool contents, ACTION action) -> decltype(action()) {
	try {
		return action();
	} catch (const std::bad_alloc &) { throw; } catch (const std::exception &failure) {
		ErrorData error(failure);
		// A page that cannot be decoded causes an error of another library, which DuckDB calls
		// INVALID. Conditions that are evaluated during the read throw DuckDB's own errors, which
		// are not damage.
		if (error.Type() != ExceptionType::INVALID &&
			(contents || error.Type() != ExceptionType::INVALID_INPUT))
			throw;
		throw Exception(
			{{"scoter_kind", "corrupt"}}, ExceptionType::IO, path() + ": " + error.RawMessage());
	}
}

// Reads the files with exactly the given paths. DuckDB's own reader treats a path as a pattern: for
// the folder "x[1]" it would read the files of "x1".
struct PathReader : public MultiFileReader {
	explicit PathReader(string name) { function_name = std::move(name); }

	static unique_ptr<MultiFileReader> Create(const TableFunction &function) {
		return make_uniq<PathReader>(function.name);
	}

	unique_ptr<MultiFileReader> Copy() const override {
		return make_uniq<PathReader>(function_name);
	}

	shared_ptr<MultiFileList> CreateFileList(
		ClientContext &, const vector<string> &paths, const FileGlobInput &) override {
		vector<OpenFileInfo> files(paths.begin(), paths.end());
		for (auto &file : files) file.extended_info = scoter::PartAccess();
		return make_shared_ptr<SimpleMultiFileList>(std::move(files));
	}

	shared_ptr<BaseFileReader> CreateReader(ClientContext &context, GlobalTableFunctionState &state,
		const OpenFileInfo &file, idx_t index, const MultiFileBindData &data) override {
		return Reading([&]() { return file.path; }, false,
			[&]() { return MultiFileReader::CreateReader(context, state, file, index, data); });
	}

	shared_ptr<BaseFileReader> CreateReader(ClientContext &context, const OpenFileInfo &file,
		BaseFileReaderOptions &options, const MultiFileOptions &file_options,
		MultiFileReaderInterface &interface) override {
		return Reading([&]() { return file.path; }, false,
			[&]() {
				return MultiFileReader::CreateReader(
					context, file, options, file_options, interface);
			});
	}

	// Reports whether all rows of the files are read.
	virtual bool All() const { return true; }
};

// Reads Parquet files as DuckDB does, but leaves out hidden rows. Scattered hidden rows are read
// first and then removed.
struct PartReader : public PathReader {
	PartReader(const scoter_rows &hidden, string name)
		: PathReader(std::move(name)), hidden(hidden) {}

	unique_ptr<MultiFileReader> Copy() const override {
		return make_uniq<PartReader>(hidden, function_name);
	}

	bool All() const override { return false; }

	ReaderInitializeType InitializeReader(MultiFileReaderData &data,
		const MultiFileBindData &bind_data, const vector<MultiFileColumnDefinition> &columns,
		const vector<ColumnIndex> &ids, optional_ptr<TableFilterSet> filters,
		ClientContext &context, MultiFileGlobalState &state) override {
		auto result = MultiFileReader::InitializeReader(
			data, bind_data, columns, ids, filters, context, state);
		auto &reader = *data.reader;
		auto file = Find(reader);
		if (!file || (file->n == 0 && !hidden.only) ||
			result == ReaderInitializeType::SKIP_READING_FILE)
			return result;
		if (!file->scattered || !scoter::NeverFail(filters) ||
			(file->dense && scoter::Compute(filters)))
			reader.deletion_filter = scoter::SkipRows(*file, hidden.only);
		return result;
	}

	// Makes the column of the file index return the rowset id of the file.
	void FinalizeBind(MultiFileReaderData &data, const MultiFileOptions &file_options,
		const MultiFileReaderBindData &options, const vector<MultiFileColumnDefinition> &columns,
		const vector<ColumnIndex> &ids, ClientContext &context,
		optional_ptr<MultiFileReaderGlobalState> state) override {
		MultiFileReader::FinalizeBind(data, file_options, options, columns, ids, context, state);
		if (!hidden.addressed) return;
		auto file = Find(*data.reader);
		if (!file) throw InternalException("no source of %s", data.reader->file.path);
		for (auto &constant : data.constant_map) {
			if (ids[constant.column_idx.GetIndex()].GetPrimaryIndex() ==
				COLUMN_IDENTIFIER_FILE_INDEX)
				constant.value = Value::UBIGINT(file->source);
		}
	}

	void FinalizeChunk(ClientContext &context, const MultiFileBindData &bind_data,
		BaseFileReader &reader, const MultiFileReaderData &data, DataChunk &input,
		DataChunk &output, ExpressionExecutor &executor,
		optional_ptr<MultiFileReaderGlobalState> state) override {
		auto file = Find(reader);
		if (file && file->scattered && !reader.deletion_filter)
			scoter::RemoveRows(*file, scoter::ProgressOf(*scanning->local_state), input);
		MultiFileReader::FinalizeChunk(
			context, bind_data, reader, data, input, output, executor, state);
	}

	const scoter_file *Find(const BaseFileReader &reader) const {
		auto end = hidden.files + hidden.n_files;
		auto path = reader.file.path.c_str();
		auto file = std::lower_bound(hidden.files, end, path,
			[](const scoter_file &file, const char *path) { return strcmp(file.path, path) < 0; });
		return file != end && strcmp(file->path, path) == 0 ? file : nullptr;
	}

	const scoter_rows &hidden;
};

// Holds the bind function of read_parquet, of which this function is a copy with changes.
struct Original : public TableFunctionInfo {
	Original(table_function_bind_t bind, scoter_rows *(*find)(uint64_t)) : bind(bind), find(find) {}
	const table_function_bind_t bind;
	scoter_rows *(*const find)(uint64_t); // returns the rows of a handle
};

unique_ptr<FunctionData> Bind(ClientContext &context, TableFunctionBindInput &input,
	vector<LogicalType> &types, vector<string> &names) {
	auto &original = input.info->Cast<Original>();
	auto data = original.bind(context, input, types, names);
	auto id = uint64_t(input.inputs[1].GetValue<int64_t>());
	if (id == 0) return data; // handle 0: no rows are left out
	auto hidden = original.find(id);
	if (!hidden) throw BinderException("no such rows");
	data->Cast<MultiFileBindData>().multi_file_reader =
		make_uniq<PartReader>(*hidden, input.table_function.name);
	return data;
}

// The scan, virtual columns and statistics of read_parquet. They are the same for every DuckDB
// instance.
std::atomic<table_function_t> original_scan;
std::atomic<table_function_get_virtual_columns_t> original_columns;
std::atomic<table_function_get_partition_stats_t> original_stats;

void Scan(ClientContext &context, TableFunctionInput &input, DataChunk &output) {
	scanning = input.local_state ? &input.local_state->Cast<MultiFileLocalState>() : nullptr;
	auto path = [&]() {
		return scanning && scanning->reader ? scanning->reader->file.path : string("a part");
	};
	Reading(path, true, [&]() { original_scan.load()(context, input, output); });
}

virtual_column_map_t VirtualColumns(ClientContext &context, optional_ptr<FunctionData> data) {
	auto columns = original_columns.load()(context, data);
	columns.at(MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX).name = source_name;
	columns.at(MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER).name = ordinal_name;
	data->Cast<MultiFileBindData>().virtual_columns = columns;
	return columns;
}

// Returns the statistics in the files' metadata. These describe all rows, so they are used only if
// all rows are read.
vector<PartitionStatistics> Stats(ClientContext &context, GetPartitionStatsInput &input) {
	auto &reader = static_cast<const PathReader &>(
		*input.bind_data->Cast<MultiFileBindData>().multi_file_reader);
	if (!reader.All()) return {};
	return original_stats.load()(context, input);
}

} // namespace

void scoter::AddPartScan(ClientContext &context, const char *name, bool late_materialization,
	scoter_rows *(*find)(uint64_t)) {
	auto &catalog = Catalog::GetSystemCatalog(context);
	auto &parquet =
		catalog.GetEntry<TableFunctionCatalogEntry>(context, DEFAULT_SCHEMA, "read_parquet");
	auto function = parquet.functions.GetFunctionByArguments(
		context, {LogicalType::LIST(LogicalType::VARCHAR)});
	function.name = name;
	function.arguments.push_back(LogicalType::BIGINT);
	function.function_info = make_shared_ptr<Original>(function.bind, find);
	function.bind = Bind;
	original_scan = function.function;
	function.function = Scan;
	original_columns = function.get_virtual_columns;
	function.get_virtual_columns = VirtualColumns;
	function.late_materialization = late_materialization;
	original_stats = function.get_partition_stats;
	function.get_partition_stats = Stats;
	function.get_multi_file_reader = PathReader::Create;
	// A plan that was copied must bind again, to find the rows by the handle.
	function.serialize = nullptr;
	function.deserialize = nullptr;
	CreateTableFunctionInfo info(std::move(function));
	catalog.CreateTableFunction(context, info);
}
