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

// Tells the reader of one file which rows of a vector to keep. Threads share it.
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

// The virtual columns that are a row's address. Part files have no columns of these names.
const char *const source_name = "scoter_source", *const ordinal_name = "scoter_ordinal";

// How far a thread is in a Parquet file: the first members of DuckDB's ParquetReadLocalState, which no header has. (Its library is of
// the headers' version, or Register refuses it; the tests of this package fail where the members are others.)
struct Progress : public LocalTableFunctionState {
	vector<idx_t> groups;
	int64_t group;
	idx_t behind;      // the row of the group behind the vector that was read
	idx_t group_first; // the file's row that is the group's first
	void *file, *reader, *protocol;
	bool finished;
	SelectionVector selection; // the vector's rows that meet the conditions, unless all do
};

// The scan that the thread is in. DuckDB does not give it to those who finish what was read.
thread_local const MultiFileLocalState *scanning;

// Marks of the rows of one vector, and of what a reader gives of it.
struct Marks {
	uint64_t words[STANDARD_VECTOR_SIZE / 64];
};

idx_t Count(const uint64_t *words, idx_t rows) {
	return idx_t(scoter_count(words, int64_t(rows + 63) / 64));
}

// Returns marks of those of so many rows of a file that are hidden, in own if they do not lie there as they are needed; none if no row is.
const uint64_t *Hidden(const scoter_file &file, row_t first, idx_t count, Marks &own) {
	if (file.bits && first % 64 == 0 && count % 64 == 0)
		return file.bits +
			first / 64; // not so at the ends of the file, and of groups of large rows
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

// Takes marked rows out of a chunk that a reader of files gives. The selections of its vectors lie in memory of the reader, who
// writes them anew for the next chunk: changing them spares copies.
void TakeOut(const uint64_t *taken, DataChunk &chunk) {
	auto count = chunk.size();
	auto n = Count(taken, count);
	if (n == 0) return;
	// Selections of a STRUCT's members would have to change with its own.
	bool nested = std::any_of(chunk.data.begin(), chunk.data.end(),
		[](const Vector &v) { return v.GetType().InternalType() == PhysicalType::STRUCT; });
	SelectionVector keep;
	vector<sel_t *> done; // columns without a dictionary share one
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

// Takes hidden rows out of a chunk that was read.
void TakeOut(const scoter_file &file, DataChunk &chunk) {
	auto &progress = static_cast<const Progress &>(*scanning->local_state);
	auto first = (progress.behind - 1) / STANDARD_VECTOR_SIZE *
		STANDARD_VECTOR_SIZE; // a group's vectors are full, but for the last
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

// Reports whether an expression has a value for any row. It is not enough to ask DuckDB, which does not know of all functions
// that they fail, and believes that of casts of text to BIT.
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
	case TableFilterType::OPTIONAL_FILTER: // of these three kinds, as of a join's other side
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

// Reports whether the conditions of a scan may be asked of rows that are hidden: what those hold must not fail a query.
bool NeverFail(optional_ptr<TableFilterSet> filters) {
	if (!filters) return true;
	for (auto &filter : filters->filters) {
		if (!NeverFails(*filter.second)) return false;
	}
	return true;
}

// Reports whether a condition computes something of each row, which costs more than to compare what is there.
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

// Does what reads a file, which is one of ours. That the file is damaged is thrown as what internal/duck makes an error of that kind of: DuckDB has no
// exception for it that it has not for statements, too.
template <class PATH, class ACTION>
auto Reading(PATH path, bool contents, ACTION action) -> decltype(action()) {
	try {
		return action();
	} catch (const std::bad_alloc &) { throw; } catch (const std::exception &failure) {
		ErrorData error(failure);
		// Pages that cannot be decoded are errors of other libraries than DuckDB, which it calls INVALID. Conditions that it asks while it reads them have its own.
		if (error.Type() != ExceptionType::INVALID &&
			(contents || error.Type() != ExceptionType::INVALID_INPUT))
			throw;
		throw Exception(
			{{"scoter_kind", "corrupt"}}, ExceptionType::IO, path() + ": " + error.RawMessage());
	}
}

// Reads the files of a list of paths. DuckDB's own reader takes paths for patterns: where a folder is called "x[1]" it reads the files of "x1".
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

	// Whether it reads all rows.
	virtual bool All() const { return true; }
};

// Reads Parquet files as DuckDB does, without such rows. Those that are scattered are read with the others, as without them.
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

	// A file's rows have its source where DuckDB has its place in the list of files.
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

// The bind of the function that ours is made of.
struct Original : public TableFunctionInfo {
	explicit Original(table_function_bind_t bind) : bind(bind) {}
	const table_function_bind_t bind;
};

unique_ptr<FunctionData> Bind(ClientContext &context, TableFunctionBindInput &input,
	vector<LogicalType> &types, vector<string> &names) {
	auto data = input.info->Cast<Original>().bind(context, input, types, names);
	auto id = uint64_t(input.inputs[1].GetValue<int64_t>());
	if (id == 0) return data; // all rows
	auto hidden = scoterFindRows(id);
	if (!hidden) throw BinderException("no such rows");
	data->Cast<MultiFileBindData>().multi_file_reader =
		make_uniq<PartReader>(*hidden, input.table_function.name);
	return data;
}

// read_parquet's scan, virtual columns and statistics, of every instance.
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

// What files' metadata say of their rows holds where all are read.
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
	// A plan that is copied binds anew, with the handle.
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
