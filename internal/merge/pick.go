package merge

import (
	"cmp"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
)

// Policy says which merges are worth doing. A zero field selects its default.
type Policy struct {
	MaxPartBytes int64 // maximum total size in bytes of the parts of one merge; default 512 MiB
	MaxPartRows  int64 // maximum total number of rows of the parts of one merge; default 8 Mi
	MaxParts     int   // maximum number of parts of one merge; default 16
	// MaxOpenBytes limits the memory of a merge, which decodes one row group of each part at the
	// same time. It is the maximum total size in bytes that these row groups have in the files. The
	// default is 64 MiB. Two parts can always be merged.
	MaxOpenBytes int64
	// Rest says that the partition gets no new parts at the moment. Then parts are merged to as few
	// as possible, even if that means that more bytes are rewritten.
	Rest bool
	// Load is the share of a part's rows or bytes that must be changed before the part is rewritten
	// on its own. The default is 0.1.
	Load float64
}

// Load describes how much of a part is deleted or patched. Readers must apply these changes until
// the part is rewritten.
type Load struct {
	Deleted int64 // number of deleted rows
	Patched int64 // number of patched rows
	Bytes   int64 // memory of the deletions and patches, in bytes
	// Due says that the part must be rewritten in any case, because it has tombstones (rows which
	// say that their key is deleted) to drop, or lacks expression updates (UPDATEs that are stored
	// as SQL).
	Due bool
}

// share returns how much of the part p is changed, from 0 to 1. It is the largest of three shares:
// the deleted rows among all rows, the patched rows among all rows, and the memory of the changes
// in relation to the part's size.
func (l Load) share(p *catalog.Part) float64 {
	return max(float64(l.Deleted)/float64(p.Rows), float64(l.Patched)/float64(p.Rows), float64(l.Bytes)/float64(max(p.Bytes, floorBytes)))
}

const (
	// restLoad is the value of Policy.Load for partitions that get no new parts at the moment. A
	// part is rewritten if a hundredth of it is changed, because its readers are slower until then.
	restLoad = 0.01
	// fullLoad is the value of Policy.Load while patches have nearly used up the memory that they
	// may take, unless loadToFree returns a smaller one. So even parts with few changes are
	// rewritten, which frees the memory of their patches.
	fullLoad = 0.001
	// anyLoad is the value of Policy.Load in RunUntilIdle. It is so small that any changed part is
	// rewritten.
	anyLoad = 1e-12
)

// loadToFree returns the value of Policy.Load to use while patches have nearly used up the memory
// that they may take. Parts whose changed share (Load.share) is at least this value are rewritten,
// which frees at least half of that memory. The result is at most fullLoad. It is less if many
// parts with few changes each use the memory.
func loadToFree(parts []*catalog.Part, loads map[base.RowsetID]Load) float64 {
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
	orDefault(&p.MaxParts, 16)
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
	// floorBytes is a size in bytes. A smaller part counts as if it had this size, because the
	// fixed cost of a file in a merge is then higher than the cost of its bytes.
	floorBytes = 64 << 10
	// restRatio is the smallest growth of a merge that is worth doing in a partition at rest (one
	// that gets no new parts). The growth is the total size of the merged parts, divided by the
	// size of the largest one.
	restRatio = 1.5
	// crowd is a number of parts. If more parts than that could be merged, merges with less growth
	// (see restRatio) are worth doing, too.
	crowd = 32
)

// Plan is one merge. Its parts are of one table and partition, and adjacent in ingestion order (the
// order in which their rows arrived). A plan with a single part rewrites that part to apply its
// changes.
type Plan struct {
	Sources []*catalog.Part // the parts, in the order in which their rows arrived
	Rows    int64
	Bytes   int64
	// retype is set if the plan is part of a Retype, which changes the type of a column. Otherwise
	// it is nil.
	retype *retyping
}

// Pick returns the merges that are worth doing now among the parts of one table and one partition.
// No part is in two merges. Pick is a pure function.
//
// Parts are ordered by the time at which their rows arrived, and only adjacent parts are merged. So
// rows of one time stay together, which zone maps rely on, and rows with equal sort keys stay in
// the order of arrival.
//
// A merge of parts with S bytes in total, whose largest part has L bytes, has the growth S/L. It is
// worth doing if its growth is at least r. Each byte that such a merge rewrites is afterwards in a
// part that is at least r times as large as its old one. So while a byte moves from a part of F
// bytes to one of M bytes, it is rewritten at most log_r(M/F) times (the write amplification). r is
// half of the number of parts of L bytes that could be merged together. With the defaults it is 8,
// so 1 MiB becomes 512 MiB in 3 merges. r is lower in three cases:
//   - The limits of a part's size or of memory allow fewer parts in a merge.
//   - There are many parts (more than crowd).
//   - The partition is at rest: it gets no new parts (Policy.Rest).
//
// Parts of less than 64 KiB count as 64 KiB. So the bytes of a nearly idle stream are rewritten
// more often, in merges that cost next to nothing.
//
// A part that is in none of these merges is rewritten on its own if its Load.share is at least
// Policy.Load. By default each byte is thus rewritten at most ten times as often as it is changed.
// A part whose rows are all deleted is always removed. A part with tombstones to drop is rewritten
// once.
//
// After these merges, each tier of sizes (a factor of r) has fewer than about 2r parts. The file
// testdata/pick/day shows a day with one flush a minute. At rest, about one part per factor of 3 in
// size remains, in addition to parts of full size.
func Pick(parts []*catalog.Part, loads map[base.RowsetID]Load, policy Policy) []Plan {
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
		for to := from; to < min(len(ordered), from+policy.MaxParts); to++ {
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
	// The merge with the most growth comes first, because it saves the most parts per written byte.
	// Among merges of equal growth, the one with the fewest bytes comes first.
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

// requiredRatio returns a function that returns the smallest growth of a merge that is worth doing
// (r in the comment of Pick). The arguments of the returned function describe the merge. The
// argument bytes is the size of its largest part, and rows is the number of rows of the part with
// the most rows. The argument open is the average size in bytes of a row group in the files of its
// parts.
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
		fit := min(float64(p.MaxParts), float64(p.MaxPartBytes)/float64(max(bytes, 1)),
			float64(p.MaxPartRows)/float64(max(rows, 1)), float64(p.MaxOpenBytes)/float64(max(open, 1)))
		return max(restRatio, fit/2*relief)
	}
}

func size(p *catalog.Part) int64 { return max(p.Bytes, floorBytes) }

// openBytes estimates the size in bytes that the first row group of a part has in its file.
func openBytes(p *catalog.Part) int64 {
	if p.Rows <= part.RowGroupRows {
		return p.Bytes
	}
	return min(int64(float64(p.Bytes)*part.RowGroupRows/float64(p.Rows)), part.GroupBytes)
}

// ingestionOrder compares two parts by the time at which their rows arrived.
func ingestionOrder(a, b *catalog.Part) int {
	return cmp.Or(cmp.Compare(a.MinSeq, b.MinSeq), cmp.Compare(a.MaxSeq, b.MaxSeq), cmp.Compare(a.ID, b.ID))
}

// cheapest compares two plans by the number of bytes that they rewrite.
func cheapest(a, b Plan) int { return cmp.Compare(a.Bytes, b.Bytes) }
