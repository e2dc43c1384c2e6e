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

// If the values of a rowset's changed rows are too large for the cache, they are read in pieces. A
// piece is the values of some consecutive changed rows. Each thread of a scan reads one piece at a
// time and frees it afterwards. Each piece is read by a DuckDB query, so a piece has many rows.

const (
	// pieceBytes is the approximate maximum memory of one piece (the values that are read at a
	// time), in bytes.
	pieceBytes = 32 << 20
	// leastPieceRows is the minimum number of rows of a piece (the rows that are read at a time).
	// Reading fewer rows of one narrow column would not be worth a query.
	leastPieceRows = 64 << 10
	// pieces is the minimum number of pieces into which a rowset is divided, so that several
	// threads can read it. A small rowset is divided into fewer pieces, of leastPieceRows rows
	// each.
	pieces = 8
)

// pieceRows returns the number of rows that DuckDB should request at a time (a piece) for the given
// columns. The argument rows is the number of rows of the rowset.
func pieceRows(columns []schema.Column, rows int64) int64 {
	bytes := int64(0)
	for _, c := range columns {
		if fixed, ok := c.Type.Arrow().(arrow.FixedWidthDataType); ok {
			bytes += int64(fixed.BitWidth()+7) / 8
		} else {
			const text = 32 // this is a guess; if texts are longer, a piece gets fewer rows
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

// readPiece reads values of some rows of a rowset (a piece) and describes them in *out. The piece
// has the columns with the indexes in wanted, for the rows with the indexes i for which from <= i <
// to. If the values take too much memory, the piece has only the first of these rows.
func (s *lazyScan) readPiece(rowset, from, to int, wanted []int, out *C.scoter_piece) error {
	values, err := s.rowsets[rowset].piece(s.ctx, s.columns(wanted), from, to)
	if err != nil {
		return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
	}
	m, of := new(cMemory), &s.batches[rowset]
	_, rows := s.rowsets[rowset].address()
	out.batch = C.scoter_batch{source: of.source, rows: C.int64_t(values[0].Len()), ordinals: m.numbers(rows[from:to])}
	out.batch.columns = unsafe.SliceData(cArray[C.scoter_column](m, len(s.table.Columns)))
	if err := s.describeValues(m, &out.batch, wanted, values, true); err != nil {
		m.free()
		return base.Wrap(err, "rows of table %s", s.table.QualifiedName())
	}
	out.memory = C.uintptr_t(cgo.NewHandle(m))
	return nil
}

// piece returns the current values in the given columns of the changed rows with the indexes i for
// which from <= i < to. If they take too much memory, it returns only those of the first rows: see
// lazyRows.
func (c *changed) piece(ctx context.Context, columns []schema.Column, read reader, from, to int) ([]arrow.Array, error) {
	n, err := c.joined(columns, c.rows[from:to])
	if err != nil {
		return nil, err
	}
	to = from + n
	// p describes only the rows of the piece. It uses the cached columns of all changed rows.
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

// joined returns how many of the given rows, beginning with the first, to read as one piece (the
// rows that are read at a time). The number is chosen so that copies of patched values take about
// pieceBytes at most. The patched values of a column are copied only if some rows have a patched
// value and others do not.
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
