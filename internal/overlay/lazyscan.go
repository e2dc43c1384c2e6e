package overlay

/*
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// changedScan is a scan of changed rows, a batch per source. Its columns are described when DuckDB says
// that a query wants them, which it does when it starts to execute: most queries want few.
type changedScan struct {
	scan
	table     schema.Table
	sources   []changedSource
	kept      *sources
	described *C.scoter_scan
	batches   []C.scoter_batch

	mu   sync.Mutex
	done map[int]bool // columns that are described; guarded by mu
}

// changedSource is changed rows and where their other values are to be read.
type changedSource struct {
	*changed
	read reader
}

// changedScans are the scans of changed rows of the queries under way.
var changedScans sync.Map // uint64 -> *changedScan

//export scoterFillColumns
func scoterFillColumns(id C.uint64_t, projected *C.idx_t, n C.idx_t) *C.char {
	found, ok := changedScans.Load(uint64(id))
	if !ok {
		return C.CString("no such scan")
	}
	s := found.(*changedScan)
	var wanted []int
	for _, column := range unsafe.Slice(projected, int(n)) {
		if column < C.idx_t(len(s.table.Columns)) { // what lies behind is part of the address, or the row's id
			wanted = append(wanted, int(column))
		}
	}
	if err := s.fill(wanted); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

// newChangedScan describes changed rows. Rows that the bounds exclude may be left out.
func newChangedScan(table schema.Table, changed []changedSource, kept *sources, bounds []Bound) (*changedScan, error) {
	s := &changedScan{scan: scan{id: scans.last.Add(1)}, table: table, sources: changed, kept: kept, done: map[int]bool{}}
	described, err := s.describeColumns(table.Columns)
	if err != nil {
		s.memory.free()
		return nil, err
	}
	s.described = described
	described.lazy = C.uint64_t(s.id)
	s.batches = cArray[C.scoter_batch](&s.memory, len(changed))
	for i, source := range changed {
		b := &s.batches[i]
		b.source, b.rows, b.ordinals = C.uint64_t(source.set.Source), C.int64_t(len(source.rows)), s.memory.numbers(source.rows)
		b.columns = unsafe.SliceData(cArray[C.scoter_column](&s.memory, len(table.Columns)))
		described.rows += b.rows
	}
	described.n_batches, described.batches = C.int64_t(len(changed)), unsafe.SliceData(s.batches)
	s.describeFilters(described, memtableFilters(table, table, bounds))
	changedScans.Store(s.id, s)
	scans.Store(s.id, described)
	return s, nil
}

func (s *changedScan) Close() {
	changedScans.Delete(s.id)
	s.scan.Close()
}

// fill describes columns, by number, and those that the filters look at.
func (s *changedScan) fill(wanted []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range unsafe.Slice(s.described.filters, int(s.described.n_filters)) {
		wanted = append(wanted, int(f.column))
	}
	var columns []schema.Column
	var numbers []int
	for _, n := range wanted {
		if !s.done[n] && !slices.Contains(numbers, n) {
			columns, numbers = append(columns, s.table.Columns[n]), append(numbers, n)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	for i, source := range s.sources {
		values, err := source.values(columns, source.read)
		if err == nil {
			s.kept.trim(source.source)
			described := unsafe.Slice(s.batches[i].columns, len(s.table.Columns))
			for k, n := range numbers {
				if err = describeColumn(&s.memory, &described[n], values[k].Data()); err != nil {
					break
				}
			}
		}
		if err != nil {
			return base.Wrap(err, "table %s: changed rows", s.table.QualifiedName())
		}
	}
	for _, n := range numbers {
		s.done[n] = true
	}
	return nil
}
