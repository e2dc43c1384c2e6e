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

// source is one source of a manager. It has a goroutine while it is not paused.
type source struct {
	manager *Manager
	id      base.SourceID
	name    catalog.SourceName
	created time.Time
	status  *status
	memory  sourceBudget // the part of the manager's quota that this source uses

	// learning is held while messages is changed. The session and a replay may both change it.
	learning sync.Mutex
	// messages has the columns that queries over batches read. It is nil before the first batch.
	messages  atomic.Pointer[schema.Table]
	described sync.Map // has values of type described, by describedKey
	lineages  sync.Map // has a Lineage or an error, by lineageKey
	// bound has the names (engine.TableName) of the tables whose query once ran with all columns
	// that it names. The values are true.
	bound   sync.Map
	unknown unknowns     // the columns of messages whose type is unknown so far
	batches atomic.Int64 // the number of stored batches
	// replaying is held during a replay. Two replays at the same time would decode the same dead
	// letters.
	replaying sync.Mutex
	// changing is held while the source is paused, resumed, redefined or dropped.
	changing sync.Mutex

	// The following fields are guarded by the manager's mu.
	definition Definition
	// stop ends the goroutine and waits for it. It is nil while there is no goroutine.
	stop func()
}

// start begins to read. The caller holds the manager's mu.
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

// maxDuckDBFailures is how often a query over the same records may fail with an internal error that
// invalidates DuckDB. Each such failure stops everything that runs in DuckDB.
const maxDuckDBFailures = 3

// run reads the topics until ctx ends, in one session after the other. After each failed session it
// waits longer.
func (s *source) run(ctx context.Context, d Definition) {
	wait := firstWait
	// again counts consecutive sessions that ended with errTopicsChanged, and defects those that
	// ended with an internal error of DuckDB. batches is the number of stored batches at the time
	// of the last such error.
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
				s.fail(base.Errorf(base.Internal, "%w; it is not tried again before RESUME SOURCE", err))
				<-ctx.Done()
				return
			}
			s.fail(err)
		case errors.Is(err, errTopicsChanged):
			// A first errTopicsChanged is not a failure: the next session reads the changed topics.
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

// fail sets the state to failing. It stores and logs the error that ended a session.
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
