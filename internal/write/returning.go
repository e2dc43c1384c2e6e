package write

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// returningRows collects in memory the rows over which a RETURNING list is evaluated.
type returningRows struct {
	pool     *memtable.Pool
	table    schema.Table
	memtable *memtable.Memtable
}

func (x *execution) newReturningRows(t schema.Table) *returningRows {
	return &returningRows{pool: x.Memory, table: t, memtable: memtable.New(x.Memory, 0, t)}
}

func (k *returningRows) release() { k.memtable.Release() }

func (k *returningRows) add(rec arrow.RecordBatch) error {
	rows, err := k.pool.Copy(k.table, rec)
	if err != nil {
		return err
	}
	if err := k.memtable.Append(rows); err != nil {
		rows.Release()
		return err
	}
	k.memtable.Publish()
	return nil
}

// transient returns the collected rows as a table that one query can read. name is its name in the
// query.
func (k *returningRows) transient(name string) *sqlquery.Transient {
	t := &snapshot.Table{Schema: k.table.Bare()}
	if view := k.memtable.View(); view.Rows > 0 {
		t.Memtables = []memtable.View{view}
	}
	return &sqlquery.Transient{Name: name, Table: t}
}

// returnedTable is the table name under which the query for a RETURNING list reads the rows. It
// differs from the table's name, so that a sub-query in the list still reads the table itself.
const returnedTable = "scoter.returned"

// errReturning returns the error for a RETURNING with too many rows. The result is held in memory
// until the client has read it. The rows of an INSERT are also held until RETURNING is evaluated.
func (m *Writer) errReturning() error {
	return base.Errorf(base.TooLarge, "RETURNING of more than %d bytes of rows", m.Loads.ChunkBytes()).WithHint("change fewer rows at a time, or leave RETURNING out")
}

// returned evaluates a RETURNING list over the collected rows k, and appends the result to a buffer
// (all). The result is read into memory as a whole, because the memory of the collected rows is
// released with the statement. action is the action that made these rows, such as INSERT. After an
// error the buffer is empty.
func (x *execution) returned(all *sqlquery.Buffered, k *returningRows, r dml.Returning, action string) error {
	var q clause.Query
	if clause.HasQuery(r.List) {
		q.Copy(x.Reader, 0, x.Reader.Statement.VerbIndex()) // CTEs
	}
	q.Write(" SELECT ")
	x.CopyReturning(&q, r, action)
	q.Write(" FROM ", returnedTable, " AS ", schema.Quote(r.Target.Alias))
	s := x.Selects(&q)
	s.Transient = k.transient(returnedTable)
	if !r.Target.Aliased {
		s.Transient.Path = []string{r.Target.Table.Database, r.Target.Table.Schema, r.Target.Table.Name}
	}
	rows, err := x.Planner.Select(x.Ctx, s)
	if err != nil {
		all.Close()
		return q.WithPosition(err)
	}
	defer rows.Close()
	return q.WithPosition(all.Append(x.Ctx, rows, x.Loads.ChunkBytes(), x.errReturning()))
}

// returnedOf evaluates the RETURNING list of a statement over the rows as they are after the
// statement. For deleted rows it uses the values before the statement.
func (x *execution) returnedOf(f *planResult, o *changeSet, reservation *engine.Reservation) (sqlquery.Rows, error) {
	// returnedRows copies them twice
	release, err := reservation.TryReserve(2 * batch.TotalBytes(f.values))
	if err != nil {
		return nil, err
	}
	defer release()
	p, all := f.plan, &sqlquery.Buffered{}
	if len(p.Actions) == 1 {
		return all, x.returnedRows(all, p.Table, p.Returning, p.Actions[0].Name, f.values, o.returned)
	}
	// The RETURNING list is evaluated once for each action, because merge_action is a constant in
	// the query that evaluates it, and not a column.
	for _, name := range []string{"INSERT", "UPDATE", "DELETE"} {
		rows := slices.DeleteFunc(slices.Clone(o.returned), func(i uint32) bool { return p.Actions[f.actions[i]].Name != name })
		if err := x.returnedRows(all, p.Table, p.Returning, name, f.values, rows); err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// returnedRows evaluates a RETURNING list over some rows of batches, and appends the result to a
// buffer (all). The argument rows has the numbers of the rows to read. action is the value of
// merge_action.
func (x *execution) returnedRows(all *sqlquery.Buffered, t schema.Table, r dml.Returning, action string, batches []arrow.RecordBatch, rows []uint32) error {
	k := x.newReturningRows(t)
	defer k.release()
	if len(rows) > 0 {
		rec, err := batch.Take(batches, rows)
		if err != nil {
			return err
		}
		defer rec.Release()
		if err := k.add(rec); err != nil {
			return err
		}
	}
	return x.returned(all, k, r, action)
}
