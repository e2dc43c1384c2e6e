package engine

import (
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

// TestWhatIsAbandonedAsTheDoubtEndsIsRemoved abandons a file at the moment when the doubt about the
// catalog ends. It makes several attempts, because chance decides which of the two goroutines gets
// the lock first.
func TestWhatIsAbandonedAsTheDoubtEndsIsRemoved(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	path := e.partPath(1, 1)
	for range 50 {
		e.inDoubt.Store(true)
		e.garbage.mu.Lock()
		var other errgroup.Group
		other.Go(func() error { return e.abandon(path) })
		time.Sleep(100 * time.Microsecond) // by now it waits for the lock
		e.garbage.mu.Unlock()
		e.endDoubt()
		must(t, other.Wait())
		if len(e.garbage.inDoubt) > 0 {
			t.Fatal("the file stays")
		}
	}
	mustEnd(t, e)
}
