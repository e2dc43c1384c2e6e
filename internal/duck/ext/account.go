package ext

/*
#include "ext.h"
*/
import "C"

import "unsafe"

// Account counts the memory that the statements of one connection hold. It also has the flag that
// ends the running statement.
type Account struct{ c *C.scoter_account }

// NewAccount returns an account. The caller must close it.
func NewAccount() *Account { return &Account{C.scoter_account_new()} }

// Raw returns the C handle (scoter_account *), for scoter_account_enter.
func (a *Account) Raw() unsafe.Pointer { return unsafe.Pointer(a.c) }

// Bytes returns approximately the bytes that the connection's statements hold.
func (a *Account) Bytes() int64 { return int64(C.scoter_account_bytes(a.c)) }

// SetBytes sets the number of bytes that the connection's statements hold. It is called when none
// of them is running. Without such calls the count would drift: memory that one thread allocates
// for a result may be freed by another thread outside of the account.
func (a *Account) SetBytes(bytes int64) { C.scoter_account_set_bytes(a.c, C.int64_t(bytes)) }

// Interrupt ends the statement that is being planned or run, at the next point where DuckDB can
// handle an exception. If the argument stop is false, it undoes an earlier call instead.
func (a *Account) Interrupt(stop bool) { C.scoter_account_stop(a.c, C.bool(stop)) }

// Attach makes DuckDB's own threads use the account while they work for a connection
// (duckdb_connection). The connection must not outlive the account.
func (a *Account) Attach(connection unsafe.Pointer) {
	C.scoter_account_follow(a.c, C.duckdb_connection(connection))
}

// Close frees the account. No thread may use it afterwards.
func (a *Account) Close() { C.scoter_account_free(a.c) }

// MemoryInUse returns the bytes that C++ and DuckDB's allocator hold in this process. It returns 0
// where they cannot be counted, which is everywhere but on Linux.
func MemoryInUse() int64 { return int64(C.scoter_memory_in_use()) }

// LimitMemory makes allocations of 64 KiB and more fail while more than the given number of bytes
// are in use. 0 means no limit.
func LimitMemory(bytes int64) { C.scoter_memory_limit(C.int64_t(bytes)) }

// AwaitMemoryExcess returns when more memory is in use than LimitMemory allows. Only one goroutine
// at a time may wait.
func AwaitMemoryExcess() { C.scoter_memory_wait() }

// MemoryFreed returns the bytes that C++ and DuckDB's allocator have freed since the process began.
func MemoryFreed() int64 { return int64(C.scoter_memory_freed()) }

// MemoryRetained returns the bytes that were freed but are still held by the process. It takes some
// microseconds for each arena of the allocator.
func MemoryRetained() int64 { return int64(C.scoter_memory_retained()) }

// PurgeMemory returns freed memory to the operating system: the memory that MemoryRetained counts.
func PurgeMemory() { C.scoter_memory_purge() }
