package overlay

/*
#include <stdlib.h>
#include "live.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

// liveFunction filters rows that are not to be read from a part's file; no user statement may name it.
// DuckDB moves it into the scan where its only column is file_row_number, so before the others are read.
const liveFunction = "scoter_live"

// hiddenRows are the described rows of the queries under way, by the handle that their SQL text
// carries.
var hiddenRows struct {
	sync.Map // uint64 -> *C.scoter_hidden
	last     atomic.Uint64
}

//export scoterFindHidden
func scoterFindHidden(id C.uint64_t) *C.scoter_hidden {
	if h, ok := hiddenRows.Load(uint64(id)); ok {
		return h.(*C.scoter_hidden)
	}
	return nil
}

func registerLive(conn *duck.Conn) error {
	name := C.CString(liveFunction)
	defer C.free(unsafe.Pointer(name))
	if C.scoter_register_live(C.duckdb_connection(conn.Raw()), name) != C.DuckDBSuccess {
		return base.Errorf(base.Internal, "duckdb refuses the function %s", liveFunction)
	}
	return nil
}

// hidden is one description of rows by file, findable by its id until closed.
type hidden struct {
	id     uint64
	memory cMemory
}

// newHidden describes ascending rows of some files. They must not change until it is closed.
func newHidden(files ...[]uint32) *hidden {
	h := &hidden{id: hiddenRows.last.Add(1)}
	described := &cArray[C.scoter_hidden](&h.memory, 1)[0]
	rows := cArray[C.scoter_rows](&h.memory, len(files))
	for i, f := range files {
		rows[i].n, rows[i].rows = C.int64_t(len(f)), h.memory.numbers(f)
	}
	described.n_files, described.files = C.int64_t(len(files)), unsafe.SliceData(rows)
	hiddenRows.Store(h.id, described)
	return h
}

func (h *hidden) close() {
	hiddenRows.Delete(h.id)
	h.memory.free()
}

// call is the condition that a row of a file is none of the hidden ones.
func (h *hidden) call(fileIndex string) string {
	return fmt.Sprintf("%s(%d, %s, file_row_number)", liveFunction, h.id, fileIndex)
}
