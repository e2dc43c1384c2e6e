package stream

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// groupCommitter copies stored offsets to the consumer group in Kafka, where monitoring tools read
// them. Sessions never read the group's offsets. So a failed commit to the group is harmless: the
// lag that Kafka shows is wrong until the next commit. The commits to the group run on a goroutine
// of their own, because a group accepts no offsets while it rebalances.
type groupCommitter struct {
	mu sync.Mutex
	// offsets are the offsets to commit to the group, by topic and partition. It is guarded by mu.
	offsets map[string]map[int32]kgo.EpochOffset
	// wake signals that there are new offsets. It has room for one signal.
	wake chan struct{}
}

func newGroupCommitter() *groupCommitter {
	return &groupCommitter{offsets: map[string]map[int32]kgo.EpochOffset{}, wake: make(chan struct{}, 1)}
}

// recordBatch adds the offsets of a stored batch to those that must be committed to the group.
func (m *groupCommitter) recordBatch(b *recordBatch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, r := range b.ranges {
		if r.Next == r.From {
			// The batch has no record of this partition, but only its start position. The group may
			// already have a later offset.
			continue
		}
		m.setOffset(p, kgo.EpochOffset{Epoch: r.Epoch, Offset: r.Next}, true)
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// setOffset adds an offset of a partition that must be committed to the group. If another offset of
// the partition is already waiting, setOffset replaces it only if the argument newer is true. The
// caller holds mu.
func (m *groupCommitter) setOffset(p partition, o kgo.EpochOffset, newer bool) {
	if m.offsets[p.topic] == nil {
		m.offsets[p.topic] = map[int32]kgo.EpochOffset{}
	}
	if _, there := m.offsets[p.topic][p.number]; newer || !there {
		m.offsets[p.topic][p.number] = o
	}
}

// lastCommitTimeout is the timeout of the last commit to the group, at the end of a session.
const lastCommitTimeout = 2 * time.Second

// runGroupCommitter commits offsets to the group until ctx ends, and then one last time. If the
// group refuses offsets, they are committed again later.
func (x *session) runGroupCommitter(ctx context.Context) {
	var later <-chan time.Time
	for ctx.Err() == nil {
		select {
		case <-x.groupCommitter.wake:
		case <-later:
		case <-ctx.Done():
		}
		later = nil
		if x.commitOffsets(ctx) != nil {
			later = time.After(longestWait)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastCommitTimeout)
	defer cancel()
	if err := x.commitOffsets(last); err != nil {
		x.manager.log.Debug("offsets were not committed to the consumer group", "source", x.name.Name, "error", err)
	}
}

// commitOffsets commits the waiting offsets to the group. Offsets that the group does not accept
// wait for the next call.
func (x *session) commitOffsets(ctx context.Context) (failed error) {
	x.groupCommitter.mu.Lock()
	offsets := x.groupCommitter.offsets
	x.groupCommitter.offsets = map[string]map[int32]kgo.EpochOffset{}
	x.groupCommitter.mu.Unlock()
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
		x.requeueOffsets(offsets)
	}
	return failed
}

// requeueOffsets puts offsets that could not be committed back into the groupCommitter, so that
// they are committed later. It leaves out the partitions that another member of the group reads
// now.
func (x *session) requeueOffsets(offsets map[string]map[int32]kgo.EpochOffset) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.groupCommitter.mu.Lock()
	defer x.groupCommitter.mu.Unlock()
	for topic, numbers := range offsets {
		for n, o := range numbers {
			if x.positions[partition{topic, n}] != nil {
				x.groupCommitter.setOffset(partition{topic, n}, o, false)
			}
		}
	}
}
