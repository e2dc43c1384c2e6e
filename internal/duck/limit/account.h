// The counters of package limit, for its C++ files.
#ifndef SCOTER_LIMIT_ACCOUNT_H
#define SCOTER_LIMIT_ACCOUNT_H

#include <atomic>
#include <cstdint>
#include <string>

#include "limit.h"

struct scoter_account {
	std::atomic<int64_t> bytes{0};
	std::atomic<bool> stopped{false};
};

namespace scoter {

// What a thread counts. Totals are updated when a thread has counted this many bytes, or at once for large allocations:
// a shared counter for each small one would cost more than the allocation.
constexpr int64_t batch_bytes = 64 << 10;

struct Thread {
	scoter_account
		*account; // of the statement that the thread runs for; nullptr if it is not known
	int64_t counted;         // and not added to the totals
	int tasks;               // of DuckDB's that the thread runs, one within the other
	scoter_account *before;  // the account outside of them
	uint32_t allocations;    // small ones, modulo 2^32
	int32_t overdue;         // how often many allocations found that the statement is to end
	// Whether the query whose task the thread runs was interrupted; nullptr outside of tasks.
	const std::atomic<bool> *interrupted;
};

extern __thread Thread thread;

// Throws an error of kind too_large.
[[noreturn]] void TooMuchWork(const std::string &message);

// Throws if the statement of this thread is to end. Its callers must be where DuckDB handles exceptions.
void CheckStatement();

} // namespace scoter

#endif
