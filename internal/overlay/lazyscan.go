package overlay

/*
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// lazyScan is a scan of rows as they are now, a batch per source. Its columns are described when DuckDB says
// that a query wants them, which it does when it starts to execute: most queries want few.
type lazyScan struct {
	scan
	table     schema.Table
	sources   []rowSource
	kept      *sources // of changed rows; nil of others
	described *C.scoter_scan
	batches   []C.scoter_batch

	mu   sync.Mutex
	done map[int]bool // columns that are described; guarded by mu
}

// rowSource is rows of one source, whose values are to be had column by column.
type rowSource interface {
	address() (source base.SourceID, ordinals []uint32)
	// values returns columns for the scan with this number; later ones have higher numbers.
	values(columns []schema.Column, scan uint64) ([]arrow.Array, error)
}

// changedSource is changed rows and where their other values are to be read.
type changedSource struct {
	*changed
	read reader
}

func (c changedSource) address() (base.SourceID, []uint32) { return c.set.Source, c.rows }

func (c changedSource) values(columns []schema.Column, scan uint64) ([]arrow.Array, error) {
	return c.changed.values(columns, c.read, scan)
}

// changedPart is the changed rows of a part.
type changedPart struct {
	changedSource
	overlay *Overlay
	part    *catalog.Part
	ahead   *ahead // what was read for values to find
}

// ahead are values of some columns of some rows.
type ahead struct {
	columns []schema.Column
	rows    []uint32
	values  []arrow.Array
}

func (c *changedPart) values(columns []schema.Column, scan uint64) ([]arrow.Array, error) {
	c.changedSource.read = func(columns []schema.Column, rows []uint32) ([]arrow.Array, error) {
		if a := c.ahead; a != nil && slices.EqualFunc(a.columns, columns, sameColumn) && slices.Equal(a.rows, rows) {
			return a.values, nil
		}
		return c.overlay.partReader(c.part, c.written)(columns, rows) // what is kept of the part is not what it was
	}
	return c.changedSource.values(columns, scan)
}

// lazyScans are the lazy scans of the queries under way.
var lazyScans sync.Map // uint64 -> *lazyScan

//export scoterFillColumns
func scoterFillColumns(id C.uint64_t, projected *C.idx_t, n C.idx_t, failure *C.scoter_failure) C.bool {
	found, ok := lazyScans.Load(uint64(id))
	if !ok {
		report(failure, base.Errorf(base.Internal, "no such scan"))
		return false
	}
	s := found.(*lazyScan)
	var wanted []int
	for _, column := range unsafe.Slice(projected, int(n)) {
		if column < C.idx_t(len(s.table.Columns)) { // what lies behind is part of the address, or the row's id
			wanted = append(wanted, int(column))
		}
	}
	if err := s.fill(wanted); err != nil {
		report(failure, err)
		return false
	}
	return true
}

// report has DuckDB report an error. internal/duck makes one of the same kind of it again.
func report(to *C.scoter_failure, err error) {
	to.message, to.kind = C.CString(err.Error()), C.CString(base.KindOf(err).String())
	if e := new(base.Error); errors.As(err, &e) && e.Hint != "" {
		to.hint = C.CString(e.Hint)
	}
}

// newLazyScan describes rows under a number. Rows that the bounds exclude may be left out. kept is what bounds what the sources keep, nil
// if they keep nothing.
func newLazyScan(id uint64, table schema.Table, sources []rowSource, kept *sources, bounds []Bound) (*lazyScan, error) {
	s := &lazyScan{scan: scan{id: id}, table: table, sources: sources, kept: kept, done: map[int]bool{}}
	described, err := s.describeColumns(table.Columns)
	if err != nil {
		s.memory.free()
		return nil, err
	}
	s.described = described
	described.lazy = C.uint64_t(s.id)
	s.batches = cArray[C.scoter_batch](&s.memory, len(sources))
	for i, source := range sources {
		b := &s.batches[i]
		id, rows := source.address()
		b.source, b.rows, b.ordinals = C.uint64_t(id), C.int64_t(len(rows)), s.memory.numbers(rows)
		b.columns = unsafe.SliceData(cArray[C.scoter_column](&s.memory, len(table.Columns)))
		described.rows += b.rows
	}
	described.n_batches, described.batches = C.int64_t(len(sources)), unsafe.SliceData(s.batches)
	s.describeFilters(described, memtableFilters(table, table, bounds))
	lazyScans.Store(s.id, s)
	scans.Store(s.id, described)
	return s, nil
}

func (s *lazyScan) Close() {
	lazyScans.Delete(s.id)
	s.scan.Close()
}

// fill describes columns, by number, and those that the filters look at.
func (s *lazyScan) fill(wanted []int) error {
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
	if err := readAhead(s.sources, columns); err != nil {
		return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
	}
	for i, source := range s.sources {
		values, err := source.values(columns, s.id)
		if err == nil {
			described := unsafe.Slice(s.batches[i].columns, len(s.table.Columns))
			for k, n := range numbers {
				if err = describeColumn(&s.memory, &described[n], values[k].Data()); err != nil {
					break
				}
			}
		}
		if err != nil {
			return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
		}
	}
	for _, n := range numbers {
		s.done[n] = true
	}
	if s.kept != nil {
		s.kept.trim()
	}
	return nil
}
