package stream

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// assigned is called by the Kafka client when the consumer group assigns partitions to this
// session. It returns the offsets at which to read them, from the offsets that the engine stores.
// The offsets that the group stores (fetched) are ignored.
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

// waitForSealed waits for the batches that were passed to the source's committer (sealed) before
// the call, until each is stored or dropped. It does not wait for batches that are sealed later.
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

// revoked is called by the Kafka client when the consumer group takes partitions away from this
// session. It drops the records of these partitions that were not passed to the source's committer
// yet.
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
		// The batch is empty now. An empty batch is never sealed, so reset the decoders here.
		// Otherwise full decoders would stay full.
		x.decodings.reset()
	}
	x.clearFetchWait()
}
