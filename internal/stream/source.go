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

// source is one source of a manager, with its goroutine unless it is paused.
type source struct {
	manager *Manager
	id      base.StreamID
	name    catalog.StreamName
	created time.Time
	status  *status
	memory  share // of the memory for records

	learning  sync.Mutex                   // held by who changes messages: a replay does beside the session
	messages  atomic.Pointer[schema.Table] // what queries over batches read; nil before the first
	described sync.Map                     // described by describedKey
	lineages  sync.Map                     // Lineage or error by lineageKey
	bound     sync.Map                     // true by engine.TableName: of targets whose queries were described, with less of messages than now, perhaps
	unknown   unknowns                     // what messages have beside that
	batches   atomic.Int64                 // that were stored
	replaying sync.Mutex                   // held by a replay: two at once would decode the same letters
	changing  sync.Mutex                   // held by what pauses, resumes, defines anew or drops it

	// Guarded by the manager's mu.
	definition Definition
	stop       func() // ends the goroutine, and waits for it; nil while there is none
}

// start begins reading. The caller holds the manager's mu.
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

// maxDefects is how often a query over the same records may fail all that runs in DuckDB.
const maxDefects = 3

// run reads the topics until ctx ends: session after session, with growing pauses between those
// that fail.
func (s *source) run(ctx context.Context, d Definition) {
	wait := firstWait
	again, defects, batches := 0, 0, int64(-1) // sessions in a row that ended so, and how many batches were stored then
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
		case ctx.Err() != nil, errors.Is(err, errGone):
			return
		case errors.Is(err, duck.ErrFailed):
			if defects++; defects == maxDefects {
				s.fail(base.Errorf(base.Internal, "%w; it is not tried again before RESUME SOURCE", err))
				<-ctx.Done()
				return
			}
			s.fail(err)
		case errors.Is(err, errAgain):
			if again++; again > 1 { // the first time is news, which the next session begins with
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

// fail notes why a session ended.
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
	s.described.Clear() // what they read may have changed since
	s.lineages.Clear()
	if err := s.prepare(ctx, p); err != nil {
		return err
	}
	return s.session(ctx, p)
}
