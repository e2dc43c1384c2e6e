// What statements may cost inside of DuckDB: the memory that its own limit does not count, and work that its interrupts
// do not reach.
#ifndef SCOTER_LIMIT_H
#define SCOTER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// The memory that the statements of one connection hold, and whether the running one is to end.
typedef struct scoter_account scoter_account;

scoter_account *scoter_account_new(void);
void scoter_account_free(scoter_account *account);
int64_t scoter_account_bytes(const scoter_account *account);
void scoter_account_settle(scoter_account *account, int64_t bytes);

// From enter to leave, what the calling thread allocates and frees belongs to the account, and planning ends with an
// error if the account was stopped or holds much of too much memory. Leave gets what enter returned: the account of before.
scoter_account *scoter_account_enter(scoter_account *account);
void scoter_account_leave(scoter_account *before);

// Has DuckDB's threads enter the account for the time of each task that they run for a connection.
// The account must live as long as the connection.
void scoter_account_follow(scoter_account *account, duckdb_connection connection);

// Ends, or no longer ends, the account's statement at the next point where DuckDB can take an exception.
void scoter_account_stop(scoter_account *account, bool stop);

// The bytes that C++ and DuckDB's allocator hold in this process; always 0 where they cannot be counted.
int64_t scoter_memory_in_use(void);
// The bytes from which on large allocations fail, and scoter_memory_wait returns; 0 for no limit.
void scoter_memory_limit(int64_t bytes);
// Counts bytes that were allocated in another way, until they are given back. Returns false, and counts nothing, if that
// would exceed the limit.
bool scoter_memory_take(int64_t bytes);
void scoter_memory_give(int64_t bytes);
// Whether so much is in use that large results matter.
bool scoter_memory_scarce(void);
// The bytes that were freed since the process began.
int64_t scoter_memory_freed(void);
// The bytes that were freed and are not given back to the system yet, and what gives them back.
int64_t scoter_memory_retained(void);
void scoter_memory_purge(void);
// Returns when the limit is exceeded; at once if it is. One thread at a time may wait.
void scoter_memory_wait(void);

// Bounds the work of the scalar functions of the connection's database, and frees the states of its
// windows after errors. Call it before there are queries. Returns what went wrong, to be freed, or
// NULL.
char *scoter_bound_functions(duckdb_connection connection);

// Frees what a prepared statement that ran holds beside its plan. Returns false if that takes destroying it.
bool scoter_forget_results(duckdb_prepared_statement statement);

#ifdef __cplusplus
}
#endif

#endif
