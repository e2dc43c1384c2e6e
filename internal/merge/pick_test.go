package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// TestPick runs the files testdata/pick/*. The command "pick" takes one part per line: its rows,
// its size, and optionally how often. The command "simulate" flushes parts for some time, and
// merges those that Pick selects.
func TestPick(t *testing.T) {
	datadriven.Walk(t, "testdata/pick", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "pick":
				parts, loads := parseParts(t, d.Input)
				return showPlans(Pick(parts, loads, policyOf(t, d)))
			case "simulate":
				return newSimulation(t, d).run()
			}
			return "unknown command " + d.Cmd
		})
	})
}

func policyOf(t *testing.T, d *datadriven.TestData) Policy {
	policy := Policy{Rest: d.HasArg("rest")}
	if d.HasArg("load") {
		var text string
		d.ScanArgs(t, "load", &text)
		var err error
		policy.Load, err = strconv.ParseFloat(text, 64)
		must(t, err)
	}
	policy.MaxPartBytes = bytesArg(t, d, "max-bytes", 0)
	policy.MaxOpenBytes = bytesArg(t, d, "max-open", 0)
	return policy
}

func bytesArg(t *testing.T, d *datadriven.TestData, name string, otherwise int64) int64 {
	if !d.HasArg(name) {
		return otherwise
	}
	var text string
	d.ScanArgs(t, name, &text)
	return parseBytes(t, text)
}

func parseBytes(t *testing.T, text string) int64 {
	unit := int64(1)
	for suffix, factor := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = digits, factor
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n * unit
}

func showBytes(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%dK", n>>10)
	}
	return strconv.FormatInt(n, 10)
}

// parseParts reads lines "ROWS SIZE [xTIMES] [deleted=ROWS] [patched=ROWS] [patch-bytes=BYTES]";
// ids count from 1, in ingestion order.
func parseParts(t *testing.T, text string) ([]*catalog.Part, map[base.RowsetID]Load) {
	var parts []*catalog.Part
	loads := map[base.RowsetID]Load{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		times := int64(1)
		var load Load
		for _, f := range fields[2:] {
			name, value, _ := strings.Cut(f, "=")
			switch name {
			case "deleted":
				load.Deleted = parseBytes(t, value)
			case "patched":
				load.Patched = parseBytes(t, value)
			case "patch-bytes":
				load.Bytes = parseBytes(t, value)
			default:
				times = parseBytes(t, f[1:])
			}
		}
		for range times {
			id := base.RowsetID(len(parts) + 1)
			parts = append(parts, &catalog.Part{ID: id, MinSeq: base.Seq(id), MaxSeq: base.Seq(id), Rows: parseBytes(t, fields[0]), Bytes: parseBytes(t, fields[1])})
			if load != (Load{}) {
				loads[id] = load
			}
		}
	}
	return parts, loads
}

func showPlans(plans []Plan) string {
	if len(plans) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for _, p := range plans {
		first, last := p.Sources[0], p.Sources[len(p.Sources)-1]
		fmt.Fprintf(&b, "%d..%d: %d parts, %d rows, %s\n", first.ID, last.ID, len(p.Sources), p.Rows, showBytes(p.Bytes))
	}
	return b.String()
}

// simulation models the scheduler, with a series of flushes and a worker that merges. Its clock has
// one step per flush.
type simulation struct {
	policy     Policy
	flushes    int
	bytes      int64 // size of the part that each flush writes, in bytes
	rows       int64
	jitter     int   // flushes are up to this factor larger or smaller
	throughput int64 // bytes that merges read per flush; 0: no limit
	random     *rand.Rand

	parts   []*catalog.Part
	next    base.RowsetID
	budget  int64
	flushed int64
	written int64
	merges  int
	most    int
	total   int // number of parts, added up over all steps
}

func newSimulation(t *testing.T, d *datadriven.TestData) *simulation {
	s := &simulation{policy: policyOf(t, d), random: rand.New(rand.NewPCG(1, 2)), next: 1}
	d.ScanArgs(t, "flushes", &s.flushes)
	s.bytes, s.rows = bytesArg(t, d, "bytes", 0), bytesArg(t, d, "rows", 0)
	s.throughput = bytesArg(t, d, "throughput", 0)
	if d.HasArg("jitter") {
		d.ScanArgs(t, "jitter", &s.jitter)
	}
	return s
}

func (s *simulation) add(seqs [2]base.Seq, rows, bytes int64) {
	s.parts = append(s.parts, &catalog.Part{ID: s.next, MinSeq: seqs[0], MaxSeq: seqs[1], Rows: rows, Bytes: bytes})
	s.next++
}

// merge runs the merges that Pick selects, until there is none or the throughput is used up. A
// merge that is not finished continues in the next step. Before that its result is not visible.
func (s *simulation) merge(policy Policy) {
	for {
		plans := Pick(s.parts, nil, policy)
		if len(plans) == 0 {
			s.budget = 0
			return
		}
		slices.SortFunc(plans, cheapest)
		plan := plans[0]
		if s.throughput > 0 {
			if s.budget < plan.Bytes {
				return
			}
			s.budget -= plan.Bytes
		}
		s.merges++
		s.written += plan.Bytes
		s.parts = slices.DeleteFunc(s.parts, func(p *catalog.Part) bool { return slices.Contains(plan.Sources, p) })
		s.add([2]base.Seq{plan.Sources[0].MinSeq, plan.Sources[len(plan.Sources)-1].MaxSeq}, plan.Rows, plan.Bytes)
	}
}

func (s *simulation) run() string {
	for i := range s.flushes {
		factor := 1.0
		if jitter := float64(s.jitter); jitter > 0 {
			factor = 1/jitter + s.random.Float64()*(jitter-1/jitter)
		}
		bytes := int64(float64(s.bytes) * factor)
		s.add([2]base.Seq{base.Seq(i), base.Seq(i)}, int64(float64(s.rows)*factor), bytes)
		s.flushed += bytes
		s.most = max(s.most, len(s.parts))
		s.budget += s.throughput
		s.merge(s.policy)
		s.total += len(s.parts)
	}
	out := fmt.Sprintf("parts: at most %d, on average %d, in the end %d\n", s.most, s.total/max(s.flushes, 1), len(s.parts))
	out += fmt.Sprintf("merges: %d, each byte rewritten %.1f times\n", s.merges, float64(s.written)/float64(s.flushed))
	rest := s.policy
	rest.Rest = true
	s.throughput = 0
	s.merge(rest)
	slices.SortFunc(s.parts, ingestionOrder)
	out += fmt.Sprintf("at rest: %d parts, each byte rewritten %.1f times:", len(s.parts), float64(s.written)/float64(s.flushed))
	for _, p := range s.parts[max(0, len(s.parts)-8):] {
		out += " " + showBytes(p.Bytes)
	}
	return out
}

// For all sizes: plans respect the limits and only have adjacent parts, no part is in two plans,
// and merging at rest ends with no two adjacent mergeable parts of similar size.
func TestPickKeepsItsPromises(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		policy := Policy{MaxPartBytes: 64 << 20, Rest: seed%2 == 0}.withDefaults()
		var parts []*catalog.Part
		for i := range 1 + r.IntN(150) {
			size := int64(1) << r.IntN(27)
			parts = append(parts, &catalog.Part{ID: base.RowsetID(1000 - i), MinSeq: base.Seq(i), MaxSeq: base.Seq(i), Rows: 1 + size/100, Bytes: size + r.Int64N(size)})
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		next := base.RowsetID(2000)
		for round := 0; ; round++ {
			ordered := slices.SortedFunc(slices.Values(parts), ingestionOrder)
			plans := Pick(parts, nil, policy)
			if len(plans) == 0 {
				break
			}
			if round > 100 {
				t.Fatalf("seed %d: merges without end", seed)
			}
			used := map[*catalog.Part]bool{}
			for _, plan := range plans {
				rows, bytes, open := int64(0), int64(0), int64(0)
				first := slices.Index(ordered, plan.Sources[0])
				for i, p := range plan.Sources {
					if used[p] || ordered[first+i] != p {
						t.Fatalf("seed %d: part %d is in two plans or no neighbour", seed, p.ID)
					}
					used[p] = true
					rows, bytes, open = rows+p.Rows, bytes+p.Bytes, open+openBytes(p)
				}
				n := len(plan.Sources)
				if rows != plan.Rows || bytes != plan.Bytes || n < 2 || n > policy.MaxParts ||
					bytes > policy.MaxPartBytes || rows > policy.MaxPartRows || n > 2 && open > policy.MaxOpenBytes {
					t.Fatalf("seed %d: plan of %d parts, %d rows, %d bytes, %d open", seed, n, plan.Rows, plan.Bytes, open)
				}
				parts = append(parts, &catalog.Part{ID: next, MinSeq: plan.Sources[0].MinSeq, MaxSeq: plan.Sources[n-1].MaxSeq, Rows: rows, Bytes: bytes})
				next++
			}
			parts = slices.DeleteFunc(parts, func(p *catalog.Part) bool { return used[p] })
		}
		ordered := slices.SortedFunc(slices.Values(parts), ingestionOrder)
		for i := 1; i < len(ordered) && policy.Rest; i++ {
			a, b := ordered[i-1], ordered[i]
			if fits := a.Bytes+b.Bytes <= policy.MaxPartBytes; fits && 2*min(size(a), size(b)) >= max(size(a), size(b)) {
				t.Fatalf("seed %d: parts of %d and %d bytes remain beside each other", seed, a.Bytes, b.Bytes)
			}
		}
	}
}

// TestLittleAllOverManyPartsIsMergedToFreeMemory changes rows of every part, but too few for a
// merge of any single part to be worth it.
func TestLittleAllOverManyPartsIsMergedToFreeMemory(t *testing.T) {
	var parts []*catalog.Part
	loads := map[base.RowsetID]Load{}
	for i := range 100 {
		p := &catalog.Part{ID: base.RowsetID(i + 1), Rows: 8 << 20, Bytes: 512 << 20, MinSeq: base.Seq(i + 1), MaxSeq: base.Seq(i + 1)}
		parts = append(parts, p)
		loads[p.ID] = Load{Patched: int64(1000 + 10*i), Bytes: int64(100_000 + 1000*i)}
	}
	planned := func() (rows int, bytes, all int64) {
		for _, p := range Pick(parts, loads, Policy{Load: loadToFree(parts, loads)}) {
			rows++
			bytes += loads[p.Sources[0].ID].Bytes
		}
		for _, l := range loads {
			all += l.Bytes
		}
		return rows, bytes, all
	}
	if n, freed, all := planned(); 2*freed < all || n > 50 {
		t.Errorf("%d parts, which free %d bytes of %d", n, freed, all)
	}
	for i := range 3 { // parts with many changes do not prevent the others from being merged
		loads[base.RowsetID(i+1)] = Load{Patched: 1 << 20, Bytes: 5_000}
	}
	if n, freed, all := planned(); 2*freed < all {
		t.Errorf("%d parts, which free %d bytes of %d", n, freed, all)
	}
	loads[4] = Load{Patched: 1 << 20, Bytes: 50_000_000}
	if load := loadToFree(parts, loads); load != fullLoad {
		t.Errorf("load %g, though one part has most of what is changed", load)
	}
}
