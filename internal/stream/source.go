package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// source is one source of a Manager. While the source is not paused, a goroutine reads its topics.
type source struct {
	manager *Manager
	id      base.SourceID
	name    catalog.SourceName
	created time.Time
	status  *status
	memory  sourceMemory

	// learning is locked while the field messages is changed. The session and a replay of dead
	// letters may change it at the same time.
	learning sync.Mutex
	// messages is the table "messages", which queries over batches read, with all columns so far.
	// It is nil before the first batch.
	messages atomic.Pointer[schema.Table]
	// described caches rewritten queries: the keys are of type describedKey, and the values of type
	// described.
	described sync.Map
	// lineages caches results of Planner.Lineage: the keys are texts made of the query and the key
	// columns, and the values are of type sqlquery.Lineage.
	lineages sync.Map
	// bound has the names (engine.TableName) of the tables whose query has run successfully at
	// least once, so that all columns that the query names have occurred in messages. The values
	// are true.
	bound sync.Map
	// the columns that occur in messages, but whose type no message has told yet
	unknown unknowns
	batches atomic.Int64 // the number of stored batches
	// replaying is locked while dead letters are replayed. Two replays at the same time would
	// decode the same dead letters.
	replaying sync.Mutex
	// changing is locked while the source is paused, resumed, redefined or dropped.
	changing sync.Mutex

	// The following fields are guarded by the manager's mu.
	definition Definition
	// stop ends the source's goroutine and waits until it has ended. It is nil while there is no
	// goroutine.
	stop func()
}

// start starts the goroutine that reads the source's topics, and sets stop. The caller holds the
// manager's mu.
func (s *source) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	definition := s.definition
	go func() {
		defer close(done)
		s.run(ctx, definition)
	}()
	s.stop = func() {
		cancel()
		<-done
	}
}

// maxDuckDBFailures is the number of failures after which a source stops until RESUME SOURCE. A
// failure is an internal error of DuckDB in the queries over the same records. The number is small
// because each such error ends all statements that run in DuckDB, and DuckDB cannot be used after
// it.
const maxDuckDBFailures = 3

// run reads the source's topics until ctx ends, in one session after the other. After each failed
// session it waits longer.
func (s *source) run(ctx context.Context, d Definition) {
	wait := firstWait
	// Three numbers are counted:
	//   - again: consecutive sessions that ended because the topics changed (errTopicsChanged)
	//   - defects: sessions that ended with an internal error of DuckDB since a batch was stored
	//   - batches: the batches that were stored until the end of the last session
	again, defects, batches := 0, 0, int64(-1)
	for ctx.Err() == nil {
		began := time.Now()
		err := s.attempt(ctx, d)
		long := time.Since(began)
		if now := s.batches.Load(); now != batches {
			batches, defects = now, 0
		}
		if long > 2*checkEvery {
			again = 0
		}
		switch {
		case ctx.Err() != nil, errors.Is(err, errDropped):
			return
		case errors.Is(err, duck.ErrFailed):
			if defects++; defects == maxDuckDBFailures {
				s.fail(base.Errorf(base.Internal, "%w; the source is stopped until RESUME SOURCE", err))
				<-ctx.Done()
				return
			}
			s.fail(err)
		case errors.Is(err, errTopicsChanged):
			// The first errTopicsChanged is not a failure: the next session reads the changed
			// topics.
			if again++; again > 1 {
				s.fail(err)
			}
		default:
			s.fail(err)
		}
		if long > 2*longestWait {
			wait = firstWait
		}
		if sleep(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, longestWait)
	}
}

// fail sets the source's state to "failing". It stores and logs err, the error that ended a
// session.
func (s *source) fail(err error) {
	s.status.set(stateFailing, err)
	s.manager.log.Error("source failed", "source", s.name.Name, "error", err)
}

func (s *source) attempt(ctx context.Context, d Definition) error {
	p, err := newPlan(d)
	if err != nil {
		return err
	}
	defer p.close()
	s.described.Clear() // the tables that the queries read may have changed
	s.lineages.Clear()
	if err := s.prepare(ctx, p); err != nil {
		return err
	}
	return s.session(ctx, p)
}
