// Package ext contains C++ code inside DuckDB that needs DuckDB's private headers: the file system
// with which DuckDB reads parts (docs/rfcs/0002-part-access.md), and the file systems with which it
// reads compressed files.
//
// Package duck registers these file systems before it locks DuckDB's configuration.
package ext

/*
#cgo CFLAGS: -I${SRCDIR}/../include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../include -I${SRCDIR}/../include/miniz -I${SRCDIR}/../include/zstd -I${SRCDIR}/../include/parquet -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
#include <stdlib.h>
#include "compressed.h"
#include "crc32c.h"
#include "parts.h"
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
)

// Register adds the file systems to the database of a connection (duckdb_connection).
func Register(connection unsafe.Pointer) error {
	conn := C.duckdb_connection(connection)
	return errors.Join(
		registered("parts", C.scoter_register_parts(conn)),
		registered("compressed files", C.scoter_register_compressed(conn)))
}

// registered converts the error message of a registration into an error, and frees it.
func registered(what string, failure *C.char) error {
	if failure == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(failure))
	return base.Errorf(base.Internal, "duckdb refuses the file system of %s: %s", what, C.GoString(failure))
}

// served has the sets of files that DuckDB may open. The key is the number of a set in URLs.
var served sync.Map // uint64 -> *blocks.Files

// Serve lets DuckDB open the given files, until Withdraw is called.
func Serve(files *blocks.Files) {
	files.OnForget(func(store, id uint64) { C.scoter_uncache_part(C.uint64_t(store), C.uint64_t(id)) })
	served.Store(files.Number(), files)
}

// Withdraw undoes Serve. The caller must make sure that no running query reads the files any more.
func Withdraw(files *blocks.Files) {
	served.Delete(files.Number())
	files.ForgetAll()
}

func find(store, id C.uint64_t) *blocks.File {
	if files, ok := served.Load(uint64(store)); ok {
		return files.(*blocks.Files).Find(base.RowsetID(id))
	}
	return nil
}

//export scoterOpenPart
func scoterOpenPart(store, id C.uint64_t, found *C.scoter_found) {
	file := find(store, id)
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
	if file := find(store, id); file != nil {
		// The error is dropped, because DuckDB's thread throws the same one.
		_ = file.Damaged(int64(offset), C.GoString(what))
	}
}

// checksum returns the CRC32C of data, computed by the C code that the file system uses.
func checksum(data []byte) uint32 {
	return uint32(C.scoter_crc32c(0, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}
