// The C interface of all C++ inside DuckDB: the only header of this package for other packages.
// See docs/DUCKDB.md.
//
// Functions that return char * return NULL, or an error message that the caller frees.
#ifndef SCOTER_EXT_H
#define SCOTER_EXT_H

#include <stdbool.h>
#include <stdint.h>

#include <duckdb.h>

#ifdef __cplusplus
extern "C" {
#endif

// Parts, as DuckDB's threads read them. See docs/rfcs/0002-part-access.md.

// The result of scoter_part_functions.find: a part, or the reason why there is none.
typedef struct scoter_found scoter_found;

// Describes a part of this many bytes. All arguments are copied. name is the part's name in errors.
void scoter_found_part(scoter_found *found, const char *path, const char *name, int64_t bytes,
	const uint32_t *sums, int64_t n_sums);

// Says why a part cannot be read: the kind of the error, its message and a hint.
void scoter_found_error(
	scoter_found *found, const char *kind, const char *message, const char *hint);

// Drops what is cached of a part. Open handles of the part remain valid.
void scoter_uncache_part(uint64_t store, uint64_t id);

typedef struct {
	// Sets the result for the part with an id, in the store with a number.
	void (*find)(uint64_t store, uint64_t id, scoter_found *found);
	// Called when a part is found to be damaged at an offset.
	void (*damaged)(uint64_t store, uint64_t id, int64_t offset, char *what);
} scoter_part_functions;

// Sets up a new database, before it has queries: checks that the library is of the version of the
// headers, and registers the file systems for parts and for compressed files, and the bounds of
// functions and of aggregates in windows.
char *scoter_set_up(duckdb_connection connection, const scoter_part_functions *functions);

// Adds the corrections of DuckDB's optimizer, and the operator below ORDER BY ... LIMIT, to the
// plans of a database.
char *scoter_extend_plans(duckdb_connection connection);

// The scan of parts: read_parquet without rows that were deleted or changed after the part was
// written (scan_parts.cc).

// Rows of one file, which are left out or selected.
typedef struct {
	const char *path;
	// Rowset id of the file, if addressed is set: the value of column scoter_source.
	uint64_t source;
	int64_t n;
	const uint32_t *rows;
	// bits has the same rows as one bit for each row of the file; NULL if there are few rows.
	const uint64_t *bits;
	// Remove the rows after reading, unless conditions may fail for them or get slower.
	bool scattered;
	// dense says that so many rows of the file are to be removed that conditions which compute
	// something take less time if they are evaluated only for the other rows.
	bool dense;
} scoter_file;

// The rows of all files that one call of the table function leaves out or selects.
typedef struct {
	int64_t n_files;
	const scoter_file *files; // by path, ascending
	bool only; // read only these rows; otherwise read all others
	bool addressed; // all files that are read are listed, with their rowset ids
} scoter_rows;

// Adds a table function (files VARCHAR[], handle BIGINT) under two names. It is read_parquet
// without the rows for which the handle stands; handle 0 stands for no rows. find resolves the
// handle. A row's address is in the virtual columns scoter_source (UBIGINT) and scoter_ordinal
// (BIGINT). These are read_parquet's file_index and file_row_number under names that no table's
// column has. Under the name once, queries with ORDER BY ... LIMIT read all columns in one scan.
// Also marks functions of DuckDB that may fail (scan_fallible.cc).
char *scoter_add_part_scan(duckdb_connection connection, const char *name, const char *once,
	scoter_rows *(*find)(uint64_t handle));

// The scan of rows in memory, whose values C code puts into DuckDB's vectors (scan_memory.cc).

typedef struct scoter_scan scoter_scan; // a described scan
typedef struct scoter_run scoter_run; // a running scan, which threads share
typedef struct scoter_reader scoter_reader; // the state of one thread

// Why rows could not be read. All texts are NULL if nothing failed. The caller frees them.
typedef struct {
	char *message, *kind, *hint; // kind is the name of a base.Kind; hint may be NULL
} scoter_failure;

// What the plan of a query needs to know of a scan.
typedef struct {
	int32_t n_columns;
	const char **names; // of the columns
	int64_t rows;
	bool cached; // the statement will run again with other rows under the same id
} scoter_scan_shape;

typedef struct {
	// Returns the scan with an id, or NULL.
	scoter_scan *(*find)(uint64_t id);
	scoter_scan_shape (*shape)(const scoter_scan *scan);
	// Returns the type of a column. The caller destroys it.
	duckdb_logical_type (*type)(const scoter_scan *scan, int32_t column);
	// Starts to read a scan. projected has the indexes of the columns to return. Returns NULL and
	// sets *failure on errors.
	scoter_run *(*begin)(
		scoter_scan *scan, const idx_t *projected, idx_t n_projected, scoter_failure *failure);
	// Returns the number of threads that are worth starting.
	uint64_t (*threads)(const scoter_run *run);
	void (*end)(scoter_run *run);
	scoter_reader *(*open_reader)(const scoter_run *run);
	// Fills a chunk with the next rows, all of one morsel. It has no rows at the end of the scan.
	// Returns false and sets *failure on errors.
	bool (*read)(
		scoter_run *run, scoter_reader *reader, duckdb_data_chunk rows, scoter_failure *failure);
	// Returns the number of the morsel of the last returned rows. Later morsels of the scan have
	// greater numbers.
	uint64_t (*morsel)(const scoter_reader *reader);
	void (*close_reader)(scoter_reader *reader);
} scoter_scan_functions;

// Adds a table function (id BIGINT) that reads scans. Besides the scan's columns it has two for the
// address of a row: scoter_source (UBIGINT) and scoter_ordinal (BIGINT). functions must stay valid.
char *scoter_add_memory_scan(
	duckdb_connection connection, const char *name, const scoter_scan_functions *functions);

// Texts to which several vectors refer by their indexes (scan_dictionary.cc).
typedef struct scoter_dictionary scoter_dictionary;

// Returns a dictionary of n texts, and a vector for the texts, which the caller fills. With null,
// the index n stands for NULL.
scoter_dictionary *scoter_make_dictionary(idx_t n, bool null, duckdb_vector *texts);
void scoter_free_dictionary(scoter_dictionary *dictionary);
// Returns the indexes of the vector that refers to a dictionary, one for each row of a vector.
// There is one array, so only one vector at a time may refer to a dictionary.
uint32_t *scoter_dictionary_indexes(scoter_dictionary *dictionary);
void scoter_refer(scoter_dictionary *dictionary, duckdb_vector vector);

// The memory that DuckDB takes outside of its buffer manager, and work that its interrupts do not
// reach (limit_*.cc).

// Counts the memory that the statements of one connection hold, and has the flag that ends the
// running statement.
typedef struct scoter_account scoter_account;

scoter_account *scoter_account_new(void);
void scoter_account_free(scoter_account *account);
int64_t scoter_account_bytes(const scoter_account *account);
void scoter_account_set_bytes(scoter_account *account, int64_t bytes);

// Between enter and leave, the account counts what the calling thread allocates and frees. Planning
// ends with an error if the account was stopped, or if it holds much memory while the limit is
// exceeded. Pass to leave the result of enter, which is the previous account.
scoter_account *scoter_account_enter(scoter_account *account);
void scoter_account_leave(scoter_account *before);

// Makes DuckDB's threads enter the account for each task that they run for a connection. The
// account must live as long as the connection.
void scoter_account_follow(scoter_account *account, duckdb_connection connection);

// Ends the account's statement at the next point where DuckDB can handle an exception. With stop
// false it undoes this.
void scoter_account_stop(scoter_account *account, bool stop);

// The bytes that C++ and DuckDB's allocator hold in this process. Always 0 where they cannot be
// counted.
int64_t scoter_memory_in_use(void);
// Sets the bytes in use past which large allocations fail and scoter_memory_wait returns. 0 means
// no limit.
void scoter_memory_limit(int64_t bytes);
// Counts bytes that were allocated in another way, until they are given back. Returns false and
// counts nothing if that would exceed the limit.
bool scoter_memory_reserve(int64_t bytes);
void scoter_memory_give(int64_t bytes);
// Returns whether so much memory is in use that large results have to be counted.
bool scoter_memory_scarce(void);
// The bytes that were freed since the process began.
int64_t scoter_memory_freed(void);
// The bytes that were freed and are not returned to the system yet, and the function that returns
// them.
int64_t scoter_memory_retained(void);
void scoter_memory_purge(void);
// Returns when the limit is exceeded, or at once if it is already. Only one thread at a time may
// wait.
void scoter_memory_wait(void);

// Frees the results that a prepared statement holds after a run; its plan remains. Returns false if
// only destroying the statement would free them.
bool scoter_free_results(duckdb_prepared_statement statement);

// Returns the bytes in files to which queries of the connection's database have spilled and that
// still exist.
int64_t scoter_spilled(duckdb_connection connection);
// Limits these bytes. If there are already more, the limit becomes the number of bytes in use.
void scoter_limit_spilled(duckdb_connection connection, int64_t bytes);

// Runs a prepared statement without parameters on the calling thread, if it reads at most the given
// number of rows (0: it has no FROM). There is no space for more rows. The memory of the statement
// is counted for the account. Returns
//   - 1, and a chunk with all rows of the result, which the caller destroys;
//   - 0, if the plan is not a scan with filters and projections above it: the statement did not
//     run;
//   - -1, and an error message, which the caller frees, in the form that DuckDB uses for a
//     connection that asks for errors as JSON.
int scoter_run_inline(scoter_account *account, duckdb_prepared_statement statement, uint64_t rows,
	duckdb_data_chunk *result, char **error);

#ifdef __cplusplus
}
#endif

#endif
