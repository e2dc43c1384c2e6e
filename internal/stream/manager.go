package stream

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
)

// Settings are the server's settings that apply to all sources together. A zero field means its
// default.
type Settings struct {
	// Memory limits the records of all sources that were read from Kafka and are not stored yet.
	// Default: the account Streams of ledger.Default.
	Memory *ledger.Account
	// Idle is true in a process that is not a server. The sources can then be listed, but no
	// records are read.
	Idle bool
}

// Manager owns the sources in the catalog of a data directory, and reads the sources that are not
// paused. Its methods may be called concurrently.
type Manager struct {
	store   *engine.Engine
	planner Planner
	writer  Writer
	log     *slog.Logger
	pool    *memtable.Pool // pool allocates the memory of batches that queries read.
	memory  *ledger.Account
	idle    bool

	mu      sync.Mutex
	sources map[base.SourceID]*source // guarded by mu
	closed  bool                      // guarded by mu
}

// New returns a manager of the sources in store's catalog. The manager begins to read them when
// Start is called.
func New(store *engine.Engine, settings Settings, log *slog.Logger) (*Manager, error) {
	if settings.Memory == nil {
		settings.Memory = ledger.Default().Streams
	}
	m := &Manager{store: store, log: log, pool: memtable.NewPool(memtable.PoolOptions{}), idle: settings.Idle,
		memory: settings.Memory, sources: map[base.SourceID]*source{}}
	for _, stored := range store.Sources() {
		l, err := decodeStoredDefinition(stored.Definition)
		if err != nil {
			return nil, base.Wrap(err, "source %q", stored.Name.Name)
		}
		s := m.addLocked(stored, l.Definition)
		s.messages.Store(l.Messages)
		for _, name := range l.Bound {
			s.bound.Store(name, true)
		}
		if stored.Paused {
			s.status.set(statePaused, nil)
		}
	}
	return m, nil
}

// Writer stores rows in tables. Package write implements it.
type Writer interface {
	// Append adds rows to tables, all or nothing, as engine.Engine.Append does. In tables with a
	// primary key the rows replace the existing rows of their keys.
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error
	// Check returns nil if Append would accept the rows now. It stores nothing.
	Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error
}

// Start begins to read all sources that are not paused. planner runs queries over batches, and
// writer stores rows. They are not arguments of New because they are created after the manager:
// system tables that queries can read are filled by the manager's List.
func (m *Manager) Start(planner Planner, writer Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planner, m.writer = planner, writer
	for _, s := range m.sources {
		if s.status.is(stateStopped) {
			m.startLocked(s)
		}
	}
}

// startLocked starts a source's goroutine, unless this process does not read sources. The caller
// holds mu.
func (m *Manager) startLocked(s *source) {
	if s.stop == nil && !m.closed && !m.idle {
		s.status.set(stateStarting, nil)
		s.start()
	}
}

func (m *Manager) addLocked(stored catalog.Source, d Definition) *source {
	memory := m.memory.Child(stored.Name.Database + "." + stored.Name.Schema + "." + stored.Name.Name)
	s := &source{manager: m, id: stored.ID, name: stored.Name, created: stored.Created, status: newStatus(), definition: d, memory: sourceMemory{memory}}
	m.sources[s.id] = s
	return s
}

// Close stops all sources. Records that were read and not stored are read again after the next
// start.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	var running []*source
	for _, s := range m.sources {
		running = append(running, s)
	}
	m.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range running {
		all.Go(func() { m.stopSource(s) })
	}
	all.Wait()
	m.pool.Close()
	return nil
}

// stopSource stops a source's goroutine and waits until it has ended.
func (m *Manager) stopSource(s *source) {
	m.mu.Lock()
	stop := s.stop
	s.stop = nil
	m.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// Create creates a source and starts it. The error is Invalid for an invalid definition, and
// Conflict for a name that is already used.
func (m *Manager) Create(ctx context.Context, name catalog.SourceName, d Definition, ifNotExists bool) error {
	if there, err := m.store.LookupSource(name); err == nil {
		if ifNotExists {
			return nil
		}
		return base.Errorf(base.Conflict, "source %q already exists", there.Name.Name)
	}
	p, err := newPlan(d)
	if err != nil {
		return base.Wrap(err, "source %q", name.Name)
	}
	defer p.close()
	// Create the tables before the source, so that no source is created if its tables cannot be.
	made := &source{manager: m, name: name, status: newStatus()}
	if err := made.prepare(ctx, p); err != nil {
		return base.Wrap(err, "source %q", name.Name)
	}
	if d, err = made.chooseTombstoneOption(ctx, p, d); err != nil {
		return base.Wrap(err, "source %q", name.Name)
	}
	text, err := d.Encode()
	if err != nil {
		return err
	}
	stored, err := m.store.CreateSource(ctx, catalog.Source{Name: name, Definition: text}, ifNotExists)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sources[stored.ID] == nil && !m.closed {
		m.startLocked(m.addLocked(stored, d))
	}
	return nil
}

// find returns the source with the given name. The error is NotFound if there is no such source.
func (m *Manager) find(name catalog.SourceName) (*source, error) {
	stored, err := m.store.LookupSource(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sources[stored.ID]
	if s == nil || m.closed {
		return nil, base.Errorf(base.Unavailable, "source %q is being started or stopped", name.Name)
	}
	return s, nil
}

// Drop stops a source and removes it. The tables that the source fills stay.
func (m *Manager) Drop(ctx context.Context, name catalog.SourceName) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	m.stopSource(s)
	err = m.store.DropSource(ctx, s.id)
	m.restartOrForget(s)
	return err
}

// restartOrForget decides what happens to a source that was stopped. If the catalog does not have
// the source any more, restartOrForget removes it from the manager. Otherwise restartOrForget
// starts it again, unless it is paused.
func (m *Manager) restartOrForget(s *source) {
	stored, err := m.store.LookupSource(s.name)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil || stored.ID != s.id:
		delete(m.sources, s.id)
		s.memory.account.Close()
	case !stored.Paused:
		m.startLocked(s)
	}
}

// DropWithSources calls the function drop, which drops a database or, if schemaName is not empty, a
// schema. Before that, DropWithSources stops the sources in that database or schema, because a
// running source could create its tables and their database again. Afterwards DropWithSources
// removes the sources that no longer exist, and starts the others. If dead letters of one of the
// sources are being replayed, DropWithSources returns a Conflict error and does not call drop.
func (m *Manager) DropWithSources(database, schemaName string, drop func() error) error {
	within := func(s *source) bool {
		return schema.Fold(s.name.Database) == schema.Fold(database) && (schemaName == "" || schema.Fold(s.name.Schema) == schema.Fold(schemaName))
	}
	m.mu.Lock()
	var all []*source
	for _, s := range m.sources {
		if within(s) {
			all = append(all, s)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b *source) int { return cmp.Compare(a.id, b.id) })
	for _, s := range all {
		s.changing.Lock() // always in the order of ids, to avoid a deadlock
		defer s.changing.Unlock()
		if !s.replaying.TryLock() {
			return base.Errorf(base.Conflict, "dead letters of source %q are being replayed", s.name.Name).WithHint("try again after REPLAY SOURCE has finished")
		}
		defer s.replaying.Unlock()
	}
	for _, s := range all {
		m.stopSource(s)
	}
	err := drop()
	for _, s := range all {
		m.restartOrForget(s)
	}
	return err
}

// Pause stops a source until Resume. It stays paused after a restart.
func (m *Manager) Pause(ctx context.Context, name catalog.SourceName) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := m.store.ChangeSource(ctx, s.id, func(c catalog.Source) catalog.Source {
		c.Paused = true
		return c
	}); err != nil {
		return err
	}
	m.stopSource(s)
	s.status.set(statePaused, nil)
	return nil
}

// Resume starts a paused source at its stored offsets. A source that is not paused is restarted. In
// both cases the source reads its schema files again, and infers the types of its messages again.
func (m *Manager) Resume(ctx context.Context, name catalog.SourceName) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := m.store.ChangeSource(ctx, s.id, func(c catalog.Source) catalog.Source {
		c.Paused = false
		return c
	}); err != nil {
		return err
	}
	return m.restart(s)
}

// restart stops a source, discards what it learned from its messages, and starts it again.
func (m *Manager) restart(s *source) error {
	m.stopSource(s)
	err := s.forgetTypes()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.startLocked(s)
	return err
}

// Configure creates a source that the settings file defines. If the source exists, Configure
// changes its definition, and the source continues at its offsets.
func (m *Manager) Configure(ctx context.Context, name catalog.SourceName, d Definition) error {
	stored, err := m.store.LookupSource(name)
	if base.KindOf(err) == base.NotFound && err != nil {
		return m.Create(ctx, name, d, true)
	}
	if err != nil {
		return err
	}
	there, err := decodeStoredDefinition(stored.Definition)
	if err != nil {
		return err
	}
	if chosen := there.Kafka[optionTombstones]; chosen != "" && d.Kafka[optionTombstones] == "" {
		d.Kafka = maps.Clone(d.Kafka)
		d.Kafka[optionTombstones] = chosen // the value was chosen when the source was created
	}
	text, err := d.Encode()
	if err != nil {
		return err
	}
	if before, err := there.Definition.Encode(); err != nil || bytes.Equal(text, before) {
		return err
	}
	p, err := newPlan(d)
	if err != nil {
		return base.Wrap(err, "source %q", name.Name)
	}
	p.close()
	s, err := m.find(name)
	if err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := m.store.ChangeSource(ctx, s.id, func(c catalog.Source) catalog.Source {
		c.Definition = text
		return c
	}); err != nil {
		return err
	}
	m.mu.Lock()
	s.definition = d
	m.mu.Unlock()
	if stored.Paused {
		return nil
	}
	return m.restart(s)
}

// List returns the status of all sources, sorted by name.
func (m *Manager) List() []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Status, 0, len(m.sources))
	for _, s := range m.sources {
		out := Status{ID: s.id, Name: s.name, Definition: s.definition.Masked(), Created: s.created}
		out.QueueBytes = s.memory.account.Used()
		s.status.fill(&out)
		m.addStored(&out)
		slices.SortFunc(out.Partitions, func(a, b PartitionStatus) int {
			return cmp.Or(cmp.Compare(a.Topic, b.Topic), int(a.Partition)-int(b.Partition))
		})
		all = append(all, out)
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Name.Database, b.Name.Database), cmp.Compare(a.Name.Schema, b.Name.Schema), cmp.Compare(a.Name.Name, b.Name.Name))
	})
	return all
}

// addStored adds partitions to the status in the argument out: those that have a stored offset and
// are not being read.
func (m *Manager) addStored(out *Status) {
	stored, err := m.store.Offsets(out.ID)
	if err != nil {
		return // the source is being dropped
	}
	for _, o := range stored {
		if !slices.ContainsFunc(out.Partitions, func(p PartitionStatus) bool { return p.Topic == o.Topic && p.Partition == o.Partition }) {
			out.Partitions = append(out.Partitions, PartitionStatus{Topic: o.Topic, Partition: o.Partition, Next: o.Next, End: -1})
		}
	}
}
