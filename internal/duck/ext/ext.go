// Package ext has all C++ that runs inside DuckDB and needs its private headers. docs/DUCKDB.md
// lists which parts of DuckDB it uses and changes. ext.h is its C interface; this package's Go
// functions call it, and so does the C code of packages that read or write DuckDB's vectors. Files
// are named after their area:
//
//   - file_*: the file systems through which DuckDB reads parts (docs/rfcs/0002-part-access.md) and
//     compressed files.
//   - scan_*: the table functions that read parts and rows in memory.
//   - run_*: ORDER BY ... LIMIT, inline execution, and the disk space of queries that spill.
//   - correct_*: corrections of DuckDB's optimizer, operators and functions for queries in which
//     they would give wrong rows or end the process.
//   - limit_*: bounds on what one statement may cost where DuckDB's own settings do not bound it.
//     Memory: DuckDB's memory limit covers only its buffer manager. The other memory that DuckDB
//     allocates is counted (limit_memory.cc), as are texts of results that DuckDB computes in
//     advance (limit_stream.cc), and states of aggregates are freed after errors (limit_states.cc).
//     Time: DuckDB checks its interrupt flag between chunks of rows. It is checked in more places
//     (limit_functions.cc, limit_planning.cc, limit_values.cc, limit_regexp.cc, limit_waiting.cc,
//     limit_distinct.cc, limit_memory.cc). Functions that cannot be interrupted, and whose work
//     grows faster than their arguments, refuse rows (limit_functions.cc, limit_like.cc,
//     limit_casts.cc).
//
// A change of any Go file here compiles all C++ again, and so does a change of a package that is
// imported here. So this package has little Go code, and imports nothing of this module.
package ext

/*
#cgo CFLAGS: -I${SRCDIR}/../include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../include -I${SRCDIR}/../include/miniz -I${SRCDIR}/../include/zstd -I${SRCDIR}/../include/re2
#cgo CXXFLAGS: -I${SRCDIR}/../include/parquet -I${SRCDIR}/../include/parquet_types -I${SRCDIR}/../include/thrift -I${SRCDIR}/../include/fastpforlib
#cgo CXXFLAGS: -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
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
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_21BoundWindowExpressionE
#include <stdlib.h>
#include "ext.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// SetUp sets up a new database, before it has queries. conn is one of its connections
// (duckdb_connection). It fails if DuckDB's library is not of the version of the headers. parts
// (scoter_part_functions) has the functions that find parts.
func SetUp(conn, parts unsafe.Pointer) error {
	return result("set up", C.scoter_set_up(C.duckdb_connection(conn), (*C.scoter_part_functions)(parts)))
}

// ExtendPlans makes a database correct plans for which DuckDB gives wrong rows, and run ORDER BY
// ... LIMIT faster. It must be called once for a database.
func ExtendPlans(conn unsafe.Pointer) error {
	return result("extend the plans of", C.scoter_extend_plans(C.duckdb_connection(conn)))
}

// AddPartScan adds the table function that reads parts, under two names: see scoter_add_part_scan.
// name is the usual one. Under the name once, queries with ORDER BY ... LIMIT read all columns in
// one scan. find is a C function that returns the rows to leave out or to select.
func AddPartScan(conn unsafe.Pointer, name, once string, find unsafe.Pointer) error {
	cname, conce := C.CString(name), C.CString(once)
	defer C.free(unsafe.Pointer(cname))
	defer C.free(unsafe.Pointer(conce))
	return result("add the scan of parts to", C.scoter_add_part_scan(C.duckdb_connection(conn), cname, conce, (*[0]byte)(find)))
}

// AddMemoryScan adds a table function that reads rows in memory: see scoter_add_memory_scan.
// functions (scoter_scan_functions) must stay valid.
func AddMemoryScan(conn unsafe.Pointer, name string, functions unsafe.Pointer) error {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return result("add the scan of memory to", C.scoter_add_memory_scan(C.duckdb_connection(conn), cname, (*C.scoter_scan_functions)(functions)))
}

// result converts failure, the message that a C function returned, into an error, and frees the
// message. If failure is nil, there is no error.
func result(action string, failure *C.char) error {
	if failure == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(failure))
	return fmt.Errorf("%s DuckDB: %s", action, C.GoString(failure))
}

// Spilled returns the total size, in bytes, of the files to which queries of the connection's
// database have spilled.
func Spilled(conn unsafe.Pointer) int64 { return int64(C.scoter_spilled(C.duckdb_connection(conn))) }

// LimitSpilled sets the number of bytes that queries of the connection's database may spill (see
// Spilled). If their files are already larger, the limit becomes the present size of the files.
func LimitSpilled(conn unsafe.Pointer, bytes int64) {
	C.scoter_limit_spilled(C.duckdb_connection(conn), C.int64_t(bytes))
}
