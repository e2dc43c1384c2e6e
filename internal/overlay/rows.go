package overlay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// firstConstant is the column id of the first sqlquery.Constant. It is greater than the ids of all
// columns of tables.
const firstConstant base.ColumnID = 1 << 31

// preparedScans is the smallest id of a scan that RowsRelation makes. Each connection has one fixed
// id, which is not smaller. So a statement of the connection always has the same text, and can be
// cached as a prepared statement.
const preparedScans = 1 << 62

// RowsRelation returns a relation of the given rows of a table, with their addresses. Its SQL is
// always the same for a connection and a version of the table, because DuckDB gets the rows only at
// execution. So prepared statements over the relation can be cached. Only one query of the
// connection at a time may use such a relation.
func (o *Overlay) RowsRelation(ctx context.Context, conn *duck.Conn, t *snapshot.Table, rows sqlquery.Located) (*Relation, error) {
	table, known, types := t.Schema, maps.Clone(rows.Key), ""
	table.Columns = append(make([]schema.Column, 0, len(t.Schema.Columns)+len(rows.Constants)), t.Schema.Columns...)
	for i, c := range rows.Constants {
		id := firstConstant + base.ColumnID(i)
		table.Columns = append(table.Columns, schema.Column{ID: id, Name: c.Name, Type: c.Type})
		known[id] = c.Value
		types += " " + c.Type.String()
	}
	addresses := slices.Clone(rows.Addresses)
	slices.SortFunc(addresses, func(a, b base.RowAddress) int {
		return cmp.Or(cmp.Compare(a.Rowset, b.Rowset), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	// A table with the version 0 is about to be created by a statement. Another statement may
	// create a different table with the same id. So the text must also have the types of the
	// table's columns.
	if t.Version == 0 {
		for _, c := range t.Schema.Columns {
			types += " " + c.Type.String()
		}
	}
	var rowsets []lazyRows
	for len(addresses) > 0 {
		located := &located{overlay: o, table: t, rowset: addresses[0].Rowset, known: known}
		for len(addresses) > 0 && addresses[0].Rowset == located.rowset {
			located.rows = append(located.rows, uint32(addresses[0].Ordinal))
			addresses = addresses[1:]
		}
		rowsets = append(rowsets, located)
	}
	s, err := newLazyScan(ctx, preparedScans+conn.Number(), table, rowsets, nil, nil)
	if err != nil {
		return nil, base.Wrap(err, "table %s", t.Schema.QualifiedName())
	}
	s.described.cached = 1
	r := &Relation{Rows: int64(len(rows.Addresses)), closers: []interface{ Close() }{s}}
	// The text includes everything on which a plan depends: the version of the table, which
	// determines the types of the columns, and the types of the constants.
	r.SQL = fmt.Sprintf("SELECT %s, "+schema.RowsetColumn+", "+schema.OrdinalColumn+" FROM %s(%d) /* table %d version %d%s */",
		projection(table, table), scanFunction, s.id, t.Schema.ID, t.Schema.Version, types)
	if live := isNotTombstone(table, table); live != "" {
		r.SQL += " WHERE " + live
	}
	return r, nil
}

// located are rows of one rowset that were found by a key. They implement lazyRows.
type located struct {
	overlay *Overlay
	table   *snapshot.Table
	rowset  base.RowsetID
	rows    []uint32 // numbers of the rows in the rowset, ascending
	// known are the columns in which all rows have the same value, see Rows.Key.
	known map[base.ColumnID]arrow.Array
}

func (l *located) address() (base.RowsetID, []uint32) { return l.rowset, l.rows }

func (l *located) cachedBytes([]schema.Column) int64 { return 0 }

func (l *located) values(ctx context.Context, columns []schema.Column, _ uint64, _ *int64) ([]arrow.Array, error) {
	return l.piece(ctx, columns, 0, len(l.rows)) // all rows are read at once, because there are few
}

func (l *located) piece(ctx context.Context, columns []schema.Column, from, to int) ([]arrow.Array, error) {
	rows, set, written := l.rows[from:to], l.table.Patches[l.rowset], l.written()
	out := make([]arrow.Array, len(columns))
	var err error
	var whole []schema.Column // columns that are read for all of the rows
	for i, c := range columns {
		if one, ok := l.known[c.ID]; ok {
			out[i], err = batch.Repeat(one, len(rows))
		} else if set != nil && written.MayExceed(c) {
			out[i], err = l.unlessNewer(ctx, set, c, rows)
		} else {
			whole = append(whole, c)
		}
		if err != nil {
			return nil, err
		}
	}
	read, err := l.read(ctx, whole, rows)
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if out[i] != nil {
			continue
		}
		out[i], read = read[0], read[1:]
		if set != nil {
			if out[i], err = set.Over(c, rows, out[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// unlessNewer returns the current values of a column for the given rows. If a row has a patched
// value, that is its value. For all other rows it reads the written values.
func (l *located) unlessNewer(ctx context.Context, set *patch.Set, column schema.Column, rows []uint32) (arrow.Array, error) {
	newer, err := newerIn(set, column, rows)
	if err != nil {
		return nil, err
	}
	older := writtenColumn{rows: minus(rows, newer.rows)}
	if len(older.rows) > 0 {
		read, err := l.read(ctx, []schema.Column{column}, older.rows)
		if err != nil {
			return nil, err
		}
		older.values = read[0]
	}
	return newest(rows, newer, older)
}

// written returns the schema version with which the rows of the rowset were written.
func (l *located) written() schema.Table {
	for _, v := range l.table.Memtables {
		if v.Rowset == l.rowset {
			return v.Schema
		}
	}
	if p := l.part(); p != nil {
		return l.table.Versions[p.SchemaVersion]
	}
	return l.table.Schema
}

// part returns the rowset if it is a part. If it is a memtable, it returns nil.
func (l *located) part() *catalog.Part {
	i, ok := slices.BinarySearchFunc(l.table.Parts, l.rowset, func(p *catalog.Part, id base.RowsetID) int { return cmp.Compare(p.ID, id) })
	if !ok {
		return nil
	}
	return l.table.Parts[i]
}

// read returns columns of the given rows, with their written values converted to the current types.
func (l *located) read(ctx context.Context, columns []schema.Column, rows []uint32) ([]arrow.Array, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	for _, v := range l.table.Memtables {
		if v.Rowset == l.rowset {
			return l.overlay.memtableReader(v)(ctx, columns, rows, math.MaxInt64)
		}
	}
	p := l.part()
	if p == nil {
		return nil, base.Errorf(base.Internal, "rowset %d is not in the snapshot", l.rowset)
	}
	written := l.table.Versions[p.SchemaVersion]
	out := make([]arrow.Array, len(columns))
	var others []schema.Column
	for i, c := range columns {
		values, err := l.overlay.chunks.take(p, written, c, rows)
		if err != nil {
			return nil, base.Wrap(err, "part %d: column %q", p.ID, c.Name)
		}
		if values == nil {
			others = append(others, c)
		}
		out[i] = values
	}
	if len(others) == 0 {
		return out, nil
	}
	read, err := l.overlay.partReader(p, written)(ctx, others, rows, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i] == nil {
			out[i], read = read[0], read[1:]
		}
	}
	return out, nil
}
