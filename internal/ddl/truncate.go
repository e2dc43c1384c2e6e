package ddl

import (
	"context"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/snapshot"
)

func (x *Statement) truncate() (engine.Counts, error) {
	x.Reader.Accept("TABLE")
	t, err := x.NamedTable()
	if err != nil {
		return engine.Counts{}, err
	}
	if err := x.Reader.End(); err != nil {
		return engine.Counts{}, err
	}
	removed, err := x.Tables.Truncate(x.Ctx, t.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer removed.Release()
	return engine.Counts{Deleted: x.countVisible(removed.Tables[t.ID])}, nil
}

// countVisible returns the number of rows of a table that SELECT would return. It does not count
// tombstones, which SELECT hides.
//
// If the rows cannot be read, countVisible counts all rows: TRUNCATE must not fail for that reason.
// The count has its own time limit, in case the statement's time has already run out.
func (x *Statement) countVisible(t *snapshot.Table) int64 {
	n := t.Rows()
	if t.Schema.IsDeleted == 0 || n == 0 {
		return n
	}
	late := *x.Statement
	var cancel context.CancelFunc
	late.Ctx, cancel = context.WithTimeout(context.WithoutCancel(x.Ctx), engine.CountingTime)
	defer cancel()
	shown, err := (&Statement{Statement: &late, Tools: x.Tools}).countOf(t, "TRUE")
	if err != nil {
		x.Log.Error("the truncated rows cannot be read: the count includes tombstones", "table", t.Schema.QualifiedName(), "error", err)
		return n
	}
	return shown
}
