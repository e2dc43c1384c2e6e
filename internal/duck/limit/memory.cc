// Counts what DuckDB allocates.
//
// DuckDB's memory limit covers its buffer manager. Values of vectors, syntax trees, plans and states of functions are
// allocated past it: by DuckDB's default allocator, which is jemalloc on Linux, and by operator new. The linker redirects
// the calls of the first to the functions here (the flags are in limit.go), and C++ lets a program replace the second.
//
// An allocation of batch_bytes or more fails once the limit is reached, as it does when the system has no memory: DuckDB
// reports that as an error of the statement. Smaller ones never fail, since C++ allocates them in places that cannot throw.
// Whoever waits in scoter_memory_wait ends a statement then.
//
// An allocation of stopped_bytes or more fails as well while the thread's statement is to end:
// functions that look at no flag and make a large value, or a long list, end with that. And if a
// thread has made a million of small ones since then, it is in a loop that nothing else ends, such
// as that of an aggregate which copies maps: one of them fails.
#include "account.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>

#include "duckdb/common/exception.hpp"

#ifdef __linux__
#include <malloc.h>
#endif

namespace scoter {

__thread Thread thread;

namespace {

std::atomic<int64_t> in_use{0}, limit{0};
std::atomic<bool> waits{false}; // somebody waits for the limit to be exceeded

struct Waiting {
	std::mutex mutex;
	std::condition_variable exceeded;
};

// Is never destroyed: threads may allocate until the process ends.
Waiting &waiting() {
	static Waiting *waiting = new Waiting();
	return *waiting;
}

void Flush() {
	int64_t bytes = thread.counted;
	thread.counted = 0;
	int64_t total = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
	if (thread.account) thread.account->bytes.fetch_add(bytes, std::memory_order_relaxed);
	int64_t most = limit.load(std::memory_order_relaxed);
	if (bytes > 0 && most > 0 && total > most && waits.exchange(false)) {
		// Without the lock: the waiting thread looks again by itself after a while.
		waiting().exceeded.notify_one();
	}
}

inline void Count(int64_t bytes) {
	thread.counted += bytes;
	if (thread.counted >= batch_bytes || thread.counted <= -batch_bytes) Flush();
}

} // namespace

// A statement that holds less than this is not refused its memory because of what others hold: there is a reserve for it.
static constexpr int64_t small_statement = 8 << 20, reserve = 32 << 20;

// More than DuckDB allocates to write a block of another statement to disk: that must not fail
// because this one is to end.
static constexpr int64_t stopped_bytes = 1 << 20;

// Whether an allocation of this size must fail.
static inline bool Refused(size_t size) {
	if (size < size_t(batch_bytes)) return false;
	if (size >= size_t(stopped_bytes) && thread.account &&
		thread.account->stopped.load(std::memory_order_relaxed))
		return true;
	int64_t most = limit.load(std::memory_order_relaxed);
	if (most == 0) return false;
	if (int64_t(size) < 0) return true;
	if (thread.account &&
		thread.account->bytes.load(std::memory_order_relaxed) + int64_t(size) < small_statement)
		most += reserve;
	return in_use.load(std::memory_order_relaxed) > most - int64_t(size);
}

// Small allocations between two looks at whether the statement is to end, and how many such looks
// go by before one fails.
static constexpr uint32_t allocations_unseen = 4096;
static constexpr int32_t most_overdue = 256;

// Whether a small allocation must fail. The next ones succeed, so that DuckDB can handle the
// exception.
static inline bool Overdue() {
	if (++thread.allocations % allocations_unseen != 0) return false;
	if (!thread.account || !thread.account->stopped.load(std::memory_order_relaxed)) {
		thread.overdue = 0;
		return false;
	}
	if (++thread.overdue < most_overdue) return false;
	thread.overdue = 0;
	return true;
}

static bool OverLimit() {
	int64_t most = limit.load(std::memory_order_relaxed);
	return most > 0 && in_use.load(std::memory_order_relaxed) > most;
}

void TooMuchWork(const std::string &message) {
	throw duckdb::InvalidInputException(
		std::unordered_map<std::string, std::string>{{"scoter_kind", "too_large"}}, message);
}

void CheckStatement() {
	if (!thread.account) return;
	if (thread.account->stopped.load(std::memory_order_relaxed)) throw duckdb::InterruptException();
	if (OverLimit() && thread.account->bytes.load(std::memory_order_relaxed) > small_statement) {
		throw duckdb::OutOfMemoryException(
			"the statement takes more memory than there is for queries");
	}
}

} // namespace scoter

using namespace scoter;

extern "C" {

scoter_account *scoter_account_new(void) { return new scoter_account(); }

void scoter_account_free(scoter_account *account) { delete account; }

int64_t scoter_account_bytes(const scoter_account *account) {
	return account->bytes.load(std::memory_order_relaxed);
}

void scoter_account_settle(scoter_account *account, int64_t bytes) {
	account->bytes.store(bytes, std::memory_order_relaxed);
}

scoter_account *scoter_account_enter(scoter_account *account) {
	Flush();
	auto before = scoter::thread.account;
	scoter::thread.account = account;
	return before;
}

void scoter_account_leave(scoter_account *before) {
	Flush();
	scoter::thread.account = before;
}

void scoter_account_stop(scoter_account *account, bool stop) {
	account->stopped.store(stop, std::memory_order_relaxed);
}

int64_t scoter_memory_in_use(void) { return in_use.load(std::memory_order_relaxed); }

void scoter_memory_limit(int64_t bytes) { limit.store(bytes, std::memory_order_relaxed); }

bool scoter_memory_take(int64_t bytes) {
	if (Refused(bytes)) return false;
	in_use.fetch_add(bytes, std::memory_order_relaxed);
	return true;
}

void scoter_memory_give(int64_t bytes) { in_use.fetch_sub(bytes, std::memory_order_relaxed); }

bool scoter_memory_scarce(void) {
	int64_t most = limit.load(std::memory_order_relaxed);
	return most > 0 && in_use.load(std::memory_order_relaxed) > most / 4;
}

void scoter_memory_wait(void) {
	std::unique_lock<std::mutex> lock(waiting().mutex);
	while (!OverLimit()) {
		waits.store(true);
		waiting().exceeded.wait_for(lock, std::chrono::seconds(1));
	}
	waits.store(false);
}

#ifdef __linux__

void *__real_duckdb_je_malloc(size_t size);
void *__real_duckdb_je_realloc(void *p, size_t size);
void __real_duckdb_je_free(void *p);
size_t duckdb_je_malloc_usable_size(const void *p);

void *__wrap_duckdb_je_malloc(size_t size) {
	if (Refused(size)) return nullptr;
	void *p = __real_duckdb_je_malloc(size);
	if (p) Count(duckdb_je_malloc_usable_size(p));
	return p;
}

void *__wrap_duckdb_je_realloc(void *p, size_t size) {
	int64_t before = p ? duckdb_je_malloc_usable_size(p) : 0;
	if (int64_t(size) > before && Refused(size - before)) return nullptr;
	void *moved = __real_duckdb_je_realloc(p, size);
	if (moved) Count(int64_t(duckdb_je_malloc_usable_size(moved)) - before);
	return moved;
}

void __wrap_duckdb_je_free(void *p) {
	if (!p) return;
	Count(-int64_t(duckdb_je_malloc_usable_size(p)));
	__real_duckdb_je_free(p);
}

#endif

} // extern "C"

#ifdef __linux__

static inline void *New(size_t size) {
	if (Refused(size) || Overdue()) return nullptr;
	void *p = malloc(size ? size : 1);
	if (p) Count(malloc_usable_size(p));
	return p;
}

static inline void Delete(void *p) {
	if (!p) return;
	Count(-int64_t(malloc_usable_size(p)));
	free(p);
}

void *operator new(size_t size) {
	if (void *p = New(size)) return p;
	throw std::bad_alloc();
}

void *operator new[](size_t size) { return operator new(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return New(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return New(size); }
void operator delete(void *p) noexcept { Delete(p); }
void operator delete[](void *p) noexcept { Delete(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { Delete(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { Delete(p); }
void operator delete(void *p, size_t) noexcept { Delete(p); }
void operator delete[](void *p, size_t) noexcept { Delete(p); }

#endif
