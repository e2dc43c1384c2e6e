package export

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Planner runs queries of which one table is what a partition of it holds: package query, as exports need it.
type Planner interface {
	// Parse returns an Invalid error for a text that is no query.
	Parse(ctx context.Context, sql string) error
	// Columns returns the names of a query's result columns, without running it.
	Columns(ctx context.Context, s Select) ([]string, error)
	Select(ctx context.Context, s Select) (Rows, error)
}

// Select is a query that reads a table, of which it sees what the parts of one partition hold.
type Select struct {
	SQL       string
	Database  string // that unqualified names are looked up in
	Table     base.TableID
	Partition string
}

// Rows is a result being read. Close it.
type Rows interface {
	Schema() *arrow.Schema
	Next(ctx context.Context) (arrow.RecordBatch, error) // io.EOF at the end; the caller releases
	Close()
}

// Manager has the exports of a database, as its catalog lists them, and runs those that are not paused. Its methods may be
// called concurrently.
type Manager struct {
	store *engine.Engine
	log   *slog.Logger
	idle  bool

	patience time.Duration // how long who stops an export waits for it: a folder of another machine may not answer

	mu       sync.Mutex
	planner  Planner                     // guarded by mu, constant after Start
	exports  map[base.ExportID]*exporter // guarded by mu
	creating map[string]string           // guarded by mu; the names of exports that are being made, by the identity of their places
	closed   bool                        // guarded by mu
}

// New returns a manager of the catalog's exports, of which none runs yet. idle leaves it so: for a process that is no server.
func New(store *engine.Engine, idle bool, log *slog.Logger) (*Manager, error) {
	m := &Manager{store: store, log: log, idle: idle, patience: 10 * time.Second, exports: map[base.ExportID]*exporter{}, creating: map[string]string{}}
	if err := store.ForkExports(context.Background(), restored); err != nil {
		return nil, err
	}
	for _, stored := range store.Exports() {
		d, err := decodeDefinition(stored.Definition)
		if err != nil {
			return nil, base.Wrap(err, "export %q", stored.Name.Name)
		}
		if d.Restored {
			log.Warn("export waits for RESUME EXPORT: a backup was restored", "export", stored.Name.Name)
		}
		m.addLocked(stored, d)
	}
	return m, nil
}

// Start begins to run all exports that are not paused. planner runs their queries; it knows of the tables that List fills, which is
// why it comes after New.
func (m *Manager) Start(planner Planner) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planner = planner
	for _, x := range m.exports {
		if !x.status.is(statePaused) {
			m.startLocked(x)
		}
	}
}

func (m *Manager) addLocked(stored catalog.Export, d Definition) *exporter {
	x := &exporter{manager: m, id: stored.ID, table: stored.Table, name: stored.Name, created: stored.Created, definition: d}
	x.status.state = stateStopped
	if stored.Paused {
		x.status.state = statePaused
	}
	if d.Restored {
		x.status.err, x.status.errAt = ofBackup, time.Now()
	}
	m.exports[x.id] = x
	return x
}

// ofBackup is what an export of a restored backup waits for.
const ofBackup = "the export is of a restored backup. RESUME EXPORT has it take over the place of the export that was backed up, which then writes there no more"

// startLocked starts an export's goroutine, if this process runs exports.
func (m *Manager) startLocked(x *exporter) {
	if x.done == nil && !m.closed && !m.idle {
		x.status.set(stateRunning)
		x.start()
	}
}

// ended notes that an export's goroutine is over, and starts another if it was resumed meanwhile.
func (m *Manager) ended(x *exporter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x.stop() // its context goes with it
	close(x.done)
	x.stop, x.done = nil, nil
	if x.resumed {
		x.resumed = false
		m.startLocked(x)
	}
}

// halt ends an export's goroutine. After an error it begins nothing more, but still waits for the storage.
func (m *Manager) halt(x *exporter) error {
	m.mu.Lock()
	stop, done := x.stop, x.done
	x.resumed = false
	m.mu.Unlock()
	if done == nil {
		return nil
	}
	stop()
	select {
	case <-done:
		return nil
	case <-time.After(m.patience):
		return base.Errorf(base.Unavailable, "export %q still waits for an answer of its storage", x.name.Name)
	}
}

// haltOrLeave is halt for who has no use for an export that waits for its storage.
func (m *Manager) haltOrLeave(x *exporter) {
	if err := m.halt(x); err != nil {
		m.log.Warn("an export is left behind", "error", err)
	}
}

// Close stops all exports. What they were writing they write again.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	var running []*exporter
	for _, x := range m.exports {
		running = append(running, x)
	}
	m.mu.Unlock()
	var all sync.WaitGroup
	for _, x := range running {
		all.Go(func() { m.haltOrLeave(x) })
	}
	all.Wait()
	return nil
}

// probeTime bounds how long Create waits for a storage.
const probeTime = 30 * time.Second

// Create makes an export of a table and starts it. The error is Invalid for a definition that cannot be, Conflict for a name or a place that is
// taken, or what the storage says if nothing can be written there.
func (m *Manager) Create(ctx context.Context, name catalog.ExportName, t schema.Table, d Definition, ifNotExists bool) error {
	if _, err := m.store.LookupExport(name); err == nil && ifNotExists {
		return nil
	}
	p, err := newPlan(d)
	if err != nil {
		return err
	}
	if p.keep > 0 && !ofTime(t) {
		return base.Errorf(base.Invalid, "WITH keep = '%s' needs a table that is partitioned by a unit of time, and %s is not", d.With["keep"], t.QualifiedName()).
			WithHint("CREATE TABLE ... PARTITIONED BY (hour(time))")
	}
	defer p.close()
	if err := m.checkQuery(ctx, t, d); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return m.within(ctx, func() error { return m.create(ctx, name, t, d, p.storage, ifNotExists) })
}

// guarded makes a panic an error: one in an encoder or a driver is not to end the server, at each start anew.
func (m *Manager) guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			m.log.Error("an export panicked", "panic", r, "stack", string(debug.Stack()))
			err = base.Errorf(base.Internal, "panic: %v", r)
		}
	}()
	return do()
}

// within runs what may not return, as where a folder of another machine does not answer. When ctx ends that is left behind.
func (m *Manager) within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- m.guarded(do) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return base.Wrap(ctx.Err(), "wait for the storage")
	}
}

// create is the half of Create that asks the storage.
func (m *Manager) create(ctx context.Context, name catalog.ExportName, t schema.Table, d Definition, s storage, ifNotExists bool) error {
	identity := s.identity()
	if err := m.reserve(identity, name.Name); err != nil {
		return err
	}
	defer m.unreserve(identity)
	if err := m.checkPlace(s); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := m.checkMark(ctx, s); err != nil {
		return err
	}
	d.Mark = rand.Text()
	if err := s.setMark(ctx, d.Mark); err != nil {
		return err
	}
	text, err := d.encode()
	if err != nil {
		return err
	}
	stored, err := m.store.CreateExport(ctx, catalog.Export{Name: name, Table: t.ID, Definition: text}, ifNotExists)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.exports[stored.ID] == nil && !m.closed {
		m.startLocked(m.addLocked(stored, d))
	}
	return nil
}

// checkQuery plans the export's query over a partition that is none.
func (m *Manager) checkQuery(ctx context.Context, t schema.Table, d Definition) error {
	if d.Query != "" {
		if err := m.planner.Parse(ctx, d.Query); err != nil {
			return err
		}
	}
	s := selectOf(t, d)
	columns, err := m.planner.Columns(ctx, s)
	if err != nil {
		return err
	}
	if d.Query == "" {
		return nil // a folder that has a column's name has its values
	}
	return checkColumns(columns, batch.PartitionLevels(t))
}

// checkColumns refuses columns that who reads the objects would find in their folders' names too, with other values.
func checkColumns(columns, levels []string) error {
	for _, level := range levels {
		for _, c := range columns {
			if schema.Fold(c) == schema.Fold(level) {
				return base.Errorf(base.Invalid, "the query gives a column %q, which is the name of a folder level too", c).
					WithHint("leave it out or give it another name with AS: who reads the objects finds a column of %s=... in their paths", level)
			}
		}
	}
	return nil
}

// apart reports whether neither of two places, or folders, is in the other.
func apart(a, b string) bool { return !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) }

// reserve keeps a place for an export that is being created. unreserve ends that.
func (m *Manager) reserve(identity, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for there, other := range m.creating {
		if !apart(there, identity) {
			return base.Errorf(base.Conflict, "export %q, which is being created, writes to %s, and that is not apart from %s", other, there, identity)
		}
	}
	m.creating[identity] = name
	return nil
}

func (m *Manager) unreserve(identity string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.creating, identity)
}

// checkPlace refuses a place that another export writes into, and the data directory: what is there and not Scoter's own is removed at the next start.
func (m *Manager) checkPlace(s storage) error {
	if data := asDir(resolved(m.store.Dir())); !apart(data, s.identity()) {
		return base.Errorf(base.Invalid, "%s is not apart from the data directory, %s", s.location(), data)
	}
	for _, other := range m.store.Exports() {
		d, err := decodeDefinition(other.Definition)
		if err != nil {
			return err
		}
		there, err := d.place()
		if err != nil {
			return base.Wrap(err, "export %q", other.Name.Name)
		}
		if !apart(there.identity(), s.identity()) {
			return base.Errorf(base.Conflict, "export %q writes to %s, and that is not apart from %s", other.Name.Name, there.location(), s.location())
		}
	}
	return nil
}

// checkMark refuses a place that has another name too, as a host has, by which an export writes into it. A mark that is nobody's here is of an export that was dropped, or not
// created in the end.
func (m *Manager) checkMark(ctx context.Context, s storage) error {
	found, err := s.mark(ctx)
	if err != nil && base.KindOf(err) != base.NotFound {
		return err
	}
	for _, other := range m.store.Exports() {
		d, err := decodeDefinition(other.Definition)
		if err != nil {
			return err
		}
		if found != "" && d.Mark == found {
			return base.Errorf(base.Conflict, "export %q writes to %s", other.Name.Name, s.location())
		}
	}
	return nil
}

// takeOver makes the place of an export of a restored backup its own: who wrote there before does so no more.
func (m *Manager) takeOver(ctx context.Context, d Definition) (Definition, error) {
	if d.Mark == "" {
		return d, base.Errorf(base.Invalid, "the export is from before exports looked at the mark of their place: the one that was backed up would not notice that another takes it over").
			WithHint("drop this export; another one may begin elsewhere")
	}
	d.Mark, d.Restored = "", false
	p, err := newPlan(d)
	if err != nil {
		return d, err
	}
	defer p.close()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	mark := rand.Text()
	err = m.within(ctx, func() error {
		if err := owned(ctx, p); err != nil {
			return err
		}
		return p.storage.setMark(ctx, mark)
	})
	d.Mark = mark
	return d, err
}

// verify has another export of a table look whether its storage has an object.
func (m *Manager) verify(ctx context.Context, o catalog.ExportObject) error {
	m.mu.Lock()
	x := m.exports[o.Export]
	var d Definition
	if x != nil {
		d = x.definition
	}
	m.mu.Unlock()
	if x == nil {
		return base.Errorf(base.Conflict, "export %d of the same table is being created or dropped", o.Export)
	}
	p, err := newPlan(d)
	if err == nil {
		defer p.close()
		err = x.verify(ctx, p, o)
	}
	if err != nil {
		return base.Errorf(base.Conflict, "export %q of the same table: %w", x.name.Name, err)
	}
	return nil
}

// find returns the export of a name.
func (m *Manager) find(name catalog.ExportName) (*exporter, error) {
	stored, err := m.store.LookupExport(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	x := m.exports[stored.ID]
	if x == nil || m.closed {
		return nil, base.Errorf(base.Unavailable, "export %q is being started or stopped", name.Name)
	}
	return x, nil
}

// Drop stops an export and forgets it. Its objects stay.
func (m *Manager) Drop(ctx context.Context, name catalog.ExportName) error {
	x, err := m.find(name)
	if err != nil {
		return err
	}
	x.changing.Lock()
	defer x.changing.Unlock()
	halted := m.halt(x)
	if halted != nil {
		m.log.Warn("an export is left behind", "error", halted)
	}
	err = m.store.DropExport(ctx, x.id)
	m.settle(x, halted)
	return err
}

// settle forgets an export that was told to end, if the catalog has it no more, or has it go on, unless it is paused. halted is why it has not ended yet, or nil.
func (m *Manager) settle(x *exporter, halted error) {
	stored, err := m.store.LookupExport(x.name)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil || stored.ID != x.id:
		delete(m.exports, x.id)
	case !stored.Paused:
		m.startAgainLocked(x, halted)
	}
}

// startAgainLocked starts an export that was told to end, or has that done when it has ended.
func (m *Manager) startAgainLocked(x *exporter, halted error) {
	x.status.stopped()
	if halted != nil && x.done != nil {
		x.status.waits(halted)
		x.resumed = true
	}
	m.startLocked(x)
}

// Pause stops an export until Resume, across restarts.
func (m *Manager) Pause(ctx context.Context, name catalog.ExportName) error {
	x, err := m.find(name)
	if err != nil {
		return err
	}
	x.changing.Lock()
	defer x.changing.Unlock()
	if err := m.store.ChangeExport(ctx, x.id, func(c catalog.Export) catalog.Export {
		c.Paused = true
		return c
	}); err != nil {
		return err
	}
	m.haltOrLeave(x)
	x.status.set(statePaused)
	return nil
}

// Resume starts a paused export; one that waits tries again at once. Files with secrets are read anew. One of a restored backup takes its place over.
func (m *Manager) Resume(ctx context.Context, name catalog.ExportName) error {
	x, err := m.find(name)
	if err != nil {
		return err
	}
	x.changing.Lock()
	defer x.changing.Unlock()
	m.mu.Lock()
	d := x.definition
	m.mu.Unlock()
	if d.Restored {
		if d, err = m.takeOver(ctx, d); err != nil {
			return err
		}
	}
	text, err := d.encode()
	if err != nil {
		return err
	}
	if err := m.store.ChangeExport(ctx, x.id, func(c catalog.Export) catalog.Export {
		c.Paused, c.Definition = false, text
		return c
	}); err != nil {
		return err
	}
	err = m.halt(x)
	m.mu.Lock()
	defer m.mu.Unlock()
	x.definition = d
	m.startAgainLocked(x, err)
	return nil
}

// forget takes out an export that was dropped with its schema.
func (m *Manager) forget(x *exporter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.exports, x.id)
}

// List returns what all exports are doing, by name.
func (m *Manager) List() []Status {
	m.mu.Lock()
	exports := make([]*exporter, 0, len(m.exports))
	for _, x := range m.exports {
		exports = append(exports, x)
	}
	m.mu.Unlock()
	all := make([]Status, 0, len(exports))
	for _, x := range exports {
		if s, ok := x.report(); ok {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Name.Database, b.Name.Database), cmp.Compare(a.Name.Schema, b.Name.Schema), cmp.Compare(a.Name.Name, b.Name.Name))
	})
	return all
}
