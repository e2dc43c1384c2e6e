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

// patchLocked replaces the patches (deletions and new values) of some rowsets of a table. The
// argument sets has the new patches by rowset id. If an element is nil, the rowset then has no
// patches. patchLocked copies the table's map of patches, because snapshots share that map. While
// patches are in the table's map, their memory counts in its account. The caller must hold mu.
func (e *Engine) patchLocked(t *table, sets map[base.RowsetID]*patch.Set) {
	if len(sets) == 0 {
		return
	}
	next := maps.Clone(t.patches)
	if next == nil {
		next = map[base.RowsetID]*patch.Set{}
	}
	grown := int64(0)
	for rowset, set := range sets {
		if old := next[rowset]; old != nil {
			grown -= old.Bytes()
		}
		if set == nil {
			delete(next, rowset)
			continue
		}
		next[rowset] = set
		grown += set.Bytes()
	}
	t.patches = next
	if grown > 0 {
		e.memory.Patches.Charge(grown)
	} else {
		e.patchMemoryShort.Store(false)
		e.memory.Patches.Release(-grown)
	}
}

// unpatchLocked drops all patches of a table, and all its remaps (new addresses of rows that
// moved). The caller must hold mu.
func (e *Engine) unpatchLocked(t *table) {
	none := map[base.RowsetID]*patch.Set{}
	for rowset := range t.patches {
		none[rowset] = nil
	}
	e.patchLocked(t, none)
	e.remaps.forgetTable(t)
}

// checkPatchMemory returns an error if the patches of a change do not fit into memory. bytes is
// their size. If the patches of the change alone exceed the limit of all patches, the error is
// TooLarge. Otherwise it is Unavailable, because merges free memory by writing patches into parts.
func (e *Engine) checkPatchMemory(bytes int64) error {
	limit := e.memory.Patches.Limit()
	if bytes > limit {
		return base.Errorf(base.TooLarge, "a change of %d bytes: the limit is %d", bytes, limit).
			WithHint("change fewer rows at a time, rewrite the rows instead, or raise the memory limit")
	}
	if e.memory.Patches.Used()+bytes > limit {
		e.patchMemoryShort.Store(true)
		e.notifyPartsAdded()
		return base.Errorf(base.Unavailable, "no memory for more changes of rows until merges have written the existing changes").
			WithHint("retry after a few seconds, or raise the memory limit")
	}
	return nil
}

// FitsPatch reports whether a change can be stored as patches: there is memory for it, and it fits
// into one frame of the log. The argument bytes is the size of the change's values and row numbers.
// In memory the change takes twice that size until its flush (see prepareChange). In the log it
// takes more than that size.
func (e *Engine) FitsPatch(bytes int64) bool {
	return 2*bytes <= -e.memory.Patches.Excess() && bytes <= maxBodyBytes/2
}

// committedChange is a committed change of one table. The generation in whose segment the change
// was logged records it, until the generation is flushed.
type committedChange struct {
	table   base.TableID
	seq     base.Seq
	created time.Time // time of the change or, if it was replayed from the log, time of the replay
	deleted map[base.RowsetID]*roaring.Bitmap
	updated []patch.Layer

	expression *patch.Expression
}

// heldSnapshots has the sequence numbers of all snapshots that are held, in ascending order.
type heldSnapshots struct {
	mu   sync.Mutex
	seqs list.List // list of base.Seq, ascending; guarded by mu
}

// hold adds the sequence number of a new snapshot to the list, and the returned function release
// removes it. seq must not be less than in earlier calls.
func (l *heldSnapshots) hold(seq base.Seq) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.seqs.PushBack(seq)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seqs.Remove(at)
	}
}

// oldest returns the sequence number of the oldest snapshot that is held. If none is held, it
// returns the greatest possible number.
func (l *heldSnapshots) oldest() base.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.seqs.Front(); first != nil {
		return first.Value.(base.Seq)
	}
	return math.MaxUint64
}
