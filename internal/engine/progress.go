package engine

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Progress has the offsets of a source (a Kafka topic that fills tables) up to which an append
// contains the source's records. It is stored in the same log frame as the rows, and later in the
// catalog transaction that lists their parts. So the rows of each offset are in the tables exactly
// once, even if records are read again after a crash.
type Progress struct {
	Source base.SourceID
	Ranges []OffsetRange // ranges of offsets, at most one for each partition of a topic
}

// OffsetRange is a range of offsets of one partition of a topic. It begins with the offset From,
// and ends before the offset Next. It may include offsets for which there is no row, such as those
// of compacted or aborted records, or of dead letters. They count as read, too.
type OffsetRange struct {
	Topic string
	// TopicID distinguishes topics that had the same name. It is zero if the broker has no topic
	// ids.
	TopicID   [16]byte
	Partition int32
	From      int64
	Next      int64
	Epoch     int32 // leader epoch of the last record in the range; -1 if it is unknown
	// Reset allows From to differ from the offset that is stored for the source. It is needed if
	// the topic lost records, or was created again. The same append must record the reason.
	Reset bool
}

// offsetKey identifies a source, a topic and a partition of that topic.
type offsetKey struct {
	source    base.SourceID
	topic     string
	partition int32
}

func keyOfOffset(o catalog.Offset) offsetKey { return offsetKey{o.Source, o.Topic, o.Partition} }

// offsets has the stored offset of each partition that a source reads: the offset of the next
// record to read.
type offsets map[offsetKey]catalog.Offset

func (all offsets) advance(p *Progress) {
	if p == nil {
		return
	}
	for _, r := range p.Ranges {
		o := catalog.Offset{Source: p.Source, Topic: r.Topic, Partition: r.Partition, TopicID: r.TopicID, Next: r.Next, Epoch: r.Epoch}
		all[keyOfOffset(o)] = o
	}
}

// sorted returns the offsets ordered by source, topic and partition.
func (all offsets) sorted() []catalog.Offset {
	return slices.SortedFunc(maps.Values(all), func(a, b catalog.Offset) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}

// follows returns an error if the range does not begin at the stored offset, which is the argument
// now. If no offset is stored, the argument known is false, and the range may begin anywhere. It
// may also begin anywhere if the field Reset is true.
func (r OffsetRange) follows(now catalog.Offset, known bool) error {
	switch {
	case r.From < 0 || r.Next < r.From || r.Partition < 0 || r.Epoch < -1:
		return base.Errorf(base.Internal, "topic %q partition %d: offsets %d to %d, epoch %d", r.Topic, r.Partition, r.From, r.Next, r.Epoch)
	case r.Reset || !known:
		return nil
	case r.TopicID != now.TopicID:
		return base.Errorf(base.Conflict, "topic %q is not the topic that was read before: its id is %x, and was %x", r.Topic, r.TopicID, now.TopicID)
	case r.From != now.Next:
		return base.Errorf(base.Conflict, "topic %q partition %d: the source is at offset %d, not at %d", r.Topic, r.Partition, now.Next, r.From)
	}
	return nil
}

// checkProgress returns an error if a range of p does not begin at the stored offset. The argument
// ahead has the offsets that earlier requests of the same group will store. They take precedence
// over the stored ones. checkProgress runs in the committer.
func (e *Engine) checkProgress(p *Progress, ahead offsets) error {
	if p == nil {
		return nil
	}
	s := e.sources[p.Source]
	if s == nil {
		return base.Errorf(base.NotFound, "source %d was dropped", p.Source)
	}
	for _, r := range p.Ranges {
		key := offsetKey{p.Source, r.Topic, r.Partition}
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

// advanceLocked is called when an append with the progress p was committed. The stored offsets of
// the source become the ends of p's ranges. The caller must hold mu.
func (e *Engine) advanceLocked(g *generation, p *Progress) {
	if p == nil {
		return
	}
	g.offsets.advance(p)
	e.sources[p.Source].offsets.advance(p)
}

// replayProgress updates the stored offsets of a source for a frame that is replayed from the log,
// as advanceLocked does for a new commit.
func (e *Engine) replayProgress(g *generation, p *Progress) error {
	if p == nil || e.sources[p.Source] == nil {
		return nil // the source was dropped after the append
	}
	for _, r := range p.Ranges {
		now, known := e.sources[p.Source].offsets[offsetKey{p.Source, r.Topic, r.Partition}]
		if err := r.follows(now, known); err != nil {
			return base.Errorf(base.Corrupt, "source %d: %w", p.Source, err)
		}
	}
	e.advanceLocked(g, p)
	return nil
}

// liveOffsets returns the given offsets as a list for the catalog, without the offsets of sources
// that were dropped.
func (e *Engine) liveOffsets(all offsets) []catalog.Offset {
	return slices.DeleteFunc(all.sorted(), func(o catalog.Offset) bool { return e.sources[o.Source] == nil })
}

// encode returns the content of the section of progress in a log frame. It has the source's id and
// the number of ranges. For each range follow the topic (length and bytes), its id (16 bytes),
// partition, from, next, epoch plus 1, and 1 for a reset. Numbers are unsigned varints.
func (p *Progress) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(p.Source))
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
	p := &Progress{Source: base.SourceID(r.uvarint())}
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		o := OffsetRange{Topic: string(r.bytes(r.uvarint()))}
		copy(o.TopicID[:], r.bytes(uint64(len(o.TopicID))))
		o.Partition, o.From, o.Next = int32(r.uvarint()), int64(r.uvarint()), int64(r.uvarint())
		o.Epoch, o.Reset = int32(r.uvarint())-1, r.uvarint() == 1
		p.Ranges = append(p.Ranges, o)
	}
	return p
}
