// Counts the memory that DuckDB allocates.
//
// DuckDB's memory limit covers only its buffer manager. Values of vectors, syntax trees, plans and
// states of functions are allocated by DuckDB's default allocator (jemalloc on Linux) and by
// operator new. The linker redirects the calls of jemalloc to the functions in this file (the flags
// are in limit.go). operator new is replaced here too, as C++ allows.
//
// operator new takes its memory from jemalloc too. The C library's allocator would retain hundreds
// of megabytes that one thread freed and another does not use, and it cannot tell how many. What
// jemalloc retains is known, and scoter_memory_purge returns it to the system.
//
// An allocation of batch_bytes or more fails once the limit is reached, as if the system had no
// memory. DuckDB reports that as an error of the statement. Smaller allocations never fail because
// of the limit, since C++ makes them in places that must not throw. Instead the thread that waits
// in scoter_memory_wait wakes up and ends a statement.
//
// While a statement is to end, an allocation of stopped_bytes or more on its threads fails as well.
// This ends functions that check no flag and make a large value or a long list. If a thread has
// made a million small allocations since then, one of them fails too: the thread is in a loop that
// nothing else ends, such as an aggregate that copies maps.
#include "limit_account.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
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
std::atomic<int64_t> freed{0}; // since the process began
std::atomic<bool> waits{false}; // a thread waits in scoter_memory_wait

struct Waiting {
	std::mutex mutex;
	std::condition_variable exceeded;
};

// The object is never destroyed, because threads may allocate until the process ends.
Waiting &waiting() {
	static Waiting *waiting = new Waiting();
	return *waiting;
}

void Flush() {
	int64_t bytes = thread.counted;
	thread.counted = 0;
	int64_t total = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
	if (thread.account) thread.account->bytes.fetch_add(bytes, std::memory_order_relaxed);
	if (bytes < 0) freed.fetch_sub(bytes, std::memory_order_relaxed);
	int64_t most = limit.load(std::memory_order_relaxed);
	if (bytes > 0 && most > 0 && total > most && waits.exchange(false)) {
		// The lock is not taken: if the waiting thread misses this, it checks again by itself after
		// a while.
		waiting().exceeded.notify_one();
	}
}

inline void Count(int64_t bytes) {
	thread.counted += bytes;
	if (thread.counted >= batch_bytes || thread.counted <= -batch_bytes) Flush();
}

} // namespace

// A statement that holds less than small_statement bytes may exceed the limit by reserve bytes, so
// that it does not fail because of the memory of other statements.
static constexpr int64_t small_statement = 8 << 20, reserve = 32 << 20;

// If a statement is to end, its allocations of this size or more fail. DuckDB allocates less than
// this to write a block of another statement to disk, because that must not fail.
static constexpr int64_t stopped_bytes = 1 << 20;

// Returns whether an allocation of this size must fail, because of the limit or because the
// statement is to end.
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

// allocations_unseen is the number of small allocations between two checks whether the statement is
// to end. After most_overdue such checks an allocation fails.
static constexpr uint32_t allocations_unseen = 4096;
static constexpr int32_t most_overdue = 256;

// Returns whether a small allocation must fail, because the statement is to end and does not. The
// next allocations succeed, so that DuckDB can handle the exception.
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

void scoter_account_set_bytes(scoter_account *account, int64_t bytes) {
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

bool scoter_memory_reserve(int64_t bytes) {
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

int64_t scoter_memory_freed(void) { return freed.load(std::memory_order_relaxed); }

#ifdef __linux__

void *__real_duckdb_je_malloc(size_t size);
void *__real_duckdb_je_realloc(void *p, size_t size);
void __real_duckdb_je_free(void *p);
size_t duckdb_je_malloc_usable_size(const void *p);
size_t duckdb_je_xallocx(void *p, size_t size, size_t extra, int flags);
int duckdb_je_mallctl(const char *name, void *old, size_t *old_size, void *value, size_t size);

static inline void *Allocate(size_t size) {
	void *p = __real_duckdb_je_malloc(size);
	if (p) Count(duckdb_je_malloc_usable_size(p));
	return p;
}

static inline void Free(void *p) {
	if (!p) return;
	Count(-int64_t(duckdb_je_malloc_usable_size(p)));
	__real_duckdb_je_free(p);
}

void *__wrap_duckdb_je_malloc(size_t size) { return Refused(size) ? nullptr : Allocate(size); }

void __wrap_duckdb_je_free(void *p) { Free(p); }

// Makes a large allocation larger. If it cannot grow in place, memory for both copies is needed.
static void *Enlarge(void *p, size_t before, size_t size) {
	if (duckdb_je_xallocx(p, size, 0, 0) >= size) {
		Count(int64_t(duckdb_je_malloc_usable_size(p)) - int64_t(before));
		return p;
	}
	if (Refused(size)) return nullptr;
	void *moved = Allocate(size);
	if (!moved) return nullptr;
	memcpy(moved, p, before);
	Free(p);
	return moved;
}

// The function Enlarge is used for allocations of this size or more.
static constexpr size_t large_bytes = 1 << 20;

void *__wrap_duckdb_je_realloc(void *p, size_t size) {
	size_t before = p ? duckdb_je_malloc_usable_size(p) : 0;
	if (size > before && Refused(size - before)) return nullptr;
	if (size > before && before >= large_bytes) return Enlarge(p, before, size);
	void *moved = __real_duckdb_je_realloc(p, size);
	if (moved) Count(int64_t(duckdb_je_malloc_usable_size(moved)) - int64_t(before));
	return moved;
}

static size_t Statistic(const char *name) {
	size_t value = 0, size = sizeof(value);
	return duckdb_je_mallctl(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

int64_t scoter_memory_retained(void) {
	uint64_t epoch = 1; // any value refreshes the statistics
	size_t size = sizeof(epoch);
	duckdb_je_mallctl("epoch", &epoch, &size, &epoch, size);
	size_t held = Statistic("stats.resident"),
		   used = Statistic("stats.active") + Statistic("stats.metadata");
	return held > used ? int64_t(held - used) : 0;
}

void scoter_memory_purge(void) {
	duckdb_je_mallctl(
		"arena.4096.purge", nullptr, nullptr, nullptr, 0); // 4096 stands for all arenas
	malloc_trim(0);
}

#else

int64_t scoter_memory_retained(void) { return 0; }
void scoter_memory_purge(void) {}

#endif

} // extern "C"

#ifdef __linux__

static inline void *New(size_t size) {
	if (Refused(size) || Overdue()) return nullptr;
	return Allocate(size ? size : 1);
}

void *operator new(size_t size) {
	if (void *p = New(size)) return p;
	throw std::bad_alloc();
}

void *operator new[](size_t size) { return operator new(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return New(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return New(size); }
void operator delete(void *p) noexcept { Free(p); }
void operator delete[](void *p) noexcept { Free(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { Free(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { Free(p); }
void operator delete(void *p, size_t) noexcept { Free(p); }
void operator delete[](void *p, size_t) noexcept { Free(p); }

#endif
