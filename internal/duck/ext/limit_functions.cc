// Bounds the work of scalar functions.
//
// DuckDB checks its interrupt flag between the chunks of a query, and a function computes up to
// 2,048 rows of a chunk in one call. Every scalar function of the catalog is wrapped here:
//
//   - The flag is checked before each call, also when constants and lambda functions are evaluated.
//   - If the arguments of a chunk are so large that one call could take seconds, the function is
//     called row by row. An example is a constant of 100 MB that is searched for each of 2,048
//     rows.
//   - Functions whose work for one row grows faster than its arguments refuse rows that would take
//     longer than a second.
//
// Functions that DuckDB replaces when it binds them (decimal arithmetic, length, rounding) are not
// wrapped: they take constant time per row.
#include "limit_functions.hpp"

#include <cstring>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/main/client_context.hpp"

namespace scoter {

void CheckInterrupt(ExpressionState &state) {
	CheckStatement();
	if (state.HasContext() && state.GetContext().interrupted.load(std::memory_order_relaxed))
		throw InterruptException();
}

void RowByRow(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	DataChunk row;
	row.InitializeEmpty(args.GetTypes());
	SelectionVector selection(1);
	for (idx_t i = 0; i < args.size(); i++) {
		CheckInterrupt(state);
		selection.set_index(0, i);
		row.Slice(args, selection, 1);
		row.SetCardinality(1);
		Vector value(result.GetType(), idx_t(1));
		function(row, state, value);
		VectorOperations::Copy(value, result, 1, 0, i);
	}
}

namespace {

// Limit in bytes for the arguments of one call. Up to this limit a call for a whole chunk is fast
// enough.
constexpr idx_t chunk_bytes = 64 << 20;

// The number of bytes that each element of a list counts as.
constexpr idx_t element_bytes = 16;

bool IsText(const LogicalType &type) { return type.InternalType() == PhysicalType::VARCHAR; }
bool IsList(const LogicalType &type) { return type.InternalType() == PhysicalType::LIST; }

// The maximum size of one text in bytes. Functions that cannot be interrupted within a row take a
// second or two for 64 MiB on busy processors. Quick functions (see is_quick) run at the speed of
// memory, so their limit is higher.
constexpr idx_t most_bytes = 64 << 20, most_bytes_quickly = 256 << 20;

idx_t BytesOf(string_t text, idx_t most) {
	if (text.GetSize() > most)
		TooMuchWork(StringUtil::Format(
			"a function is called for a text of %llu bytes: at most %llu", text.GetSize(), most));
	return text.GetSize();
}

idx_t BytesOf(list_entry_t list, idx_t) { return list.length * element_bytes; }

template <class T> idx_t BytesOf(Vector &values, idx_t count, idx_t most) {
	UnifiedVectorFormat format;
	values.ToUnifiedFormat(count, format);
	auto data = UnifiedVectorFormat::GetData<T>(format);
	if (values.GetVectorType() == VectorType::CONSTANT_VECTOR)
		return format.validity.RowIsValid(0) ? BytesOf(data[0], most) * count : 0;
	idx_t bytes = 0;
	for (idx_t row = 0; row < count; row++) {
		auto i = format.sel->get_index(row);
		if (format.validity.RowIsValid(i)) bytes += BytesOf(data[i], most);
	}
	return bytes;
}

// Returns the number of bytes that the values of a vector refer to. If several rows refer to the
// same bytes, they count several times. most is the maximum for one text.
idx_t Bytes(Vector &values, idx_t count, idx_t most) {
	if (IsText(values.GetType())) return BytesOf<string_t>(values, count, most);
	return IsList(values.GetType()) ? BytesOf<list_entry_t>(values, count, most) : 0;
}

bool IsConstant(DataChunk &args) {
	for (auto &column : args.data) {
		if (column.GetVectorType() != VectorType::CONSTANT_VECTOR) return false;
	}
	return true;
}

void WithinBytes(idx_t most, const scalar_function_t &function, DataChunk &args,
	ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	idx_t bytes = 0;
	for (auto &column : args.data) bytes += Bytes(column, args.size(), most);
	if (bytes > chunk_bytes && args.size() > 1 && !IsConstant(args))
		return RowByRow(function, args, state, result);
	function(args, state, result);
}

} // namespace

void Linear(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	WithinBytes(most_bytes, function, args, state, result);
}

namespace {

void Quick(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	WithinBytes(most_bytes_quickly, function, args, state, result);
}

// The maximum number of comparisons for one row and for one call. An edit distance compares each
// byte of one text with each byte of another. So many comparisons for one row take a second or
// less.
constexpr idx_t row_comparisons = 100 << 20, chunk_comparisons = 16 << 20;

void EditDistance(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	UnifiedVectorFormat a, b;
	args.data[0].ToUnifiedFormat(args.size(), a);
	args.data[1].ToUnifiedFormat(args.size(), b);
	idx_t all = 0;
	for (idx_t row = 0; row < args.size(); row++) {
		auto i = a.sel->get_index(row), k = b.sel->get_index(row);
		if (!a.validity.RowIsValid(i) || !b.validity.RowIsValid(k)) continue;
		idx_t n = UnifiedVectorFormat::GetData<string_t>(a)[i].GetSize(),
			  m = UnifiedVectorFormat::GetData<string_t>(b)[k].GetSize();
		if (n > 0 && m > row_comparisons / n) {
			TooMuchWork(StringUtil::Format("the distance between texts of %llu and %llu bytes "
										   "takes more than %llu comparisons",
				n, m, row_comparisons));
		}
		all += n * m;
	}
	if (all > chunk_comparisons && args.size() > 1 && !IsConstant(args))
		return RowByRow(function, args, state, result);
	function(args, state, result);
}

// The maximum number of elements of a list that a function sorts or hashes. So many elements take
// some seconds.
constexpr idx_t row_elements = 1 << 20;

void OrderedList(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	idx_t all = 0;
	for (auto &column : args.data) {
		if (!IsList(column.GetType())) continue;
		UnifiedVectorFormat lists;
		column.ToUnifiedFormat(args.size(), lists);
		for (idx_t row = 0; row < args.size(); row++) {
			auto i = lists.sel->get_index(row);
			if (!lists.validity.RowIsValid(i)) continue;
			idx_t n = UnifiedVectorFormat::GetData<list_entry_t>(lists)[i].length;
			if (n > row_elements) {
				TooMuchWork(
					StringUtil::Format("a list of %llu elements is sorted, compared or made "
									   "distinct by a function: at most %llu, or use unnest",
						n, row_elements));
			}
			all += n;
		}
	}
	if (all > row_elements && args.size() > 1 && !IsConstant(args))
		return RowByRow(function, args, state, result);
	function(args, state, result);
}

// The maximum number of digits of a width or precision in a format. A larger width or precision is
// refused, because the C library makes such a number without interruption, and in memory that is
// not counted.
constexpr idx_t most_width_digits = 6;
constexpr int64_t most_width = 1000000;

// Sets too_wide if a width in a format has too many digits, and dynamic if the format takes widths
// from arguments.
void ReadFormat(string_t format, bool &too_wide, bool &dynamic) {
	char within = 0; // the character that begins the current directive, or 0
	idx_t digits = 0;
	auto text = format.GetData();
	for (idx_t i = 0; i < format.GetSize(); i++) {
		char c = text[i];
		digits = c >= '0' && c <= '9' ? digits + 1 : 0;
		if (within && digits > most_width_digits) too_wide = true;
		if ((within == '{' && c == '{') || (within == '%' && c == '*')) dynamic = true;
		if (c == '%' || c == '{') within = c;
		if (c == '}' || (within == '%' && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))))
			within = 0;
	}
}

template <class T> bool AnyAbove(UnifiedVectorFormat &values, idx_t count, T most) {
	for (idx_t row = 0; row < count; row++) {
		auto i = values.sel->get_index(row);
		if (values.validity.RowIsValid(i) && UnifiedVectorFormat::GetData<T>(values)[i] > most)
			return true;
	}
	return false;
}

bool AnyWide(Vector &vector, idx_t count) {
	UnifiedVectorFormat values;
	vector.ToUnifiedFormat(count, values);
	switch (vector.GetType().InternalType()) {
	case PhysicalType::INT32:
		return AnyAbove<int32_t>(values, count, most_width);
	case PhysicalType::UINT32:
		return AnyAbove<uint32_t>(values, count, most_width);
	case PhysicalType::INT64:
		return AnyAbove<int64_t>(values, count, most_width);
	case PhysicalType::UINT64:
		return AnyAbove<uint64_t>(values, count, most_width);
	default:
		return false;
	}
}

void Formatted(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	UnifiedVectorFormat formats;
	args.data[0].ToUnifiedFormat(args.size(), formats);
	idx_t rows = args.data[0].GetVectorType() == VectorType::CONSTANT_VECTOR ? 1 : args.size();
	bool too_wide = false, dynamic = false;
	for (idx_t row = 0; row < rows; row++) {
		auto i = formats.sel->get_index(row);
		if (formats.validity.RowIsValid(i))
			ReadFormat(UnifiedVectorFormat::GetData<string_t>(formats)[i], too_wide, dynamic);
	}
	for (idx_t i = 1; dynamic && i < args.ColumnCount(); i++)
		too_wide = too_wide || AnyWide(args.data[i], args.size());
	if (too_wide)
		TooMuchWork(
			StringUtil::Format("a width or precision of a format is more than %lld", most_width));
	function(args, state, result);
}

// Refuses ranges of timestamps that are too long to become a list. Without this, DuckDB counts the
// elements of such a list one by one before it makes the list.
void TimestampRange(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	constexpr double most = 100e6, month_days = 28, day_micros = 23 * 3600e6;
	UnifiedVectorFormat first, last, step;
	args.data[0].ToUnifiedFormat(args.size(), first);
	args.data[1].ToUnifiedFormat(args.size(), last);
	args.data[2].ToUnifiedFormat(args.size(), step);
	for (idx_t row = 0; row < args.size(); row++) {
		auto i = first.sel->get_index(row), k = last.sel->get_index(row),
			 s = step.sel->get_index(row);
		if (!first.validity.RowIsValid(i) || !last.validity.RowIsValid(k) ||
			!step.validity.RowIsValid(s))
			continue;
		double span = double(UnifiedVectorFormat::GetData<timestamp_t>(last)[k].value) -
			double(UnifiedVectorFormat::GetData<timestamp_t>(first)[i].value);
		auto interval = UnifiedVectorFormat::GetData<interval_t>(step)[s];
		double micros = (double(interval.months) * month_days + interval.days) * day_micros +
			double(interval.micros);
		if (micros != 0 && span / micros > most) {
			TooMuchWork(StringUtil::Format("a list of timestamps has more than %.0f elements: use "
										   "the table function of the same name",
				most));
		}
	}
	function(args, state, result);
}

// The maximum size of a padded text or bit string. Padding to more takes seconds, and cannot be
// interrupted.
constexpr int32_t most_padded = 256 << 20;

void Padded(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	UnifiedVectorFormat lengths;
	args.data[1].ToUnifiedFormat(args.size(), lengths);
	if (AnyAbove<int32_t>(lengths, args.size(), most_padded))
		TooMuchWork(StringUtil::Format(
			"a value is filled up to more than %d characters or bits", most_padded));
	Quick(function, args, state, result);
}

bound_t BoundOf(const string &name, ScalarFunction &function) {
	auto is = [&](std::initializer_list<const char *> names) {
		for (auto n : names) {
			if (name == n) return true;
		}
		return false;
	};
	auto &arguments = function.arguments;
	if (is({"levenshtein", "editdist3", "damerau_levenshtein", "jaro_similarity",
			"jaro_winkler_similarity"}))
		return EditDistance;
	if (is({"range", "generate_series"}) && arguments.size() == 3 &&
		arguments[0].InternalType() == PhysicalType::INT64 &&
		arguments[2].id() == LogicalTypeId::INTERVAL)
		return TimestampRange;
	if (is({"format", "printf"})) return Formatted;
	if (is({"lpad", "rpad", "bitstring"}) && arguments.size() > 1 &&
		arguments[1].InternalType() == PhysicalType::INT32)
		return Padded;
	if (is({"list_sort", "array_sort", "list_reverse_sort", "array_reverse_sort", "list_grade_up",
			"array_grade_up", "grade_up", "list_distinct", "array_distinct", "list_unique",
			"array_unique", "list_intersect", "array_intersect", "list_has_any", "array_has_any",
			"list_has_all", "array_has_all", "&&", "@>", "<@"}))
		return OrderedList;
	if (auto json = BoundOfJSON(name, function)) return json;
	if (auto like = BoundOfLike(name)) return like;
	bool is_quick = is({"length", "len", "strlen", "octet_length", "bit_length", "||", "concat",
		"concat_ws", "repeat", "left", "right", "substring", "substr", "array_slice", "list_slice",
		"contains", "starts_with", "prefix", "^@", "ends_with", "suffix", "encode", "bit_count",
		"list_value", "struct_pack", "row"});
	return is_quick ? Quick : Linear;
}

} // namespace

void BoundFunctions(ClientContext &context) {
	auto bound = [](CatalogEntry &entry) {
		for (auto &function : entry.Cast<ScalarFunctionCatalogEntry>().functions.functions) {
			if (!function.HasFunctionCallback()) continue;
			auto original = function.GetFunctionCallback();
			auto by = BoundOf(entry.name, function);
			function.SetFunctionCallback(
				[original, by](DataChunk &args, ExpressionState &state, Vector &result) {
					by(original, args, state, result);
				});
		}
	};
	auto &catalog = Catalog::GetSystemCatalog(context);
	catalog.GetSchema(context, DEFAULT_SCHEMA)
		.Scan(context, CatalogType::SCALAR_FUNCTION_ENTRY, [&](CatalogEntry &entry) {
			if (entry.type == CatalogType::SCALAR_FUNCTION_ENTRY) bound(entry);
		});
}

} // namespace scoter
