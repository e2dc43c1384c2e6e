package overlay

/*
#cgo CFLAGS: -I${SRCDIR}/../duck/include -I${SRCDIR}/../duck/ext -DDUCKDB_STATIC_BUILD -O3
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// cMemory is the memory of the C structs that describe one scan. It consists of blocks of C memory
// that are freed together, and of pins of the Go memory to which the structs point.
type cMemory struct {
	blocks []unsafe.Pointer
	rest   []byte // unused bytes of the last shared block; all of them are zero
	pinner runtime.Pinner
}

// blockBytes is the size in bytes of a block of C memory. Many small structs share a block.
const blockBytes = 4 << 10

func (m *cMemory) alloc(bytes int) unsafe.Pointer {
	const alignment = 16
	bytes = (max(bytes, 1) + alignment - 1) &^ (alignment - 1)
	if bytes > len(m.rest) {
		size := max(bytes, blockBytes)
		block := C.calloc(1, C.size_t(size))
		m.blocks = append(m.blocks, block)
		if bytes > blockBytes/4 {
			// This memory has a block of its own. m.rest is not changed, because it is the rest of
			// the last shared block.
			return block
		}
		m.rest = unsafe.Slice((*byte)(block), size)
	}
	p := unsafe.Pointer(unsafe.SliceData(m.rest))
	m.rest = m.rest[bytes:]
	return p
}

func (m *cMemory) text(s string) *C.char {
	p := m.alloc(len(s) + 1)
	copy(unsafe.Slice((*byte)(p), len(s)), s)
	return (*C.char)(p)
}

func (m *cMemory) free() {
	for _, p := range m.blocks {
		C.free(p)
	}
	m.blocks, m.rest = nil, nil
	m.pinner.Unpin()
}

// pointer returns the address of the bytes b, and pins them until the C memory is freed.
func (m *cMemory) pointer(b []byte) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(b))
	if cap(b) > 0 {
		m.pinner.Pin(p) // pinning has no effect on mapped memory
	}
	return p
}

// numbers returns the address of a slice of row numbers, and pins the slice until the C memory is
// freed.
func (m *cMemory) numbers(rows []uint32) *C.uint32_t {
	if len(rows) == 0 {
		return nil
	}
	return (*C.uint32_t)(m.pointer(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), 4*len(rows))))
}

func cArray[T any](m *cMemory, n int) []T {
	var zero T
	return unsafe.Slice((*T)(m.alloc(n*int(unsafe.Sizeof(zero)))), n)
}

// fixedTypes are the types whose values are represented in the same way in Arrow and in DuckDB.
var fixedTypes = map[schema.Kind]struct {
	id    C.duckdb_type
	bytes C.uint8_t
}{
	schema.TinyInt: {C.DUCKDB_TYPE_TINYINT, 1}, schema.SmallInt: {C.DUCKDB_TYPE_SMALLINT, 2},
	schema.Integer: {C.DUCKDB_TYPE_INTEGER, 4}, schema.BigInt: {C.DUCKDB_TYPE_BIGINT, 8},
	schema.UTinyInt: {C.DUCKDB_TYPE_UTINYINT, 1}, schema.USmallInt: {C.DUCKDB_TYPE_USMALLINT, 2},
	schema.UInteger: {C.DUCKDB_TYPE_UINTEGER, 4}, schema.UBigInt: {C.DUCKDB_TYPE_UBIGINT, 8},
	schema.Float: {C.DUCKDB_TYPE_FLOAT, 4}, schema.Double: {C.DUCKDB_TYPE_DOUBLE, 8},
	schema.Date: {C.DUCKDB_TYPE_DATE, 4}, schema.Time: {C.DUCKDB_TYPE_TIME, 8},
	schema.Timestamp: {C.DUCKDB_TYPE_TIMESTAMP, 8}, schema.TimestampNS: {C.DUCKDB_TYPE_TIMESTAMP_NS, 8},
	schema.TimestampTZ: {C.DUCKDB_TYPE_TIMESTAMP_TZ, 8},
}

// describeType fills in the C struct that describes a storage type.
func describeType(m *cMemory, out *C.scoter_type, t schema.Type) error {
	if fixed, ok := fixedTypes[t.Kind]; ok {
		out.id, out.value_bytes = fixed.id, fixed.bytes
		return nil
	}
	var children []schema.Type
	switch t.Kind {
	case schema.Boolean:
		out.id = C.DUCKDB_TYPE_BOOLEAN
	case schema.Varchar:
		out.id = C.DUCKDB_TYPE_VARCHAR
	case schema.Blob:
		out.id = C.DUCKDB_TYPE_BLOB
	case schema.UUID:
		out.id = C.DUCKDB_TYPE_UUID
	case schema.Decimal:
		out.id, out.width, out.scale = C.DUCKDB_TYPE_DECIMAL, C.uint8_t(t.Width), C.uint8_t(t.Scale)
		switch {
		case t.Width <= 4:
			out.value_bytes = 2
		case t.Width <= 9:
			out.value_bytes = 4
		case t.Width <= 18:
			out.value_bytes = 8
		default:
			out.value_bytes = 16
		}
	case schema.List:
		out.id = C.DUCKDB_TYPE_LIST
		children = []schema.Type{*t.Elem}
	case schema.Map:
		out.id = C.DUCKDB_TYPE_MAP
		children = []schema.Type{*t.Key, *t.Elem}
	case schema.Struct:
		out.id = C.DUCKDB_TYPE_STRUCT
		names := cArray[*C.char](m, len(t.Fields))
		for i, f := range t.Fields {
			children = append(children, f.Type)
			names[i] = m.text(f.Name)
		}
		out.names = unsafe.SliceData(names)
	default:
		return base.Errorf(base.Internal, "no scan for columns of type %s", t)
	}
	described := cArray[C.scoter_type](m, len(children))
	for i := range children {
		if err := describeType(m, &described[i], children[i]); err != nil {
			return err
		}
	}
	out.n_children, out.children = C.int32_t(len(children)), unsafe.SliceData(described)
	return nil
}

// describeColumn fills in the C struct that describes the values of an array. The struct points
// into the memory of the array. If the argument passing is true, the array is freed before the scan
// ends, so the scan copies texts.
func describeColumn(m *cMemory, out *C.scoter_column, data arrow.ArrayData, passing bool) error {
	buffers := data.Buffers()
	if passing {
		out.passing = 1
	}
	out.offset, out.length = C.int64_t(data.Offset()), C.int64_t(data.Len())
	if len(buffers) > 0 && buffers[0] != nil && data.NullN() != 0 {
		out.validity = (*C.uint8_t)(m.pointer(buffers[0].Bytes()))
	}
	if len(buffers) > 1 && buffers[1] != nil {
		out.data = m.pointer(buffers[1].Bytes())
	}
	children := data.Children()
	switch dt := data.DataType().(type) {
	case *arrow.BooleanType:
		out.layout = C.SCOTER_BOOL
	case *arrow.StringType, *arrow.BinaryType:
		out.layout = C.SCOTER_STRING
		if buffers[2] != nil {
			out.bytes = (*C.uint8_t)(m.pointer(buffers[2].Bytes()))
		}
	case *arrow.DictionaryType:
		out.layout = C.SCOTER_DICTIONARY
		children = []arrow.ArrayData{data.Dictionary()}
	case *arrow.Decimal128Type:
		out.layout = C.SCOTER_DECIMAL
	case *arrow.FixedSizeBinaryType:
		out.layout = C.SCOTER_UUID
	case arrow.ExtensionType:
		if _, ok := dt.StorageType().(*arrow.FixedSizeBinaryType); !ok {
			return base.Errorf(base.Internal, "no scan for arrays of type %s", dt)
		}
		out.layout = C.SCOTER_UUID
	case *arrow.ListType:
		out.layout = C.SCOTER_LIST
	case *arrow.MapType:
		out.layout = C.SCOTER_MAP
	case *arrow.StructType:
		out.layout = C.SCOTER_STRUCT
	case arrow.FixedWidthDataType:
		out.layout = C.SCOTER_FIXED
	default:
		return base.Errorf(base.Internal, "no scan for arrays of type %s", dt)
	}
	described := cArray[C.scoter_column](m, len(children))
	for i := range children {
		if children[i].DataType().ID() == arrow.DICTIONARY {
			return base.Errorf(base.Internal, "no scan for a dictionary inside %s", data.DataType())
		}
		if err := describeColumn(m, &described[i], children[i], passing); err != nil {
			return err
		}
	}
	out.children = unsafe.SliceData(described)
	return nil
}

// describeBatch fills in the C struct that describes a batch of rows. The batch has the columns of
// the table, in their order. The argument rowset is the id of the batch's rowset. The argument
// first is the number that the batch's first row has in the rowset.
func describeBatch(m *cMemory, out *C.scoter_batch, rowset base.RowsetID, first base.RowOrdinal, rec arrow.RecordBatch) error {
	out.source, out.first_ordinal, out.rows = C.uint64_t(rowset), C.uint64_t(first), C.int64_t(rec.NumRows())
	columns := cArray[C.scoter_column](m, int(rec.NumCols()))
	for i := range columns {
		if err := describeColumn(m, &columns[i], rec.Column(i).Data(), false); err != nil {
			return base.Wrap(err, "column %q", rec.ColumnName(i))
		}
	}
	out.columns = unsafe.SliceData(columns)
	return nil
}
