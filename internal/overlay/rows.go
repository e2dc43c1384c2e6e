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
)

// Rows are some rows of a table that were found by key.
type Rows struct {
	Addresses []base.RowAddress
	// Key has the columns of which all rows are known to have the same value, without reading them.
	// Each array has only that value.
	Key map[base.ColumnID]arrow.Array
	// Constants are additional columns of the relation.
	Constants []Constant
}

// Constant is a column with the same value in every row. Value has only that value.
type Constant struct {
	Name  string
	Type  schema.Type
	Value arrow.Array
}

// firstConstant is the id of the first constant. It is above the ids of the table's columns.
const firstConstant base.ColumnID = 1 << 31

// preparedScans is the first scan id of RowsRelation. Each connection has one fixed scan id from
// here on. So a statement of the connection always has the same text, and can be cached as a
// prepared statement.
const preparedScans = 1 << 62

// RowsRelation returns a relation of some of the table's rows, with their addresses. For a given
// connection and version of the table its SQL is always the same, so statements over it can be
// cached: DuckDB knows nothing about the rows when it plans. Only one query of the connection at a
// time may use such a relation.
func (o *Overlay) RowsRelation(ctx context.Context, conn *duck.Conn, t *snapshot.Table, rows Rows) (*Relation, error) {
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
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	// Version 0 is a table that a statement is going to create: another statement may create a
	// different table under the same number.
	if t.Version == 0 {
		for _, c := range t.Schema.Columns {
			types += " " + c.Type.String()
		}
	}
	var rowsets []lazyRows
	for len(addresses) > 0 {
		located := &located{overlay: o, table: t, source: addresses[0].Source, known: known}
		for len(addresses) > 0 && addresses[0].Source == located.source {
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
	// The text identifies everything that a plan depends on: the columns' types, given by the
	// version, and the types of the constants.
	r.SQL = fmt.Sprintf("SELECT %s, "+schema.SourceColumn+", "+schema.OrdinalColumn+" FROM %s(%d) /* table %d version %d%s */",
		projection(table, table), scanFunction, s.id, t.Schema.ID, t.Schema.Version, types)
	if live := isNotTombstone(table, table); live != "" {
		r.SQL += " WHERE " + live
	}
	return r, nil
}

// located has current rows of one rowset.
type located struct {
	overlay *Overlay
	table   *snapshot.Table
	source  base.SourceID
	rows    []uint32                      // ascending
	known   map[base.ColumnID]arrow.Array // columns of which all rows have one value
}

func (l *located) address() (base.SourceID, []uint32) { return l.source, l.rows }

func (l *located) cachedBytes([]schema.Column) int64 { return 0 }

func (l *located) values(ctx context.Context, columns []schema.Column, _ uint64, _ *int64) ([]arrow.Array, error) {
	return l.piece(ctx, columns, 0, len(l.rows)) // there are few of them
}

func (l *located) piece(ctx context.Context, columns []schema.Column, from, to int) ([]arrow.Array, error) {
	rows, set, written := l.rows[from:to], l.table.Patches[l.source], l.written()
	out := make([]arrow.Array, len(columns))
	var err error
	var whole []schema.Column // columns that are read for all rows
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

// unlessNewer returns a column, which it reads only for rows that have no newer value.
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

// written returns the schema version with which the rowset was written.
func (l *located) written() schema.Table {
	for _, v := range l.table.Memtables {
		if v.Source == l.source {
			return v.Schema
		}
	}
	if p := l.part(); p != nil {
		return l.table.Versions[p.SchemaVersion]
	}
	return l.table.Schema
}

// part returns the rowset if it is a part, otherwise nil.
func (l *located) part() *catalog.Part {
	i, ok := slices.BinarySearchFunc(l.table.Parts, l.source, func(p *catalog.Part, id base.SourceID) int { return cmp.Compare(p.ID, id) })
	if !ok {
		return nil
	}
	return l.table.Parts[i]
}

// read returns columns of the rows as they were written, in their current types.
func (l *located) read(ctx context.Context, columns []schema.Column, rows []uint32) ([]arrow.Array, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	for _, v := range l.table.Memtables {
		if v.Source == l.source {
			return l.overlay.memtableReader(v)(ctx, columns, rows, math.MaxInt64)
		}
	}
	p := l.part()
	if p == nil {
		return nil, base.Errorf(base.Internal, "rowset %d is not in the snapshot", l.source)
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
