package session

import (
	"context"

	"github.com/scoterdb/scoter/internal/mutate"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// planner lets mutate run queries: the two packages do not know each other.
type planner struct{ runner *query.Runner }

// NewPlanner returns a runner as mutate needs it.
func NewPlanner(r *query.Runner) mutate.Planner { return planner{r} }

func (p planner) Select(ctx context.Context, s mutate.Select) (mutate.Rows, error) {
	return p.runner.Run(ctx, request(s))
}

func (p planner) Columns(ctx context.Context, s mutate.Select) ([]string, error) {
	return p.runner.Columns(ctx, request(s))
}

func request(s mutate.Select) query.Request {
	req := query.Request{SQL: s.SQL, Args: s.Args, Database: s.Database, ReadFiles: s.ReadFiles}
	if s.Transient != nil {
		req.Transient = &query.Transient{Name: s.Transient.Name, Rows: &snapshot.Table{Schema: s.Transient.Table, Memtables: s.Transient.Rows}}
	}
	return req
}
