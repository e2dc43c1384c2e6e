package overlay

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/livescan"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// partRows are some rows to be read from one part.
type partRows struct {
	part *catalog.Part
	rows []uint32 // numbers of the rows in the part, ascending
	// values has one array for each column after the rows were read. The arrays may have only the
	// first of the rows.
	values []arrow.Array
}

// readParts reads columns of some rows of several parts with one query, because planning a query
// costs more than reading some rows. All parts must have the schema version written. The argument
// most is a number of bytes: if the values take more, readParts stops. Later rows or parts then get
// no values.
func (o *Overlay) readParts(ctx context.Context, parts []*partRows, written schema.Table, columns []schema.Column, most int64) error {
	files, urls := make([]livescan.File, len(parts)), make([]string, len(parts))
	var all []uint32
	n := 0
	for i, p := range parts {
		urls[i] = o.file(p.part).URL()
		files[i] = livescan.File{Path: urls[i], Rowset: p.part.ID, Rows: livescan.Rows{Numbers: p.rows}}
		all = union(all, p.rows)
		n += len(p.rows)
	}
	wanted := livescan.Only(files)
	defer wanted.Close()
	records, ended, err := o.readSome(ctx, fmt.Sprintf("SELECT %s, %s, %s FROM %s WHERE %s", schema.RowsetColumn, schema.OrdinalColumn,
		stored(columns, written), livescan.Parquet(urls, wanted, true), rowGroups(all)), most)
	defer func() { releaseAll(records) }()
	if got := batch.Rows(records); err == nil && (got > n || ended && got < n) {
		err = base.Errorf(base.Corrupt, "%d rows instead of %d", got, n)
	}
	if err != nil {
		return base.Wrap(err, "read %d rows that were changed, of part %d and %d others", n, parts[0].part.ID, len(parts)-1)
	}
	for _, p := range parts {
		var own []arrow.RecordBatch
		if own, records, err = p.take(records); err == nil && len(own) > 0 {
			p.values, err = valuesOf(own, columns)
		}
		releaseAll(own)
		if err != nil {
			return base.Wrap(err, "part %d", p.part.ID)
		}
	}
	return nil
}

// take removes the records of this part's rows from the front of records, which has the rows of
// several parts. The result own has the removed records, and the result rest has the remaining
// ones.
func (p *partRows) take(records []arrow.RecordBatch) (own, rest []arrow.RecordBatch, err error) {
	for at := 0; len(records) > 0 && at < len(p.rows); {
		rec := records[0]
		n := min(int(rec.NumRows()), len(p.rows)-at)
		rowsets, ordinal := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
		for k := range n {
			if rowsets.Value(k) != uint64(p.part.ID) || ordinal.Value(k) != int64(p.rows[at+k]) {
				return own, records, base.Errorf(base.Internal, "rows are in another order than in the file")
			}
		}
		own = append(own, rec.NewSlice(0, int64(n)))
		if at += n; n == int(rec.NumRows()) {
			rec.Release()
			records = records[1:]
		} else {
			records[0] = rec.NewSlice(int64(n), rec.NumRows())
			rec.Release()
		}
	}
	return own, records, nil
}

// valuesOf returns the columns of records that follow the columns of the row address. They have
// storage types, and memory of their own.
func valuesOf(records []arrow.RecordBatch, columns []schema.Column) ([]arrow.Array, error) {
	one, err := onHeap(records)
	if err != nil {
		return nil, err
	}
	return inStorage(columns, one.Columns()[2:])
}

// partReader returns a function that reads rows of the part. The argument written is the part's
// schema version.
func (o *Overlay) partReader(p *catalog.Part, written schema.Table) reader {
	return func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error) {
		wanted := &partRows{part: p, rows: rows}
		err := o.readParts(ctx, []*partRows{wanted}, written, columns, most)
		return wanted.values, err
	}
}

// rowsAtOnce is the maximum number of rows that one query reads from several parts. The limit is
// needed because the result is in memory twice while it is divided by part.
const rowsAtOnce = 1 << 20

// readAhead reads missing columns of changed rows before changedPart.values requests them, with one
// query for many parts. It stops when the values take more bytes than the argument room allows. If
// another query reads the same values at the same time, both queries read them.
func readAhead(ctx context.Context, rowsets []lazyRows, columns func(rowset int) []schema.Column, room int64) error {
	type group struct {
		written schema.Table
		columns []schema.Column
		of      []*changedPart
		rows    []*partRows
	}
	var groups []*group
	for i, s := range rowsets {
		c, ok := s.(*changedPart)
		if !ok {
			continue
		}
		lacking, rows, err := c.lacks(columns(i))
		if err != nil {
			return err
		}
		c.ahead = nil
		if len(rows) == 0 {
			continue
		}
		at := slices.IndexFunc(groups, func(g *group) bool {
			return g.written.Version == c.written.Version && slices.EqualFunc(g.columns, lacking, sameColumn)
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{written: c.written, columns: lacking})
		}
		g := groups[at]
		g.of, g.rows = append(g.of, c), append(g.rows, &partRows{part: c.part, rows: rows})
	}
	for _, g := range groups {
		for at := 0; at < len(g.rows); {
			some := g.rows[at : at+together(g.rows[at:], rowsAtOnce)]
			if room <= 0 {
				return nil
			}
			if err := g.of[0].overlay.readParts(ctx, some, g.written, g.columns, min(room, arrayBytes)); err != nil {
				return err
			}
			for k, p := range some {
				if p.values == nil {
					break // room was used up before the rows of this part were read
				}
				g.of[at+k].ahead = &ahead{g.columns, p.rows, p.values}
				for _, a := range p.values {
					room -= bytesOf(a)
				}
			}
			at += len(some)
		}
	}
	return nil
}

// together returns how many of the parts, beginning with the first, can be read together because
// their rows are in total not more than the number most. It returns at least 1.
func together(parts []*partRows, most int) int {
	n, rows := 1, len(parts[0].rows)
	for n < len(parts) && rows+len(parts[n].rows) <= most {
		rows, n = rows+len(parts[n].rows), n+1
	}
	return n
}

func sameColumn(a, b schema.Column) bool { return a.ID == b.ID }

// rowGroups returns an SQL condition by which DuckDB skips the row groups that have none of the
// rows.
func rowGroups(rows []uint32) string {
	const atMost = 100
	var ranges []string
	for i := 0; i < len(rows); {
		from := i
		for i++; i < len(rows) && rows[i]/part.RowGroupRows <= rows[i-1]/part.RowGroupRows+1; i++ {
		}
		ranges = append(ranges, fmt.Sprintf("%s BETWEEN %d AND %d", schema.OrdinalColumn, rows[from], rows[i-1]))
	}
	if len(ranges) > atMost {
		ranges = []string{fmt.Sprintf("%s BETWEEN %d AND %d", schema.OrdinalColumn, rows[0], rows[len(rows)-1])}
	}
	return strings.Join(ranges, " OR ")
}

// memtableReader returns a function that reads rows of the memtable v.
func (o *Overlay) memtableReader(v memtable.View) reader {
	return func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error) {
		var present []schema.Column // those of the requested columns that the memtable has
		alike := true
		for _, c := range columns {
			if at := v.Schema.ColumnByID(c.ID); at >= 0 {
				present = append(present, v.Schema.Columns[at])
				alike = alike && v.Schema.Columns[at].Type.Equal(c.Type)
			} else {
				alike = false
			}
		}
		taken, err := takeRows(v, present, rows, most)
		if err != nil {
			return nil, base.Wrap(err, "memtable %d: read %d rows that were changed", v.Rowset, len(rows))
		}
		if alike {
			return taken.Columns(), nil
		}
		// The memtable has another schema version, so DuckDB must cast the values. For that DuckDB
		// reads the rows as a small memtable.
		view := memtable.View{Rowset: v.Rowset, Schema: v.Schema, Batches: []memtable.Batch{{Record: taken}}, Rows: taken.NumRows()}
		view.Schema.Columns = present
		s, err := newScan(view.Schema, []memtable.View{view}, nil, nil)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		rec, err := o.read(ctx, fmt.Sprintf("SELECT %s FROM %s(%d) ORDER BY "+schema.OrdinalColumn, stored(columns, v.Schema), scanFunction, s.id))
		if err != nil {
			return nil, base.Wrap(err, "memtable %d: read %d rows that were changed", v.Rowset, len(rows))
		}
		return inStorage(columns, rec.Columns())
	}
}

// takeRows returns columns of some rows of a memtable, in memory of their own. The argument most is
// a number of bytes: if the values take more, takeRows stops and returns only the first rows.
func takeRows(v memtable.View, columns []schema.Column, rows []uint32, most int64) (arrow.RecordBatch, error) {
	records := make([]arrow.RecordBatch, len(v.Batches))
	for i, b := range v.Batches {
		fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
		for k, c := range columns {
			at := v.Schema.ColumnByID(c.ID)
			fields[k], arrays[k] = b.Record.Schema().Field(at), b.Record.Column(at)
		}
		records[i] = array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, b.Record.NumRows())
	}
	const atOnce = 16 << 10
	var some []arrow.RecordBatch
	for bytes := int64(0); len(rows) > 0 && bytes <= most; {
		n := min(len(rows), atOnce)
		taken, err := batch.Take(records, rows[:n])
		if err != nil {
			return nil, err
		}
		// The batch may be a slice of the memtable's memory, which is freed before the cached
		// values are.
		own, err := batch.Copy(taken)
		if err != nil {
			return nil, err
		}
		rows, some, bytes = rows[n:], append(some, own), bytes+batch.Bytes(own)
	}
	return batch.Concat(some)
}

// stored returns a SELECT list for rows of an older schema version (written). It has the given
// columns, cast to their current storage types.
func stored(columns []schema.Column, written schema.Table) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = "CAST(" + expression(c, written) + " AS " + c.Type.StorageSQL() + ")"
	}
	return strings.Join(out, ", ")
}

// read runs a query on a DuckDB connection of its own, and returns all result rows as one batch on
// Go's heap.
func (o *Overlay) read(ctx context.Context, sql string) (arrow.RecordBatch, error) {
	records, _, err := o.readSome(ctx, sql, math.MaxInt64)
	defer releaseAll(records)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, base.Errorf(base.Corrupt, "no rows")
	}
	return onHeap(records)
}

// readSome runs a query on a DuckDB connection of its own, and returns result rows in DuckDB's
// memory. The argument most is a number of bytes: if the rows take more, readSome stops. The result
// ended says whether the records have all rows of the query's result. The caller releases the
// records, even if there is an error.
func (o *Overlay) readSome(ctx context.Context, sql string, most int64) (records []arrow.RecordBatch, ended bool, err error) {
	conn, err := o.inst.Connect()
	if err != nil {
		return nil, false, err
	}
	defer conn.Close()
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	rows.FullBatches()
	for bytes := int64(0); bytes <= most; {
		rec, err := rows.Next(ctx)
		if err != nil {
			if err == io.EOF {
				return records, true, nil
			}
			return records, false, err
		}
		records, bytes = append(records, rec), bytes+batch.Bytes(rec)
	}
	return records, false, nil
}

// onHeap joins one or more batches to one batch on Go's heap.
func onHeap(records []arrow.RecordBatch) (arrow.RecordBatch, error) {
	if len(records) == 1 {
		return batch.Copy(records[0])
	}
	return batch.Concat(records)
}

func releaseAll(records []arrow.RecordBatch) {
	for _, rec := range records {
		rec.Release()
	}
}

func inStorage(columns []schema.Column, arrays []arrow.Array) ([]arrow.Array, error) {
	out := make([]arrow.Array, len(columns))
	for i, c := range columns {
		var err error
		if out[i], err = batch.Convert(arrays[i], c.Type); err != nil {
			return nil, base.Wrap(err, "column %q", c.Name)
		}
	}
	return out, nil
}
