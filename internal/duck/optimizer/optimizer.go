// Package optimizer corrects DuckDB's optimizer, and the execution of its plans, in cases in which
// they are known to give wrong rows.
//
// DuckDB 1.5.6 has defects that are fixed on its main branch but not in a release. Each correction
// names the public report, and the queries of optimizer_test.go show the right rows. With each new
// version of DuckDB, delete the corrections that are no longer needed (written in November 2026).
// Package duck turns off the optimizers that cannot be corrected from outside.
package optimizer

/*
#cgo CFLAGS: -I${SRCDIR}/../include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../include -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
#cgo linux LDFLAGS: -Wl,--wrap=_ZN6duckdb14FunctionBinder19BindSortedAggregateERNS_13ClientContextERNS_21BoundWindowExpressionE
#include <stdlib.h>
#include "optimizer.h"
*/
import "C"

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

// Register adds the corrections to the plans of the connection's database. It must be called once
// for each database.
func Register(conn *duck.Conn) error {
	if failure := C.scoter_register_optimizer(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "add corrections to DuckDB's optimizer: %s", C.GoString(failure))
	}
	return nil
}
