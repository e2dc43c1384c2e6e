package overlay

/*
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
	"github.com/scoterdb/scoter/internal/livescan"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
)

// scanFunction is the name of the DuckDB table function that reads memtables. User statements
// cannot call it.
const scanFunction = "scoter_memtable"

// scans has the descriptions of the memtables that running queries scan, by scan id. The id is in
// the query's SQL text, as the only argument of the table function. It is unique among all DuckDB
// instances of the process.
var scans struct {
	sync.Map // uint64 (the scan id) -> *C.scoter_scan
	last     atomic.Uint64
}

//export scoterFindScan
func scoterFindScan(id C.uint64_t) *C.scoter_scan {
	if s, ok := scans.Load(uint64(id)); ok {
		return s.(*C.scoter_scan)
	}
	return nil
}

// register adds the scans of parts and of memtables to the connection's database.
func register(conn *duck.Conn) error {
	if err := livescan.Register(conn); err != nil {
		return err
	}
	return ext.AddMemoryScan(conn.Raw(), scanFunction, unsafe.Pointer(&C.scoter_scans))
}

// scan is a description of memtables that is registered for DuckDB. The table function finds the
// description by its id until the scan is closed.
type scan struct {
	id     uint64
	memory cMemory
}

// newScan registers a scan of memtables, which must all have the same schema version of the table.
// The function hiddenOf returns the numbers of the rows of a memtable that the scan must leave out.
// If hiddenOf is nil, there are none. The scan may also leave out rows that do not meet the bounds.
// The caller must hold references to the memtables until the scan is closed.
func newScan(now schema.Table, views []memtable.View, hiddenOf func(base.RowsetID) []uint32, bounds []Bound) (*scan, error) {
	s := &scan{id: scans.last.Add(1)}
	described, err := s.describe(views, hiddenOf)
	if err != nil {
		s.memory.free()
		return nil, err
	}
	s.describeFilters(described, memtableFilters(now, views[0].Schema, bounds))
	scans.Store(s.id, described)
	return s, nil
}

func (s *scan) Close() {
	scans.Delete(s.id)
	s.memory.free()
}

func (s *scan) describe(views []memtable.View, hiddenOf func(base.RowsetID) []uint32) (*C.scoter_scan, error) {
	m := &s.memory
	out, err := s.describeColumns(views[0].Schema.Columns)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, v := range views {
		total += len(v.Batches)
	}
	batches := cArray[C.scoter_batch](m, total)
	n := 0
	for _, v := range views {
		var hidden []uint32
		if hiddenOf != nil {
			hidden = hiddenOf(v.Rowset)
		}
		for _, b := range v.Batches {
			if err := describeBatch(m, &batches[n], v.Rowset, b.FirstOrdinal, b.Record); err != nil {
				return nil, err
			}
			batches[n].n_hidden, batches[n].hidden = C.int64_t(len(hidden)), m.numbers(hidden)
			n++
		}
		out.rows += C.int64_t(v.Rows)
	}
	out.n_batches, out.batches = C.int64_t(total), unsafe.SliceData(batches)
	return out, nil
}

// describeColumns returns a C struct that describes a scan. It has the given columns. The caller
// adds the batches.
func (s *scan) describeColumns(columns []schema.Column) (*C.scoter_scan, error) {
	m := &s.memory
	out := &cArray[C.scoter_scan](m, 1)[0]
	names, types := cArray[*C.char](m, len(columns)), cArray[C.scoter_type](m, len(columns))
	for i, c := range columns {
		names[i] = m.text(c.Name)
		if err := describeType(m, &types[i], c.Type.StorageType()); err != nil {
			return nil, base.Wrap(err, "column %q", c.Name)
		}
	}
	out.n_columns, out.names, out.types = C.int32_t(len(columns)), unsafe.SliceData(names), unsafe.SliceData(types)
	return out, nil
}
