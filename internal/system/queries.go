// Package system implements the system tables: scoter.tables, scoter.parts, scoter.queries and so
// on, and information_schema.
package system

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Query is a request that is running.
type Query struct {
	ID       uint64
	Started  time.Time
	SQL      string
	Database string
	User     string
}

// Queries is the list of all running requests.
type Queries struct {
	last    atomic.Uint64
	mu      sync.Mutex
	running map[uint64]*Query // requests by Query.ID; guarded by mu
}

// NewQueries returns a list without requests.
func NewQueries() *Queries { return &Queries{running: map[uint64]*Query{}} }

// Begin adds a request to the list. It returns a context for the request, and a function that must
// be called at its end, which cancels the context and removes the request from the list.
func (q *Queries) Begin(ctx context.Context, sql, database, user string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	entry := &Query{ID: q.last.Add(1), Started: time.Now(), SQL: strings.ToValidUTF8(sqltoken.Redact(sql), "\uFFFD"), Database: database, User: user}
	q.mu.Lock()
	q.running[entry.ID] = entry
	q.mu.Unlock()
	return ctx, func() {
		cancel()
		q.mu.Lock()
		delete(q.running, entry.ID)
		q.mu.Unlock()
	}
}

// Running returns the number of running requests.
func (q *Queries) Running() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.running)
}

// List returns the running requests, the oldest first.
func (q *Queries) List() []Query {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]Query, 0, len(q.running))
	for _, entry := range q.running {
		out = append(out, *entry)
	}
	slices.SortFunc(out, func(a, b Query) int { return a.Started.Compare(b.Started) })
	return out
}
