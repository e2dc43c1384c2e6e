// The rows of a file that the part scan leaves out: which the reader skips (SkipRows), or which are
// removed from what it has read (RemoveRows).
#include "scan_marks.h"
#include "scan_parts.hpp"

#include <algorithm>
#include <cstring>

namespace {

using namespace duckdb;

// Threads share it.
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

} // namespace

void scoter::RemoveRows(const scoter_file &file, const Progress &progress, DataChunk &chunk) {
	auto read = progress.read, met = chunk.size();
	if (met > read) throw InternalException("%d rows of a vector of %d", met, read);
	Marks own;
	auto hidden = Hidden(file, row_t(progress.first), read, own);
	if (!hidden) return;
	if (met == read) return TakeOut(hidden, chunk);
	Marks taken{};
	scoter_pick(hidden, progress.selection, int64_t(met), taken.words);
	TakeOut(taken.words, chunk);
}

duckdb::unique_ptr<duckdb::DeleteFilter> scoter::SkipRows(const scoter_file &file, bool only) {
	return make_uniq<HiddenRows>(file, only);
}
