package engine

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Progress is how far an append brings a stream: which offsets its rows are of. It is in the
// same log frame as the rows, and later in the catalog transaction that lists their parts, so that
// each offset is in the tables exactly once, whatever is sent again after a crash.
type Progress struct {
	Stream base.StreamID
	Ranges []OffsetRange // one per partition at most
}

// OffsetRange is what an append takes of one partition: the offsets from From up to, but
// not including, Next. Offsets within that have no row (compacted, aborted, dead letters) are done with too.
type OffsetRange struct {
	Topic     string
	TopicID   [16]byte // which topic of this name; zero if the broker has no ids
	Partition int32
	From      int64
	Next      int64
	Epoch     int32 // leader epoch of the last record; -1 if unknown
	// Reset allows From to be another than where the stream stands: records are lost, or
	// the topic is a new one. Whoever sets it has told why in the same append.
	Reset bool
}

// offsetKey names a partition that a stream reads.
type offsetKey struct {
	stream    base.StreamID
	topic     string
	partition int32
}

func keyOfOffset(o catalog.Offset) offsetKey { return offsetKey{o.Stream, o.Topic, o.Partition} }

// offsets are how far streams are.
type offsets map[offsetKey]catalog.Offset

func (all offsets) advance(p *Progress) {
	if p == nil {
		return
	}
	for _, r := range p.Ranges {
		o := catalog.Offset{Stream: p.Stream, Topic: r.Topic, Partition: r.Partition, TopicID: r.TopicID, Next: r.Next, Epoch: r.Epoch}
		all[keyOfOffset(o)] = o
	}
}

// sorted returns the offsets by stream, topic and partition.
func (all offsets) sorted() []catalog.Offset {
	return slices.SortedFunc(maps.Values(all), func(a, b catalog.Offset) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}

// follows says whether a range begins where the stream stands.
func (r OffsetRange) follows(now catalog.Offset, known bool) error {
	switch {
	case r.From < 0 || r.Next < r.From || r.Partition < 0 || r.Epoch < -1:
		return base.Errorf(base.Internal, "topic %q partition %d: offsets %d to %d, epoch %d", r.Topic, r.Partition, r.From, r.Next, r.Epoch)
	case r.Reset || !known:
		return nil
	case r.TopicID != now.TopicID:
		return base.Errorf(base.Conflict, "topic %q is another one than the one that was read: id %x, before %x", r.Topic, r.TopicID, now.TopicID)
	case r.From != now.Next:
		return base.Errorf(base.Conflict, "topic %q partition %d: the stream stands at offset %d, not at %d", r.Topic, r.Partition, now.Next, r.From)
	}
	return nil
}

// checkProgress refuses progress that does not follow what is stored, or what requests
// ahead of it in the group will store. In the committer.
func (e *Engine) checkProgress(p *Progress, ahead offsets) error {
	if p == nil {
		return nil
	}
	s := e.streams[p.Stream]
	if s == nil {
		return base.Errorf(base.NotFound, "source %d was dropped", p.Stream)
	}
	for _, r := range p.Ranges {
		key := offsetKey{p.Stream, r.Topic, r.Partition}
		now, known := ahead[key]
		if !known {
			now, known = s.offsets[key]
		}
		if err := r.follows(now, known); err != nil {
			return base.Wrap(err, "source %q", s.Name.Name)
		}
	}
	return nil
}

// advanceLocked makes progress visible.
func (e *Engine) advanceLocked(g *generation, p *Progress) {
	if p == nil {
		return
	}
	g.offsets.advance(p)
	e.streams[p.Stream].offsets.advance(p)
}

// replayProgress is advanceLocked for a frame of the log.
func (e *Engine) replayProgress(g *generation, p *Progress) error {
	if p == nil || e.streams[p.Stream] == nil {
		return nil // dropped since
	}
	for _, r := range p.Ranges {
		now, known := e.streams[p.Stream].offsets[offsetKey{p.Stream, r.Topic, r.Partition}]
		if err := r.follows(now, known); err != nil {
			return base.Errorf(base.Corrupt, "stream %d: %w", p.Stream, err)
		}
	}
	e.advanceLocked(g, p)
	return nil
}

// liveOffsets returns what the catalog is to keep of a generation's offsets: those of
// streams that are there.
func (e *Engine) liveOffsets(all offsets) []catalog.Offset {
	return slices.DeleteFunc(all.sorted(), func(o catalog.Offset) bool { return e.streams[o.Stream] == nil })
}

// encode returns the content of a frame's section: stream id, number of ranges, then for each
// the topic (length and bytes), its id (16 bytes), partition, from, next, epoch plus 1, 1 for a
// reset. Numbers are unsigned varints.
func (p *Progress) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(p.Stream))
	b = binary.AppendUvarint(b, uint64(len(p.Ranges)))
	for _, r := range p.Ranges {
		b = append(binary.AppendUvarint(b, uint64(len(r.Topic))), r.Topic...)
		b = append(b, r.TopicID[:]...)
		reset := uint64(0)
		if r.Reset {
			reset = 1
		}
		for _, n := range []uint64{uint64(r.Partition), uint64(r.From), uint64(r.Next), uint64(r.Epoch + 1), reset} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

func readProgress(r *frameReader) *Progress {
	p := &Progress{Stream: base.StreamID(r.uvarint())}
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		o := OffsetRange{Topic: string(r.bytes(r.uvarint()))}
		copy(o.TopicID[:], r.bytes(uint64(len(o.TopicID))))
		o.Partition, o.From, o.Next = int32(r.uvarint()), int64(r.uvarint()), int64(r.uvarint())
		o.Epoch, o.Reset = int32(r.uvarint())-1, r.uvarint() == 1
		p.Ranges = append(p.Ranges, o)
	}
	return p
}
