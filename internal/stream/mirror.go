package stream

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// mirror tells a consumer group how far its partitions are stored, for those who look at it. The
// group's offsets are never read, so that a failure does no harm: it shows in the group's lag. It has a goroutine of its
// own, since a group takes no offsets while it rebalances.
type mirror struct {
	mu      sync.Mutex
	offsets map[string]map[int32]kgo.EpochOffset // guarded by mu; not committed yet
	due     chan struct{}                        // of size 1
}

func newMirror() *mirror {
	return &mirror{offsets: map[string]map[int32]kgo.EpochOffset{}, due: make(chan struct{}, 1)}
}

// stored notes what a batch brought.
func (m *mirror) stored(b *intake) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, r := range b.ranges {
		if r.Next == r.From {
			continue // where it starts, which another member of the group may be beyond
		}
		m.put(p, kgo.EpochOffset{Epoch: r.Epoch, Offset: r.Next}, true)
	}
	select {
	case m.due <- struct{}{}:
	default:
	}
}

// put notes an offset to commit, unless there is one that is newer. The caller holds mu.
func (m *mirror) put(p partition, o kgo.EpochOffset, newer bool) {
	if m.offsets[p.topic] == nil {
		m.offsets[p.topic] = map[int32]kgo.EpochOffset{}
	}
	if _, there := m.offsets[p.topic][p.number]; newer || !there {
		m.offsets[p.topic][p.number] = o
	}
}

// farewell is how long a group is told of its offsets at a session's end at most.
const farewell = 2 * time.Second

// runMirror commits until ctx ends, and a last time then. What the group does not take it is told again later.
func (x *session) runMirror(ctx context.Context) {
	var later <-chan time.Time
	for ctx.Err() == nil {
		select {
		case <-x.mirror.due:
		case <-later:
		case <-ctx.Done():
		}
		later = nil
		if x.tell(ctx) != nil {
			later = time.After(longestWait)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := x.tell(last); err != nil {
		x.manager.log.Debug("a group was not told its offsets", "source", x.name.Name, "error", err)
	}
}

// tell commits the offsets that are not committed yet.
func (x *session) tell(ctx context.Context) (failed error) {
	x.mirror.mu.Lock()
	offsets := x.mirror.offsets
	x.mirror.offsets = map[string]map[int32]kgo.EpochOffset{}
	x.mirror.mu.Unlock()
	if len(offsets) == 0 {
		return nil
	}
	x.client.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if failed = err; err != nil {
			return
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					failed = err
				} else {
					delete(offsets[t.Topic], p.Partition)
				}
			}
		}
	})
	if failed != nil {
		x.untold(offsets)
	}
	return failed
}

// untold puts offsets back that were not committed, but those of partitions that are another member's by now.
func (x *session) untold(offsets map[string]map[int32]kgo.EpochOffset) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mirror.mu.Lock()
	defer x.mirror.mu.Unlock()
	for topic, numbers := range offsets {
		for n, o := range numbers {
			if x.positions[partition{topic, n}] != nil {
				x.mirror.put(partition{topic, n}, o, false)
			}
		}
	}
}
