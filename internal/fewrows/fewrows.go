// Package fewrows runs kept statements over a few rows without DuckDB's scheduler: on the calling thread, operator by operator.
//
// DuckDB executes a statement as pipelines whose tasks its threads take from a queue, with buffers for vectors of 2,048
// rows between all operators and behind the last. Of a statement that changes one row this is a third of the processor time, ten
// times what evaluating its expressions takes. The plan is DuckDB's, and so are the operators that
// run; only how they are called is ours. It needs DuckDB's C++ classes, hence a package of its own (see livescan).
package fewrows

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/limit -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/limit -DDUCKDB_STATIC_BUILD -DNDEBUG -O2
#include <stdlib.h>
#include "fewrows.h"
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/scoterdb/scoter/internal/duck"
)

// Start executes a statement without parameters that reads at most so many rows (0: it has no FROM, or DuckDB executes it as any other), and whose connection keeps it. What is not a scan with filters and
// projections over it, what is to be planned again each time, and a statement's first run, which finds out what its columns are, DuckDB executes as any other.
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
