// Package livescan implements the part scan: DuckDB's own scan of Parquet files, without some of
// their rows.
//
// DuckDB allows this only to C++ code, which takes long to compile, so it is in a package of its
// own. internal/duck/include has the headers of the DuckDB version that is linked. NDEBUG is set as
// it was for the library, because the linker may use functions of the headers that are compiled
// here in place of those of the library. (DuckDB's C API would allow a filter function over
// file_row_number, but that makes a query up to a fifth slower.)
package livescan

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -DDUCKDB_STATIC_BUILD -O2
#cgo CXXFLAGS: -std=c++11 -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/ext -DDUCKDB_STATIC_BUILD -DNDEBUG -O2 -g0
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

// The table functions that read files without some rows. They differ in how ORDER BY ... LIMIT
// reads the columns that it does not order by: function reads them in a second scan, only for the
// rows of the result, and onceOnly does not. User statements cannot call them.
const (
	function = "scoter_parquet"
	onceOnly = "scoter_parquet_once"
)

// headers is the DuckDB version of the headers in internal/duck/include. Headers of another version
// would match the library only by chance.
const headers = "v1.5.6"

// Register adds the functions to the connection's instance, and tells DuckDB which of its own
// functions may fail.
func Register(conn *duck.Conn) error {
	if version := C.GoString(C.duckdb_library_version()); version != headers {
		return base.Errorf(base.Internal, "DuckDB is %s, internal/duck/include has the headers of %s", version, headers)
	}
	if failure := C.scoter_mark_fallible(C.duckdb_connection(conn.Raw())); failure != nil {
		defer C.free(unsafe.Pointer(failure))
		return base.Errorf(base.Internal, "mark the functions of DuckDB that may fail: %s", C.GoString(failure))
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

// File is a part's file and some of its rows.
type File struct {
	Path   string
	Source base.SourceID
	Rows   Rows
}

// Rows are some rows of a file. They must not change before the filters that refer to them are
// closed.
type Rows struct {
	Numbers   []uint32 // ascending
	bits      []uint64 // the same as bits, one for each row of the file; nil if they are few
	scattered bool     // few of them fill whole vectors, which the reader could skip
	dense     bool
}

// Hidden describes rows of a file to leave out. all is the number of rows of the file.
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

// Filter has rows of some files. Calls of Parquet can refer to it until it is closed.
type Filter struct {
	id     uint64
	blocks []unsafe.Pointer
	pinner runtime.Pinner
}

// filters has the open filters by the id that SQL texts contain.
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

// Without returns a filter that leaves out the given rows. Files that are not listed are read
// completely, and schema.SourceColumn is undefined for their rows.
func Without(files []File) *Filter { return newFilter(files, C.scoter_rows{}) }

// Addressed is like Without, but files must list all files that are read.
func Addressed(files []File) *Filter { return newFilter(files, C.scoter_rows{addressed: true}) }

// Only returns a filter that reads only the given rows. files must list all files that are read.
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

// pinned returns the address of the elements, and pins them until the filter is closed.
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
	// A file is dense if more than one row in this many is hidden. A LIKE on long texts without a
	// dictionary, evaluated only for visible rows, takes 1.03 times as long if a tenth of the rows
	// is hidden, 0.91 times with 40%, and 0.74 times with 60%.
	dense = 3
	// If more than one row in this many is hidden, a bitmap of the file is used. It then takes at
	// most 16 bytes per hidden row.
	many = 128
)

// scattered reports whether at most half of the rows, which are ascending, fill whole vectors.
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

// Close frees the data to which scans refer. No query may use it any more.
func (f *Filter) Close() {
	filters.Delete(f.id)
	for _, p := range f.blocks {
		C.free(p)
	}
	f.blocks = nil
	f.pinner.Unpin()
}

// Parquet returns the SQL of a call that reads files like read_parquet, through the filter if f is
// not nil. Paths are taken literally, without patterns. once prevents a second scan for the rows
// that ORDER BY ... LIMIT chose; the second scan does not pay off if a condition leaves few rows.
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
