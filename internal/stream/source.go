package stream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
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

	messages  atomic.Pointer[schema.Table] // what queries over batches read; nil before the first
	described sync.Map                     // described by describedKey
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

// run reads the topics until ctx ends: session after session, with growing pauses between those
// that fail.
func (s *source) run(ctx context.Context, d Definition) {
	wait := firstWait
	for ctx.Err() == nil {
		began := time.Now()
		err := s.attempt(ctx, d)
		switch {
		case ctx.Err() != nil, errors.Is(err, errGone):
			return
		case errors.Is(err, errAgain):
		default:
			s.status.set(stateFailing, err)
			s.manager.log.Error("source failed; it is tried again", "source", s.name.Name, "error", err)
		}
		if time.Since(began) > 2*longestWait {
			wait = firstWait
		}
		if sleep(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, longestWait)
	}
}

func (s *source) attempt(ctx context.Context, d Definition) error {
	p, err := newPlan(d)
	if err != nil {
		return err
	}
	defer p.format.close()
	if err := s.prepare(ctx, p); err != nil {
		return err
	}
	return s.session(ctx, p)
}
