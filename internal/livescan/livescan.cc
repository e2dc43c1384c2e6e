#include "livescan.h"

#include "access.hpp"
#include "marks.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/parser/parsed_data/create_table_function_info.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"

extern "C" scoter_rows *scoterFindRows(uint64_t id);

namespace {

using namespace duckdb;

// Tells DuckDB's reader of one file which rows of a vector to read. Threads share it.
class HiddenRows : public DeleteFilter {
public:
	HiddenRows(const scoter_file &file, bool only)
		: first(file.rows), last(file.rows + file.n), only(only) {}

	idx_t Filter(row_t start, idx_t count, SelectionVector &keep) override {
		auto from = std::lower_bound(
			first, last, start, [](uint32_t row, row_t start) { return row_t(row) < start; });
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

// The names of the virtual columns that have a row's address. No column of a part file has such a
// name.
const char *const source_name = "scoter_source", *const ordinal_name = "scoter_ordinal";

// How far a thread has read a Parquet file: the first members of DuckDB's ParquetReadLocalState,
// which is in no header. Register checks that the library has the version of the headers. The tests
// of this package fail if the members differ.
struct Progress : public LocalTableFunctionState {
	vector<idx_t> groups;
	int64_t group;
	idx_t behind;      // row of the row group after the vector that was read
	idx_t group_first; // row number in the file of the row group's first row
	void *file, *reader, *protocol;
	bool finished;
	SelectionVector selection; // rows of the vector that meet the conditions; not used if all do
};

// The scan that runs on this thread. DuckDB does not pass it to FinalizeChunk.
thread_local const MultiFileLocalState *scanning;

// Bits that mark rows of one vector.
struct Marks {
	uint64_t words[STANDARD_VECTOR_SIZE / 64];
};

idx_t Count(const uint64_t *words, idx_t rows) {
	return idx_t(scoter_count(words, int64_t(rows + 63) / 64));
}

// Returns bits that mark the hidden rows among count rows of a file, beginning with row first, or
// nullptr if none is hidden. The bits are those of the file if they can be used as they are, and
// otherwise in own.
const uint64_t *Hidden(const scoter_file &file, row_t first, idx_t count, Marks &own) {
	// The file's bits are whole words, so they cannot be used at the end of the file, or of row
	// groups with large rows.
	if (file.bits && first % 64 == 0 && count % 64 == 0) return file.bits + first / 64;
	auto end = file.rows + file.n;
	auto row = std::lower_bound(
		file.rows, end, first, [](uint32_t row, row_t first) { return row_t(row) < first; });
	auto behind = first + row_t(count);
	if (row == end || row_t(*row) >= behind) return nullptr;
	memset(&own, 0, sizeof own);
	for (; row != end && row_t(*row) < behind; row++)
		own.words[(*row - first) / 64] |= uint64_t(1) << (*row - first) % 64;
	return own.words;
}

// Removes marked rows from a chunk that a file reader has filled. The selections of the chunk's
// vectors are in memory of the reader, which rewrites them for the next chunk, so they are changed
// in place without a copy.
void TakeOut(const uint64_t *taken, DataChunk &chunk) {
	auto count = chunk.size();
	auto n = Count(taken, count);
	if (n == 0) return;
	// The selections of a STRUCT's members would have to change together with that of the STRUCT.
	bool nested = std::any_of(chunk.data.begin(), chunk.data.end(),
		[](const Vector &v) { return v.GetType().InternalType() == PhysicalType::STRUCT; });
	SelectionVector keep;
	vector<sel_t *> done; // selections that were changed; columns without a dictionary share one
	for (auto &vector : chunk.data) {
		bool selects = vector.GetVectorType() == VectorType::DICTIONARY_VECTOR && !nested;
		auto selection = selects ? DictionaryVector::SelVector(vector).data() : nullptr;
		if (selection) {
			if (std::find(done.begin(), done.end(), selection) != done.end()) continue;
			scoter_compress(taken, int64_t(count), selection, selection);
			done.push_back(selection);
			continue;
		}
		if (!keep.data()) {
			keep.Initialize(count);
			scoter_compress(taken, int64_t(count), nullptr, keep.data());
		}
		vector.Slice(keep, count - n);
	}
	chunk.SetCardinality(count - n);
}

// Removes hidden rows from a chunk that a file reader has filled.
void TakeOut(const scoter_file &file, DataChunk &chunk) {
	auto &progress = static_cast<const Progress &>(*scanning->local_state);
	// All vectors of a row group but the last one are full, so this is the first row of the vector.
	auto first = (progress.behind - 1) / STANDARD_VECTOR_SIZE * STANDARD_VECTOR_SIZE;
	auto read = progress.behind - first, met = chunk.size();
	if (met > read) throw InternalException("%d rows of a vector of %d", met, read);
	Marks own;
	auto hidden = Hidden(file, row_t(progress.group_first + first), read, own);
	if (!hidden) return;
	if (met == read) return TakeOut(hidden, chunk);
	Marks taken{};
	scoter_pick(hidden, progress.selection.data(), int64_t(met), taken.words);
	TakeOut(taken.words, chunk);
}

// Reports whether an expression never fails. DuckDB's own answer cannot be used: it does not know
// this of all functions, and wrongly assumes it of casts of text to BIT.
bool NeverFails(const Expression &expression) {
	switch (expression.GetExpressionClass()) {
	case ExpressionClass::BOUND_REF:
	case ExpressionClass::BOUND_CONSTANT:
	case ExpressionClass::BOUND_COMPARISON:
	case ExpressionClass::BOUND_CONJUNCTION:
	case ExpressionClass::BOUND_OPERATOR:
		break;
	case ExpressionClass::BOUND_FUNCTION: {
		static const char *const names[] = {"~~", "!~~", "~~*", "!~~*", "contains", "prefix",
			"suffix", "starts_with", "ends_with", "lower", "upper", "length"};
		auto &name = expression.Cast<BoundFunctionExpression>().function.name;
		if (std::none_of(std::begin(names), std::end(names),
				[&](const char *known) { return name == known; }))
			return false;
		break;
	}
	default:
		return false;
	}
	bool never = true;
	ExpressionIterator::EnumerateChildren(
		expression, [&](const Expression &child) { never = never && NeverFails(child); });
	return never;
}

bool NeverFails(const TableFilter &filter) {
	auto child = [](const unique_ptr<TableFilter> &child) { return NeverFails(*child); };
	switch (filter.filter_type) {
	case TableFilterType::CONSTANT_COMPARISON:
	case TableFilterType::IS_NULL:
	case TableFilterType::IS_NOT_NULL:
	case TableFilterType::IN_FILTER:
	// An optional filter has only these three kinds. DuckDB makes it, for example, for the other
	// side of a join.
	case TableFilterType::OPTIONAL_FILTER:
	case TableFilterType::DYNAMIC_FILTER:
	case TableFilterType::BLOOM_FILTER:
		return true;
	case TableFilterType::CONJUNCTION_AND:
	case TableFilterType::CONJUNCTION_OR: {
		auto &children = static_cast<const ConjunctionFilter &>(filter).child_filters;
		return std::all_of(children.begin(), children.end(), child);
	}
	case TableFilterType::EXPRESSION_FILTER:
		return NeverFails(*filter.Cast<ExpressionFilter>().expr);
	default:
		return false;
	}
}

// Reports whether no condition of a scan can fail, so that the conditions may be evaluated for
// hidden rows. Values of hidden rows must not make a query fail.
bool NeverFail(optional_ptr<TableFilterSet> filters) {
	if (!filters) return true;
	for (auto &filter : filters->filters) {
		if (!NeverFails(*filter.second)) return false;
	}
	return true;
}

// Reports whether a condition computes a value for each row, which costs more than comparing the
// stored value.
bool Computes(const TableFilter &filter) {
	switch (filter.filter_type) {
	case TableFilterType::EXPRESSION_FILTER:
		return true;
	case TableFilterType::CONJUNCTION_AND:
	case TableFilterType::CONJUNCTION_OR: {
		auto &children = static_cast<const ConjunctionFilter &>(filter).child_filters;
		return std::any_of(children.begin(), children.end(),
			[](const unique_ptr<TableFilter> &child) { return Computes(*child); });
	}
	default:
		return false;
	}
}

bool Compute(optional_ptr<TableFilterSet> filters) {
	if (!filters) return false;
	for (auto &filter : filters->filters) {
		if (Computes(*filter.second)) return true;
	}
	return false;
}

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
		if (!file->scattered || !NeverFail(filters) || (file->dense && Compute(filters)))
			reader.deletion_filter = make_uniq<HiddenRows>(*file, hidden.only);
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
		if (file && file->scattered && !reader.deletion_filter) TakeOut(*file, input);
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
	explicit Original(table_function_bind_t bind) : bind(bind) {}
	const table_function_bind_t bind;
};

unique_ptr<FunctionData> Bind(ClientContext &context, TableFunctionBindInput &input,
	vector<LogicalType> &types, vector<string> &names) {
	auto data = input.info->Cast<Original>().bind(context, input, types, names);
	auto id = uint64_t(input.inputs[1].GetValue<int64_t>());
	if (id == 0) return data; // handle 0: no rows are left out
	auto hidden = scoterFindRows(id);
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

void Register(ClientContext &context, const string &name, bool late_materialization) {
	auto &catalog = Catalog::GetSystemCatalog(context);
	auto &parquet =
		catalog.GetEntry<TableFunctionCatalogEntry>(context, DEFAULT_SCHEMA, "read_parquet");
	auto function = parquet.functions.GetFunctionByArguments(
		context, {LogicalType::LIST(LogicalType::VARCHAR)});
	function.name = name;
	function.arguments.push_back(LogicalType::BIGINT);
	function.function_info = make_shared_ptr<Original>(function.bind);
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

} // namespace

char *scoter_register_livescan(
	duckdb_connection connection, const char *name, bool late_materialization) {
	try {
		auto &context = *reinterpret_cast<Connection *>(connection)->context;
		context.RunFunctionInTransaction([&]() { Register(context, name, late_materialization); });
		return nullptr;
	} catch (std::exception &failure) { return strdup(failure.what()); }
}
