// Package topn speeds up ORDER BY ... LIMIT n over rows that are stored in the opposite order.
//
// DuckDB skips a row if n better rows were read before it. In a table in time order, a query for
// the newest rows finds each row better than the rows before it. Then DuckDB skips none: it makes a
// sort key of each row and puts it through a heap, which costs as much as reading the row. This
// package adds an operator below the sort. The operator drops rows that cannot be among the first n
// of their own vector (up to 2,048 rows). The package uses DuckDB's C++ classes; package livescan
// explains why code that does so has packages of its own.
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

// Register adds the operator to the plans of all queries of the connection's DuckDB instance. It
// must be called once for an instance.
func Register(conn *duck.Conn) error {
	if failure := C.scoter_register_topn(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb refuses the optimizer of ORDER BY ... LIMIT: %s", C.GoString(failure))
	}
	return nil
}
