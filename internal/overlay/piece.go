package overlay

/*
#include <stdlib.h>
#include "memscan.h"
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Changed rows whose values are too large for the cache are read in pieces. Each thread of a scan
// reads one piece at a time and frees it afterwards. Each piece is read by a DuckDB query, so it
// has many rows.

const (
	// pieceBytes is the approximate limit of the memory of one piece's values.
	pieceBytes = 32 << 20
	// leastPieceRows is the least number of rows of a piece: fewer rows of one narrow column are
	// not worth a query.
	leastPieceRows = 64 << 10
	// pieces is the number of pieces into which a rowset is divided at least, so that threads can
	// share it. Small rowsets are divided into fewer pieces, of leastPieceRows rows.
	pieces = 8
)

// pieceRows returns the number of rows to request for a piece of the given columns. rows is the
// rowset's number of rows.
func pieceRows(columns []schema.Column, rows int64) int64 {
	bytes := int64(0)
	for _, c := range columns {
		if fixed, ok := c.Type.Arrow().(arrow.FixedWidthDataType); ok {
			bytes += int64(fixed.BitWidth()+7) / 8
		} else {
			const text = 32 // a guess: if texts are longer, a piece ends early
			bytes += text
		}
	}
	return min(pieceBytes/max(1, bytes), max(rows/pieces, leastPieceRows))
}

//export scoterReadPiece
func scoterReadPiece(id C.uint64_t, batch, from, to C.int64_t, projected *C.idx_t, n C.idx_t, piece *C.scoter_piece, failure *C.scoter_failure) C.bool {
	s, err := findLazyScan(id)
	if err == nil {
		err = s.readPiece(int(batch), int(from), int(to), s.wanted(projected, n), piece)
	}
	if err != nil {
		report(failure, err)
	}
	return err == nil
}

//export scoterFreePiece
func scoterFreePiece(memory C.uintptr_t) {
	h := cgo.Handle(memory)
	h.Value().(*cMemory).free()
	h.Delete()
}

// readPiece describes a piece in *out: the columns with the indexes in wanted, for the rows from
// from to to of a batch. If their values take too much memory, it has only the first rows.
func (s *lazyScan) readPiece(source, from, to int, wanted []int, out *C.scoter_piece) error {
	values, err := s.rowsets[source].piece(s.ctx, s.columns(wanted), from, to)
	if err != nil {
		return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
	}
	m, of := new(cMemory), &s.batches[source]
	_, rows := s.rowsets[source].address()
	out.batch = C.scoter_batch{source: of.source, rows: C.int64_t(values[0].Len()), ordinals: m.numbers(rows[from:to])}
	out.batch.columns = unsafe.SliceData(cArray[C.scoter_column](m, len(s.table.Columns)))
	if err := s.describeValues(m, &out.batch, wanted, values, true); err != nil {
		m.free()
		return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
	}
	out.memory = C.uintptr_t(cgo.NewHandle(m))
	return nil
}

// piece returns the current values of the changed rows with the indexes [from, to), in the given
// columns. If they take too much memory, it returns only those of the first rows: see lazyRows.
func (c *changed) piece(ctx context.Context, columns []schema.Column, read reader, from, to int) ([]arrow.Array, error) {
	n, err := c.joined(columns, c.rows[from:to])
	if err != nil {
		return nil, err
	}
	to = from + n
	// p describes only the rows of the piece, with the cached columns of all changed rows.
	p := &changed{cache: new(rowsetCache), set: c.set, table: c.table, written: c.written, rows: c.rows[from:to], columns: map[base.ColumnID]arrow.Array{}}
	cached := cachedColumns{}
	c.cache.mu.Lock()
	for _, column := range columns {
		cached[column.ID] = &cachedColumn{written: c.cachedLocked().written(column.ID).within(p.rows)}
		if values, ok := c.columns[column.ID]; ok {
			p.columns[column.ID] = array.NewSlice(values, int64(from), int64(to))
		}
	}
	c.cache.mu.Unlock()
	room := int64(pieceBytes)
	if n, err = p.readMissing(ctx, columns, cached, read, &room, 1); err != nil {
		return nil, err
	}
	p.rows = p.rows[:n]
	out := make([]arrow.Array, len(columns))
	for i, column := range columns {
		if values, ok := p.columns[column.ID]; ok {
			out[i] = array.NewSlice(values, 0, int64(n))
			continue
		}
		newer, err := p.newer(column)
		if err == nil {
			out[i], err = newest(p.rows, newer, cached[column.ID].written)
		}
		if err != nil {
			return nil, base.Wrap(err, "column %q", column.Name)
		}
	}
	return out, nil
}

// joined returns how many of the rows, beginning with the first, to put into a piece, so that
// copies of patched values take at most about pieceBytes. Patched values of a column are copied if
// only some of the rows have them.
func (c *changed) joined(columns []schema.Column, rows []uint32) (int, error) {
	perRow := int64(0)
	for _, column := range columns {
		newer, err := c.newer(column)
		if err != nil {
			return 0, err
		}
		if n := len(newer.within(rows).rows); n > 0 && n < len(rows) {
			perRow += bytesOf(newer.values) / int64(len(newer.rows))
		}
	}
	return min(len(rows), int(pieceBytes/max(1, perRow))+1), nil
}
