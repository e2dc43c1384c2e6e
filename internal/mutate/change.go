package mutate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// maxAttempts is how often a statement runs at most, if other statements keep changing the rows
// that it reads.
const maxAttempts = 100

// again calls try, which makes a change from a new snapshot, until it succeeds. It calls try again
// if
//   - other statements changed the rows that try had read (engine.ErrChanged). From then on try
//     holds the locks of its tables, so that the other statements wait.
//   - another statement holds the lock of one of its tables (engine.ErrPinned). From then on try
//     shares the locks.
//   - there was no memory for its rows (engine.ErrNoRoom). Then again first waits for the memory.
//
// try must take the table locks that its argument pins asks for before it takes a snapshot. If it
// returns one of these errors it must leave nothing behind.
func (m *Mutator) again(ctx context.Context, try func(room *engine.Room, pins engine.Pins) error) error {
	room := m.store.Room()
	defer room.Close()
	pins := engine.Unpinned
	for range maxAttempts {
		err := try(room, pins)
		switch {
		case errors.Is(err, engine.ErrNoRoom):
			if err := room.Wait(ctx); err != nil {
				return err
			}
		case errors.Is(err, engine.ErrPinned):
			pins = max(pins, engine.Shared)
			room.Restart()
		case errors.Is(err, engine.ErrChanged):
			pins = engine.Pinned
			room.Restart()
		default:
			return err
		}
	}
	return errTooOften()
}

// hold locks tables as pins says: not at all, shared or exclusively.
func (m *Mutator) hold(ctx context.Context, waits engine.Waits, pins engine.Pins, tables ...base.TableID) (release func(), err error) {
	switch pins {
	case engine.Shared:
		return m.store.Share(ctx, waits, tables...)
	case engine.Pinned:
		return m.store.Pin(ctx, waits, tables...)
	}
	return func() {}, nil
}

// once calls a function that changes rows, unless the request repeats an earlier one with the same
// idempotency key. See engine.Engine.Once.
func (m *Mutator) once(ctx context.Context, o engine.AppendOptions, run func(engine.AppendOptions) (Counts, error)) (Counts, error) {
	result, err := m.store.Once(ctx, o, func(o engine.AppendOptions) (engine.Result, error) {
		counts, err := run(o)
		return engine.Result{Counts: counts}, err
	})
	return result.Counts, err
}

func errTooOften() error {
	return base.Errorf(base.Conflict, "other statements changed what this one reads, %d times in a row", maxAttempts).WithHint("run the statement again")
}

// errStale says that rows were made for a schema that their table no longer has. The rows have to
// be made again.
var errStale = engine.ErrStale

// changeRows runs a statement that changes rows of a table. It plans the statement, finds the rows,
// and commits the change set.
func (x *execution) changeRows(plan func() (*rowPlan, error)) (result *Result, err error) {
	err = x.again(x.ctx, func(room *engine.Room, pins engine.Pins) error {
		result, err = x.attempt(plan, room, pins)
		return err
	})
	return result, err
}

func (x *execution) attempt(plan func() (*rowPlan, error), room *engine.Room, pins engine.Pins) (*Result, error) {
	p, err := plan()
	if err != nil {
		return nil, err
	}
	release, err := x.pin(pins, p.table.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	found, err := x.find(p, plan)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	p = found.plan
	s := found.Snapshot()
	now := s.Tables[p.table.ID] // nil if the name now means another table or a view
	known := func(id base.ColumnID) bool { return slices.Contains(p.pending, id) }
	if now == nil || now.Schema.Version != p.table.Version || slices.ContainsFunc(now.PendingColumns(nil), func(id base.ColumnID) bool { return !known(id) }) {
		return nil, engine.ErrChanged
	}
	f, err := x.collect(p, found, room)
	if err != nil {
		return nil, err
	}
	defer f.close()
	// From here on the statement waits for table locks and connections. It must not hold a
	// connection meanwhile, because the holder of the lock may be waiting for that connection.
	s.Retain()
	defer s.Release()
	reads := found.Reads()
	found.Close()
	o, err := f.resolve()
	if err != nil {
		return nil, err
	}
	if err := x.checkKeys(f, o, s); err != nil {
		return nil, err
	}
	result := &Result{Counts: o.change.Counts}
	if !p.returning.none() {
		// RETURNING runs before the commit, because an error in it must leave nothing changed.
		if result.Rows, err = x.returnedOf(f, o, room); err != nil {
			return nil, err
		}
	}
	if len(o.change.Deleted)+len(o.change.Updated)+len(o.change.Inserted) == 0 {
		return result, x.store.Evolve(x.ctx, x.options.Evolutions)
	}
	o.change.Reads = p.reads(reads)
	if found.located > 0 && int64(found.located) == o.change.Counts.Rows() {
		o.change.Reads = []engine.Read{{Table: p.table.ID, Brought: true}}
	}
	x.read = nil
	for _, r := range o.change.Reads {
		x.read = append(x.read, r.Table)
	}
	options := x.options
	options.Pins, options.Room = pins, room
	rewrites := x.rewrites(o.change)
	if !rewrites {
		_, err = x.store.Commit(x.ctx, s, []engine.Change{o.change}, options)
		rewrites = x.mode == Auto && errors.Is(err, engine.ErrColumnBytes)
	}
	if rewrites {
		// The evolution is a separate edit, because the rows are committed as parts. If the rewrite
		// fails, for example because the disk is full, the table still has its new schema.
		if err = x.store.Evolve(x.ctx, options.Evolutions); err != nil {
			result.Close()
			return nil, err
		}
		x.options.Evolutions = nil // in case the statement runs again
		err = x.rewriter.Mutate(x.ctx, s, o.change, options)
	}
	if err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// pin takes the locks of the table that a statement changes and of the tables that its last attempt
// read. Without the latter, a statement that keeps changing one of these tables would make this
// statement run again each time.
func (x *execution) pin(pins engine.Pins, target base.TableID) (release func(), err error) {
	release, err = x.hold(x.ctx, x.options.Waits, pins, append(x.read, target)...)
	if base.KindOf(err) == base.NotFound && len(x.read) > 0 {
		// A table was dropped: the next attempt resolves its name again.
		x.read, err = nil, engine.ErrChanged
	}
	return release, err
}

// find runs the query of a plan. If the plan looks for the rows of one key and an index can find
// them, the query runs over these rows only. Otherwise find calls plan for a plan over the whole
// table, and runs that plan's query.
func (x *execution) find(p *rowPlan, plan func() (*rowPlan, error)) (found *findings, err error) {
	located, err := x.locate(p)
	if err == nil && located == nil && p.key != nil {
		x.scanning = true
		p, err = plan()
	}
	if err != nil {
		return nil, err
	}
	s := x.selects(&p.query)
	s.Target, s.Transient, s.Rows, s.Evolutions = p.target, p.transient, located, x.options.Evolutions
	found = &findings{plan: p}
	if located != nil {
		found.located = len(located.Addresses)
		defer located.Snapshot.Release() // the query holds its own reference
	}
	found.Found, err = x.planner.Find(x.ctx, s)
	return found, p.query.placed(err)
}

// findings are the rows that a plan's query found.
type findings struct {
	Found
	plan    *rowPlan
	located int // number of rows that an index found for the plan's key; 0 if the plan has no key
}

// reads returns the rows and columns on which the result of the statement depends, for the check
// for conflicts. The argument is what the plan's query read.
func (p *rowPlan) reads(reads []engine.Read) []engine.Read {
	if p.keyed {
		reads = slices.DeleteFunc(reads, func(r engine.Read) bool { return r.Table == p.table.ID && r.Columns != nil })
	}
	for i := range reads {
		switch r := &reads[i]; {
		case r.Table != p.table.ID || r.Columns == nil:
		case p.readsAll:
			r.Columns = nil
		default:
			r.Columns = append(r.Columns, p.decides...)
		}
	}
	return reads
}

// checkKeys returns an error if an inserted row has the key of another row. Otherwise it adds the
// keys of the inserted rows to the change set.
//
// A new row replaces the tombstone of its key. If the tombstone has a higher version, the new row
// is left out. A new row that is itself a deletion is left out if the table keeps no tombstones.
func (x *execution) checkKeys(f *effects, o *outcome, s *snapshot.Snapshot) error {
	t := f.plan.table
	if len(t.PrimaryKey) == 0 || len(o.change.Inserted) == 0 {
		return nil
	}
	rec := o.change.Inserted[0]
	columns := keys.Key(t, rec)
	hashes, err := batch.KeyHashes(columns)
	if err != nil {
		return err
	}
	addresses, err := x.keys.Find(x.ctx, s.Tables[t.ID], columns, hashes)
	if err != nil {
		return err
	}
	var states []keys.State
	var own standing
	if t.IsDeleted != 0 {
		if states, err = x.keys.States(x.ctx, s.Tables[t.ID], addresses); err != nil {
			return err
		}
		if own, err = standingOf(t, rec, t.Columns); err != nil {
			return err
		}
	}
	// left are the inserted rows that are left out: rows with a lower version than their key's
	// tombstone, and deletions of a key that does not exist.
	left := map[uint32]bool{}
	seen := make(map[batch.KeyHash]bool, len(hashes))
	for i, h := range hashes {
		there := addresses[i].Source != 0
		if deleted := o.change.Deleted[addresses[i].Source]; there && deleted != nil {
			there = !deleted.Contains(uint32(addresses[i].Ordinal))
		}
		if there && states != nil && states[i].Deleted {
			if there = false; own.older(i, states[i]) && o.isNew(i) && f.plan.actions[f.actions[o.inserted[i]]].versioned {
				left[uint32(i)] = true
				addRow(o.change.Kept, addresses[i])
				continue
			}
			addRow(o.change.Deleted, addresses[i])
		}
		if there || seen[h] {
			return duplicateKey(t, columns, i)
		}
		seen[h] = true
		o.change.Keys = append(o.change.Keys, h.High)
		if o.buries[o.inserted[i]] && !t.KeepsTombstones() {
			left[uint32(i)] = true
		}
	}
	return o.leaveOut(left)
}

// duplicateKey is the error of a row whose key another row has. columns are the columns of the key.
func duplicateKey(t schema.Table, columns []arrow.Array, row int) *base.Error {
	var parts []string
	for i, id := range t.PrimaryKey {
		parts = append(parts, t.Columns[t.ColumnByID(id)].Name+": "+columns[i].ValueStr(row))
	}
	return base.Errorf(base.Conflict, "Duplicate key %q violates primary key constraint of table %s", strings.Join(parts, ", "), t.QualifiedName())
}

// refusedKey is the error of duplicateKey for a plain INSERT of an existing key into a table with
// the option on_insert = 'error'.
func refusedKey(t schema.Table, columns []arrow.Array, row int) error {
	return duplicateKey(t, columns, row).WithHint("INSERT OR REPLACE, OR IGNORE and ON CONFLICT take such a row; ALTER TABLE %s SET (on_insert = 'replace') makes every INSERT replace", schema.QuoteIfNeeded(t.Name))
}

// returnedOf evaluates the RETURNING list of a statement over the rows as they are after the
// statement. Deleted rows are returned as they were before.
func (x *execution) returnedOf(f *effects, o *outcome, room *engine.Room) (Rows, error) {
	release, err := room.Take(2 * bytesOf(f.values)) // returnedRows copies them twice
	if err != nil {
		return nil, err
	}
	defer release()
	p, all := f.plan, &collected{}
	if len(p.actions) == 1 {
		return all, x.returnedRows(all, p.table, p.returning, p.actions[0].name, f.values, o.returned)
	}
	// One query for each action, since merge_action is not a column.
	for _, name := range []string{"INSERT", "UPDATE", "DELETE"} {
		rows := slices.DeleteFunc(slices.Clone(o.returned), func(i uint32) bool { return p.actions[f.actions[i]].name != name })
		if err := x.returnedRows(all, p.table, p.returning, name, f.values, rows); err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// returnedRows evaluates a RETURNING list over some rows of batches, and adds the result to all.
func (x *execution) returnedRows(all *collected, t schema.Table, r returning, action string, batches []arrow.RecordBatch, rows []uint32) error {
	k := x.newKeeper(t)
	defer k.release()
	if len(rows) > 0 {
		rec, err := batch.Take(batches, rows)
		if err != nil {
			return err
		}
		defer rec.Release()
		if err := k.add(rec); err != nil {
			return err
		}
	}
	return x.returned(all, k, r, action)
}
