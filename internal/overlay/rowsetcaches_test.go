package overlay

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// cachedOf returns the rowsets of which a column is cached, and the size of all cached data.
func (p *patchedTable) cachedOf(column int) (rowsets []base.RowsetID, bytes int64) {
	for id, set := range p.now.Patches {
		s := p.overlay.caches.of(set)
		if k := s.columns[p.now.Schema.Columns[column].ID]; k != nil && k.writtenBytes+k.latestBytes > 0 {
			rowsets = append(rowsets, id)
		}
		bytes += s.bytes.Load()
	}
	slices.Sort(rowsets)
	return rowsets, bytes
}

func TestTheRowsetCachesAreBounded(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.BigInt), schema.Of(schema.BigInt)), 3)
	for id := range base.RowsetID(6) {
		p.addPart(10+id, 1000)
		p.update(10+id, p.some(10+id, 200), p.now.Schema.Columns[0])
	}
	p.compare("SELECT sum(v1) FROM {}")
	all, bytes := p.cachedOf(1)
	if len(all) != 6 || bytes < 6*180*(8+4) {
		t.Fatalf("%v are kept, %d bytes: all that was read should be", all, bytes)
	}
	// There is space for three of six. The cached ones stay, however often the query runs.
	f.cacheBytes = bytes/2 + 100
	p.compare("SELECT sum(v1) FROM {}")
	three, bytes := p.cachedOf(1)
	if len(three) != 3 || bytes > f.cacheBytes {
		t.Fatalf("%v are kept, %d bytes of at most %d", three, bytes, f.cacheBytes)
	}
	for range 3 {
		p.compare("SELECT sum(v1), max(v0) FROM {}")
		if now, _ := p.cachedOf(1); !slices.Equal(now, three) {
			t.Fatalf("%v are kept, then %v: a query pushes out what it will look for", three, now)
		}
	}
	// Another column takes the space of the least recently used one.
	p.compare("SELECT sum(v2) FROM {}")
	v1, _ := p.cachedOf(1)
	v2, bytes := p.cachedOf(2)
	if len(v1) != 0 || len(v2) != 3 || bytes > f.cacheBytes {
		t.Errorf("of v1 %v are kept, of v2 %v, %d bytes", v1, v2, bytes)
	}
	f.cacheBytes = 0
	p.compare("FROM {}")
	if _, bytes = p.cachedOf(0); bytes != 0 {
		t.Errorf("%d bytes are kept", bytes)
	}
}

// there calls thereLocked.
func (x *rowsetCaches) there() []*rowsetCache {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.thereLocked()
}

func TestARowsetCacheIsDroppedWithThePatches(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.BigInt)), 4)
	p.addPart(10, 1000)
	p.addPart(11, 1000)
	p.update(10, p.some(10, 100), p.now.Schema.Columns[0])
	p.update(11, p.some(11, 100), p.now.Schema.Columns[0])
	p.compare("FROM {}")
	before := f.overlay.caches.of(p.now.Patches[11])
	p.delete(11, p.some(11, 10))
	if p.overlay.caches.of(p.now.Patches[11]) != before || before.bytes.Load() == 0 {
		t.Error("a change of a source lets go of what is kept of it")
	}
	p.now.Patches = maps.Clone(p.now.Patches)
	delete(p.now.Patches, 10) // as after a merge
	for deadline := time.Now().Add(10 * time.Second); ; {
		runtime.GC()
		n := len(f.overlay.caches.there())
		bytes := f.overlay.caches.memory.Used()
		if n == 1 && bytes == before.bytes.Load() {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d sources are kept, %d bytes; of one there are patches, which has %d", n, bytes, before.bytes.Load())
		}
	}
	runtime.KeepAlive(before)
}

func TestPartsAreReadTogetherUpToABound(t *testing.T) {
	parts := func(sizes ...int) (all []*partRows) {
		for _, n := range sizes {
			all = append(all, &partRows{rows: make([]uint32, n)})
		}
		return all
	}
	for _, c := range []struct {
		sizes []int
		want  int
	}{
		{[]int{5}, 1}, {[]int{500}, 1}, {[]int{500, 1}, 1}, {[]int{40, 60}, 2}, {[]int{40, 61}, 1}, {[]int{1, 1, 98, 1}, 3},
	} {
		if n := together(parts(c.sizes...), 100); n != c.want {
			t.Errorf("%v: %d, want %d", c.sizes, n, c.want)
		}
	}
}
