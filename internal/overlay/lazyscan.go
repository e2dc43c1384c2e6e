package overlay

/*
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// lazyScan is a scan of rows whose values are not described to DuckDB in advance. It has one batch
// for each rowset. When execution starts, DuckDB says which columns the query needs, and only these
// are read and described, because most queries need few columns. If the values are too large to be
// cached, each scan reads them again, some of the rows at a time.
type lazyScan struct {
	scan
	ctx       context.Context // context of the query that runs the scan
	table     schema.Table
	rowsets   []lazyRows
	caches    *rowsetCaches // caches of changed rows; nil if nothing is cached
	described *C.scoter_scan
	batches   []C.scoter_batch

	mu sync.Mutex // guards the descriptions of the scan (C structs)
}

// lazyRows are rows of one rowset. The values of a column are read when a query needs the column.
type lazyRows interface {
	address() (rowset base.RowsetID, ordinals []uint32)
	// cachedBytes returns the memory in bytes of the cached values of the given columns.
	cachedBytes(columns []schema.Column) int64
	// values returns the given columns of all rows. The argument scan is the number of the scan
	// that calls. Scans that began later have greater numbers. The argument room is the number of
	// bytes that may still be cached, from which the memory of newly cached values is subtracted.
	// If these bytes are not enough, the result is nil.
	values(ctx context.Context, columns []schema.Column, scan uint64, room *int64) ([]arrow.Array, error)
	// piece returns the given columns of the rows with the indexes i for which from <= i < to. If
	// their values take more than about pieceBytes, it returns only those of the first rows.
	piece(ctx context.Context, columns []schema.Column, from, to int) ([]arrow.Array, error)
}

// changedRows are the changed rows of one rowset. They implement lazyRows. The function in the
// field read reads the values of columns that were not changed.
type changedRows struct {
	*changed
	read reader
}

func (c changedRows) address() (base.RowsetID, []uint32) { return c.set.Rowset, c.rows }

func (c changedRows) values(ctx context.Context, columns []schema.Column, scan uint64, room *int64) ([]arrow.Array, error) {
	return c.changed.values(ctx, columns, c.read, scan, room)
}

func (c changedRows) piece(ctx context.Context, columns []schema.Column, from, to int) ([]arrow.Array, error) {
	return c.changed.piece(ctx, columns, c.read, from, to)
}

// changedPart are the changed rows of one part. They implement lazyRows.
type changedPart struct {
	changedRows
	overlay *Overlay
	part    *catalog.Part
	ahead   *ahead // values that readAhead has read; nil if there are none
}

// ahead has values that were read before the method values requests them. The fields columns and
// rows say which values were read. The field values may lack the last of these rows.
type ahead struct {
	columns []schema.Column
	rows    []uint32
	values  []arrow.Array
}

func newChangedPart(o *Overlay, p *catalog.Part, c *changed) *changedPart {
	return &changedPart{changedRows{c, o.partReader(p, c.written)}, o, p, nil}
}

func (c *changedPart) values(ctx context.Context, columns []schema.Column, scan uint64, room *int64) ([]arrow.Array, error) {
	read := func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error) {
		if a := c.ahead; a != nil && slices.EqualFunc(a.columns, columns, sameColumn) && slices.Equal(a.rows, rows) {
			return a.values, nil
		}
		// The values that were read ahead are for other columns or rows: the cache has changed
		// since they were read.
		return c.read(ctx, columns, rows, most)
	}
	return c.changed.values(ctx, columns, read, scan, room)
}

// lazyScans has the lazy scans of running queries, by scan id.
var lazyScans sync.Map // uint64 (the scan id) -> *lazyScan

func findLazyScan(id C.uint64_t) (*lazyScan, error) {
	found, ok := lazyScans.Load(uint64(id))
	if !ok {
		return nil, base.Errorf(base.Internal, "no such scan")
	}
	return found.(*lazyScan), nil
}

//export scoterFillColumns
func scoterFillColumns(id C.uint64_t, projected *C.idx_t, n C.idx_t, inPieces *C.int64_t, failure *C.scoter_failure) C.bool {
	s, err := findLazyScan(id)
	if err == nil {
		err = s.fill(s.wanted(projected, n), unsafe.Slice(inPieces, len(s.rowsets)))
	}
	if err != nil {
		report(failure, err)
	}
	return err == nil
}

// report passes an error to DuckDB through a C struct. When the query then fails, internal/duck
// turns its error back into a base.Error of the same kind.
func report(to *C.scoter_failure, err error) {
	to.message, to.kind = C.CString(err.Error()), C.CString(base.KindOf(err).String())
	if e := new(base.Error); errors.As(err, &e) && e.Hint != "" {
		to.hint = C.CString(e.Hint)
	}
}

// newLazyScan registers a scan under an id, for a query with the context ctx. The scan may leave
// out rows that do not meet the bounds (conditions that all result rows meet). The argument caches
// limits the memory of cached values. It is nil if nothing is cached.
func newLazyScan(ctx context.Context, id uint64, table schema.Table, rowsets []lazyRows, caches *rowsetCaches, bounds []Bound) (*lazyScan, error) {
	s := &lazyScan{scan: scan{id: id}, ctx: ctx, table: table, rowsets: rowsets, caches: caches}
	described, err := s.describeColumns(table.Columns)
	if err != nil {
		s.memory.free()
		return nil, err
	}
	s.described = described
	described.lazy = C.uint64_t(s.id)
	s.batches = cArray[C.scoter_batch](&s.memory, len(rowsets))
	for i, rows := range rowsets {
		b := &s.batches[i]
		id, rows := rows.address()
		b.source, b.rows, b.ordinals = C.uint64_t(id), C.int64_t(len(rows)), s.memory.numbers(rows)
		b.columns = unsafe.SliceData(cArray[C.scoter_column](&s.memory, len(table.Columns)))
		described.rows += b.rows
	}
	described.n_batches, described.batches = C.int64_t(len(rowsets)), unsafe.SliceData(s.batches)
	s.describeFilters(described, memtableFilters(table, table, bounds))
	lazyScans.Store(s.id, s)
	scans.Store(s.id, described)
	return s, nil
}

func (s *lazyScan) Close() {
	lazyScans.Delete(s.id)
	s.scan.Close()
}

// wanted returns the indexes of the columns that the scan must read. These are the n columns in
// projected, which the query requests, and the columns that a filter needs.
func (s *lazyScan) wanted(projected *C.idx_t, n C.idx_t) (columns []int) {
	add := func(column int) {
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	for _, column := range unsafe.Slice(projected, int(n)) {
		// Greater numbers are columns of the row address or DuckDB's row id, which are not read.
		if column < C.idx_t(len(s.table.Columns)) {
			add(int(column))
		}
	}
	for _, f := range unsafe.Slice(s.described.filters, int(s.described.n_filters)) {
		add(int(f.column))
	}
	return columns
}

func (s *lazyScan) columns(numbers []int) []schema.Column {
	columns := make([]schema.Column, len(numbers))
	for i, n := range numbers {
		columns[i] = s.table.Columns[n]
	}
	return columns
}

// fill describes to DuckDB the columns with the indexes in the argument wanted, for all rowsets
// whose values can be cached. For each other rowset i, it sets inPieces[i] to the number of rows
// that DuckDB should request at a time.
func (s *lazyScan) fill(wanted []int, inPieces []C.int64_t) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing, any := make([][]int, len(s.rowsets)), false
	for i := range s.rowsets {
		described := unsafe.Slice(s.batches[i].columns, len(s.table.Columns))
		for _, n := range wanted {
			if described[n].length == 0 {
				missing[i], any = append(missing[i], n), true
			}
		}
	}
	if !any {
		return nil
	}
	room := int64(math.MaxInt64)
	if s.caches != nil {
		room = s.caches.memory.Limit()
		for i, rows := range s.rowsets {
			room -= rows.cachedBytes(s.columns(missing[i]))
		}
	}
	err := readAhead(s.ctx, s.rowsets, func(i int) []schema.Column { return s.columns(missing[i]) }, room)
	for i := 0; i < len(s.rowsets) && err == nil; i++ {
		if len(missing[i]) > 0 {
			inPieces[i], err = s.fillRowset(i, missing[i], &room)
		}
	}
	if s.caches != nil {
		s.caches.trim()
	}
	return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
}

// fillRowset describes to DuckDB some columns of the rowset i. The argument room is the number of
// bytes that may still be cached. If that is not enough for the values, fillRowset returns the
// number of rows that DuckDB should request at a time.
func (s *lazyScan) fillRowset(i int, numbers []int, room *int64) (inPieces C.int64_t, err error) {
	columns := s.columns(numbers)
	values, err := s.rowsets[i].values(s.ctx, columns, s.id, room)
	if err != nil {
		return 0, err
	}
	if values == nil {
		return C.int64_t(pieceRows(columns, int64(s.batches[i].rows))), nil
	}
	return 0, s.describeValues(&s.memory, &s.batches[i], numbers, values, false)
}

func (s *lazyScan) describeValues(m *cMemory, b *C.scoter_batch, numbers []int, values []arrow.Array, passing bool) error {
	described := unsafe.Slice(b.columns, len(s.table.Columns))
	for k, n := range numbers {
		if err := describeColumn(m, &described[n], values[k].Data(), passing); err != nil {
			return base.Wrap(err, "column %q", s.table.Columns[n].Name)
		}
	}
	return nil
}
