package engine

import (
	"container/list"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/patch"
)

// patchLocked replaces the patches of rowsets of a table; nil removes them. It copies the map of
// patches, because snapshots share it. The memory of patches counts in the budget as long as they
// are in the map.
func (e *Engine) patchLocked(t *table, sets map[base.SourceID]*patch.Set) {
	if len(sets) == 0 {
		return
	}
	next := maps.Clone(t.patches)
	if next == nil {
		next = map[base.SourceID]*patch.Set{}
	}
	grown := int64(0)
	for source, set := range sets {
		if old := next[source]; old != nil {
			grown -= old.Bytes()
		}
		if set == nil {
			delete(next, source)
			continue
		}
		next[source] = set
		grown += set.Bytes()
	}
	t.patches = next
	e.patchBytes.Add(grown)
	if grown > 0 {
		e.budget.force(grown)
	} else {
		e.patchesShort.Store(false)
		e.budget.release(-grown)
	}
}

// unpatchLocked drops all patches of a table, and its remaps.
func (e *Engine) unpatchLocked(t *table) {
	none := map[base.SourceID]*patch.Set{}
	for source := range t.patches {
		none[source] = nil
	}
	e.patchLocked(t, none)
	e.moves.forgetTable(t)
}

// checkPatchMemory returns an error if a change's patches and the existing ones would take more
// than half of Settings.MemoryBytes. If the change's patches alone take more, the error is
// TooLarge. Otherwise it is Unavailable, because merges make memory free: they write patches into
// parts.
func (e *Engine) checkPatchMemory(bytes int64) error {
	limit := e.settings.MemoryBytes / 2
	if bytes > limit {
		return base.Errorf(base.TooLarge, "a change of %d bytes: the limit is %d", bytes, limit).
			WithHint("change fewer rows at a time, rewrite the rows instead, or raise the memory limit")
	}
	if e.patchBytes.Load()+bytes > limit {
		e.patchesShort.Store(true)
		e.notifyPartsAdded()
		return base.Errorf(base.Unavailable, "no memory for more changes of rows until merges have written those there are").
			WithHint("retry after a few seconds, or raise the memory limit")
	}
	return nil
}

// TakesChange reports whether a change can be stored as patches: there is memory for it, and it
// fits into one frame of the log. bytes is the size of its values and row numbers. Until its flush,
// the change takes twice that memory (see prepareChange). In the log it takes more than that size.
func (e *Engine) TakesChange(bytes int64) bool {
	return 2*bytes+e.patchBytes.Load() <= e.settings.MemoryBytes/2 && bytes <= maxBodyBytes/2
}

// committed is a committed change, which its generation records until it is flushed.
type committed struct {
	table   base.TableID
	seq     base.Seq
	created time.Time // time of the change; if it was replayed, time of the replay
	deleted map[base.SourceID]*roaring.Bitmap
	updated []patch.Layer

	expression *patch.Expression
}

// live has the sequence numbers of all snapshots that are held, ascending.
type live struct {
	mu   sync.Mutex
	seqs list.List // guarded by mu; elements are base.Seq
}

// hold adds the sequence number of a new snapshot; release removes it. seq must not be less than
// those of earlier calls.
func (l *live) hold(seq base.Seq) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.seqs.PushBack(seq)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seqs.Remove(at)
	}
}

// oldest returns the sequence number of the oldest held snapshot, or the greatest number if there
// is none.
func (l *live) oldest() base.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.seqs.Front(); first != nil {
		return first.Value.(base.Seq)
	}
	return math.MaxUint64
}
