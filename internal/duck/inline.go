package duck

/*
#include <stdlib.h>
#include <ext.h>
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
)

// StartInline is Start for a cached statement without parameters that reads few rows. It runs the
// statement on the calling goroutine, operator by operator, without DuckDB's scheduler: see
// ext/run_inline.cc. rows is the largest number of rows that the statement may read. If it is 0,
// only a statement without FROM runs inline.
//
// DuckDB executes the statement as usual in these cases:
//   - The plan is not a scan with filters and projections above it.
//   - The statement must be planned again each time.
//   - This is the statement's first run, which finds out its columns.
func (s *Stmt) StartInline(ctx context.Context, rows int) (*Result, error) {
	if s.columns == nil {
		return s.Start(ctx)
	}
	within, unhook := s.conn.interruptible(ctx)
	fail := func(cause *base.Error) (*Result, error) {
		err := contextError(within, cause)
		unhook()
		s.Close()
		return nil, err
	}
	if within.Err() != nil {
		return fail(nil)
	}
	var chunk C.duckdb_data_chunk
	var failure *C.char
	if C.scoter_run_inline(s.conn.cAccount(), s.stmt, C.uint64_t(rows), &chunk, &failure) < 0 {
		defer C.free(unsafe.Pointer(failure))
		return fail(s.conn.failure(C.GoString(failure)))
	}
	unhook()
	if chunk == nil {
		return s.Start(ctx)
	}
	return &Result{columns: *s.columns, stmt: s, chunk: chunk, unhook: func() {}}, nil
}
