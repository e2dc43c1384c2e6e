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

// position is where a session stands in a partition.
type position struct {
	topicID [16]byte
	next    int64 // the offset to come
	epoch   int32 // leader epoch of the record before; -1 if unknown
}

// resumed is where to go on in a partition.
type resumed struct {
	position
	stored int64  // the offset that is stored; -1 if none is
	end    int64  // where the partition ends
	read   bool   // by this session: others are of other members of the group
	lost   string // which records before the position are gone, and why, if there are any
	why    error  // why the position is not known; nil if it is
}

// start is where a partition begins that was never read: a time in milliseconds of Unix time, or one of these.
type start int64

const (
	earliest start = -2
	latest   start = -1
)

// offsets asks the cluster where partitions begin; earliest is known.
func (s start) offsets(ctx context.Context, admin *kadm.Client, begins kadm.ListedOffsets, topics []string) (kadm.ListedOffsets, error) {
	switch s {
	case earliest:
		return begins, nil
	case latest:
		// Of a transaction that is open now, all records are to come.
		return admin.ListCommittedOffsets(ctx, topics...)
	}
	return admin.ListOffsetsAfterMilli(ctx, int64(s), topics...)
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
	for _, n := range k.partitions {
		if !slices.ContainsFunc(k.topics, func(name string) bool { _, ok := topics[name].Partitions[n]; return ok }) {
			return nil, base.Errorf(base.NotFound, "topic %s has no partition %d", strings.Join(k.topics, ", "), n)
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

// resume returns where to go on in partitions, compared with what the topics hold. Those that were never read begin at the source's start;
// but where other partitions of their topic were read, they are new ones, of which every record came since.
// The start of all partitions of a topic is settled when it is seen first, also of those that other members of a group read then.
func (s *source) resume(ctx context.Context, k *kafka, client *kgo.Client, topics kadm.TopicDetails, partitions []partition) (map[partition]resumed, error) {
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
	if err = ofAll(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s where topics begin: %w", strings.Join(k.brokers, ", "), err)
	}
	ends, err := admin.ListEndOffsets(ctx, k.topics...)
	if err = ofAll(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s where topics end: %w", strings.Join(k.brokers, ", "), err)
	}
	starts, err := k.start.offsets(ctx, admin, begins, k.topics)
	if err = ofAll(err); err != nil {
		return nil, base.Errorf(base.Unavailable, "ask Kafka at %s where to start: %w", strings.Join(k.brokers, ", "), err)
	}
	mine := map[partition]bool{}
	for _, p := range partitions {
		mine[p] = true
		if _, ok := topics[p.topic].Partitions[p.number]; !ok {
			return nil, base.Errorf(base.Unavailable, "topic %q partition %d is not there any more", p.topic, p.number)
		}
	}
	all := map[partition]resumed{}
	for _, p := range k.partitionsOf(topics) {
		before, was := known[p]
		if was && !mine[p] {
			continue
		}
		// One that was read goes on where it was, wherever it would start.
		first := begins
		if !was && (!seen[p.topic] || len(k.partitions) > 0) {
			first = starts
		}
		var offsets [3]int64
		var missing error
		for i, listed := range []kadm.ListedOffsets{begins, ends, first} {
			o, ok := listed.Lookup(p.topic, p.number)
			if !ok || o.Err != nil {
				missing = base.Errorf(base.Unavailable, "topic %q partition %d: Kafka gives no offsets: %w", p.topic, p.number, cmp.Or(o.Err, error(kerr.LeaderNotAvailable)))
			}
			offsets[i] = o.Offset
		}
		if missing != nil {
			// Where it starts is to be settled now, unless that is its beginning later too.
			if !was && (!seen[p.topic] || len(k.partitions) > 0) && k.start != earliest {
				return nil, missing
			}
			if mine[p] {
				all[p] = resumed{read: true, why: missing}
			}
			continue
		}
		begin, end := offsets[0], offsets[1]
		at := resumed{position: position{topicID: topics[p.topic].ID, next: offsets[2], epoch: -1}, stored: -1, end: end, read: mine[p]}
		if was {
			at.stored = before.Next
			at.next, at.epoch, at.lost = goOn(before, at.topicID, begin, end)
		}
		all[p] = at
	}
	return all, nil
}

// ofAll returns what asking for the offsets of all partitions failed with, nil if only some of them are missing: a partition may have no leader.
func ofAll(err error) error {
	var some *kadm.ShardErrors
	if errors.As(err, &some) && !some.AllFailed {
		return nil
	}
	return err
}

// goOn returns the offset to go on at behind what is stored, in a partition of a topic from begin to end, the leader epoch before it,
// and, if the records between are not all there, which are lost and why.
func goOn(stored catalog.Offset, topicID [16]byte, begin, end int64) (next int64, epoch int32, lost string) {
	var none [16]byte
	switch {
	case stored.TopicID != topicID && stored.TopicID != none && topicID != none:
		return begin, -1, fmt.Sprintf("the topic was made again: offsets before %d are of the topic with id %s", stored.Next, hex.EncodeToString(stored.TopicID[:]))
	case stored.TopicID != topicID:
		// The cluster began, or ceased, to give ids.
		return stored.Next, stored.Epoch, fmt.Sprintf("the topic's id was %s", hex.EncodeToString(stored.TopicID[:]))
	case stored.Next < begin:
		return begin, -1, fmt.Sprintf("offsets %d to %d were removed from the topic before they were read", stored.Next, begin-1)
	case stored.Next > end:
		return end, -1, fmt.Sprintf("the topic ends before offset %d: records from offset %d on, which were read, are gone from it", stored.Next, end)
	}
	return stored.Next, stored.Epoch, ""
}

// begin takes over partitions at their positions, and returns those as the client takes them. Positions that are not the
// stored ones go into the batch: a partition's start must be the same for the next session, whether or not a record comes, and the news
// of lost records is due now. The caller holds mu once there is a client.
func (x *session) begin(all map[partition]resumed) map[string]map[int32]kgo.Offset {
	offsets := map[string]map[int32]kgo.Offset{}
	for p, at := range all {
		switch {
		case at.why != nil:
			x.unplaced[p] = true
			x.status.waiting(fetching, at.why)
			continue
		case !at.read && (x.positions[p] != nil || x.intake.ranges[p] != nil):
			continue // it is this session that settles where it begins; there may be records of it by now
		case at.stored < 0 || at.lost != "":
			x.intake.stand(p, at.position, at.lost)
		}
		if !at.read {
			continue
		}
		x.positions[p] = &at.position
		x.status.begin(p, at.stored, at.end)
		if offsets[p.topic] == nil {
			offsets[p.topic] = map[int32]kgo.Offset{}
		}
		offsets[p.topic][p.number] = kgo.NewOffset().At(at.next).WithEpoch(at.epoch)
	}
	return offsets
}
