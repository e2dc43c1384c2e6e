// Package livescan implements the part scan. This is DuckDB's own scan of Parquet files, changed so
// that it leaves out some rows, such as deleted ones.
//
// DuckDB allows this only to C++ code, which is in internal/duck/ext (scan_parts.cc). This package
// describes which rows to leave out. (DuckDB's C API would allow a filter function over
// file_row_number, but that makes a query up to a fifth slower.)
package livescan

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/ext -DDUCKDB_STATIC_BUILD -O2
#include <stdlib.h>
#include <ext.h>

scoter_rows *scoterFindRows(uint64_t id);
*/
import "C"

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
	"github.com/scoterdb/scoter/internal/schema"
)

// The names of the two table functions of the part scan. They differ in queries with ORDER BY ...
// LIMIT. The table function scoter_parquet reads the columns that are not in ORDER BY in a second
// scan, only for the rows of the result. scoter_parquet_once reads all columns in one scan. User
// statements cannot call these functions.
const (
	function = "scoter_parquet"
	onceOnly = "scoter_parquet_once"
)

// Register adds the table functions of the part scan to the connection's DuckDB instance. It also
// tells DuckDB which of its own functions may fail.
func Register(conn *duck.Conn) error {
	return ext.AddPartScan(conn.Raw(), function, onceOnly, unsafe.Pointer(C.scoterFindRows))
}

// File is the file of a part, and the rows in it that a Filter leaves out or selects.
type File struct {
	Path   string
	Rowset base.RowsetID
	Rows   Rows
}

// Rows are rows of one file that a Filter leaves out or selects. They must not be changed until the
// filters that refer to them are closed.
type Rows struct {
	Numbers []uint32 // row numbers, ascending
	// bitmap of the rows in Numbers, over all rows of the file; nil if Numbers has few of the rows
	// of the file (see many), or if scattered is false
	bits      []uint64
	scattered bool // whether at most half of the rows are in runs without gaps: see scattered
	dense     bool
}

// Hidden returns Rows that are to be left out of a file. The argument numbers has their row
// numbers, ascending, and the argument all is the number of rows in the file.
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

// Filter says which rows of some files a scan reads. It must stay open as long as the SQL that
// Parquet returned for it is used.
type Filter struct {
	id     uint64
	blocks []unsafe.Pointer
	pinner runtime.Pinner
}

// filters has the open filters by id. SQL refers to a filter by its id.
var filters struct {
	sync.Map // maps ids of type uint64 to filters of type *C.scoter_rows
	last     atomic.Uint64
}

//export scoterFindRows
func scoterFindRows(id C.uint64_t) *C.scoter_rows {
	if f, ok := filters.Load(uint64(id)); ok {
		return f.(*C.scoter_rows)
	}
	return nil
}

// Without returns a filter that leaves out the given rows of the given files. A file that is not
// listed is read completely, and the column schema.RowsetColumn is undefined for its rows.
func Without(files []File) *Filter { return newFilter(files, C.scoter_rows{}) }

// Addressed returns a filter like Without, for scans that read the addresses of rows. files must
// list all files that the scan reads.
func Addressed(files []File) *Filter { return newFilter(files, C.scoter_rows{addressed: true}) }

// Only returns a filter that leaves out all rows except the given ones. files must list all files
// that the scan reads.
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
		out[i].path, out[i].source, out[i].n = path, C.uint64_t(file.Rowset), C.int64_t(len(file.Rows.Numbers))
		out[i].rows, out[i].bits = (*C.uint32_t)(pinned(f, file.Rows.Numbers)), (*C.uint64_t)(pinned(f, file.Rows.bits))
		out[i].scattered, out[i].dense = C.bool(file.Rows.scattered), C.bool(file.Rows.dense)
	}
	filters.Store(f.id, described)
	return f
}

// pinned returns the address of the first element of a slice. The elements stay pinned (Go does not
// move or free them) until the filter is closed.
func pinned[E uint32 | uint64](f *Filter, elements []E) *E {
	if len(elements) == 0 {
		return nil
	}
	first := unsafe.SliceData(elements)
	f.pinner.Pin(first)
	return first
}

const (
	// vector is the number of rows in a vector, which DuckDB reads at a time.
	vector = 2048
	// If more than one of every `dense` rows of a file is hidden (more than a third), conditions
	// that compute something are evaluated only for visible rows. A LIKE on long texts without a
	// dictionary that is evaluated only for visible rows takes 1.03 times as long as for all rows
	// if a tenth of the rows is hidden, 0.91 times with 40%, and 0.74 times with 60%.
	dense = 3
	// If more than one of every `many` rows of a file is hidden, the hidden rows are also stored as
	// a bitmap. The bitmap takes at most 16 bytes per hidden row.
	many = 128
)

// scattered reports whether at most half of the listed rows belong to a run of 2,048 listed rows
// without a gap. The argument rows has the row numbers, ascending.
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

// Close frees the data of the filter, to which scans refer. The caller must have ended all queries
// that use the filter.
func (f *Filter) Close() {
	filters.Delete(f.id)
	for _, p := range f.blocks {
		C.free(p)
	}
	f.blocks = nil
	f.pinner.Unpin()
}

// Parquet returns SQL that reads files: a call of a table function like read_parquet. If f is not
// nil, the call reads only the rows that f lets through. Paths are taken literally, not as
// patterns. If the argument once is true, queries with ORDER BY ... LIMIT read all columns in one
// scan too. Otherwise they read most columns in a second scan, only for the rows of the result.
// That does not pay off if a condition leaves few rows.
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
