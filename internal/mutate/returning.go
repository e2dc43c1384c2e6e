package mutate

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// returning is the RETURNING list of a statement. It is empty if the statement has none. target is
// the table, with the name that the list uses for it.
type returning struct {
	list   []sqltoken.Token
	target target
}

func (r returning) none() bool { return len(r.list) == 0 }

// returning parses the clause RETURNING list, if the statement has one. The statement must end
// after it.
func (x *dmlStatement) returning(t target) (returning, error) {
	c := x.c
	if !c.accept("RETURNING") {
		return returning{}, c.end()
	}
	r := returning{c.tokens()[c.at:], t}
	c.at = len(c.tokens())
	return r, x.checkRowwise(r.list, "RETURNING")
}

// returningRows collects in memory the rows over which a RETURNING list is evaluated.
type returningRows struct {
	pool     *memtable.Pool
	table    schema.Table
	memtable *memtable.Memtable
}

func (x *execution) newReturningRows(t schema.Table) *returningRows {
	return &returningRows{pool: x.memory, table: t, memtable: memtable.New(x.memory, 0, t)}
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
	return base.Errorf(base.TooLarge, "RETURNING of more than %d bytes of rows", m.loads.ChunkBytes()).WithHint("change fewer rows at a time, or leave RETURNING out")
}

// returned evaluates a RETURNING list over the collected rows k, and appends the result to a buffer
// (all). The result is read into memory as a whole, because the memory of the collected rows is
// released with the statement. action is the action that made these rows, such as INSERT. After an
// error the buffer is empty.
func (x *execution) returned(all *sqlquery.Buffered, k *returningRows, r returning, action string) error {
	var q composedQuery
	if hasQuery(r.list) {
		q.copy(x.c, 0, x.c.statement.VerbIndex()) // CTEs
	}
	q.write(" SELECT ")
	x.copyReturning(&q, r, action)
	q.write(" FROM ", returnedTable, " AS ", schema.Quote(r.target.alias))
	s := x.selects(&q)
	s.Transient = k.transient(returnedTable)
	if !r.target.aliased {
		s.Transient.Path = []string{r.target.table.Database, r.target.table.Schema, r.target.table.Name}
	}
	rows, err := x.planner.Select(x.ctx, s)
	if err != nil {
		all.Close()
		return q.withPosition(err)
	}
	defer rows.Close()
	return q.withPosition(all.Append(x.ctx, rows, x.loads.ChunkBytes(), x.errReturning()))
}

// copyReturning appends a RETURNING list to a query. It replaces merge_action by a constant with
// the name of the action, because DuckDB knows merge_action only in MERGE INTO.
func (x *dmlStatement) copyReturning(q *composedQuery, r returning, action string) {
	if x.c.statement.Verb() != "MERGE" {
		q.copyTokens(x.c, r.list)
		return
	}
	from := 0
	for i, t := range r.list {
		called := i > 0 && (r.list[i-1].Is(".") || r.list[i-1].Is("AS"))
		if !t.IsName() || schema.Fold(t.Name()) != "merge_action" || called {
			continue
		}
		q.copyTokens(x.c, r.list[from:i])
		q.write(" ", schema.QuoteString(action))
		from = i + 1
		first, last := i == 0 || r.list[i-1].Is(",") && r.list[i-1].Depth == 0, i+1 == len(r.list) || r.list[i+1].Is(",")
		if first && last && t.Depth == 0 {
			q.write(" AS merge_action")
		}
		q.write(" ")
	}
	q.copyTokens(x.c, r.list[from:])
}
