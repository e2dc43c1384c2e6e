// Limits on the cost of statements inside of DuckDB. They are limits on memory that DuckDB's own
// limit does not count, and on work that its interrupts do not reach.
#ifndef SCOTER_LIMIT_H
#define SCOTER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Counts the memory that the statements of one connection hold, and has the flag that ends the
// running statement.
typedef struct scoter_account scoter_account;

scoter_account *scoter_account_new(void);
void scoter_account_free(scoter_account *account);
int64_t scoter_account_bytes(const scoter_account *account);
void scoter_account_set_bytes(scoter_account *account, int64_t bytes);

// Between enter and leave, the account counts what the calling thread allocates and frees. Planning
// ends with an error if the account was stopped, or if it holds much memory while the limit is
// exceeded. enter returns the previous account, which must be passed to leave.
scoter_account *scoter_account_enter(scoter_account *account);
void scoter_account_leave(scoter_account *before);

// Makes DuckDB's threads enter the account for each task that they run for a connection. The
// account must live as long as the connection.
void scoter_account_follow(scoter_account *account, duckdb_connection connection);

// Ends the account's statement at the next point at which DuckDB can handle an exception. If stop
// is false, it undoes this.
void scoter_account_stop(scoter_account *account, bool stop);

// Returns the bytes that C++ code and DuckDB's allocator hold in this process. Returns 0 on systems
// on which they cannot be counted.
int64_t scoter_memory_in_use(void);
// Sets the limit for the bytes in use. Past the limit large allocations fail, and
// scoter_memory_wait returns. 0 means no limit.
void scoter_memory_limit(int64_t bytes);
// Counts bytes that no allocator counts, until scoter_memory_give is called for them. Returns false
// and counts nothing if that would exceed the limit.
bool scoter_memory_reserve(int64_t bytes);
void scoter_memory_give(int64_t bytes);
// Returns whether so much memory is in use that large results have to be counted.
bool scoter_memory_scarce(void);
// Returns the bytes that were freed since the process began.
int64_t scoter_memory_freed(void);
// scoter_memory_retained returns the bytes that were freed and are not returned to the system yet.
// scoter_memory_purge returns them to the system.
int64_t scoter_memory_retained(void);
void scoter_memory_purge(void);
// Waits until the limit is exceeded. Only one thread at a time may wait.
void scoter_memory_wait(void);

// Bounds the work of the scalar functions of the connection's database, and makes windows free
// their states after errors. It must be called before there are queries. Returns NULL, or an error
// message that the caller frees.
char *scoter_bound_functions(duckdb_connection connection);

// Frees the results that a prepared statement holds after a run. Its plan remains. Returns false if
// the results cannot be freed without destroying the statement.
bool scoter_free_results(duckdb_prepared_statement statement);

#ifdef __cplusplus
}
#endif

#endif
