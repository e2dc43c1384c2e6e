// Package livescan reads Parquet files without some of their rows, inside DuckDB's own scan.
//
// DuckDB has what that takes for code in C++ only: hence a package of its own, which takes long to compile. The headers of the DuckDB that
// the binary is linked with lie in internal/duck/include. NDEBUG is set as it was for the library: the linker may take functions of the headers
// that are compiled here for the library's own. (A filter function over file_row_number, which DuckDB's C API allows, costs a query up to a
// fifth of its time.)
package livescan

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/ext -DDUCKDB_STATIC_BUILD -DNDEBUG -O2
#include <stdlib.h>
#include "livescan.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// The table functions that read files without some rows, by whether ORDER BY ... LIMIT reads the columns that it does
// not order by in a second scan, of the rows of the result alone. No user statement may name them.
const (
	function = "scoter_parquet"
	onceOnly = "scoter_parquet_once"
)

// headers is the version of DuckDB that they are of. Those of another would agree with the library by chance only.
const headers = "v1.5.6"

// Register makes the functions known to the connection's instance, and to DuckDB which of its own may fail.
func Register(conn *duck.Conn) error {
	if version := C.GoString(C.duckdb_library_version()); version != headers {
		return base.Errorf(base.Internal, "DuckDB is %s, internal/duck/include has the headers of %s", version, headers)
	}
	if failure := C.scoter_mark_fallible(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb does not learn which functions may fail: %s", C.GoString(failure))
	}
	return errors.Join(register(conn, function, true), register(conn, onceOnly, false))
}

func register(conn *duck.Conn, function string, lateMaterialization bool) error {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	if failure := C.scoter_register_livescan(C.duckdb_connection(conn.Raw()), name, C.bool(lateMaterialization)); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "duckdb refuses the function %s: %s", function, C.GoString(failure))
	}
	return nil
}

// File is a file and rows of it.
type File struct {
	Path   string
	Source base.SourceID
	Rows   Rows
}

// Rows are some rows of a file. They must not change until the filters that refer to them are closed.
type Rows struct {
	Numbers   []uint32 // ascending
	bits      []uint64 // the same, one for each row of the file; nil if they are few
	scattered bool     // few of them fill vectors, which the reader could skip
	dense     bool
}

// Hidden describes rows of a file that are to be left out. The file has as many rows as all says.
func Hidden(numbers []uint32, all int64) Rows {
	r := Rows{Numbers: numbers, scattered: scattered(numbers), dense: dense*int64(len(numbers)) > all}
	if r.scattered && many*int64(len(numbers)) > all {
		r.bits = make([]uint64, (all+63)/64)
		for _, n := range numbers {
			r.bits[n/64] |= 1 << (n % 64)
		}
	}
	return r
}

// Filter is rows of some files, for the scans that calls of Parquet name until it is closed.
type Filter struct {
	id     uint64
	blocks []unsafe.Pointer
	pinner runtime.Pinner
}

// filters are those that are not closed, by the id that SQL texts carry.
var filters struct {
	sync.Map // uint64 -> *C.scoter_rows
	last     atomic.Uint64
}

//export scoterFindRows
func scoterFindRows(id C.uint64_t) *C.scoter_rows {
	if f, ok := filters.Load(uint64(id)); ok {
		return f.(*C.scoter_rows)
	}
	return nil
}

// Without leaves out the rows; of files that are not among the given ones all are read, and schema.SourceColumn has nothing that
// means something.
func Without(files []File) *Filter { return newFilter(files, C.scoter_rows{}) }

// Addressed is Without, of all files that are read.
func Addressed(files []File) *Filter { return newFilter(files, C.scoter_rows{addressed: true}) }

// Only leaves out all other rows. It is of all files that are read.
func Only(files []File) *Filter { return newFilter(files, C.scoter_rows{addressed: true, only: true}) }

func newFilter(files []File, kind C.scoter_rows) *Filter {
	f := &Filter{id: filters.last.Add(1)}
	described := (*C.scoter_rows)(f.alloc(unsafe.Sizeof(C.scoter_rows{})))
	*described = kind
	described.n_files = C.int64_t(len(files))
	described.files = (*C.scoter_file)(f.alloc(uintptr(len(files)) * unsafe.Sizeof(C.scoter_file{})))
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	out := unsafe.Slice(described.files, len(files))
	for i, file := range files {
		path := C.CString(file.Path)
		f.blocks = append(f.blocks, unsafe.Pointer(path))
		out[i].path, out[i].source, out[i].n = path, C.uint64_t(file.Source), C.int64_t(len(file.Rows.Numbers))
		out[i].rows, out[i].bits = (*C.uint32_t)(pinned(f, file.Rows.Numbers)), (*C.uint64_t)(pinned(f, file.Rows.bits))
		out[i].scattered, out[i].dense = C.bool(file.Rows.scattered), C.bool(file.Rows.dense)
	}
	filters.Store(f.id, described)
	return f
}

// pinned returns where the elements lie, and keeps them there until the filter is closed.
func pinned[E uint32 | uint64](f *Filter, elements []E) *E {
	if len(elements) == 0 {
		return nil
	}
	first := unsafe.SliceData(elements)
	f.pinner.Pin(first)
	return first
}

const (
	// vector is how many rows DuckDB reads at a time.
	vector = 2048
	// One hidden row in so many makes a file dense. A LIKE on long texts, without a dictionary, takes 1.03 times as long with a
	// tenth of the rows hidden if those are not asked, 0.91 times with 40%, 0.74 with 60%.
	dense = 3
	// One hidden row in so many is looked up in bits, of which the file's then take at most 16 bytes for each.
	many = 128
)

// scattered reports whether few of ascending numbers of rows fill vectors.
func scattered(rows []uint32) bool {
	together := 0
	for i := vector; i <= len(rows); i += vector {
		if rows[i-1]-rows[i-vector] == vector-1 {
			together += vector
		}
	}
	return 2*together <= len(rows)
}

func (f *Filter) alloc(bytes uintptr) unsafe.Pointer {
	p := C.calloc(1, C.size_t(max(bytes, 1)))
	f.blocks = append(f.blocks, p)
	return p
}

// Close frees what scans refer to: no query may run on them any more.
func (f *Filter) Close() {
	filters.Delete(f.id)
	for _, p := range f.blocks {
		C.free(p)
	}
	f.blocks = nil
	f.pinner.Unpin()
}

// Parquet is a call of a table function that reads files as read_parquet does, through the filter if there is one. Paths are what they are, whatever
// characters they have.
// once says that they are not to be scanned a second time for the rows that ORDER BY ... LIMIT chose, which costs more
// than it saves where a condition leaves little to scan.
func Parquet(paths []string, f *Filter, once bool) string {
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = schema.QuoteString(path)
	}
	name, id := function, uint64(0)
	if once {
		name = onceOnly
	}
	if f != nil {
		id = f.id
	}
	return fmt.Sprintf("%s([%s], %d, hive_partitioning = false)", name, strings.Join(quoted, ", "), id)
}
