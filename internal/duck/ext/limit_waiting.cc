// Interrupts threads that wait for other threads of the same query.
//
// Several threads build the tree of a window, level by level. If one of them fails, the level is
// never complete, and in DuckDB 1.5.6 the other threads wait forever: they sleep, and check no
// flag. A failure sets the query's interrupt flag. The linker redirects the call that sleeps to the
// function in this file (the flag of the linker is in ext.go), which checks the interrupt flag.
#include "limit_account.hpp"

#include <ctime>

#include "duckdb/common/exception.hpp"

#ifdef __linux__

extern "C" int __real_nanosleep(const timespec *time, timespec *left);
extern "C" int __wrap_nanosleep(const timespec *time, timespec *left) {
	auto interrupted = scoter::thread.interrupted;
	if (interrupted && interrupted->load(std::memory_order_relaxed))
		throw duckdb::InterruptException();
	return __real_nanosleep(time, left);
}

#endif
