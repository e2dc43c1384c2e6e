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

// patchLocked replaces sets of a table; a nil one is dropped. Snapshots share the map, so it becomes
// another one. The memory of sets counts as long as they are current.
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

// unpatchLocked drops all sets of a table, and where its rows went.
func (e *Engine) unpatchLocked(t *table) {
	none := map[base.SourceID]*patch.Set{}
	for source := range t.patches {
		none[source] = nil
	}
	e.patchLocked(t, none)
	e.moves.forgetTable(t)
}

// checkPatchMemory refuses a change for which there is no memory until merges have written older ones into parts.
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

// TakesChange reports whether a change of so many bytes of values and row numbers may be a patch: whether there is memory for it, and whether it
// fits into one frame of the log, where it may take more.
func (e *Engine) TakesChange(bytes int64) bool {
	return 2*bytes+e.patchBytes.Load() <= e.settings.MemoryBytes/2 && bytes <= maxBodyBytes/2
}

// committed is a change as it is kept until its log segment goes.
type committed struct {
	table   base.TableID
	seq     base.Seq
	created time.Time // or when it was read from the log
	deleted map[base.SourceID]*roaring.Bitmap
	updated []patch.Layer

	expression *patch.Expression
}

// live are the sequence numbers of the snapshots that are held, ascending.
type live struct {
	mu   sync.Mutex
	seqs list.List // guarded by mu; of base.Seq
}

// hold enters a snapshot; the returned function takes it out. Snapshots come in their order.
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

// oldest returns the sequence number of the oldest snapshot; if there is none, that of the next will be below it.
func (l *live) oldest() base.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.seqs.Front(); first != nil {
		return first.Value.(base.Seq)
	}
	return math.MaxUint64
}
