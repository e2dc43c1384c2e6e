package merge

import (
	"cmp"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
)

// Policy says which merges pay. The zero value of a field means its default.
type Policy struct {
	MaxPartBytes int64 // of a merge's sources together; 512 MiB
	MaxPartRows  int64 // the same; 8 Mi rows
	MaxSources   int   // of one merge; 16
	// MaxOpenBytes bounds the file bytes of one row group of every source together: what
	// a merge holds in memory, before decoding; 64 MiB. Two sources are always possible.
	MaxOpenBytes int64
	// Rest is for a table that gets no new parts at the moment: few parts matter more than few
	// bytes written.
	Rest bool
	// Load is the share of a part that is to be changed before it is written anew for that alone; 0.1.
	Load float64
}

// Load is what is changed of a part: what readers pay for until it is written anew.
type Load struct {
	Deleted int64 // rows
	Patched int64 // rows
	Bytes   int64 // of memory, for both
	Due     bool  // there are tombstones that a merge drops, or expressions that the part lacks
}

// share returns how much of a part is changed, by the measure by which it is most.
func (l Load) share(p *catalog.Part) float64 {
	return max(float64(l.Deleted)/float64(p.Rows), float64(l.Patched)/float64(p.Rows), float64(l.Bytes)/float64(max(p.Bytes, floorBytes)))
}

const (
	// restLoad is Policy.Load at rest: what is changed of a hundredth of a part slows its readers down for
	// as long as it stays.
	restLoad = 0.01
	// fullLoad is Policy.Load when changes take much of the memory, or more than it: see loadToFree.
	fullLoad = 0.001
	// anyLoad is Policy.Load when as little as possible is to remain changed.
	anyLoad = 1e-12
)

// loadToFree returns Policy.Load when changes take much of the memory. It is fullLoad where at least half of that is in parts with as much. Else
// it is what the parts have that hold half of it: a little all over many parts fills the memory, too.
func loadToFree(parts []*catalog.Part, loads map[base.SourceID]Load) float64 {
	ordered, total := make([]*catalog.Part, 0, len(loads)), int64(0)
	for _, p := range parts {
		if load, ok := loads[p.ID]; ok {
			ordered, total = append(ordered, p), total+load.Bytes
		}
	}
	slices.SortFunc(ordered, func(a, b *catalog.Part) int { return cmp.Compare(loads[b.ID].share(b), loads[a.ID].share(a)) })
	freed := int64(0)
	for _, p := range ordered {
		if freed += loads[p.ID].Bytes; 2*freed >= total {
			return min(fullLoad, loads[p.ID].share(p))
		}
	}
	return fullLoad
}

func (p Policy) withDefaults() Policy {
	orDefault(&p.MaxPartBytes, 512<<20)
	orDefault(&p.MaxPartRows, 8<<20)
	orDefault(&p.MaxSources, 16)
	orDefault(&p.MaxOpenBytes, 64<<20)
	orDefault(&p.Load, 0.1)
	return p
}

func orDefault[T ~int | ~int64 | ~float64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

const (
	// floorBytes is what a part counts for at least: below, merging costs as much per file as
	// per byte.
	floorBytes = 64 << 10
	// restRatio is the growth that a merge must bring to be worth it at rest.
	restRatio = 1.5
	// crowd is the number of mergeable parts from which on less growth is asked for.
	crowd = 32
)

// Plan is one merge: parts of one table and partition, neighbours in ingestion order. One part alone is
// written anew for the sake of what is changed of it.
type Plan struct {
	Sources []*catalog.Part // in ingestion order
	Rows    int64
	Bytes   int64
	retype  *retyping // of a change of a column's type; or nil
}

// Pick returns the merges that are worth doing now among the parts of one table and one
// partition; no part is in two. It is a pure function.
//
// Parts are taken in the order in which their rows came, and only neighbours are merged: rows of
// one time stay together, which is what zone maps live on, and rows with equal sort keys
// stay in order of arrival.
//
// A merge of sources with S bytes, the largest of them having L, is worth it if its growth S/L is at
// least r. Each byte that a merge rewrites lies afterwards in a part at least r times as large as
// its own was, so on its way from a part of F bytes to one of M bytes a byte is rewritten at
// most log_r(M/F) times: the write amplification. r is half of how many parts like the
// largest one could be merged at once: 8 with the defaults, so 1 MiB becomes 512 MiB in 3 merges. It is
// lower where a part's or the memory's limit leaves room for less, in a crowd, and at rest.
//
// Parts of less than 64 KiB count as that: a nearly idle stream's bytes are rewritten more often, in
// merges that cost next to nothing.
//
// A part in none of these merges is written anew if Policy.Load of it is changed: by default each byte is written at most
// ten times more than it is changed. One whose rows are all deleted goes always, and one with tombstones to drop is
// written anew once.
//
// What remains: in each tier (a factor of r in size) fewer than about 2r parts; testdata/pick/day shows a
// day of one flush a minute. At rest about one part per factor of 3 in size, besides full ones.
func Pick(parts []*catalog.Part, loads map[base.SourceID]Load, policy Policy) []Plan {
	policy = policy.withDefaults()
	ordered := slices.Clone(parts)
	slices.SortFunc(ordered, ingestionOrder)
	required := policy.requiredRatio(ordered)
	type window struct {
		from, to int
		growth   float64
		plan     Plan
	}
	var worth []window
	for from := range ordered {
		var sum, largest, mostRows, open int64
		var plan Plan
		for to := from; to < min(len(ordered), from+policy.MaxSources); to++ {
			p := ordered[to]
			plan.Rows += p.Rows
			plan.Bytes += p.Bytes
			sum += size(p)
			largest, mostRows = max(largest, size(p)), max(mostRows, p.Rows)
			open += openBytes(p)
			if plan.Rows > policy.MaxPartRows || plan.Bytes > policy.MaxPartBytes || open > policy.MaxOpenBytes && to > from+1 {
				break
			}
			if growth := float64(sum) / float64(largest); to > from && growth >= required(largest, mostRows, open/int64(to-from+1)) {
				plan.Sources = ordered[from : to+1]
				worth = append(worth, window{from, to, growth, plan})
			}
		}
	}
	// Most growth first: it saves most parts per byte written. Of equals the cheapest.
	slices.SortFunc(worth, func(a, b window) int {
		return cmp.Or(cmp.Compare(b.growth, a.growth), cmp.Compare(a.plan.Bytes, b.plan.Bytes), cmp.Compare(a.from, b.from))
	})
	taken := make([]bool, len(ordered))
	var plans []Plan
	for _, w := range worth {
		if slices.Contains(taken[w.from:w.to+1], true) {
			continue
		}
		for i := w.from; i <= w.to; i++ {
			taken[i] = true
		}
		w.plan.Sources = slices.Clone(w.plan.Sources)
		plans = append(plans, w.plan)
	}
	for i, p := range ordered {
		if load, ok := loads[p.ID]; ok && !taken[i] && (load.Due || load.share(p) >= policy.Load) {
			plans = append(plans, Plan{Sources: []*catalog.Part{p}, Rows: p.Rows, Bytes: p.Bytes})
		}
	}
	return plans
}

// requiredRatio returns the least growth that pays for a merge whose largest source has so many bytes and
// rows, and whose sources have so many bytes of row groups each.
func (p Policy) requiredRatio(parts []*catalog.Part) func(bytes, rows, open int64) float64 {
	mergeable := 0
	for _, part := range parts {
		if 2*part.Bytes <= p.MaxPartBytes && 2*part.Rows <= p.MaxPartRows {
			mergeable++
		}
	}
	relief := min(1, crowd/float64(max(mergeable, 1)))
	return func(bytes, rows, open int64) float64 {
		if p.Rest {
			return restRatio
		}
		fit := min(float64(p.MaxSources), float64(p.MaxPartBytes)/float64(max(bytes, 1)),
			float64(p.MaxPartRows)/float64(max(rows, 1)), float64(p.MaxOpenBytes)/float64(max(open, 1)))
		return max(restRatio, fit/2*relief)
	}
}

func size(p *catalog.Part) int64 { return max(p.Bytes, floorBytes) }

// openBytes is about the size of a part's first row group.
func openBytes(p *catalog.Part) int64 {
	if p.Rows <= part.RowGroupRows {
		return p.Bytes
	}
	return min(int64(float64(p.Bytes)*part.RowGroupRows/float64(p.Rows)), part.GroupBytes)
}

// ingestionOrder compares parts by when their rows came.
func ingestionOrder(a, b *catalog.Part) int {
	return cmp.Or(cmp.Compare(a.MinSeq, b.MinSeq), cmp.Compare(a.MaxSeq, b.MaxSeq), cmp.Compare(a.ID, b.ID))
}

// cheapest orders plans by what they cost.
func cheapest(a, b Plan) int { return cmp.Compare(a.Bytes, b.Bytes) }
