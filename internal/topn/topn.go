// Package topn speeds up ORDER BY ... LIMIT over rows that are stored in the opposite order.
//
// DuckDB skips a row once n better rows have come before it. If every row is better than the rows
// before it (the newest values of a table in time order), it skips none: each row becomes a sort
// key and passes through the heap, which costs as much as reading it. This package adds an operator
// below the sort, which drops rows that cannot be among the first n of their own vector. The
// package uses DuckDB's C++ classes; see livescan for why these are in packages of their own.
package topn

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
#include <stdlib.h>
#include "topn.h"
*/
import "C"

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

// Register adds the operator to the plans of the connection's instance. Call it once per instance.
func Register(conn *duck.Conn) error {
	if failure := C.scoter_register_topn(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb refuses the optimizer of ORDER BY ... LIMIT: %s", C.GoString(failure))
	}
	return nil
}
