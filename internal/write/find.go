package write

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// find runs the query of a plan. If the plan looks for the rows of one key and an index can find
// them, the query runs over these rows only. If no index can find them, find gets another plan from
// the function plan, which scans the whole table, and runs the query of that plan.
func (x *execution) find(p *dml.Plan, plan func() (*dml.Plan, error)) (found *foundRows, err error) {
	located, err := x.findByKey(p)
	if err == nil && located == nil && p.Key != nil {
		x.Scanning = true
		p, err = plan()
	}
	if err != nil {
		return nil, err
	}
	s := x.Selects(&p.Query)
	s.Target, s.Transient, s.Located, s.Evolutions = p.Target, p.Transient, located, x.Options.Evolutions
	found = &foundRows{plan: p}
	if located != nil {
		found.located = len(located.Addresses)
		defer located.Snapshot.Release() // the query holds its own reference
	}
	found.Found, err = x.Planner.Find(x.Ctx, s)
	return found, p.Query.WithPosition(err)
}

// foundRows are the rows that a plan's query found.
type foundRows struct {
	sqlquery.Found
	plan *dml.Plan
	// The number of rows that an index found for the plan's key; 0 if no index was used.
	located int
}

// findByKey finds the rows of the key that a plan looks for, with an index. It returns their
// addresses, and the snapshot in which they are; the caller must release the snapshot. It returns
// nil if the plan must scan the table instead.
func (x *execution) findByKey(p *dml.Plan) (*sqlquery.Located, error) {
	if p.Key == nil {
		return nil, nil
	}
	s, err := x.Snapshots.DeduplicatedSnapshotAs(x.Ctx, x.Options.Evolutions, p.Table.ID)
	if err != nil {
		return nil, err
	}
	found := &sqlquery.Located{Snapshot: s, Key: map[base.ColumnID]arrow.Array{}}
	for i, id := range p.Key.Columns {
		found.Key[id] = p.Key.Values[i]
	}
	for _, c := range p.Key.Constants {
		found.Constants = append(found.Constants, c.Constant)
	}
	t := s.Tables[p.Table.ID]
	// Rows that an index finds are read without applying expression updates (UPDATEs that are
	// stored as SQL). So the table must not have any that a merge still has to apply.
	ok := t.Schema.Version == p.Table.Version && len(t.Expressions) == 0
	if ok {
		found.Addresses, ok, err = x.Keys.All(t, p.Key.Columns, p.Key.Values)
	}
	if err != nil || !ok {
		s.Release()
		return nil, err
	}
	return found, nil
}
