package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
)

// session reads the topics of a source with one Kafka client. It begins at the stored offsets, and
// ends at the first error after which a new client is needed.
type session struct {
	*source
	plan           *plan
	client         *kgo.Client
	sealed         chan *sealed  // passes batches to the source's committer
	stored         chan struct{} // signals that a batch was stored; has room for one signal
	groupCommitter *groupCommitter

	// mu guards the following fields. They are used by the goroutine that reads records, and by the
	// callbacks of the consumer group, which run during a poll.
	mu        sync.Mutex
	ids       map[string][16]byte
	positions map[partition]*position
	batch     *recordBatch
	decodings *decodings
	// last is closed when the newest batch that was passed to the source's committer is stored or
	// dropped. It is nil before the first batch.
	last <-chan struct{}
	// withoutOffsets has the partitions whose offsets Kafka has not returned, so that they cannot
	// be read yet. unreadable has the partitions whose records the client cannot read, and the time
	// since when.
	withoutOffsets map[partition]bool
	unreadable     map[partition]time.Time // the time since when the partition is unreadable
	// seekTo has the offsets to which the client must jump once mu is released.
	seekTo map[string]map[int32]kgo.EpochOffset

	// answeredPartitions has the partitions whose end offset Kafka returned in the last request.
	// The keys are of type partition.
	answeredPartitions sync.Map
}

// sealed is a batch that gets no more records, with its decoded rows (pieces). If pieces is nil,
// the records must be decoded again.
type sealed struct {
	*recordBatch
	pieces [][]piece
	// failed is the error of decoding the batch. It is set to nil when it is handled.
	failed error
	done   chan struct{} // closed when the batch is stored or dropped
}

// errTopicsChanged is the error that ends a session because the topics changed. The next session
// then reads the changed topics.
var errTopicsChanged = errors.New("the topics changed")

// topicsChanged returns an error that ends the session because the topics changed
// (errTopicsChanged). The arguments say what changed.
func topicsChanged(format string, args ...any) error {
	return base.Errorf(base.Unavailable, "%w: %s", errTopicsChanged, fmt.Sprintf(format, args...))
}

const (
	// checkEvery is the interval between checks of the ids, partitions and end offsets of the
	// topics.
	checkEvery = 10 * time.Second
	// pollInterval is the maximum duration of one poll. A rebalance of the consumer group waits
	// until the poll ends.
	pollInterval = time.Second
	adminTimeout = 15 * time.Second // the timeout of a request to the Kafka cluster
	// unreadableRetry is how long a partition may be unreadable before the session ends, so that a
	// new client tries to read it.
	unreadableRetry = time.Minute
	// reportWaitAfter is how long a source may be blocked before its state becomes "waiting".
	reportWaitAfter = time.Second

	// sessionTimeout is how long a consumer group waits for a member that disappeared without
	// leaving, before it assigns the member's partitions to another member. If a server is killed
	// and started again, its sources wait that long.
	sessionTimeout = 10 * time.Second
)

// session reads the topics of a source with a new Kafka client, until ctx ends or an error needs
// another client. It returns nil only if ctx ended.
func (s *source) session(ctx context.Context, p *plan) (err error) {
	x := &session{source: s, plan: p, sealed: make(chan *sealed), stored: make(chan struct{}, 1), groupCommitter: newGroupCommitter(), ids: map[string][16]byte{},
		positions: map[partition]*position{}, withoutOffsets: map[partition]bool{}, unreadable: map[partition]time.Time{}, seekTo: map[string]map[int32]kgo.EpochOffset{}}
	defer x.status.sessionEnded()
	if err := x.connect(ctx); err != nil {
		return err
	}
	x.status.running() // set the state now, because a topic may have no new records
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var committer, mirror sync.WaitGroup
	committer.Go(func() { x.runCommitter(ctx, cancel) })
	background, stopBackground := context.WithCancel(ctx)
	defer stopBackground()
	commitCtx, stopCommits := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCommits()
	if p.kafka.group != "" {
		mirror.Go(func() { x.runGroupCommitter(commitCtx) })
	}
	committer.Go(func() { x.runJoins(background) })
	committer.Go(func() { x.pollEndOffsets(background) })
	err = x.consume(ctx)
	close(x.sealed)
	stopBackground()
	committer.Wait()
	// after the last batch was stored, so that the batch's offsets are committed to the group too
	stopCommits()
	mirror.Wait()
	x.abandon()
	x.client.CloseAllowingRebalance()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// connect creates the Kafka client. The client reads the source's partitions from the stored
// offsets, or joins the source's consumer group.
func (x *session) connect(ctx context.Context) error {
	k := &x.plan.kafka
	x.batch, x.decodings = newRecordBatch(), newDecodings(x.plan)
	// This client does not retry often: a wrong address or password should be reported soon, and a
	// failed session is repeated anyway.
	asking, err := kgo.NewClient(append(k.client[:len(k.client):len(k.client)], kgo.RequestRetries(2))...)
	if err != nil {
		return base.Errorf(base.Invalid, "KAFKA: %w", err)
	}
	defer asking.Close()
	ask, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	topics, err := k.topicIDs(ask, asking)
	if err != nil {
		return err
	}
	for _, t := range topics {
		x.ids[t.Topic] = t.ID
	}
	opts := k.client[:len(k.client):len(k.client)]
	if k.group != "" {
		opts = append(opts, kgo.BlockRebalanceOnPoll(), kgo.ConsumerGroup(k.group), kgo.SessionTimeout(sessionTimeout), kgo.ConsumeTopics(k.topics...), kgo.Balancers(kgo.CooperativeStickyBalancer()),
			kgo.DisableAutoCommit(), kgo.AdjustFetchOffsetsFn(x.assigned), kgo.OnPartitionsRevoked(x.revoked), kgo.OnPartitionsLost(x.revoked))
	} else {
		all, err := x.resume(ask, k, asking, topics, k.partitionsOf(topics))
		if err != nil {
			return err
		}
		opts = append(opts, kgo.ConsumePartitions(x.startPartitions(all)))
	}
	x.mu.Lock() // a group's callbacks may run before NewClient returns
	defer x.mu.Unlock()
	if x.client, err = kgo.NewClient(opts...); err != nil {
		return base.Errorf(base.Invalid, "KAFKA: %w", err)
	}
	return nil
}

// consume polls the Kafka client and adds the records to batches, until ctx ends or a new session
// is needed.
func (x *session) consume(ctx context.Context) error {
	checked := time.Now()
	for {
		x.client.AllowRebalance()
		poll, cancel := context.WithTimeout(ctx, x.pollTimeout())
		fetches := x.client.PollFetches(poll)
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		x.mu.Lock()
		err := x.addFetches(ctx, fetches)
		if err == nil && !x.batch.empty() && time.Since(x.batch.began) >= x.plan.kafka.maxAge/2 {
			err = x.seal(ctx)
		}
		skipped := x.seekTo
		x.seekTo = map[string]map[int32]kgo.EpochOffset{}
		x.mu.Unlock()
		if err != nil {
			return err
		}
		// mu is not held here, because this call waits for callbacks that lock mu
		x.client.SetOffsets(skipped)
		if time.Since(checked) >= checkEvery {
			if err := x.check(ctx); err != nil {
				return err
			}
			checked = time.Now()
		}
	}
}

// pollTimeout returns how long the next poll may take, so that the batch is stored before it is
// older than max_age. Half of max_age is left for the time before and after the poll.
func (x *session) pollTimeout() time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.batch.empty() {
		return pollInterval
	}
	return min(pollInterval, max(time.Until(x.batch.began.Add(x.plan.kafka.maxAge/2)), time.Millisecond))
}

// addFetches adds to the batch the records that a poll returned (fetches).
func (x *session) addFetches(ctx context.Context, fetches kgo.Fetches) error {
	for _, fetch := range fetches {
		for _, topic := range fetch.Topics {
			var none [16]byte
			if known := x.ids[topic.Topic]; topic.TopicID != none && topic.TopicID != known && topic.Topic != "" {
				return topicsChanged("topic %q was deleted and created again", topic.Topic)
			}
			for i := range topic.Partitions {
				if err := x.addFetchedPartition(ctx, topic.Topic, &topic.Partitions[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addFetchedPartition adds the fetched records of one partition to the batch. If fetching failed
// after some records, it adds these, and then handles the error.
func (x *session) addFetchedPartition(ctx context.Context, topic string, fetched *kgo.FetchPartition) error {
	p := partition{topic, fetched.Partition}
	at := x.positions[p]
	if at != nil && len(fetched.Records) > 0 {
		x.status.setEnd(p, fetched.HighWatermark)
		delete(x.unreadable, p)
		x.clearFetchWait()
		for _, rec := range fetched.Records {
			if rec.Offset < at.next {
				// This record was read before, perhaps by another session.
				continue
			}
			if err := x.add(ctx, p, at, rec); err != nil {
				return err
			}
		}
	}
	var loss *kgo.ErrDataLoss
	var large *kgo.ErrDecompressTooLarge
	var answered *kerr.Error
	err := fetched.Err
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil // the poll ended
	case errors.As(err, &loss) && at != nil:
		return x.skip(ctx, p, at, position{at.topicID, loss.ResetTo, loss.ResetToEpoch}, fmt.Sprintf("the topic lost records: read up to offset %d of epoch %d, continuing at offset %d of epoch %d",
			loss.ConsumedTo, loss.ConsumedToEpoch, loss.ResetTo, loss.ResetToEpoch))
	case errors.As(err, &large) && at != nil:
		if x.seekTo[topic] == nil {
			x.seekTo[topic] = map[int32]kgo.EpochOffset{}
		}
		x.seekTo[topic][fetched.Partition] = kgo.EpochOffset{Epoch: large.Epoch, Offset: large.NextOffset}
		return x.skip(ctx, p, at, position{at.topicID, large.NextOffset, large.Epoch}, fmt.Sprintf("offsets %d to %d are one batch of more than %d bytes after decompression",
			large.Offset, large.NextOffset-1, int64(maxRecordBytes)))
	case errors.Is(err, kerr.OffsetOutOfRange), errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.InconsistentTopicID):
		return topicsChanged("topic %q partition %d: %v", topic, fetched.Partition, err)
	}
	err = base.Errorf(base.Unavailable, "topic %q partition %d: %w", topic, fetched.Partition, err)
	if at == nil || errors.As(err, &answered) {
		return err
	}
	// The client cannot read the data of this broker. Continue with the other partitions. The
	// method check tries this partition again later.
	if x.unreadable[p].IsZero() {
		x.unreadable[p] = time.Now()
	}
	x.client.PauseFetchPartitions(map[string][]int32{topic: {fetched.Partition}})
	x.status.waiting(waitFetch, err)
	return nil
}

// skip moves the position in a partition forward from the argument at to the argument to, because
// the records in between cannot be read. It first passes the current batch to the source's
// committer. It then adds a dead letter to the new batch, which reports the skipped records and the
// reason (the argument why).
func (x *session) skip(ctx context.Context, p partition, at *position, to position, why string) error {
	if err := x.seal(ctx); err != nil {
		return err
	}
	*at = to
	x.batch.setPosition(p, to, why)
	return nil
}

// clearFetchWait is called when a partition may have become readable. If all partitions can be read
// now, the source's status no longer says that the source waits for partitions.
func (x *session) clearFetchWait() {
	if len(x.withoutOffsets)+len(x.unreadable) == 0 {
		x.status.done(waitFetch)
	}
}

// add adds one record to the batch. If the batch is full, add passes it to the source's committer.
// add waits until there is memory for the record, and until the schema registry answers.
func (x *session) add(ctx context.Context, p partition, at *position, rec *kgo.Record) error {
	if err := x.reserve(ctx, sizeOf(rec)); err != nil {
		return err
	}
	noted, waits := false, false
	defer func() {
		if !noted {
			x.memory.release(sizeOf(rec))
		}
	}()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		reason, err := x.decode(ctx, rec)
		if errors.Is(err, errFull) {
			if err := x.seal(ctx); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			x.addToBatch(p, at, rec, reason)
			noted = true
			break
		}
		// The schema registry does not answer. Store the earlier records without waiting for it.
		x.status.waiting(waitDecode, err)
		waits = true
		if err := x.seal(ctx); err != nil {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	if waits {
		x.status.done(waitDecode)
	}
	if len(x.batch.records) >= x.plan.kafka.batchRows || x.batch.bytes >= x.plan.kafka.batchBytes {
		return x.seal(ctx)
	}
	return nil
}

// decode decodes a record into the batch. If the record is at fault, reason says why, and err is
// nil. err is errFull if the batch has no room, or an error of the schema registry.
func (x *session) decode(ctx context.Context, rec *kgo.Record) (reason string, err error) {
	if rec.Attrs.IsControl() {
		return "", nil
	}
	err = x.decodings.add(ctx, rec, len(x.batch.records))
	if err == nil || errors.Is(err, errFull) {
		return "", err
	}
	if isRecordError(err) {
		return err.Error(), nil
	}
	return "", err
}

// isRecordError reports whether a message is the cause of an error: the kind of the error is
// Invalid, NotFound or TooLarge. Errors of other kinds have another cause, for example the schema
// registry.
func isRecordError(err error) bool {
	switch base.KindOf(err) {
	case base.Invalid, base.NotFound, base.TooLarge:
		return true
	}
	return false
}

// addToBatch adds the offset and the size of a record to the batch. If the argument reason is not
// empty, the record could not be decoded, and addToBatch adds a dead letter with this reason.
func (x *session) addToBatch(p partition, at *position, rec *kgo.Record, reason string) {
	x.batch.addRecord(p, at, rec)
	at.next, at.epoch = rec.Offset+1, rec.LeaderEpoch
	switch {
	case rec.Attrs.IsControl():
	case reason != "":
		x.batch.deadLetters = append(x.batch.deadLetters, x.newDeadLetter(x.plan, at.topicID, rec, reason))
	default:
		x.batch.records = append(x.batch.records, rec)
	}
}

// seal passes the current batch to the source's committer and begins a new batch.
func (x *session) seal(ctx context.Context) error {
	b := x.batch
	if b.empty() {
		return nil
	}
	out := &sealed{recordBatch: b, done: make(chan struct{})}
	if x.decodings.broken {
		x.decodings.reset()
	} else {
		out.pieces, out.failed = x.decodings.finish()
	}
	x.batch, x.last = newRecordBatch(), out.done
	select {
	case x.sealed <- out:
		return nil
	case <-ctx.Done():
		close(out.done)
		releasePieces(out.pieces)
		x.memory.release(b.bytes)
		return nil
	}
}

// abandon is called at the end of a session. It drops the records that were not passed to the
// source's committer.
func (x *session) abandon() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.decodings.reset()
	x.memory.release(x.batch.bytes)
	x.batch = newRecordBatch()
}

// reserve reserves memory for a record, in bytes. The memory is released after the record's batch
// was stored. If not enough memory is free, reserve first passes the current batch to the source's
// committer, and then waits.
func (x *session) reserve(ctx context.Context, bytes int64) error {
	if x.memory.tryReserve(bytes) {
		return nil
	}
	if err := x.seal(ctx); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, reportWaitAfter)
	defer cancel()
	if err := x.memory.reserve(soon, bytes); err == nil || ctx.Err() != nil {
		return err
	}
	x.status.waiting(waitDecode, base.Errorf(base.Unavailable, "no memory for more records: earlier records are not stored yet").WithHint("raise memory or stream_memory"))
	defer x.status.done(waitDecode)
	return x.memory.reserve(ctx, bytes)
}

// pollEndOffsets asks the Kafka cluster regularly for the end offsets of the partitions, until ctx
// ends. So the lag is known even while no records are read, because earlier records wait for the
// disk.
func (x *session) pollEndOffsets(ctx context.Context) {
	for sleep(ctx, checkEvery) == nil {
		x.fetchEndOffsets(ctx)
	}
}

// fetchEndOffsets asks the Kafka cluster once for the end offsets of the partitions. It does not
// lock mu, because mu is locked while records wait for the disk.
func (x *session) fetchEndOffsets(ctx context.Context) {
	ask, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	ends, err := kadm.NewClient(x.client).ListEndOffsets(ask, x.plan.kafka.topics...)
	if ignorePartialErrors(err) != nil {
		// The cluster does not answer. The goroutines that read from it report that.
		return
	}
	ends.Each(func(end kadm.ListedOffset) {
		p := partition{end.Topic, end.Partition}
		if end.Err != nil {
			x.answeredPartitions.Delete(p)
			return
		}
		x.answeredPartitions.Store(p, true)
		x.status.setEnd(p, end.Offset)
	})
}

// check compares the ids and partitions of the topics with those at the start of the session. If
// they changed, it returns an error that wraps errTopicsChanged, which ends the session. It also
// makes the client try again to read unreadable partitions.
func (x *session) check(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	k := &x.plan.kafka
	topics, err := k.topicIDs(ask, x.client)
	if err != nil {
		if base.KindOf(err) == base.NotFound {
			return err
		}
		x.status.waiting(waitCluster, err)
		return nil // the client reconnects by itself
	}
	x.status.done(waitCluster)
	for _, t := range topics {
		if t.ID != x.ids[t.Topic] {
			return topicsChanged("topic %q was deleted and created again", t.Topic)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	there := map[partition]bool{}
	for _, p := range k.partitionsOf(topics) {
		there[p] = true
		_, told := x.answeredPartitions.Load(p)
		switch {
		case x.withoutOffsets[p] && told:
			return topicsChanged("topic %q partition %d is available now", p.topic, p.number)
		case k.group == "" && x.positions[p] == nil && !x.withoutOffsets[p]:
			return topicsChanged("topic %q has a new partition %d", p.topic, p.number)
		}
	}
	for p := range x.positions {
		if !there[p] {
			return topicsChanged("topic %q no longer has partition %d", p.topic, p.number)
		}
	}
	for p, since := range x.unreadable {
		if time.Since(since) > unreadableRetry {
			return topicsChanged("topic %q partition %d cannot be read", p.topic, p.number)
		}
	}
	x.client.ResumeFetchPartitions(x.client.PauseFetchPartitions(nil))
	return nil
}
