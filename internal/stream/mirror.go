package stream

import (
	"context"
	"sync"

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
		if m.offsets[p.topic] == nil {
			m.offsets[p.topic] = map[int32]kgo.EpochOffset{}
		}
		m.offsets[p.topic][p.number] = kgo.EpochOffset{Epoch: r.Epoch, Offset: r.Next}
	}
	select {
	case m.due <- struct{}{}:
	default:
	}
}

// runMirror commits until ctx ends.
func (x *session) runMirror(ctx context.Context) {
	for {
		select {
		case <-x.mirror.due:
		case <-ctx.Done():
			return
		}
		x.mirror.mu.Lock()
		offsets := x.mirror.offsets
		x.mirror.offsets = map[string]map[int32]kgo.EpochOffset{}
		x.mirror.mu.Unlock()
		x.client.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, _ *kmsg.OffsetCommitResponse, err error) {
			if err != nil {
				x.manager.log.Debug("a group was not told its offsets", "source", x.name.Name, "error", err)
			}
		})
	}
}
