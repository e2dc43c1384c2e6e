// The accounts of statements, and the counters of threads.
#ifndef SCOTER_LIMIT_ACCOUNT_H
#define SCOTER_LIMIT_ACCOUNT_H

#include <atomic>
#include <cstdint>
#include <string>

#include "ext.h"

struct scoter_account {
	std::atomic<int64_t> bytes{0};
	std::atomic<bool> stopped{false};
};

namespace scoter {

// When a thread has counted this many bytes, it adds them to the totals. Large allocations are
// added at once. Updating a shared counter for each small allocation would cost more than the
// allocation.
constexpr int64_t batch_bytes = 64 << 10;

// The counters of a thread.
struct Thread {
	// The account of the statement for which the thread works; nullptr if it is not known.
	scoter_account *account;
	// Bytes that are not added to the totals yet.
	int64_t counted;
	// How many tasks of DuckDB the thread is running. It may run a task inside of another one.
	int tasks;
	// The account of the thread before its first task began.
	scoter_account *before;
	// The number of small allocations, modulo 2^32.
	uint32_t allocations;
	// How many times in a row a check at a small allocation found that the statement is to end.
	int32_t overdue;
	// The flag that says whether the query of the thread's task was interrupted; nullptr outside of
	// tasks.
	const std::atomic<bool> *interrupted;
};

extern __thread Thread thread;

// Throws an error whose kind is too_large, because a statement would take too much work.
[[noreturn]] void TooMuchWork(const std::string &message);

// Throws if the statement of this thread is to end. It may only be called where DuckDB handles
// exceptions.
void CheckStatement();

} // namespace scoter

#endif
