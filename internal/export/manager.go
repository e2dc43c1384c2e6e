package export

import (
	"cmp"
	"context"
	"log/slog"
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

	changing sync.Mutex // held by who creates, drops, pauses or resumes one

	mu      sync.Mutex
	planner Planner                     // guarded by mu, constant after Start
	exports map[base.ExportID]*exporter // guarded by mu
	closed  bool                        // guarded by mu
}

// New returns a manager of the catalog's exports, of which none runs yet. idle leaves it so: for a process that is no server.
func New(store *engine.Engine, idle bool, log *slog.Logger) (*Manager, error) {
	m := &Manager{store: store, log: log, idle: idle, exports: map[base.ExportID]*exporter{}}
	for _, stored := range store.Exports() {
		d, err := decodeDefinition(stored.Definition)
		if err != nil {
			return nil, base.Wrap(err, "export %q", stored.Name.Name)
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
	m.exports[x.id] = x
	return x
}

// startLocked starts an export's goroutine, if this process runs exports.
func (m *Manager) startLocked(x *exporter) {
	if x.stop == nil && !m.closed && !m.idle {
		x.status.set(stateRunning)
		x.start()
	}
}

// halt ends an export's goroutine.
func (m *Manager) halt(x *exporter) {
	m.mu.Lock()
	stop := x.stop
	x.stop = nil
	m.mu.Unlock()
	if stop != nil {
		stop()
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
		all.Go(func() { m.halt(x) })
	}
	all.Wait()
	return nil
}

// probeTime bounds how long Create waits for a storage.
const probeTime = 30 * time.Second

// Create makes an export of a table and starts it. The error is Invalid for a definition that cannot be, Conflict for a name or a place that is
// taken, or what the storage says if nothing can be written there.
func (m *Manager) Create(ctx context.Context, name catalog.ExportName, t schema.Table, d Definition, ifNotExists bool) error {
	m.changing.Lock()
	defer m.changing.Unlock()
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
	if err := m.checkQuery(ctx, t, d); err != nil {
		return err
	}
	if err := m.checkPlace(d.location()); err != nil {
		return err
	}
	probe, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := p.storage.begin(probe); err != nil {
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

// checkPlace refuses a place that another export writes into.
func (m *Manager) checkPlace(location string) error {
	for _, other := range m.store.Exports() {
		d, err := decodeDefinition(other.Definition)
		if err != nil {
			return err
		}
		if there := d.location(); strings.HasPrefix(there, location) || strings.HasPrefix(location, there) {
			return base.Errorf(base.Conflict, "export %q writes to %s, and that is not apart from %s", other.Name.Name, there, location)
		}
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
	m.changing.Lock()
	defer m.changing.Unlock()
	x, err := m.find(name)
	if err != nil {
		return err
	}
	m.halt(x)
	if err := m.store.DropExport(ctx, x.id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.exports, x.id)
	return nil
}

// Pause stops an export until Resume, across restarts.
func (m *Manager) Pause(ctx context.Context, name catalog.ExportName) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	x, err := m.find(name)
	if err != nil {
		return err
	}
	if err := m.store.PauseExport(ctx, x.id, true); err != nil {
		return err
	}
	m.halt(x)
	x.status.set(statePaused)
	return nil
}

// Resume starts a paused export; one that waits tries again at once. Files with secrets are read anew.
func (m *Manager) Resume(ctx context.Context, name catalog.ExportName) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	x, err := m.find(name)
	if err != nil {
		return err
	}
	if err := m.store.PauseExport(ctx, x.id, false); err != nil {
		return err
	}
	m.halt(x)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.startLocked(x)
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
