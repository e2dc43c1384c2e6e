package duck

/*
#include <stdlib.h>
#include <ext.h>

void scoterOpenPart(uint64_t store, uint64_t id, scoter_found *found);
void scoterPartDamaged(uint64_t store, uint64_t id, int64_t offset, char *what);
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

// setUp makes a new database read parts, and bounds what its statements may cost. conn is one of
// its connections.
func setUp(conn *Conn) error {
	parts := C.scoter_part_functions{find: (*[0]byte)(C.scoterOpenPart), damaged: (*[0]byte)(C.scoterPartDamaged)}
	return base.Wrap(ext.SetUp(conn.Raw(), unsafe.Pointer(&parts)), "open duckdb")
}

// served are the files of parts that DuckDB may open, by their number in URLs.
var served sync.Map // uint64 -> *blocks.Files

// ServeParts lets DuckDB open files of parts, until WithdrawParts is called. Only Scoter's own
// scans can open them, not statements of users.
func ServeParts(files *blocks.Files) {
	files.OnForget(func(store, id uint64) { C.scoter_uncache_part(C.uint64_t(store), C.uint64_t(id)) })
	served.Store(files.Number(), files)
}

// WithdrawParts undoes ServeParts. No running query may still read the files.
func WithdrawParts(files *blocks.Files) {
	served.Delete(files.Number())
	files.ForgetAll()
}

func findPart(store, id C.uint64_t) *blocks.File {
	if files, ok := served.Load(uint64(store)); ok {
		return files.(*blocks.Files).Find(base.RowsetID(id))
	}
	return nil
}

//export scoterOpenPart
func scoterOpenPart(store, id C.uint64_t, found *C.scoter_found) {
	file := findPart(store, id)
	if file == nil {
		foundError(found, base.Errorf(base.Internal, "no part %d", uint64(id)))
		return
	}
	sums, err := file.Prepare()
	if err != nil {
		foundError(found, err)
		return
	}
	path, name := C.CString(file.Path()), C.CString(file.Name())
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(name))
	C.scoter_found_part(found, path, name, C.int64_t(file.Bytes()), (*C.uint32_t)(unsafe.SliceData(sums)), C.int64_t(len(sums)))
}

func foundError(found *C.scoter_found, err error) {
	hint := ""
	var known *base.Error
	if errors.As(err, &known) {
		hint = known.Hint
	}
	kind, message, hinted := C.CString(base.KindOf(err).String()), C.CString(err.Error()), C.CString(hint)
	C.scoter_found_error(found, kind, message, hinted)
	for _, text := range []*C.char{kind, message, hinted} {
		C.free(unsafe.Pointer(text))
	}
}

//export scoterPartDamaged
func scoterPartDamaged(store, id C.uint64_t, offset C.int64_t, what *C.char) {
	if file := findPart(store, id); file != nil {
		_ = file.Damaged(int64(offset), C.GoString(what)) // DuckDB's thread throws the same error
	}
}
