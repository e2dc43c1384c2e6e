// Package topn makes ORDER BY ... LIMIT cheap on rows that are stored in the opposite order.
//
// DuckDB passes over rows that cannot be among the first n because n better ones came already. Where each row is better
// than those before it (the newest values of a table in time order), none is passed over: each becomes a sort key and goes through the heap, which costs as much as
// reading it. An operator below leaves out what cannot be among the first n of its own vector. It needs DuckDB's C++
// classes, hence a package of its own (see livescan).
package topn

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -DNDEBUG -O2
#include <stdlib.h>
#include "topn.h"
*/
import "C"

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

// Register adds the operator to the plans of the connection's instance; once for an instance.
func Register(conn *duck.Conn) error {
	if failure := C.scoter_register_topn(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb refuses the optimizer of ORDER BY ... LIMIT: %s", C.GoString(failure))
	}
	return nil
}
