package stream

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// mirror copies stored offsets to the consumer group in Kafka, where monitoring tools read them.
// Sessions never read the group's offsets. So a failed commit to the group is harmless: the lag
// that Kafka shows is wrong until the next commit. The mirror has its own goroutine, because a
// group accepts no offsets while it rebalances.
type mirror struct {
	mu sync.Mutex
	// offsets are the offsets to commit to the group, by topic and partition. It is guarded by mu.
	offsets map[string]map[int32]kgo.EpochOffset
	// due signals that there are new offsets. It has room for one signal.
	due chan struct{}
}

func newMirror() *mirror {
	return &mirror{offsets: map[string]map[int32]kgo.EpochOffset{}, due: make(chan struct{}, 1)}
}

// stored adds the offsets of a stored batch to those that must be committed to the group.
func (m *mirror) stored(b *intake) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, r := range b.ranges {
		if r.Next == r.From {
			// The batch has no record of this partition, but only its start position. The group may
			// already have a later offset.
			continue
		}
		m.put(p, kgo.EpochOffset{Epoch: r.Epoch, Offset: r.Next}, true)
	}
	select {
	case m.due <- struct{}{}:
	default:
	}
}

// put adds an offset of a partition that must be committed to the group. If another offset of the
// partition is already waiting, put replaces it only if newer is true. The caller holds mu.
func (m *mirror) put(p partition, o kgo.EpochOffset, newer bool) {
	if m.offsets[p.topic] == nil {
		m.offsets[p.topic] = map[int32]kgo.EpochOffset{}
	}
	if _, there := m.offsets[p.topic][p.number]; newer || !there {
		m.offsets[p.topic][p.number] = o
	}
}

// farewell is the timeout of the last commit to the group, at the end of a session.
const farewell = 2 * time.Second

// runMirror commits offsets to the group until ctx ends, and then one last time. If the group
// refuses offsets, they are committed again later.
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

// tell commits the waiting offsets to the group. Offsets that the group does not accept wait for
// the next call.
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

// untold puts offsets that could not be committed back into the mirror, so that they are committed
// later. It leaves out the partitions that another member of the group reads now.
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
