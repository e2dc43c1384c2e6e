package stream

import (
	"cmp"
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
	"github.com/scoterdb/scoter/internal/catalog"
)

// position is how far a session has read in a partition.
type position struct {
	topicID [16]byte
	next    int64 // next is the next offset to read.
	epoch   int32 // epoch is the leader epoch of the previous record. It is -1 if unknown.
}

// startPoint says where a session continues in a partition.
type startPoint struct {
	position
	stored int64 // stored is the offset in the catalog. It is -1 if there is none.
	end    int64 // end is the offset after the last record of the partition in Kafka.
	// read is true if this session reads the partition, and false if another member of the group
	// does.
	read bool
	// lost says which records before the position are lost, and why. It is empty if none are.
	lost string
	// err is the reason why the position is unknown. It is nil if the position is known.
	err error
}

// start says where to begin in a partition that was never read: at a time in milliseconds since the
// Unix epoch, or at one of the constants earliest and latest.
type start int64

const (
	earliest start = -2
	latest   start = -1
)

// offsets returns, for each partition of the topics, the offset at which to begin if the partition
// was never read. It asks the cluster for these offsets. begins has the first offset of each
// partition, and is the result if s is earliest.
func (s start) offsets(ctx context.Context, admin *kadm.Client, begins kadm.ListedOffsets, topics []string) (kadm.ListedOffsets, error) {
	switch s {
	case earliest:
		return begins, nil
	case latest:
		// "Latest" means the end of the committed records. So all records of a transaction that is
		// open now count as new, and are read.
		return admin.ListCommittedOffsets(ctx, topics...)
	}
	return admin.ListOffsetsAfterMilli(ctx, int64(s), topics...)
}

// topicIDs asks the cluster for the ids and partitions of the source's topics. The error is
// NotFound or Unavailable.
func (k *kafka) topicIDs(ctx context.Context, client *kgo.Client) (kadm.TopicDetails, error) {
	topics, err := kadm.NewClient(client).ListTopics(ctx, k.topics...)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "fetch topics from Kafka at %s: %w", strings.Join(k.brokers, ", "), err)
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
	for _, n := range k.partitions {
		if !slices.ContainsFunc(k.topics, func(name string) bool { _, ok := topics[name].Partitions[n]; return ok }) {
			return nil, base.Errorf(base.NotFound, "topic %s has no partition %d", strings.Join(k.topics, ", "), n)
		}
	}
	return topics, nil
}

// partitionsOf lists the partitions of topics that the source reads.
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

// resume returns the position at which each partition continues:
//   - A partition with a stored offset continues there. resume compares that offset with the range
//     that the topic holds.
//   - If no partition of the topic was ever read, the partition begins where the source's option
//     start says.
//   - If other partitions of the topic were read, but not this one, the partition is new. It begins
//     at its first record. But if the source lists its partitions, the option start applies to it.
//
// resume decides where all partitions of a topic begin when it sees the topic for the first time.
// That includes partitions that other members of the group read.
func (s *source) resume(ctx context.Context, k *kafka, client *kgo.Client, topics kadm.TopicDetails, partitions []partition) (map[partition]startPoint, error) {
	stored, err := s.manager.store.Offsets(s.id)
	if err != nil {
		return nil, err
	}
	known, seen := map[partition]catalog.Offset{}, map[string]bool{}
	for _, o := range stored {
		known[partition{o.Topic, o.Partition}], seen[o.Topic] = o, true
	}
	admin := kadm.NewClient(client)
	begins, err := admin.ListStartOffsets(ctx, k.topics...)
	if err = ignorePartialErrors(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "fetch start offsets from Kafka at %s: %w", strings.Join(k.brokers, ", "), err)
	}
	ends, err := admin.ListEndOffsets(ctx, k.topics...)
	if err = ignorePartialErrors(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "fetch end offsets from Kafka at %s: %w", strings.Join(k.brokers, ", "), err)
	}
	starts, err := k.start.offsets(ctx, admin, begins, k.topics)
	if err = ignorePartialErrors(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "fetch initial offsets from Kafka at %s: %w", strings.Join(k.brokers, ", "), err)
	}
	mine := map[partition]bool{}
	for _, p := range partitions {
		mine[p] = true
		if _, ok := topics[p.topic].Partitions[p.number]; !ok {
			return nil, base.Errorf(base.Unavailable, "topic %q partition %d no longer exists", p.topic, p.number)
		}
	}
	all := map[partition]startPoint{}
	for _, p := range k.partitionsOf(topics) {
		before, was := known[p]
		if was && !mine[p] {
			continue
		}
		// A partition that was read before continues at its stored offset. The start option does
		// not apply to it.
		first := begins
		if !was && (!seen[p.topic] || len(k.partitions) > 0) {
			first = starts
		}
		var offsets [3]int64
		var missing error
		for i, listed := range []kadm.ListedOffsets{begins, ends, first} {
			o, ok := listed.Lookup(p.topic, p.number)
			if !ok || o.Err != nil {
				missing = base.Errorf(base.Unavailable, "topic %q partition %d: Kafka returned no offsets: %w", p.topic, p.number, cmp.Or(o.Err, error(kerr.LeaderNotAvailable)))
			}
			offsets[i] = o.Offset
		}
		if missing != nil {
			// This partition was never read. It must begin where the option start says, and that
			// position must be determined now, because it may be different later. Only the position
			// of the first record (earliest) can also be determined later.
			if !was && (!seen[p.topic] || len(k.partitions) > 0) && k.start != earliest {
				return nil, missing
			}
			if mine[p] {
				all[p] = startPoint{read: true, err: missing}
			}
			continue
		}
		begin, end := offsets[0], offsets[1]
		at := startPoint{position: position{topicID: topics[p.topic].ID, next: offsets[2], epoch: -1}, stored: -1, end: end, read: mine[p]}
		if was {
			at.stored = before.Next
			at.next, at.epoch, at.lost = resumeOffset(before, at.topicID, begin, end)
		}
		all[p] = at
	}
	return all, nil
}

// ignorePartialErrors takes the error of a request for the offsets of all partitions. It returns
// err if the whole request failed. It returns nil if only the offsets of some partitions are
// missing, because a partition may have no leader.
func ignorePartialErrors(err error) error {
	var some *kadm.ShardErrors
	if errors.As(err, &some) && !some.AllFailed {
		return nil
	}
	return err
}

// resumeOffset returns where to continue in a partition with a stored offset. In Kafka, the
// partition has records from offset begin up to, but not including, offset end. The results are the
// next offset and the leader epoch of the record before it. If records after the stored offset are
// lost, the result lost says which ones and why.
func resumeOffset(stored catalog.Offset, topicID [16]byte, begin, end int64) (next int64, epoch int32, lost string) {
	var none [16]byte
	switch {
	case stored.TopicID != topicID && stored.TopicID != none && topicID != none:
		return begin, -1, fmt.Sprintf("the topic was deleted and created again: offsets before %d belong to the topic with id %s", stored.Next, hex.EncodeToString(stored.TopicID[:]))
	case stored.TopicID != topicID:
		// The stored topic id or the topic's current id is empty: the cluster has begun to give ids
		// to topics, or has stopped doing so. The ids do not tell whether it is still the same
		// topic, so this is reported like a loss.
		return stored.Next, stored.Epoch, fmt.Sprintf("the topic's id was %s", hex.EncodeToString(stored.TopicID[:]))
	case stored.Next < begin:
		return begin, -1, fmt.Sprintf("offsets %d to %d were removed from the topic before they were read", stored.Next, begin-1)
	case stored.Next > end:
		return end, -1, fmt.Sprintf("the topic ends before offset %d: it has lost records from offset %d on, which were read", stored.Next, end)
	}
	return stored.Next, stored.Epoch, ""
}

// startPartitions starts reading the partitions in the map all, each at its position there, and
// returns the positions in the form that the Kafka client takes. If a position differs from the
// stored one, it is added to the batch, because the next session must begin there too, even if no
// record arrives. If records are lost, the batch is stored without delay, so that the loss is
// reported without waiting for a record. The caller holds mu, unless the Kafka client does not
// exist yet.
func (x *session) startPartitions(all map[partition]startPoint) map[string]map[int32]kgo.Offset {
	offsets := map[string]map[int32]kgo.Offset{}
	for p, at := range all {
		switch {
		case at.err != nil:
			x.withoutOffsets[p] = true
			x.status.waiting(waitFetch, at.err)
			continue
		case !at.read && (x.positions[p] != nil || x.batch.ranges[p] != nil):
			// This session has already decided where the partition begins, and may have read
			// records of it.
			continue
		case at.stored < 0 || at.lost != "":
			x.batch.setPosition(p, at.position, at.lost)
		}
		if !at.read {
			continue
		}
		x.positions[p] = &at.position
		x.status.startPartition(p, at.stored, at.end)
		if offsets[p.topic] == nil {
			offsets[p.topic] = map[int32]kgo.Offset{}
		}
		offsets[p.topic][p.number] = kgo.NewOffset().At(at.next).WithEpoch(at.epoch)
	}
	return offsets
}
