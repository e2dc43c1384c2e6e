package stream

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// assigned is called by the client when the consumer group assigns partitions to it. It returns the
// offsets that the engine stores for them. The offsets that the group stores (fetched) are ignored.
func (x *session) assigned(ctx context.Context, fetched map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	// If this session had the partition before, wait until its records are stored.
	if err := x.waitForSealed(ctx); err != nil {
		return nil, err
	}
	var partitions []partition
	for topic, numbers := range fetched {
		for n := range numbers {
			partitions = append(partitions, partition{topic, n})
		}
	}
	x.mu.Lock()
	client := x.client
	x.mu.Unlock()
	topics, err := x.plan.kafka.topicIDs(ctx, client)
	if err != nil {
		return nil, err
	}
	all, err := x.resume(ctx, &x.plan.kafka, client, topics, partitions)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.startPartitions(all), nil
}

// waitForSealed waits until each batch that is sealed at the time of the call is stored or dropped.
// It does not wait for batches that are sealed later.
func (x *session) waitForSealed(ctx context.Context) error {
	x.mu.Lock()
	last := x.last
	x.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// revoked is called by the client when the group has assigned partitions to another member. It
// drops the unsealed records of these partitions.
func (x *session) revoked(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for topic, numbers := range gone {
		for _, n := range numbers {
			p := partition{topic, n}
			if x.batch.ranges[p] != nil {
				x.memory.release(x.batch.removePartition(p))
				x.decodings.broken = true
			}
			delete(x.positions, p)
			delete(x.withoutOffsets, p)
			delete(x.unreadable, p)
			x.status.forget(p)
		}
	}
	if x.batch.empty() {
		// The batch is empty, so it will not be sealed. Reset the decoders here: full decoders
		// would stay full.
		x.decodings.reset()
	}
	x.clearFetchWait()
}
