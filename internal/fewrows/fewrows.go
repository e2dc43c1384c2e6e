// Package fewrows implements inline execution: it runs prepared statements over few rows on the
// calling goroutine, operator by operator, without DuckDB's scheduler.
//
// DuckDB executes a statement as pipelines. Their tasks go through a queue to its threads, with
// buffers for vectors of 2,048 rows between all operators and after the last one. For a statement
// that changes one row, the queue and the buffers take a third of the CPU time, and ten times the
// cost of evaluating its expressions. This package runs the same plan with DuckDB's own operators,
// and calls them one after the other. It uses DuckDB's C++ classes; package livescan explains why
// code that does so has packages of its own.
package fewrows

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/limit -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/limit -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
#include <stdlib.h>
#include "fewrows.h"
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/scoterdb/scoter/internal/duck"
)

// Start executes a prepared statement without parameters that its connection has cached. The
// argument rows is the largest number of rows that the statement may read inline. If it is 0, only
// a statement without FROM runs inline.
//
// DuckDB executes the statement as usual in these cases:
//   - The plan is not a scan with filters and projections above it.
//   - The statement must be planned again each time.
//   - This is the statement's first run, which finds out the columns of its result.
func Start(ctx context.Context, stmt *duck.Stmt, rows int) (*duck.Result, error) {
	if !stmt.ColumnsKnown() {
		return stmt.Start(ctx)
	}
	return stmt.Compute(ctx, func(account unsafe.Pointer) (unsafe.Pointer, string) {
		var chunk C.duckdb_data_chunk
		var failure *C.char
		if C.scoter_run_few_rows((*C.scoter_account)(account), C.duckdb_prepared_statement(stmt.Raw()), C.uint64_t(rows), &chunk, &failure) < 0 {
			defer C.free(unsafe.Pointer(failure))
			return nil, C.GoString(failure)
		}
		return unsafe.Pointer(chunk), ""
	})
}
