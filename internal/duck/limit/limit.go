// Package limit bounds what one statement may cost inside of DuckDB, in cases in which DuckDB's own
// settings do not bound it.
//
//   - Memory: DuckDB's memory limit covers only its buffer manager. This package counts the other
//     memory that DuckDB allocates (memory.cc). It makes large allocations fail past a limit, and
//     says when small ones exceed it. It measures results that DuckDB computes before the client
//     has read them, including texts (stream.cc). If an error ends aggregates in windows, or
//     aggregates that sort, it frees their states (states.cc).
//   - Time: DuckDB checks its interrupt flag between chunks of rows. This package checks it in more
//     places: in every scalar function (functions.cc), while a statement is planned (planning.cc),
//     within long lists (values.cc), in each search of a regular expression (regexp.cc), where a
//     thread waits for others that build a window (waiting.cc, windows.cc), and where large pieces
//     of memory are allocated (memory.cc). Some functions cannot be interrupted, and their work
//     grows faster than their arguments. For these it refuses rows that would take too long
//     (functions.cc, like.cc, casts.cc).
//
// The package is C++ with DuckDB's private headers (see livescan). Package duck is its only user.
package limit

/*
#cgo CFLAGS: -I${SRCDIR}/../include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../include -I${SRCDIR}/../include/re2 -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
#cgo linux LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=duckdb_je_free
#cgo linux LDFLAGS: -Wl,--wrap=_ZNK6duckdb9DataChunk17GetAllocationSizeEv
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb10ExpressionC2ENS_14ExpressionTypeENS_15ExpressionClassENS_11LogicalTypeE
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb15LogicalOperatorC2ENS_19LogicalOperatorTypeE
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb15LogicalOperatorC2ENS_19LogicalOperatorTypeENS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS4_ELb1EEELb1ESaIS7_EEE
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb16PhysicalOperatorC2ERNS_12PhysicalPlanENS_20PhysicalOperatorTypeENS_6vectorINS_11LogicalTypeELb1ESaIS5_EEEm
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb19ColumnRefExpressionC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_12BindingAliasE
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb6Binder21ExpandStarExpressionsERNS_6vectorINS_10unique_ptrINS_16ParsedExpressionESt14default_deleteIS3_ELb1EEELb1ESaIS6_EEES9_
#cgo linux LDFLAGS: -Wl,--wrap=_ZN10duckdb_re24Prog9SearchDFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_PbPNS_10SparseSetTIvEE
#cgo linux LDFLAGS: -Wl,--wrap=_ZN10duckdb_re24Prog9SearchNFAERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i
#cgo linux LDFLAGS: -Wl,--wrap=_ZN10duckdb_re24Prog13SearchOnePassERKNS_11StringPieceES3_NS0_6AnchorENS0_9MatchKindEPS1_i
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb12DefaultCasts21ImplicitToVariantCastERNS_13BindCastInputERKNS_11LogicalTypeES5_
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb6VectorC1ERKS0_RKNS_15SelectionVectorEm
#cgo linux LDFLAGS: -Wl,--wrap=_ZNK6duckdb6Vector8GetValueEm
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_24BoundAggregateExpressionERKNS_6vectorINS_10unique_ptrINS_10ExpressionESt14default_deleteIS7_ELb1EEELb1ESaISA_EEENS_12optional_ptrINS5_ISt3setImSt4lessImESaImEELb1ESaISK_EEELb1EEE
#cgo linux LDFLAGS: -Wl,--wrap=nanosleep
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb23WindowAggregateExecutorC1ERNS_21BoundWindowExpressionERNS_13ClientContextERNS_23WindowSharedExpressionsENS_21WindowAggregationModeE
#include <stdlib.h>
#include "limit.h"
*/
import "C"

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
)

// Account counts the memory that the statements of one connection hold. It also has the flag that
// ends the running statement.
type Account struct{ c *C.scoter_account }

// NewAccount returns an account. The caller must close it.
func NewAccount() *Account { return &Account{C.scoter_account_new()} }

// Raw returns the C handle of the account (scoter_account *). It is the argument of the C function
// scoter_account_enter.
func (a *Account) Raw() unsafe.Pointer { return unsafe.Pointer(a.c) }

// Bytes returns approximately how many bytes the connection's statements hold.
func (a *Account) Bytes() int64 { return int64(C.scoter_account_bytes(a.c)) }

// SetBytes sets the number of bytes that the connection's statements hold. It is called while none
// is running. Without it the count would drift: memory that one thread allocates for a result may
// be freed by another thread outside of the account.
func (a *Account) SetBytes(bytes int64) { C.scoter_account_set_bytes(a.c, C.int64_t(bytes)) }

// Interrupt(true) ends the statement that is being planned or run, at the next point where DuckDB
// can handle an exception. Interrupt(false) undoes this.
func (a *Account) Interrupt(stop bool) { C.scoter_account_stop(a.c, C.bool(stop)) }

// Attach makes DuckDB's own threads use the account while they work for a connection
// (duckdb_connection). The connection must not outlive the account.
func (a *Account) Attach(connection unsafe.Pointer) {
	C.scoter_account_follow(a.c, C.duckdb_connection(connection))
}

// Close frees the account. No thread may use it afterwards.
func (a *Account) Close() { C.scoter_account_free(a.c) }

// InUse returns the bytes that C++ code and DuckDB's allocator hold in this process. It returns 0
// on systems other than Linux, where they cannot be counted.
func InUse() int64 { return int64(C.scoter_memory_in_use()) }

// SetMemory makes allocations of 64 KiB or more fail while more than the given number of bytes are
// in use. 0 means no limit.
func SetMemory(bytes int64) { C.scoter_memory_limit(C.int64_t(bytes)) }

// AwaitExcess waits until more memory is in use than SetMemory allows. Only one goroutine at a time
// may call it.
func AwaitExcess() { C.scoter_memory_wait() }

// Freed returns the bytes that C++ code and DuckDB's allocator have freed since the process began.
func Freed() int64 { return int64(C.scoter_memory_freed()) }

// Retained returns the bytes that were freed but are still held by the process. It takes some
// microseconds for each arena of the allocator.
func Retained() int64 { return int64(C.scoter_memory_retained()) }

// Purge gives memory back to the system: memory that was freed, but that the process still holds.
// Retained returns how much there is.
func Purge() { C.scoter_memory_purge() }

// Functions limits the work that scalar functions may do. It registers the limits with
// the database of the connection (duckdb_connection), and must be called before there are queries.
func Functions(connection unsafe.Pointer) error {
	if failure := C.scoter_bound_functions(C.duckdb_connection(connection)); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb's functions cannot be bounded: %s", C.GoString(failure))
	}
	return nil
}
