package mutate

import (
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
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// changeRows runs a statement that changes rows of a table. The function plan plans the statement.
// changeRows runs the plan's query to find the rows, and commits the change set. It does all of
// this again if other statements changed the rows in the meantime.
func (x *execution) changeRows(plan func() (*rowPlan, error)) (result *Result, err error) {
	err = x.retry(x.ctx, func(reservation *engine.Reservation, lock engine.TableLock) error {
		result, err = x.attempt(plan, reservation, lock)
		return err
	})
	return result, err
}

func (x *execution) attempt(plan func() (*rowPlan, error), reservation *engine.Reservation, lock engine.TableLock) (*Result, error) {
	p, err := plan()
	if err != nil {
		return nil, err
	}
	release, err := x.lockTables(lock, p.table.ID)
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
	f, err := x.collect(p, found, reservation)
	if err != nil {
		return nil, err
	}
	defer f.close()
	// From here on the statement waits for table locks and connections. It must not hold a
	// connection meanwhile, because the holder of the lock may be waiting for that connection.
	s.Retain()
	defer s.Release()
	reads := found.ReadDependencies()
	found.Close()
	o, err := f.changeSet()
	if err != nil {
		return nil, err
	}
	if err := x.checkKeys(f, o, s); err != nil {
		return nil, err
	}
	result := &Result{Counts: o.change.Counts}
	if !p.returning.none() {
		// RETURNING runs before the commit, because an error in it must leave nothing changed.
		if result.Rows, err = x.returnedOf(f, o, reservation); err != nil {
			return nil, err
		}
	}
	if len(o.change.Deleted)+len(o.change.Updated)+len(o.change.Inserted) == 0 {
		return result, x.commits.Evolve(x.ctx, x.options.Evolutions)
	}
	o.change.ReadDependencies = p.reads(reads)
	if found.located > 0 && int64(found.located) == o.change.Counts.Rows() {
		o.change.ReadDependencies = []engine.ReadDependency{{Table: p.table.ID, NewRowsOnly: true}}
	}
	x.lastReads = nil
	for _, r := range o.change.ReadDependencies {
		x.lastReads = append(x.lastReads, r.Table)
	}
	options := x.options
	options.Lock, options.Reservation = lock, reservation
	rewrites := x.rewrites(o.change)
	if !rewrites {
		_, err = x.commits.Commit(x.ctx, s, []engine.Change{o.change}, options)
		rewrites = x.mode == Auto && errors.Is(err, engine.ErrColumnBytes)
	}
	if rewrites {
		// The change of the schema (Evolutions) is an edit of its own, because a rewrite commits
		// the rows as parts. If the rewrite fails, for example because the disk is full, the table
		// still has its new schema.
		if err = x.commits.Evolve(x.ctx, options.Evolutions); err != nil {
			result.Close()
			return nil, err
		}
		x.options.Evolutions = nil // another attempt must not make these changes again
		err = x.rewriter.Mutate(x.ctx, s, o.change, options)
	}
	if err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// lockTables locks the table that a statement changes and the tables that its last attempt read. If
// the tables that it only reads were not locked, statements that change them all the time would
// make this statement run again each time.
func (x *execution) lockTables(lock engine.TableLock, target base.TableID) (release func(), err error) {
	release, err = x.takeLocks(x.ctx, x.options.BeforeLockWait, lock, append(x.lastReads, target)...)
	if base.KindOf(err) == base.NotFound && len(x.lastReads) > 0 {
		// A table was dropped: the next attempt resolves its name again.
		x.lastReads, err = nil, engine.ErrChanged
	}
	return release, err
}

// find runs the query of a plan. If the plan looks for the rows of one key and an index can find
// them, the query runs over these rows only. If no index can find them, find gets another plan from
// the function plan, which scans the whole table, and runs the query of that plan.
func (x *execution) find(p *rowPlan, plan func() (*rowPlan, error)) (found *foundRows, err error) {
	located, err := x.findByKey(p)
	if err == nil && located == nil && p.key != nil {
		x.scanning = true
		p, err = plan()
	}
	if err != nil {
		return nil, err
	}
	s := x.selects(&p.query)
	s.Target, s.Transient, s.Located, s.Evolutions = p.target, p.transient, located, x.options.Evolutions
	found = &foundRows{plan: p}
	if located != nil {
		found.located = len(located.Addresses)
		defer located.Snapshot.Release() // the query holds its own reference
	}
	found.Found, err = x.planner.Find(x.ctx, s)
	return found, p.query.withPosition(err)
}

// foundRows are the rows that a plan's query found.
type foundRows struct {
	sqlquery.Found
	plan *rowPlan
	// The number of rows that an index found for the plan's key; 0 if no index was used.
	located int
}

// reads returns the tables and columns on which the result of the statement depends. The committer
// compares them with the changes since the snapshot. The argument reads lists what the plan's query
// read.
func (p *rowPlan) reads(reads []engine.ReadDependency) []engine.ReadDependency {
	if p.readsKeysOnly {
		reads = slices.DeleteFunc(reads, func(r engine.ReadDependency) bool { return r.Table == p.table.ID && r.Columns != nil })
	}
	for i := range reads {
		switch r := &reads[i]; {
		case r.Table != p.table.ID || r.Columns == nil:
		case p.readsWholeTable:
			r.Columns = nil
		default:
			r.Columns = append(r.Columns, p.conditionColumns...)
		}
	}
	return reads
}

// checkKeys returns an error if an inserted row has the key of another row. Otherwise it adds the
// keys of the inserted rows to the change set.
//
// A new row replaces the tombstone of its key (the row that says that the key is deleted). If the
// tombstone has a higher version, the new row is left out. A new row that is itself a deletion is
// left out if the table keeps no tombstones.
func (x *execution) checkKeys(f *planResult, o *changeSet, s *snapshot.Snapshot) error {
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
	var own rowVersions
	if t.IsDeleted != 0 {
		if states, err = x.keys.States(x.ctx, s.Tables[t.ID], addresses); err != nil {
			return err
		}
		if own, err = rowVersionsOf(t, rec, t.Columns); err != nil {
			return err
		}
	}
	// left has the inserted rows that are not stored after all, as indexes of o.inserted: rows with
	// a lower version than the tombstone of their key, and deletions if the table keeps no
	// tombstones.
	left := map[uint32]bool{}
	seen := make(map[batch.KeyHash]bool, len(hashes))
	for i, h := range hashes {
		there := addresses[i].Rowset != 0
		if deleted := o.change.Deleted[addresses[i].Rowset]; there && deleted != nil {
			there = !deleted.Contains(uint32(addresses[i].Ordinal))
		}
		if there && states != nil && states[i].Deleted {
			if there = false; own.isSuperseded(i, states[i]) && o.isNew(i) && f.plan.actions[f.actions[o.inserted[i]]].versioned {
				left[uint32(i)] = true
				addRow(o.change.Unmodified, addresses[i])
				continue
			}
			addRow(o.change.Deleted, addresses[i])
		}
		if there || seen[h] {
			return duplicateKey(t, columns, i)
		}
		seen[h] = true
		o.change.Keys = append(o.change.Keys, h.High)
		if o.tombstones[o.inserted[i]] && !t.KeepsTombstones() {
			left[uint32(i)] = true
		}
	}
	return o.skip(left)
}

// duplicateKey returns the error for a row that has the same key as another row. columns are the
// columns of the key.
func duplicateKey(t schema.Table, columns []arrow.Array, row int) *base.Error {
	var parts []string
	for i, id := range t.PrimaryKey {
		parts = append(parts, t.Columns[t.ColumnByID(id)].Name+": "+columns[i].ValueStr(row))
	}
	return base.Errorf(base.Conflict, "Duplicate key %q violates primary key constraint of table %s", strings.Join(parts, ", "), t.QualifiedName())
}

// refusedKey returns the error for a plain INSERT of a key that exists, into a table with the
// option on_insert = 'error'. It is the error of duplicateKey with a hint.
func refusedKey(t schema.Table, columns []arrow.Array, row int) error {
	return duplicateKey(t, columns, row).WithHint("INSERT OR REPLACE, OR IGNORE and ON CONFLICT take such a row; ALTER TABLE %s SET (on_insert = 'replace') makes every INSERT replace", schema.QuoteIfNeeded(t.Name))
}

// returnedOf evaluates the RETURNING list of a statement over the rows as they are after the
// statement. For deleted rows it uses the values before the statement.
func (x *execution) returnedOf(f *planResult, o *changeSet, reservation *engine.Reservation) (sqlquery.Rows, error) {
	// returnedRows copies them twice
	release, err := reservation.TryReserve(2 * batch.TotalBytes(f.values))
	if err != nil {
		return nil, err
	}
	defer release()
	p, all := f.plan, &sqlquery.Buffered{}
	if len(p.actions) == 1 {
		return all, x.returnedRows(all, p.table, p.returning, p.actions[0].name, f.values, o.returned)
	}
	// The RETURNING list is evaluated once for each action, because merge_action is a constant in
	// the query that evaluates it, and not a column.
	for _, name := range []string{"INSERT", "UPDATE", "DELETE"} {
		rows := slices.DeleteFunc(slices.Clone(o.returned), func(i uint32) bool { return p.actions[f.actions[i]].name != name })
		if err := x.returnedRows(all, p.table, p.returning, name, f.values, rows); err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// returnedRows evaluates a RETURNING list over some rows of batches, and appends the result to a
// buffer (all). The argument rows has the numbers of the rows to read. action is the value of
// merge_action.
func (x *execution) returnedRows(all *sqlquery.Buffered, t schema.Table, r returning, action string, batches []arrow.RecordBatch, rows []uint32) error {
	k := x.newReturningRows(t)
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
