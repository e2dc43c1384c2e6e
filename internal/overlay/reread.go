package overlay

import (
	"context"
	"fmt"
	"io"
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

// partRows are rows of a part whose values are wanted.
type partRows struct {
	part   *catalog.Part
	rows   []uint32      // ascending
	values []arrow.Array // column by column, once they are read
}

// readParts reads columns of rows of parts that were written with one version of the table, with one query: planning one costs more than
// reading some rows.
func (o *Overlay) readParts(parts []*partRows, written schema.Table, columns []schema.Column) error {
	files, paths := make([]livescan.File, len(parts)), make([]string, len(parts))
	var all []uint32
	n := int64(0)
	for i, p := range parts {
		paths[i] = o.partPath(p.part)
		files[i] = livescan.File{Path: paths[i], Source: p.part.ID, Rows: livescan.Rows{Numbers: p.rows}}
		all = union(all, p.rows)
		n += int64(len(p.rows))
	}
	wanted := livescan.Only(files)
	defer wanted.Close()
	rec, err := o.read(fmt.Sprintf("SELECT %s, %s, %s FROM %s WHERE %s", schema.SourceColumn, schema.OrdinalColumn,
		stored(columns, written, columnName), livescan.Parquet(paths, wanted, true), rowGroups(all)))
	if err == nil && rec.NumRows() != n {
		err = base.Errorf(base.Corrupt, "%d rows instead of %d", rec.NumRows(), n)
	}
	if err != nil {
		return base.Wrap(err, "read %d rows that were changed, of part %d and %d others", n, parts[0].part.ID, len(parts)-1)
	}
	source, ordinal := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
	at := 0
	for _, p := range parts {
		for k, row := range p.rows {
			if source.Value(at+k) != uint64(p.part.ID) || ordinal.Value(at+k) != int64(row) {
				return base.Errorf(base.Internal, "part %d: rows come in another order than they have in the file", p.part.ID)
			}
		}
		own := rec
		if len(parts) > 1 { // what is kept of one part is not to keep alive that of all
			if own, err = batch.Copy(rec.NewSlice(int64(at), int64(at+len(p.rows)))); err != nil {
				return base.Wrap(err, "part %d", p.part.ID)
			}
		}
		if p.values, err = inStorage(columns, own.Columns()[2:]); err != nil {
			return base.Wrap(err, "part %d", p.part.ID)
		}
		at += len(p.rows)
	}
	return nil
}

// partReader reads rows of a part that was written with a version of the table.
func (o *Overlay) partReader(p *catalog.Part, written schema.Table) reader {
	return func(columns []schema.Column, rows []uint32) ([]arrow.Array, error) {
		wanted := &partRows{part: p, rows: rows}
		err := o.readParts([]*partRows{wanted}, written, columns)
		return wanted.values, err
	}
}

// rowsAtOnce bounds the rows that one query reads of several parts: its result is in memory up to three times while it is taken apart.
const rowsAtOnce = 1 << 20

// readAhead reads what changed rows of parts lack of columns, for many parts together. What somebody else reads meanwhile is
// read twice.
func readAhead(sources []rowSource, columns []schema.Column) error {
	type group struct {
		written schema.Table
		columns []schema.Column
		of      []*changedPart
		rows    []*partRows
	}
	var groups []*group
	for _, s := range sources {
		c, ok := s.(*changedPart)
		if !ok {
			continue
		}
		lacking, rows, err := c.lacks(columns)
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
		for rest := g.rows; len(rest) > 0; {
			n := together(rest, rowsAtOnce)
			if err := g.of[0].overlay.readParts(rest[:n], g.written, g.columns); err != nil {
				return err
			}
			rest = rest[n:]
		}
		for i, c := range g.of {
			c.ahead = &ahead{g.columns, g.rows[i].rows, g.rows[i].values}
		}
	}
	return nil
}

// together returns how many of the parts, at least one, have so many rows together at most.
func together(parts []*partRows, most int) int {
	n, rows := 1, len(parts[0].rows)
	for n < len(parts) && rows+len(parts[n].rows) <= most {
		rows, n = rows+len(parts[n].rows), n+1
	}
	return n
}

func sameColumn(a, b schema.Column) bool { return a.ID == b.ID }

// rowGroups is a condition that keeps DuckDB from reading row groups without any of the rows.
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

// memtableReader reads rows of a memtable.
func (o *Overlay) memtableReader(v memtable.View) reader {
	return func(columns []schema.Column, rows []uint32) ([]arrow.Array, error) {
		var present []schema.Column // what the memtable has of the columns
		alike := true
		for _, c := range columns {
			if at := v.Schema.ColumnByID(c.ID); at >= 0 {
				present = append(present, v.Schema.Columns[at])
				alike = alike && v.Schema.Columns[at].Type.Equal(c.Type)
			} else {
				alike = false
			}
		}
		taken, err := takeRows(v, present, rows)
		if err != nil {
			return nil, base.Wrap(err, "memtable %d: read %d rows that were changed", v.Source, len(rows))
		}
		if alike {
			return taken.Columns(), nil
		}
		// Written with another version of the table: DuckDB casts.
		view := memtable.View{Source: v.Source, Schema: v.Schema, Batches: []memtable.Batch{{Record: taken}}, Rows: taken.NumRows()}
		view.Schema.Columns = present
		s, err := newScan(view.Schema, []memtable.View{view}, nil, nil)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		rec, err := o.read(fmt.Sprintf("SELECT %s FROM %s(%d) ORDER BY "+schema.OrdinalColumn, stored(columns, v.Schema, storedColumnName), scanFunction, s.id))
		if err != nil {
			return nil, base.Wrap(err, "memtable %d: read %d rows that were changed", v.Source, len(rows))
		}
		return inStorage(columns, rec.Columns())
	}
}

// takeRows returns columns of a memtable's rows, in memory of their own.
func takeRows(v memtable.View, columns []schema.Column, rows []uint32) (arrow.RecordBatch, error) {
	records := make([]arrow.RecordBatch, len(v.Batches))
	for i, b := range v.Batches {
		fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
		for k, c := range columns {
			at := v.Schema.ColumnByID(c.ID)
			fields[k], arrays[k] = b.Record.Schema().Field(at), b.Record.Column(at)
		}
		records[i] = array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, b.Record.NumRows())
	}
	taken, err := batch.Take(records, rows)
	if err != nil {
		return nil, err
	}
	return batch.Copy(taken) // it may be a slice of the memtable, which goes sooner than what is kept
}

// stored lists columns, written with another version of the table, in the types that store them now.
func stored(columns []schema.Column, written schema.Table, nameOf func(schema.Column) string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = "CAST(" + expression(c, written, nameOf) + " AS " + c.Type.StorageSQL() + ")"
	}
	return strings.Join(out, ", ")
}

// read runs a query on a connection of the overlay's own and returns all its rows, on Go's heap.
func (o *Overlay) read(sql string) (arrow.RecordBatch, error) {
	ctx := context.Background()
	conn, err := o.inst.Connect()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	rows.Gather()
	var records []arrow.RecordBatch
	for {
		rec, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		copied, err := batch.Copy(rec)
		rec.Release()
		if err != nil {
			return nil, err
		}
		records = append(records, copied)
	}
	if len(records) == 0 {
		return nil, base.Errorf(base.Corrupt, "no rows")
	}
	return batch.Concat(records)
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
