package merge

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

// Settings configure a Scheduler. A zero field selects its default.
type Settings struct {
	// Parallel is the number of merges that run at the same time, each on at most one core; default
	// 1.
	Parallel     int
	MaxPartBytes int64 // maximum size in bytes of a part that a merge makes; default 512 MiB
	MaxPartRows  int64 // maximum number of rows of a part that a merge makes; default 8 Mi
	// RestAfter is a duration. A partition that has got no new part for that long is at rest, and
	// is merged to as few parts as possible. The default is 5 min.
	RestAfter time.Duration
	// Interval is how often the scheduler looks for work that is not announced by a new part, such
	// as retries, and partitions without new parts for some time. The default is 30 s.
	Interval time.Duration

	// DisableAutomatic turns off merges in the background, so that only RunUntilIdle merges. It is
	// for tests.
	DisableAutomatic bool
}

func (s Settings) withDefaults() Settings {
	orDefault(&s.Parallel, 1)
	orDefault(&s.RestAfter, 5*time.Minute)
	orDefault(&s.Interval, 30*time.Second)
	return s
}

// Components are the file system, the clock and other things that a Scheduler uses. If FS, Clock or
// Logger is nil, the real one is used.
type Components struct {
	FS        vfs.FS
	Clock     engine.Clock
	Logger    *slog.Logger
	Constants Constants // evaluates defaults; may be nil if no table gets a column with a default
	// Memory limits the rows that merges have read and not written yet. Default: the account Work
	// of ledger.Default.
	Memory *ledger.Account
	// function that evaluates expression updates (UPDATEs that are stored as SQL); may be nil if no
	// table gets one
	Evaluate Evaluate
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Scheduler merges the parts of an engine's tables in the background. Its methods may be called
// concurrently.
//
// It works in rounds. In a round it plans the merges of all tables, and then runs all of them, the
// smallest first. So tiny parts are merged soon, and no large merge waits forever.
type Scheduler struct {
	merger   *merger
	settings Settings
	clock    engine.Clock
	log      *slog.Logger

	ctx    context.Context // context of all merges; Close cancels it
	cancel context.CancelFunc
	worker sync.WaitGroup
	round  chan struct{} // channel of capacity 1; it has an element while a round runs

	closeOnce sync.Once

	mu      sync.Mutex
	running []*Merge // running merges and mutations, oldest first; guarded by mu
	// finished has the last finished merges and mutations, oldest first, at most keepFinished;
	// guarded by mu.
	finished []*Merge
	totals   Totals // sums over all merges (its field Running is not used); guarded by mu
	// failures has the parts and tables whose last merge or deduplication failed. It is guarded by
	// mu.
	failures map[subject]*failure
	// mutated has the parts that mutations (changes that rewrite parts) are rewriting, each with
	// the number of these mutations. No merge starts on them. It is guarded by mu.
	mutated map[subject]int
}

// keepFinished is the maximum number of finished merges in the list that List returns.
const keepFinished = 100

// maxBackoff is the longest delay after which a failed merge is tried again.
const maxBackoff = 10 * time.Minute

// group is one partition of one table. Parts of different groups are never merged.
type group struct {
	table     base.TableID
	partition string
}

// subject is what is merged or deduplicated: a part, or a whole table (then the field part is 0).
type subject struct {
	table base.TableID
	part  base.RowsetID
}

// failure describes why and when the last attempt to merge or deduplicate something failed.
type failure struct {
	kind    base.Kind
	wait    time.Duration
	retryAt time.Time
}

// Merge is a running or finished merge or mutation (a change that rewrites parts), as List shows
// it.
type Merge struct {
	Table     string // qualified name of the table
	Partition string
	Parts     int
	Rows      int64
	Bytes     int64 // total size of the parts that the merge replaces, in bytes
	Started   time.Time
	Finished  time.Time // when the merge ended; zero while it runs
	Error     string    // error of the merge; empty while it runs, and if it succeeded
}

// New returns a Scheduler that merges parts in the background. The caller must close it before it
// closes the engine.
func New(e *engine.Engine, settings Settings, c Components) *Scheduler {
	settings = settings.withDefaults()
	if c.Memory == nil {
		c.Memory = ledger.Default().Work
	}
	s := &Scheduler{
		merger: &merger{engine: e, fs: c.FS, constants: c.Constants, evaluate: c.Evaluate, clock: c.Clock, deduplicated: map[base.TableID]time.Time{},
			work: c.Memory, share: c.Memory.Limit() / 2 / int64(settings.Parallel)},
		settings: settings, clock: c.Clock, log: c.Logger,
		round: make(chan struct{}, 1), failures: map[subject]*failure{}, mutated: map[subject]int{},
	}
	if c.FS == nil {
		s.merger.fs = vfs.OS
	}
	if s.clock == nil {
		s.clock = systemClock{}
	}
	s.merger.clock = s.clock
	if s.log == nil {
		s.log = slog.Default()
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if !s.settings.DisableAutomatic {
		s.worker.Go(s.run)
	}
	return s
}

// Close cancels the running merges and waits until they have ended. Canceled merges leave no files.
func (s *Scheduler) Close() {
	s.closeOnce.Do(func() {
		s.cancel()
		s.worker.Wait()
		// This element is never taken out again, so no round can start any more.
		s.round <- struct{}{}
	})
}

// run runs one round of merges after the other, until Close is called.
func (s *Scheduler) run() {
	for {
		for {
			// The error is ignored, because failed merges are recorded and are not tried again for
			// a while. If the engine is closed already, there is nothing to do.
			done, _ := s.runRound(s.ctx, false)
			if s.ctx.Err() != nil {
				return
			}
			if done == 0 {
				break
			}
		}
		select {
		case <-s.merger.engine.PartsChanged():
		case <-s.clock.After(s.settings.Interval):
		case <-s.ctx.Done():
			return
		}
	}
}

// RunUntilIdle merges every table to as few parts as possible, and returns when that is done.
// OPTIMIZE and tests use it. If merges fail, it returns the errors of the first round in which some
// failed.
func (s *Scheduler) RunUntilIdle(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	for {
		done, err := s.runRound(ctx, true)
		if err != nil {
			return base.Wrap(err, "merge")
		}
		if done == 0 {
			return ctx.Err()
		}
	}
}

// List returns the running merges and the last finished ones, newest first.
func (s *Scheduler) List() []Merge {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Merge
	for _, m := range slices.Backward(s.running) {
		all = append(all, *m)
	}
	for _, m := range slices.Backward(s.finished) {
		all = append(all, *m)
	}
	return all
}

// Totals are sums over all merges and mutations (changes that rewrite parts) since New. All fields
// except Running and Errors count only successful ones.
type Totals struct {
	Running int
	Done    int64
	Errors  int64
	Parts   int64         // number of old parts that were replaced
	Rows    int64         // number of rows of the parts that were replaced
	Bytes   int64         // size of the parts that were replaced, in bytes
	Time    time.Duration // sum of the durations of the merges, each from begin to end
}

// Totals returns the present sums over all merges and mutations.
func (s *Scheduler) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.totals
	t.Running = len(s.running)
	return t
}

// job is the plan of a merge, with the table and partition of its parts.
type job struct {
	group group
	plan  Plan
}

// subjects returns the parts that the job merges.
func (j job) subjects() []subject {
	all := make([]subject, len(j.plan.Sources))
	for i, p := range j.plan.Sources {
		all[i] = subject{p.Table, p.ID}
	}
	return all
}

// runRound plans merges and runs them, once. It returns the number of merges that changed
// something. If eager is true, parts are merged to as few as possible, and merges that failed
// recently are tried again.
func (s *Scheduler) runRound(ctx context.Context, eager bool) (done int, err error) {
	select {
	case s.round <- struct{}{}:
		defer func() { <-s.round }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	dedupErr := s.deduplicate(ctx, eager)
	jobs, err := s.plan(eager)
	if err != nil {
		return 0, base.Wrap(err, "plan")
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cheapest(a.plan, b.plan) })
	var workers errgroup.Group
	workers.SetLimit(s.settings.Parallel)
	results := make([]error, len(jobs))
	changed := make([]bool, len(jobs))
	for i, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() error {
			changed[i], results[i] = s.merge(ctx, j)
			return nil
		})
	}
	// Wait always returns nil. The workers report errors themselves, so that one failure does not
	// end the others.
	_ = workers.Wait()
	for _, c := range changed {
		if c {
			done++
		}
	}
	return done, errors.Join(append(results, dedupErr, ctx.Err())...)
}

// plan returns the merges that are worth doing now, the smallest first.
func (s *Scheduler) plan(eager bool) ([]job, error) {
	snap, err := s.merger.engine.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Release()
	s.forgetGone(snap)
	now := s.clock.Now()
	var jobs []job
	full := s.loadToFree(snap)
	for id, t := range snap.Tables {
		groups, since := map[group][]*catalog.Part{}, t.LayoutSince()
		for _, p := range t.Parts {
			g := group{id, p.Partition}
			switch {
			// This part cannot be merged yet: its rows may replace other rows of the same key, or
			// be replaced by them.
			case !isDeduplicated(t, p):
			case s.isMutated(subject{id, p.ID}):
			case p.SchemaVersion >= since:
				groups[g] = append(groups[g], p)
			case eager || s.mayTry(subject{id, p.ID}, now):
				jobs = append(jobs, job{g, Plan{Sources: []*catalog.Part{p}, Rows: p.Rows, Bytes: p.Bytes}})
			}
		}
		for g, parts := range groups {
			policy := Policy{MaxPartBytes: s.settings.MaxPartBytes, MaxPartRows: s.settings.MaxPartRows, Rest: eager || s.atRest(parts, now)}
			switch {
			case eager:
				policy.Load = anyLoad
			case full > 0:
				policy.Load = full
			case policy.Rest:
				policy.Load = restLoad
			}
			runs := [][]*catalog.Part{parts}
			if !eager {
				runs = s.triable(parts, now)
			}
			for _, run := range runs {
				for _, plan := range Pick(run, s.loadsOf(t, run, policy.Rest), policy) {
					jobs = append(jobs, job{g, plan})
				}
			}
		}
	}
	return jobs, nil
}

// loadToFree returns the value of Policy.Load to use if patches have nearly used up the memory that
// they may take. Otherwise it returns 0.
func (s *Scheduler) loadToFree(snap *snapshot.Snapshot) float64 {
	if !s.merger.engine.PatchesFull() {
		return 0
	}
	var parts []*catalog.Part
	loads := map[base.RowsetID]Load{}
	for _, t := range snap.Tables {
		deduplicated := slices.DeleteFunc(slices.Clone(t.Parts), func(p *catalog.Part) bool { return !isDeduplicated(t, p) })
		parts = append(parts, deduplicated...)
		maps.Copy(loads, s.loadsOf(t, deduplicated, false))
	}
	return loadToFree(parts, loads)
}

// loadsOf returns how much of each part is deleted or patched, for the parts that have such
// changes. The argument rest says whether the partition is at rest (gets no new parts at the
// moment).
func (s *Scheduler) loadsOf(t *snapshot.Table, parts []*catalog.Part, rest bool) map[base.RowsetID]Load {
	loads := map[base.RowsetID]Load{}
	for _, p := range parts {
		set := t.Patches[p.ID]
		due := s.merger.tombstonesDue(t, p) && (rest || t.Schema.KeepsTombstones())
		due = due || len(t.Pending(p)) > 0
		if set != nil || due {
			loads[p.ID] = Load{Deleted: set.DeletedRows(), Patched: set.PatchedRows(), Bytes: set.Bytes(), Due: due}
		}
	}
	return loads
}

// atRest reports whether a partition with these parts got no new part for at least the time
// Settings.RestAfter.
func (s *Scheduler) atRest(parts []*catalog.Part, now time.Time) bool {
	latest := slices.MaxFunc(parts, func(a, b *catalog.Part) int { return a.Created.Compare(b.Created) })
	return now.Sub(latest.Created) >= s.settings.RestAfter
}

// merge runs the job j (a planned merge) and records how it ended. It reports whether parts were
// replaced. If an old part was dropped meanwhile, none are replaced, and that is not an error.
func (s *Scheduler) merge(ctx context.Context, j job) (changed bool, err error) {
	if slices.ContainsFunc(j.subjects(), s.isMutated) {
		// A mutation has begun to rewrite one of the parts since the job was planned.
		return false, nil
	}
	rewrite, err := s.merger.begin(j.group.table, j.plan)
	if rewrite == nil {
		return false, err
	}
	defer rewrite.Close()
	m := s.begin(rewrite.Table(), j)
	changed, err = s.merger.execute(ctx, rewrite, j.plan, s.yielder(ctx))
	s.end(ctx, m, j.subjects(), err)
	return changed, err
}

// maxYield is the maximum length of one pause of a merge. So the merge makes progress even if
// writers wait for long.
const maxYield = time.Second

// yielder returns a function that a merge calls between row groups. If ctx has ended, the function
// returns an error. In two cases, it pauses for as long as the merge has worked since the last
// call:
//   - Writers wait for memory.
//   - Statements change rows, and patches are not about to fill the memory. Such a statement passes
//     through several goroutines, and each of them waits for a processor while the merge has it.
//     But if patches are about to fill the memory, statements wait for the merge, so it does not
//     pause.
//
// Rejected alternative: a lower thread priority would be more precise. But a garbage collection can
// stop the world only when the last thread gets to run.
func (s *Scheduler) yielder(ctx context.Context) func() error {
	e := s.merger.engine
	since, changes := s.clock.Now(), e.Changes()
	return func() error {
		before := changes
		changes = e.Changes()
		if e.UnderPressure() || changes != before && !e.PatchesFull() {
			select {
			case <-s.clock.After(min(s.clock.Now().Sub(since), maxYield)):
			case <-ctx.Done():
			}
		}
		since = s.clock.Now()
		return ctx.Err()
	}
}
