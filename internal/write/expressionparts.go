package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/storable"
)

// storedRows returns a table of a snapshot with only the rows whose values are all in parts. It
// leaves out the rows of memtables, and rows with patches.
func storedRows(t *snapshot.Table) (*snapshot.Table, error) {
	written := *t
	written.Memtables = nil
	written.Patches = map[base.RowsetID]*patch.Set{}
	for _, p := range t.Parts {
		set := t.Patches[p.ID]
		if set == nil {
			continue
		}
		hidden := set.Patched()
		if set.Deleted != nil {
			hidden = roaring.Or(hidden, set.Deleted)
		}
		if !hidden.IsEmpty() {
			var err error
			if written.Patches[p.ID], err = patch.New(p.ID).With(set.Seq, hidden); err != nil {
				return nil, err
			}
		}
	}
	return &written, nil
}

// hasRowsInMemory reports whether a table has rows that storedRows leaves out: rows of memtables,
// or rows with patches.
func hasRowsInMemory(t *snapshot.Table) bool {
	return slices.ContainsFunc(t.Memtables, func(m memtable.View) bool { return m.Rows > 0 }) ||
		slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { set := t.Patches[p.ID]; return set != nil && !set.Patched().IsEmpty() })
}

// evaluateOnParts evaluates the expression of an UPDATE for all rows in parts, and returns the
// number of rows that it changes. The map known has this number for each part that an earlier
// attempt tried out. evaluateOnParts evaluates the expression only for the other parts, and adds
// their numbers to the map. If the expression fails for some row, evaluateOnParts returns that
// error.
func (x *execution) evaluateOnParts(e *storable.Update, written *snapshot.Table, known map[base.RowsetID]int64) (rows int64, err error) {
	left := *written
	left.Parts = slices.DeleteFunc(slices.Clone(written.Parts), func(p *catalog.Part) bool { _, ok := known[p.ID]; return ok })
	if len(left.Parts) > 0 {
		counts, err := x.evaluatePart(e, &left)
		if err != nil {
			return 0, err
		}
		for _, p := range left.Parts {
			known[p.ID] = counts[p.ID]
		}
	}
	for _, p := range written.Parts {
		rows += known[p.ID]
	}
	return rows, nil
}

// evaluatePart evaluates the expression of an UPDATE for the rows of a table's parts. It returns
// for each part the number of rows that the expression changes.
func (x *execution) evaluatePart(e *storable.Update, written *snapshot.Table) (map[base.RowsetID]int64, error) {
	matches := "true"
	if e.Where != "" {
		matches = "(" + e.Where + ") IS TRUE"
	}
	var nulls, values []string
	for _, a := range e.Set {
		name := schema.Quote(e.Table.Columns[e.Table.ColumnByID(a.Column)].Name)
		values = append(values, name)
		if e.Table.Columns[e.Table.ColumnByID(a.Column)].NotNull {
			nulls = append(nulls, fmt.Sprintf("count(*) FILTER (WHERE "+schema.ActionColumn+" AND %s IS NULL)", name))
		} else {
			nulls = append(nulls, "CAST(0 AS BIGINT)")
		}
	}
	violations := "CAST(0 AS BIGINT)"
	if checks := e.Table.Condition(); checks != "" {
		violations = "count(*) FILTER (WHERE " + schema.ActionColumn + " AND (" + checks + ") IS FALSE)"
	}
	// The query hashes all computed values, because DuckDB would not compute them for a count
	// alone.
	const from = "SELECT * FROM "
	sql := fmt.Sprintf("SELECT "+schema.RowsetColumn+", count(*) FILTER (WHERE "+schema.ActionColumn+"), %s, %s, bit_xor(hash(%s)) FROM (%s) AS %s GROUP BY 1", violations,
		strings.Join(nulls, ", "), strings.Join(values, ", "), e.Over(e.Table, from+storable.StoredTable, matches+" AS "+schema.ActionColumn, schema.RowsetColumn), schema.Quote(e.Alias))
	found, err := x.Planner.Find(x.Ctx, sqlquery.Request{SQL: sql, Database: x.Request.Database, Target: strings.LastIndex(sql, from+storable.StoredTable) + len(from),
		Transient: &sqlquery.Transient{Name: storable.StoredTable, Table: written}})
	if err != nil {
		return nil, clause.WithoutPosition(err)
	}
	defer found.Close()
	// The element wrong[0] is the number of rows that violate a CHECK constraint. wrong[1+i] is the
	// number of rows that would get a NULL from assignment i in a NOT NULL column.
	counts, wrong := map[base.RowsetID]int64{}, make([]int64, 1+len(e.Set))
	err = sqlquery.Each(x.Ctx, found, func(rec arrow.RecordBatch) error {
		rowsets, matching := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
		for row := range int(rec.NumRows()) {
			counts[base.RowsetID(rowsets.Value(row))] += matching.Value(row)
			for i := range wrong {
				wrong[i] += rec.Column(2 + i).(*array.Int64).Value(row)
			}
		}
		return nil
	})
	if err != nil {
		return nil, clause.WithoutPosition(err)
	}
	for i, a := range e.Set {
		if wrong[1+i] > 0 {
			return nil, base.Errorf(base.Invalid, "column %q is NOT NULL, but would become NULL in %d rows", e.Table.Columns[e.Table.ColumnByID(a.Column)].Name, wrong[1+i])
		}
	}
	if wrong[0] > 0 {
		return nil, base.Errorf(base.Invalid, "%d rows would violate a check of table %s: %s", wrong[0], e.Table.QualifiedName(), e.Table.Condition())
	}
	return counts, nil
}

// patchInMemory returns the change set of the UPDATE for the rows that are in memory (in memtables
// or with patches).
func (x *execution) patchInMemory(e *storable.Update, named dml.Target, t *snapshot.Table, reservation *engine.Reservation) (engine.Change, error) {
	none := engine.Change{Table: e.Table.ID}
	if !hasRowsInMemory(t) {
		return none, nil
	}
	p := &dml.Plan{Verb: "UPDATE", Table: e.Table, Pending: t.PendingColumns(nil), Transient: &sqlquery.Transient{Name: storable.MemoryTable, Table: t, InMemory: true}}
	p.Actions = []dml.Action{{Kind: dml.UpdateRow, Name: "UPDATE", Set: e.Columns()}}
	p.ChooseColumns()
	p.Write(x.Statement, named, dml.OnlyAction, func(q *clause.Query, col schema.Column) {
		for _, a := range e.Set {
			if a.Column == col.ID {
				q.Write(" CAST((", a.Value, ") AS ", col.Type.String(), ")")
				return
			}
		}
		q.Write(schema.Quote(e.Alias), ".", schema.Quote(col.Name))
	}, func(q *clause.Query) {
		p.Target = q.Len()
		q.Write(storable.MemoryTable, " AS ", schema.Quote(e.Alias))
		if e.Where != "" {
			q.Write(" WHERE ", e.Where)
		}
	})
	found, err := x.find(p, nil)
	if err != nil {
		return none, err
	}
	defer found.Close()
	f, err := x.collect(p, found, reservation)
	if err != nil {
		return none, err
	}
	defer f.close()
	o, err := f.changeSet()
	return o.change, err
}
