package stream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
)

// position is where a session stands in a partition.
type position struct {
	topicID [16]byte
	next    int64 // the offset to come; -1 before the first record ever
	epoch   int32 // leader epoch of the record before; -1 if unknown
	// lost, if not empty, says which records are gone, and why: the next one need not follow.
	lost string
}

// offset is where to consume from.
func (p *position) offset(start kgo.Offset) kgo.Offset {
	if p.next < 0 {
		return start
	}
	return kgo.NewOffset().At(p.next).WithEpoch(p.epoch)
}

// topicIDs asks the cluster for the topics and their partitions.
func (k *kafka) topicIDs(ctx context.Context, client *kgo.Client) (kadm.TopicDetails, error) {
	topics, err := kadm.NewClient(client).ListTopics(ctx, k.topics...)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s for topics: %w", strings.Join(k.brokers, ", "), err)
	}
	for _, name := range k.topics {
		t, ok := topics[name]
		if !ok {
			return nil, base.Errorf(base.NotFound, "topic %q does not exist", name)
		}
		if errors.Is(t.Err, kerr.UnknownTopicOrPartition) {
			return nil, base.Errorf(base.Unavailable, "topic %q does not exist at %s", name, strings.Join(k.brokers, ", "))
		}
		if t.Err != nil {
			return nil, base.Errorf(base.Unavailable, "topic %q: %w", name, t.Err)
		}
	}
	return topics, nil
}

// partitionsOf lists the partitions to read.
func (k *kafka) partitionsOf(topics kadm.TopicDetails) (all []partition) {
	for _, t := range topics {
		for n := range t.Partitions {
			if len(k.partitions) == 0 || slices.Contains(k.partitions, n) {
				all = append(all, partition{t.Topic, n})
			}
		}
	}
	return all
}

// resume returns where to go on in partitions, compared with what the topics hold.
func (s *source) resume(ctx context.Context, k *kafka, client *kgo.Client, topics kadm.TopicDetails, partitions []partition) (map[partition]*position, error) {
	stored, err := s.manager.store.Offsets(s.id)
	if err != nil {
		return nil, err
	}
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, k.topics...)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s where topics begin: %w", strings.Join(k.brokers, ", "), err)
	}
	ends, err := admin.ListEndOffsets(ctx, k.topics...)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s where topics end: %w", strings.Join(k.brokers, ", "), err)
	}
	positions := map[partition]*position{}
	for _, p := range partitions {
		at := &position{topicID: topics[p.topic].ID, next: -1, epoch: -1}
		positions[p] = at
		begin, ok := starts.Lookup(p.topic, p.number)
		end, okEnd := ends.Lookup(p.topic, p.number)
		if !ok || !okEnd || begin.Err != nil || end.Err != nil {
			return nil, base.Errorf(base.Unavailable, "topic %q partition %d: no offsets: %v %v", p.topic, p.number, begin.Err, end.Err)
		}
		s.status.sawEnd(p, end.Offset)
		for _, o := range stored {
			if o.Topic != p.topic || o.Partition != p.number {
				continue
			}
			at.next, at.epoch = o.Next, o.Epoch
			var none [16]byte
			switch {
			case o.TopicID != at.topicID && o.TopicID != none && at.topicID != none:
				at.lost = fmt.Sprintf("the topic was made again: offsets before %d are of the topic with id %s", o.Next, hex.EncodeToString(o.TopicID[:]))
				at.next, at.epoch = begin.Offset, -1
			case o.TopicID != at.topicID:
				// The cluster began, or ceased, to give ids.
				at.lost = fmt.Sprintf("the topic's id was %s", hex.EncodeToString(o.TopicID[:]))
			case o.Next < begin.Offset:
				at.lost = fmt.Sprintf("offsets %d to %d were removed from the topic before they were read", o.Next, begin.Offset-1)
				at.next, at.epoch = begin.Offset, -1
			case o.Next > end.Offset:
				at.lost = fmt.Sprintf("the topic ends before offset %d: records from offset %d on, which were read, are gone from it", o.Next, end.Offset)
				at.next, at.epoch = end.Offset, -1
			}
		}
		s.status.stored(p, at.next)
	}
	return positions, nil
}
