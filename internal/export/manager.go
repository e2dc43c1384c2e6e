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

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Planner runs queries in which one table has only the rows of one partition. Package query
// implements it.
type Planner interface {
	// Parse returns an Invalid error for an invalid query.
	Parse(ctx context.Context, sql string) error
	// Columns returns the names of a query's result columns, without running it.
	Columns(ctx context.Context, r sqlquery.Request) ([]string, error)
	Select(ctx context.Context, r sqlquery.Request) (sqlquery.Rows, error)
}

// Manager manages the exports of a database, which are in its catalog, and runs those that are not
// paused. Its methods may be called concurrently.
type Manager struct {
	store *engine.Engine
	log   *slog.Logger
	idle  bool

	// patience is how long callers wait for the goroutine of an export to stop. It is limited
	// because a network folder may not respond.
	patience time.Duration

	mu      sync.Mutex
	planner Planner                     // set once, by Start; read without mu after that
	exports map[base.ExportID]*exporter // guarded by mu
	// creating has the names of the exports that are being created. The key is the identity of the
	// place where the export will write. It is guarded by mu.
	creating map[string]string
	closed   bool // whether Close was called; guarded by mu
}

// New returns a manager of the exports in the store's catalog. No export runs before Start. If idle
// is true, no export runs at all, because the process is not a server.
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

// Start starts all exports that are not paused. The argument planner runs their queries. New cannot
// take it, because the planner needs the system tables, which call List.
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

// ofBackup is the status text of an export that does not run because it comes from a restored
// backup.
const ofBackup = "the export is from a restored backup. RESUME EXPORT makes it take over the place of the original export, which then stops writing there"

// startLocked starts the goroutine of an export, if this process runs exports. The manager's mu
// must be held.
func (m *Manager) startLocked(x *exporter) {
	if x.done == nil && !m.closed && !m.idle {
		x.status.set(stateRunning)
		x.start()
	}
}

// ended is called when the goroutine of an export ends. If the export was resumed in the meantime,
// it starts another goroutine.
func (m *Manager) ended(x *exporter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x.stop() // releases the context
	close(x.done)
	x.stop, x.done = nil, nil
	if x.resumed {
		x.resumed = false
		m.startLocked(x)
	}
}

// halt tells the goroutine of an export to end, and waits until it has ended. If halt returns an
// error, the goroutine still waits for the storage, but it will not begin other work.
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
		return base.Errorf(base.Unavailable, "export %q still waits for a response of its storage", x.name.Name)
	}
}

// haltOrLeave stops the goroutine of an export, as halt does. If the goroutine still waits for the
// storage, it logs the error and returns.
func (m *Manager) haltOrLeave(x *exporter) {
	if err := m.halt(x); err != nil {
		m.log.Warn("an export did not stop in time", "error", err)
	}
}

// Close stops all exports. Objects whose writing it interrupts are written again after the next
// start.
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

// probeTime is the maximum time that Create waits for a storage.
const probeTime = 30 * time.Second

// Create creates an export of a table and starts it. The error is Invalid for an invalid
// definition, and Conflict for a name or a place that is in use. If the storage cannot be written,
// Create returns the error of the storage.
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

// guarded calls the function do, and turns a panic into an error. A panic in an encoder or a driver
// must not end the server, because it would happen again after each restart.
func (m *Manager) guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			m.log.Error("an export panicked", "panic", r, "stack", string(debug.Stack()))
			err = base.Errorf(base.Internal, "panic: %v", r)
		}
	}()
	return do()
}

// within calls the function do, which may block forever, for example because a network folder does
// not respond. If ctx ends first, this method returns, and the function continues in a goroutine.
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

// create does the part of Create that accesses the storage and the catalog.
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

// checkQuery checks the query of an export, by planning it for a partition that does not exist.
func (m *Manager) checkQuery(ctx context.Context, t schema.Table, d Definition) error {
	if d.Query != "" {
		if err := m.planner.Parse(ctx, d.Query); err != nil {
			return err
		}
	}
	columns, err := m.planner.Columns(ctx, requestOf(t, d, ""))
	if err != nil {
		return err
	}
	if d.Query == "" {
		// There is no query, so all columns are exported. If a column has the name of a folder
		// level, the level was made from this column, so both have the same values, and nothing
		// needs to be checked.
		return nil
	}
	return checkColumns(columns, batch.PartitionLevels(t))
}

// checkColumns returns an error if the query returns a column with the name of a folder level (such
// as day in day=2026-01-01). Readers of the objects take the value of such a column from the path,
// and the path could have another value.
func checkColumns(columns, levels []string) error {
	for _, level := range levels {
		for _, c := range columns {
			if schema.Fold(c) == schema.Fold(level) {
				return base.Errorf(base.Invalid, "the query has a column %q, which is also the name of a folder level", c).
					WithHint("leave it out or rename it with AS: readers of the objects get a column from %s=... in their paths", level)
			}
		}
	}
	return nil
}

// apart reports whether neither of two paths is inside the other.
func apart(a, b string) bool { return !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) }

// reserve reserves a place for an export that is being created, until the method unreserve is
// called. It returns a Conflict error if the place overlaps with the place of another export that
// is being created.
func (m *Manager) reserve(identity, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for there, other := range m.creating {
		if !apart(there, identity) {
			return base.Errorf(base.Conflict, "export %q, which is being created, writes to %s, which overlaps with %s", other, there, identity)
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

// checkPlace returns an error for a place in which another export writes. It also returns an error
// for the data directory, because the next start would remove unknown files from it.
func (m *Manager) checkPlace(s storage) error {
	if data := asDir(resolved(m.store.Dir())); !apart(data, s.identity()) {
		return base.Errorf(base.Invalid, "%s overlaps with the data directory, %s", s.location(), data)
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
			return base.Errorf(base.Conflict, "export %q writes to %s, which overlaps with %s", other.Name.Name, there.location(), s.location())
		}
	}
	return nil
}

// checkMark reads the mark in a place. It returns an error if the mark is that of another export of
// this database: then both exports write to the same place under different names, such as two names
// of one host. An unknown mark is allowed: it belongs to an export that was dropped, or that could
// not be created.
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

// takeOver makes a restored export own its place. It writes a new mark into the place, so that the
// export that was backed up stops writing there.
func (m *Manager) takeOver(ctx context.Context, d Definition) (Definition, error) {
	if d.Mark == "" {
		return d, base.Errorf(base.Invalid, "the export was created by a version of Scoter that did not mark places: the original export would not notice that another export takes over its place").
			WithHint("drop this export, and create a new one in another place")
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

// verify checks that the storage has an object as it was written. The object may belong to any
// export of the manager, which verify finds by o.Export.
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

// find returns the export with this name, or an error.
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

// Drop stops an export and removes it from the catalog. Its objects stay in the storage.
func (m *Manager) Drop(ctx context.Context, name catalog.ExportName) error {
	x, err := m.find(name)
	if err != nil {
		return err
	}
	x.changing.Lock()
	defer x.changing.Unlock()
	halted := m.halt(x)
	if halted != nil {
		m.log.Warn("an export did not stop in time", "error", halted)
	}
	err = m.store.DropExport(ctx, x.id)
	m.endDrop(x, halted)
	return err
}

// endDrop finishes a Drop after the goroutine of the export was told to end. If the catalog no
// longer has the export, endDrop removes it from the manager. Otherwise it starts the export again,
// unless the export is paused. halted is the error of halt: not nil if the goroutine has not ended
// yet.
func (m *Manager) endDrop(x *exporter, halted error) {
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

// startAgainLocked starts an export whose goroutine was told to end. If halted is not nil, the
// goroutine has not ended yet, and the export starts when it has ended. The manager's mu must be
// held.
func (m *Manager) startAgainLocked(x *exporter, halted error) {
	x.status.stopped()
	if halted != nil && x.done != nil {
		x.status.waits(halted)
		x.resumed = true
	}
	m.startLocked(x)
}

// Pause stops an export until Resume is called, also after restarts.
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

// Resume starts a paused export. If an export waits after an error, it tries again immediately.
// Files with secrets are read again. An export of a restored backup takes over its place.
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

// forget removes an export from the manager after it was dropped with its schema.
func (m *Manager) forget(x *exporter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.exports, x.id)
}

// List returns the status of all exports, ordered by name.
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
