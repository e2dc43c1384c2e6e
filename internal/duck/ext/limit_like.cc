// Replaces LIKE and GLOB for patterns with several wildcards.
//
// For each % DuckDB tries the rest of the pattern at every position of the text, and again for each
// % in that rest: with k of them, a text of n bytes takes n^k steps. But the first position at
// which the part between two % matches is as good as any later position. So it suffices to go back
// to the last %, which takes at most n times the length of the pattern.
#include "limit_functions.hpp"

#include "duckdb/common/vector_operations/binary_executor.hpp"
#include "duckdb/common/vector_operations/ternary_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

namespace duckdb {
// Declared in function/scalar/string_common.hpp, which is not included because it needs the headers
// of another library.
idx_t LowerLength(const char *text, idx_t length);
void LowerCase(const char *text, idx_t length, char *lower);
} // namespace duckdb

namespace scoter {
namespace {

constexpr idx_t none = idx_t(-1);

struct Matcher {
	ExpressionState &state;
	bool escapes; // whether an escape character is given
	char escape;

	bool Matches(const char *text, idx_t length, const char *pattern, idx_t size) const {
		// retry is the position in the pattern behind the last %. from is the position in the text
		// at which the rest of the pattern was tried last.
		idx_t at = 0, p = 0, retry = none, from = 0, steps = 0;
		while (at < length) {
			if ((++steps & 0xFFFFF) == 0) CheckInterrupt(state);
			if (p < size && escapes && pattern[p] == escape) {
				if (p + 1 == size)
					throw SyntaxException("Like pattern must not end with escape character!");
				if (pattern[p + 1] == text[at]) {
					p += 2, at++;
					continue;
				}
			} else if (p < size && pattern[p] == '_') {
				for (p++, at++; at < length && (text[at] & 0xC0) == 0x80;)
					at++; // the remaining bytes of a character
				continue;
			} else if (p < size && pattern[p] == '%') {
				while (p < size && pattern[p] == '%') p++;
				if (p == size) return true;
				retry = p, from = at;
				continue;
			} else if (p < size && pattern[p] == text[at]) {
				p++, at++;
				continue;
			}
			if (retry == none) return false;
			p = retry, at = ++from;
		}
		while (p < size && pattern[p] == '%') p++;
		return p == size;
	}

	bool operator()(string_t text, string_t pattern) const {
		return Matches(text.GetData(), text.GetSize(), pattern.GetData(), pattern.GetSize());
	}
};

// Returns how many times a wildcard occurs in a pattern. Several in a row count once.
idx_t Wildcards(string_t pattern, char wildcard) {
	idx_t n = 0;
	auto data = pattern.GetData();
	for (idx_t i = 0; i < pattern.GetSize(); i++)
		n += data[i] == wildcard && (i == 0 || data[i - 1] != wildcard);
	return n;
}

template <class F> void EachPattern(Vector &patterns, idx_t count, F f) {
	UnifiedVectorFormat format;
	patterns.ToUnifiedFormat(count, format);
	idx_t rows = patterns.GetVectorType() == VectorType::CONSTANT_VECTOR ? 1 : count;
	for (idx_t row = 0; row < rows; row++) {
		auto i = format.sel->get_index(row);
		if (format.validity.RowIsValid(i))
			f(row, UnifiedVectorFormat::GetData<string_t>(format)[i]);
	}
}

bool AnyOfSeveral(Vector &patterns, idx_t count) {
	bool several = false;
	EachPattern(patterns, count,
		[&](idx_t, string_t pattern) { several = several || Wildcards(pattern, '%') > 1; });
	return several;
}

template <bool NOT>
void Like(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	// DuckDB's own function is fast enough if the pattern is a constant without _, which sets
	// bind_info: it searches the parts of the pattern one after the other.
	if (state.expr.Cast<BoundFunctionExpression>().bind_info ||
		!AnyOfSeveral(args.data[1], args.size()))
		return function(args, state, result);
	Matcher matcher{state, false, '\0'};
	BinaryExecutor::Execute<string_t, string_t, bool>(args.data[0], args.data[1], result,
		args.size(),
		[&](string_t text, string_t pattern) { return NOT != matcher(text, pattern); });
}

char EscapeOf(string_t escape) {
	if (escape.GetSize() > 1)
		throw SyntaxException(
			"Invalid escape string. Escape string must be empty or one character.");
	return escape.GetSize() == 0 ? '\0' : *escape.GetData();
}

template <bool NOT>
void LikeEscape(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	if (!AnyOfSeveral(args.data[1], args.size())) return function(args, state, result);
	TernaryExecutor::Execute<string_t, string_t, string_t, bool>(args.data[0], args.data[1],
		args.data[2], result, args.size(), [&](string_t text, string_t pattern, string_t escape) {
			return NOT != Matcher{state, true, EscapeOf(escape)}(text, pattern);
		});
}

string Lower(string_t text) {
	string lower(LowerLength(text.GetData(), text.GetSize()), '\0');
	LowerCase(text.GetData(), text.GetSize(), &lower[0]);
	return lower;
}

bool MatchesLower(const Matcher &matcher, string_t text, string_t pattern) {
	auto t = Lower(text), p = Lower(pattern);
	return matcher.Matches(t.data(), t.size(), p.data(), p.size());
}

// Computes ILIKE. As in DuckDB, a zero byte in the pattern is an escape character if no other one
// is given.
template <bool NOT>
void ILike(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	if (!AnyOfSeveral(args.data[1], args.size())) return function(args, state, result);
	Matcher matcher{state, true, '\0'};
	BinaryExecutor::Execute<string_t, string_t, bool>(
		args.data[0], args.data[1], result, args.size(), [&](string_t text, string_t pattern) {
			return NOT != MatchesLower(matcher, text, pattern);
		});
}

template <bool NOT>
void ILikeEscape(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	if (!AnyOfSeveral(args.data[1], args.size())) return function(args, state, result);
	TernaryExecutor::Execute<string_t, string_t, string_t, bool>(args.data[0], args.data[1],
		args.data[2], result, args.size(), [&](string_t text, string_t pattern, string_t escape) {
			return NOT != MatchesLower(Matcher{state, true, EscapeOf(escape)}, text, pattern);
		});
}

// The maximum number of steps of a GLOB. DuckDB computes GLOB itself, because GLOB may have
// brackets. Patterns that might take more steps are refused.
constexpr double row_steps = 500e6;

void Glob(
	const scalar_function_t &function, DataChunk &args, ExpressionState &state, Vector &result) {
	CheckInterrupt(state);
	UnifiedVectorFormat texts;
	args.data[0].ToUnifiedFormat(args.size(), texts);
	bool constant = args.data[1].GetVectorType() == VectorType::CONSTANT_VECTOR;
	EachPattern(args.data[1], args.size(), [&](idx_t row, string_t pattern) {
		auto wildcards = Wildcards(pattern, '*');
		if (wildcards > 0 && pattern.GetData()[pattern.GetSize() - 1] == '*')
			wildcards--; // a * at the end matches anything, without a search
		if (wildcards < 2) return;
		for (idx_t r = constant ? 0 : row; r < (constant ? args.size() : row + 1); r++) {
			auto i = texts.sel->get_index(r);
			if (!texts.validity.RowIsValid(i)) continue;
			// The k-th * is tried at all positions behind the position of the previous one. So k of
			// them take n^k / k! steps.
			double n = UnifiedVectorFormat::GetData<string_t>(texts)[i].GetSize(), steps = 1;
			for (idx_t k = 1; double(k) <= MinValue<double>(wildcards, n) && steps <= row_steps;
				k++)
				steps *= n / k;
			if (steps > row_steps) {
				TooMuchWork(StringUtil::Format("GLOB with %llu * in a text of %.0f bytes may take "
											   "more than %.0f steps: use LIKE",
					wildcards, n, row_steps));
			}
		}
	});
	function(args, state, result);
}

} // namespace

bound_t BoundOfLike(const string &name) {
	if (name == "~~") return Like<false>;
	if (name == "!~~") return Like<true>;
	if (name == "like_escape") return LikeEscape<false>;
	if (name == "not_like_escape") return LikeEscape<true>;
	if (name == "~~*") return ILike<false>;
	if (name == "!~~*") return ILike<true>;
	if (name == "ilike_escape") return ILikeEscape<false>;
	if (name == "not_ilike_escape") return ILikeEscape<true>;
	if (name == "~~~") return Glob;
	return nullptr;
}

} // namespace scoter
