package engine

import (
	"container/list"
	"maps"
	"sync"

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
		e.budget.release(-grown)
	}
}

// unpatchLocked drops all sets of a table.
func (e *Engine) unpatchLocked(t *table) {
	none := map[base.SourceID]*patch.Set{}
	for source := range t.patches {
		none[source] = nil
	}
	e.patchLocked(t, none)
	t.moved = nil
}

// checkPatchMemory refuses a change for which there is no memory until merges have written older ones into parts.
func (e *Engine) checkPatchMemory(bytes int64) error {
	limit := e.settings.MemoryBytes / 2
	if bytes > limit {
		return base.Errorf(base.TooLarge, "a change of %d bytes: the limit is %d", bytes, limit).
			WithHint("change fewer rows at a time, rewrite the rows instead, or raise the memory limit")
	}
	if e.patchBytes.Load()+bytes > limit {
		e.notifyPartsAdded()
		return base.Errorf(base.Unavailable, "no memory for more changes of rows until merges have written those there are").
			WithHint("retry after a few seconds, or raise the memory limit")
	}
	return nil
}

// committed is a change as it is kept until its log segment goes.
type committed struct {
	table   base.TableID
	seq     base.Seq
	deleted map[base.SourceID]*roaring.Bitmap
	updated []patch.Layer
}

// stored is what the catalog knows of a part's changes.
type stored struct {
	seq base.Seq // changes up to here are in it, or in the part
}

// moving collects what is changed of rows while they are written anew.
type moving struct {
	sources map[base.SourceID]*patch.Set // what is not in the new files
}

// add takes in a change, as far as it is of the moving rows. Under mu.
func (m *moving) add(c committed) error {
	for source, set := range m.sources {
		layers := layersOf(c.updated, source)
		if c.deleted[source] == nil && len(layers) == 0 {
			continue
		}
		next, err := set.With(c.seq, c.deleted[source], layers...)
		if err != nil {
			return err
		}
		m.sources[source] = next
	}
	return nil
}

// moved is a move that took place, for changes computed before it.
type moved struct {
	seq  base.Seq // of the first snapshot after it
	move patch.Move
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

// oldest returns the sequence number of the oldest snapshot, or now if there is none.
func (l *live) oldest(now base.Seq) base.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.seqs.Front(); first != nil {
		return min(now, first.Value.(base.Seq))
	}
	return now
}
