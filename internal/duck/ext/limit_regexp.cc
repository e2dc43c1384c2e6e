// Adds points at which a regular expression can be interrupted.
//
// A function that replaces, splits at or lists all matches in a text searches once for each match,
// and each search may read the rest of the text. The linker redirects the calls of the engines of
// RE2, the library for regular expressions (the flags are in limit.go). Two of the three engines
// take time that the length of the text bounds. The third engine follows each state of the
// expression at each byte of the text, so its steps are limited.
#include "limit_account.hpp"

#include "duckdb/common/string_util.hpp"
#include "re2/prog.h"

#ifdef __linux__

namespace {

using duckdb_re2::Prog;
using duckdb_re2::StringPiece;

// The maximum number of steps of a search. So many steps take some seconds.
constexpr uint64_t most_steps = 1 << 30;

} // namespace

#define REDIRECT(name, symbol)                                                                     \
	bool Real##name(Prog *, const StringPiece &, const StringPiece &, Prog::Anchor,                \
		Prog::MatchKind, StringPiece *, int) asm("__real_" symbol);                                \
	bool name(Prog *, const StringPiece &, const StringPiece &, Prog::Anchor, Prog::MatchKind,     \
		StringPiece *, int) asm("__wrap_" symbol);
REDIRECT(SearchOnePass,
	"_ZN10duckdb_re24Prog13SearchOnePassERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i")
REDIRECT(SearchNFA,
	"_ZN10duckdb_re24Prog9SearchNFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i")

bool RealSearchDFA(Prog *, const StringPiece &, const StringPiece &, Prog::Anchor, Prog::MatchKind,
	StringPiece *, bool *,
	void *) asm("__real__ZN10duckdb_re24Prog9SearchDFAERKNS_11StringPieceES3_NS0_6AnchorENS0_"
				"9MatchKindEPS1_PbPNS_10SparseSetTIvEE");
bool SearchDFA(Prog *, const StringPiece &, const StringPiece &, Prog::Anchor, Prog::MatchKind,
	StringPiece *, bool *,
	void *) asm("__wrap__ZN10duckdb_re24Prog9SearchDFAERKNS_11StringPieceES3_NS0_6AnchorENS0_"
				"9MatchKindEPS1_PbPNS_10SparseSetTIvEE");

bool SearchDFA(Prog *self, const StringPiece &text, const StringPiece &context, Prog::Anchor anchor,
	Prog::MatchKind kind, StringPiece *match, bool *failed, void *matches) {
	scoter::CheckStatement();
	return RealSearchDFA(self, text, context, anchor, kind, match, failed, matches);
}

bool SearchOnePass(Prog *self, const StringPiece &text, const StringPiece &context,
	Prog::Anchor anchor, Prog::MatchKind kind, StringPiece *match, int matches) {
	scoter::CheckStatement();
	return RealSearchOnePass(self, text, context, anchor, kind, match, matches);
}

bool SearchNFA(Prog *self, const StringPiece &text, const StringPiece &context, Prog::Anchor anchor,
	Prog::MatchKind kind, StringPiece *match, int matches) {
	scoter::CheckStatement();
	if (uint64_t(self->size()) * text.size() > most_steps) {
		scoter::TooMuchWork(duckdb::StringUtil::Format(
			"a regular expression of %d states takes more than %llu steps for a text of %llu bytes",
			self->size(), most_steps, text.size()));
	}
	return RealSearchNFA(self, text, context, anchor, kind, match, matches);
}

#endif
