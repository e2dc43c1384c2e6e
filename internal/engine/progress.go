package engine

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Progress says which offsets of a source an append covers. It is in the same log frame as the
// rows, and later in the catalog transaction that lists their parts. So the rows of each offset are
// in the tables exactly once, even if records are read again after a crash.
type Progress struct {
	Stream base.StreamID
	Ranges []OffsetRange // at most one per partition
}

// OffsetRange is a range of offsets of one partition: from From up to, but not including, Next.
// Offsets in the range that have no row (compacted, aborted, dead letters) count as read too.
type OffsetRange struct {
	Topic     string
	TopicID   [16]byte // tells topics of the same name apart; zero if the broker has no ids
	Partition int32
	From      int64
	Next      int64
	Epoch     int32 // leader epoch of the last record; -1 if unknown
	// Reset allows From to differ from the source's stored offset, because records were lost, or
	// the topic is a new one. The caller must have recorded the reason in the same append.
	Reset bool
}

// offsetKey identifies a partition that a source reads.
type offsetKey struct {
	stream    base.StreamID
	topic     string
	partition int32
}

func keyOfOffset(o catalog.Offset) offsetKey { return offsetKey{o.Stream, o.Topic, o.Partition} }

// offsets are the stored offsets of sources: the next one to read in each partition.
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

// sorted returns the offsets by source, topic and partition.
func (all offsets) sorted() []catalog.Offset {
	return slices.SortedFunc(maps.Values(all), func(a, b catalog.Offset) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}

// follows returns an error unless the range begins at the source's stored offset.
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

// checkProgress refuses progress that does not begin at the stored offset, or at the offset after
// the requests before it in the group. It runs in the committer.
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

// advanceLocked sets the offsets of a source to those of the progress.
func (e *Engine) advanceLocked(g *generation, p *Progress) {
	if p == nil {
		return
	}
	g.offsets.advance(p)
	e.streams[p.Stream].offsets.advance(p)
}

// replayProgress is advanceLocked for a replayed frame.
func (e *Engine) replayProgress(g *generation, p *Progress) error {
	if p == nil || e.streams[p.Stream] == nil {
		return nil // the source was dropped since
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

// liveOffsets returns a generation's offsets for the catalog, without those of dropped sources.
func (e *Engine) liveOffsets(all offsets) []catalog.Offset {
	return slices.DeleteFunc(all.sorted(), func(o catalog.Offset) bool { return e.streams[o.Stream] == nil })
}

// encode returns the content of a frame's section: the source's id, the number of ranges, then for
// each range the topic (length and bytes), its id (16 bytes), partition, from, next, epoch plus 1,
// and 1 for a reset. Numbers are unsigned varints.
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
