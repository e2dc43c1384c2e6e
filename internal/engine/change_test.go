package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// createAccounts creates the table that the tests of changes use. It has a key that never changes,
// and two columns that change.
func createAccounts(e *Engine, name string) (schema.Table, error) {
	if err := e.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	return e.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: name,
		Columns: []schema.Column{
			{Name: "id", Type: schema.Of(schema.BigInt)},
			{Name: "amount", Type: schema.Of(schema.BigInt)},
			{Name: "note", Type: schema.Of(schema.Varchar)},
		},
		SortKey: []schema.SortField{{Column: 1}},
	}, true)
}

// accountsBatch returns rows (id, amount, "") for ids from, ..., from+count-1.
func accountsBatch(from, count int, amount int64) arrow.RecordBatch {
	id, a, note := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range count {
		id.Append(int64(from + i))
		a.Append(amount)
		note.Append("")
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "amount", Type: arrow.PrimitiveTypes.Int64}, {Name: "note", Type: arrow.BinaryTypes.String}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{id.NewArray(), a.NewArray(), note.NewArray()}, int64(count))
}

func appendAccounts(e *Engine, table schema.Table, from, count int, amount int64) error {
	_, err := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{accountsBatch(from, count, amount)}}}, AppendOptions{})
	return err
}

// account is a row of the table of accounts, with its address.
type account struct {
	address base.RowAddress
	amount  int64
	note    string
}

// accountsIn returns the rows of a snapshot, by account id. If two rows have the same id, it
// returns an error.
func accountsIn(e *Engine, t *snapshot.Table) (map[int64]account, error) {
	all := map[int64]account{}
	var twice error
	err := eachRow(e, t, func(address base.RowAddress, row map[string]string) {
		id, err1 := strconv.ParseInt(row["id"], 10, 64)
		amount, err2 := strconv.ParseInt(row["amount"], 10, 64)
		if _, there := all[id]; there || err1 != nil || err2 != nil {
			twice = fmt.Errorf("row %v is there twice or damaged", row)
		}
		all[id] = account{address, amount, row["note"]}
	})
	return all, errors.Join(err, twice)
}

// amounts returns the present amount of each account, by id.
func amounts(t testing.TB, e *Engine, table base.TableID) map[int64]int64 {
	t.Helper()
	s, err := e.Snapshot(table)
	must(t, err)
	defer s.Release()
	rows, err := accountsIn(e, s.Tables[table])
	must(t, err)
	if n := s.Tables[table].Rows(); n != int64(len(rows)) {
		t.Fatalf("the snapshot counts %d rows, %d are there", n, len(rows))
	}
	found := map[int64]int64{}
	for id, a := range rows {
		found[id] = a.amount
	}
	return found
}

// setAmounts returns layers that give rows new amounts.
func setAmounts(rows map[base.RowAddress]int64) []patch.Layer {
	byRowset := map[base.RowsetID][]uint32{}
	for a := range rows {
		byRowset[a.Rowset] = append(byRowset[a.Rowset], uint32(a.Ordinal))
	}
	var layers []patch.Layer
	for rowset, ordinals := range byRowset {
		slices.Sort(ordinals)
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for _, o := range ordinals {
			b.Append(rows[base.RowAddress{Rowset: rowset, Ordinal: base.RowOrdinal(o)}])
		}
		values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "amount", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{b.NewArray()}, int64(len(ordinals)))
		layers = append(layers, patch.Layer{Rowset: rowset, Columns: []base.ColumnID{2}, Ordinals: ordinals, Values: values})
	}
	return layers
}

func rowsAt(addresses ...base.RowAddress) map[base.RowsetID]*roaring.Bitmap {
	all := map[base.RowsetID]*roaring.Bitmap{}
	for _, a := range addresses {
		addRows(all, a.Rowset, roaring.BitmapOf(uint32(a.Ordinal)))
	}
	return all
}

// update computes new amounts from a snapshot, and commits them. If a new amount is nil, the row is
// deleted.
func update(e *Engine, table base.TableID, reads []ReadDependency, compute func(map[int64]account) map[int64]*int64) (Result, error) {
	s, err := e.Snapshot(table)
	if err != nil {
		return Result{}, err
	}
	defer s.Release()
	return updateFrom(e, s, table, reads, AppendOptions{}, compute)
}

func updateFrom(e *Engine, s *snapshot.Snapshot, table base.TableID, reads []ReadDependency, o AppendOptions, compute func(map[int64]account) map[int64]*int64) (Result, error) {
	rows, err := accountsIn(e, s.Tables[table])
	if err != nil {
		return Result{}, err
	}
	values := map[base.RowAddress]int64{}
	var gone []base.RowAddress
	for id, amount := range compute(rows) {
		if amount == nil {
			gone = append(gone, rows[id].address)
		} else {
			values[rows[id].address] = *amount
		}
	}
	counts := Counts{Updated: int64(len(values)), Deleted: int64(len(gone))}
	return e.Commit(ctx, s, []Change{{Table: table, Deleted: rowsAt(gone...), Updated: setAmounts(values), ReadDependencies: reads, Counts: counts}}, o)
}

// set returns a function that sets the amount of some accounts. del returns a function that deletes
// some accounts.
func set(amount int64, ids ...int64) func(map[int64]account) map[int64]*int64 {
	return func(map[int64]account) map[int64]*int64 {
		m := map[int64]*int64{}
		for _, id := range ids {
			m[id] = &amount
		}
		return m
	}
}

func del(ids ...int64) func(map[int64]account) map[int64]*int64 {
	return func(map[int64]account) map[int64]*int64 {
		m := map[int64]*int64{}
		for _, id := range ids {
			m[id] = nil
		}
		return m
	}
}

func wantAmounts(t *testing.T, e *Engine, table base.TableID, want map[int64]int64) {
	t.Helper()
	if got := amounts(t, e, table); !maps.Equal(got, want) {
		t.Fatalf("amounts %v, want %v", got, want)
	}
}

func TestChangesAreVisibleAtOnceAndSurviveACrash(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 3, 10))
	must(t, e.Flush(ctx))
	must(t, appendAccounts(e, table, 3, 3, 10))
	before, err := e.Snapshot(table.ID)
	must(t, err)
	r, err := update(e, table.ID, nil, set(20, 1, 4))
	must(t, err)
	if r.Counts != (Counts{Updated: 2}) {
		t.Fatalf("%+v, want 2 rows updated", r.Counts)
	}
	_, err = update(e, table.ID, nil, del(0, 5))
	must(t, err)
	want := map[int64]int64{1: 20, 2: 10, 3: 10, 4: 20}
	wantAmounts(t, e, table.ID, want)
	if n := before.Tables[table.ID].Rows(); n != 6 {
		t.Fatalf("a snapshot from before has %d rows, want 6", n)
	}
	before.Release()
	must(t, e.Check(ctx))
	crashed := mustOpen(t, disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 0))
	wantAmounts(t, crashed, table.ID, want)
	_, err = update(crashed, table.ID, nil, set(30, 2, 3, 4))
	must(t, err)
	wantAmounts(t, crashed, table.ID, map[int64]int64{1: 20, 2: 30, 3: 30, 4: 30})
	mustEnd(t, crashed)
	mustEnd(t, e)
}

func TestAChangeOfWhatChangedMeanwhileIsRefused(t *testing.T) {
	amount, whole := []base.ColumnID{2}, []base.ColumnID(nil)
	other := []base.ColumnID{3}
	for _, c := range []struct {
		name    string
		between func(e *Engine, table schema.Table) error
		reads   []base.ColumnID
		reading bool
		changed bool
	}{
		{"another row, no read", updating(set(1, 5)), nil, false, false},
		{"the same row", updating(set(1, 1)), nil, false, true},
		{"the same row deleted", updating(del(1)), nil, false, true},
		{"a read column of another row", updating(set(1, 5)), amount, true, true},
		{"an unread column of another row", updating(set(1, 5)), other, true, false},
		{"a deleted row, any read", updating(del(5)), other, true, true},
		{"appended rows, a column read", appending, amount, true, false},
		{"appended rows, the table read", appending, whole, true, true},
		{"rows appended by a change, a column read", committingAppend, amount, true, false},
		{"rows appended by a change, the table read", committingAppend, whole, true, true},
		{"another schema", altering, nil, false, true},
		{"truncated", truncating, nil, false, true},
		{"flushed", func(e *Engine, _ schema.Table) error { return e.Flush(ctx) }, amount, true, false},
	} {
		e := mustOpen(t, vfs.NewCrashable())
		table, err := createAccounts(e, "t")
		must(t, err)
		must(t, appendAccounts(e, table, 0, 6, 10))
		s, err := e.Snapshot(table.ID)
		must(t, err)
		var reads []ReadDependency
		if c.reading {
			reads = []ReadDependency{{Table: table.ID, Columns: c.reads}}
		}
		must(t, c.between(e, table))
		_, err = updateFrom(e, s, table.ID, reads, AppendOptions{}, set(7, 1))
		if errors.Is(err, ErrChanged) != c.changed || !c.changed && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.changed {
			if got := amounts(t, e, table.ID)[1]; got != 7 {
				t.Errorf("%s: amount %d", c.name, got)
			}
		}
		s.Release()
		mustEnd(t, e)
	}
}

func TestAChangeOfAllThatItFoundMindsOnlyRowsThatOthersBring(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(e *Engine, table schema.Table) error
		changed bool
	}{
		{"another row updated", updating(set(1, 5)), false},
		{"another row deleted", updating(del(5)), false},
		{"the same row updated", updating(set(1, 1)), true},
		{"rows appended", appending, false},
		{"rows appended by a change", committingAppend, false},
		{"a row brought by a change", func(e *Engine, table schema.Table) error {
			s, err := e.Snapshot(table.ID)
			if err != nil {
				return err
			}
			defer s.Release()
			_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Inserted: []arrow.RecordBatch{accountsBatch(50, 1, 1)}}}, AppendOptions{})
			return err
		}, true},
	} {
		e := mustOpen(t, vfs.NewCrashable())
		table, err := createAccounts(e, "t")
		must(t, err)
		must(t, appendAccounts(e, table, 0, 6, 10))
		s, err := e.Snapshot(table.ID)
		must(t, err)
		must(t, c.between(e, table))
		_, err = updateFrom(e, s, table.ID, []ReadDependency{{Table: table.ID, NewRowsOnly: true}}, AppendOptions{}, set(7, 1))
		if errors.Is(err, ErrChanged) != c.changed || !c.changed && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		s.Release()
		mustEnd(t, e)
	}
}

// TestRowsThatAMutationBringsAreMinded commits a change with ReadDependency.NewRowsOnly after a
// mutation. The change is refused only if the mutation inserted a row.
func TestRowsThatAMutationBringsAreMinded(t *testing.T) {
	for _, brings := range []bool{false, true} {
		e := mustOpen(t, vfs.NewCrashable())
		table, err := createAccounts(e, "t")
		must(t, err)
		must(t, appendAccounts(e, table, 0, 6, 10))
		must(t, e.Flush(ctx))
		// A part of its own, which the mutation empties.
		must(t, appendAccounts(e, table, 9, 1, 10))
		must(t, e.Flush(ctx))
		s, err := e.Snapshot(table.ID)
		must(t, err)
		rows, err := accountsIn(e, s.Tables[table.ID])
		must(t, err)
		gone := rows[9].address
		c := Change{Table: table.ID, Deleted: rowsAt(gone)}
		var parts []catalog.Part
		if brings {
			c.Inserted = []arrow.RecordBatch{accountsBatch(50, 1, 1)}
			parts = append(parts, mustWritePart(t, e, table, c.Inserted))
		}
		m, err := e.Mutate(ctx, s, c, AppendOptions{})
		must(t, err)
		patience, cancel := context.WithTimeout(ctx, 10*time.Second)
		// Statements wait for a mutation only while it publishes, not while it writes parts.
		unlock, err := e.LockTables(patience, nil, table.ID)
		cancel()
		must(t, err)
		unlock()
		_, err = m.Publish(ctx, parts, &patch.Sorted{Rowset: gone.Rowset})
		must(t, err)
		m.Close()
		_, err = updateFrom(e, s, table.ID, []ReadDependency{{Table: table.ID, NewRowsOnly: true}}, AppendOptions{}, set(7, 1))
		if errors.Is(err, ErrChanged) != brings || !brings && err != nil {
			t.Errorf("a mutation that brings a row: %v, the change after it: %v", brings, err)
		}
		s.Release()
		mustEnd(t, e)
	}
}

// TestUnmodifiedRowsOfAChangeConflictWithOtherChanges commits changes that do not modify the table
// because of an existing row (Change.Unmodified), or because a key does not exist (Change.Keys). If
// that row or key was changed meanwhile, the error must be ErrChanged. The change is committed
// together with a change of another table, or as a mutation.
func TestUnmodifiedRowsOfAChangeConflictWithOtherChanges(t *testing.T) {
	const key = 77
	keyed := func(e *Engine, table schema.Table) error {
		s, err := e.Snapshot(table.ID)
		if err != nil {
			return err
		}
		defer s.Release()
		_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Inserted: []arrow.RecordBatch{accountsBatch(50, 1, 1)}, Keys: []uint64{key}}}, AppendOptions{})
		return err
	}
	for _, c := range []struct {
		name    string
		between func(e *Engine, table schema.Table) error
		changed bool
	}{
		{"another row updated", updating(set(5, 3)), false},
		{"rows appended", appending, false},
		{"flushed", func(e *Engine, _ schema.Table) error { return e.Flush(ctx) }, false},
		{"the row updated", updating(set(1, 1)), true},
		{"the row deleted", updating(del(1)), true},
		{"the key inserted", keyed, true},
	} {
		for _, how := range []string{"beside another table's", "as parts"} {
			files := vfs.NewCrashable()
			e := mustOpen(t, files)
			table, err := createAccounts(e, "t")
			must(t, err)
			other, err := createAccounts(e, "other")
			must(t, err)
			// A part of its own, which the mutation empties.
			must(t, appendAccounts(e, table, 9, 1, 10))
			must(t, e.Flush(ctx))
			must(t, appendAccounts(e, table, 0, 6, 10))
			s, err := e.Snapshot(table.ID, other.ID)
			must(t, err)
			rows, err := accountsIn(e, s.Tables[table.ID])
			must(t, err)
			must(t, c.between(e, table))
			change := Change{Table: table.ID, Unmodified: rowsAt(rows[1].address), Keys: []uint64{key}}
			if how == "as parts" {
				change.Deleted = rowsAt(rows[9].address)
				m, mutateErr := e.Mutate(ctx, s, change, AppendOptions{})
				if err = mutateErr; err == nil {
					_, err = m.Publish(ctx, nil, &patch.Sorted{Rowset: rows[9].address.Rowset})
					m.Close()
				}
			} else {
				_, err = e.Commit(ctx, s, []Change{change, {Table: other.ID, Inserted: []arrow.RecordBatch{accountsBatch(1, 1, 1)}}}, AppendOptions{})
			}
			if errors.Is(err, ErrChanged) != c.changed || !c.changed && err != nil {
				t.Errorf("%s, %s: %v", c.name, how, err)
			}
			if how != "as parts" && !c.changed {
				// The change modified nothing in the table: neither another statement nor a restart
				// sees an effect of it.
				_, err := updateFrom(e, s, table.ID, nil, AppendOptions{}, set(7, 1))
				must(t, err)
				s.Release()
				mustEnd(t, e)
				e = mustOpen(t, files)
				if got := amounts(t, e, other.ID); len(got) != 1 {
					t.Errorf("%s: %v", c.name, got)
				}
			} else {
				s.Release()
			}
			mustEnd(t, e)
		}
	}
}

// mustWritePart writes the file of a part that the catalog does not list yet.
func mustWritePart(t testing.TB, e *Engine, table schema.Table, rows []arrow.RecordBatch) catalog.Part {
	t.Helper()
	id, err := e.NextRowsetID()
	must(t, err)
	path, err := e.PartPath(table.ID, id)
	must(t, err)
	written, err := part.WriteBatches(e.fs, path, table, rows, part.Options{})
	must(t, err)
	return catalog.Part{ID: id, Table: table.ID, SchemaVersion: table.Version, Rows: written.Rows, Bytes: written.Bytes, Checksum: written.Checksum, Stats: written.Stats}
}

func updating(f func(map[int64]account) map[int64]*int64) func(*Engine, schema.Table) error {
	return func(e *Engine, table schema.Table) error {
		_, err := update(e, table.ID, nil, f)
		return err
	}
}

func appending(e *Engine, table schema.Table) error { return appendAccounts(e, table, 100, 1, 1) }

// committingAppend appends rows by calling Commit, as a change does that also modifies other
// tables.
func committingAppend(e *Engine, table schema.Table) error {
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Inserted: []arrow.RecordBatch{accountsBatch(100, 1, 1)}, AppendOnly: true}}, AppendOptions{})
	return err
}

// TestAChangeTakesItsProgressAlong makes one change that deletes and inserts rows, inserts rows in
// another table, and advances offsets. After a crash either all of it is stored, or nothing.
func TestAChangeTakesItsProgressAlong(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	other, err := createAccounts(e, "other")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 3, 10))
	stream, err := e.CreateSource(ctx, catalog.Source{Name: catalog.SourceName{Database: table.Database, Schema: table.Schema, Name: "s"}, Definition: []byte("{}")}, false)
	must(t, err)
	commit := func(e *Engine, from int64) error {
		s, err := e.Snapshot(table.ID, other.ID)
		must(t, err)
		defer s.Release()
		rows, err := accountsIn(e, s.Tables[table.ID])
		must(t, err)
		_, err = e.Commit(ctx, s, []Change{
			{Table: table.ID, Deleted: rowsAt(rows[1].address), Inserted: []arrow.RecordBatch{accountsBatch(1, 1, rows[1].amount+1)}, Keys: []uint64{1}},
			{Table: other.ID, Inserted: []arrow.RecordBatch{accountsBatch(int(from), 1, 1)}, AppendOnly: true},
		}, AppendOptions{Progress: &Progress{Source: stream.ID, Ranges: []OffsetRange{{Topic: "t", From: from, Next: from + 1}}}})
		return err
	}
	must(t, commit(e, 0))
	must(t, commit(e, 1))
	wantKind(t, commit(e, 1), base.Conflict) // these offsets were read before
	for _, flush := range []bool{false, true} {
		if flush {
			must(t, e.Flush(ctx))
		}
		crashed := mustOpen(t, disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 0))
		wantAmounts(t, crashed, table.ID, map[int64]int64{0: 10, 1: 12, 2: 10})
		wantAmounts(t, crashed, other.ID, map[int64]int64{0: 1, 1: 1})
		offsets, err := crashed.Offsets(stream.ID)
		if err != nil || len(offsets) != 1 || offsets[0].Next != 2 {
			t.Errorf("offsets %v %v", offsets, err)
		}
		must(t, commit(crashed, 2))
		mustEnd(t, crashed)
	}
	mustEnd(t, e)
}

func altering(e *Engine, table schema.Table) error {
	_, err := e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
		return now.AddColumns(schema.Column{Name: "extra", Type: schema.Of(schema.Double)})
	})
	return err
}

func truncating(e *Engine, table schema.Table) error {
	_, err := truncate(e, table.ID)
	return err
}

// TestRacingIncrementsAllCount has several goroutines that each add 1 to random accounts. A
// goroutine repeats each addition until it succeeds. After a failure it holds the table lock.
func TestRacingIncrementsAllCount(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 3, 0))
	const workers, each = 6, 30
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range each {
				id := int64((w + i) % 3)
				o := AppendOptions{}
				release := func() {}
				for attempt := 0; ; attempt++ {
					s, err := e.Snapshot(table.ID)
					if err != nil {
						t.Error(err)
						break
					}
					_, err = updateFrom(e, s, table.ID, nil, o, func(rows map[int64]account) map[int64]*int64 {
						next := rows[id].amount + 1
						return map[int64]*int64{id: &next}
					})
					s.Release()
					if err == nil {
						break
					}
					if !errors.Is(err, ErrChanged) && !errors.Is(err, ErrTableLocked) || o.Lock == ExclusiveLock {
						t.Errorf("attempt %d, pins %v: %v", attempt, o.Lock, err)
						break
					}
					if release, err = e.LockTables(context.Background(), nil, table.ID); err != nil {
						t.Error(err)
						return
					}
					o.Lock = ExclusiveLock
				}
				release()
			}
		})
	}
	all.Wait()
	sum := int64(0)
	for _, n := range amounts(t, e, table.ID) {
		sum += n
	}
	if sum != workers*each {
		t.Fatalf("the sum is %d, want %d", sum, workers*each)
	}
	mustEnd(t, e)
}

// TestAddressesOfAChangeAreRemappedWithItsRows remaps the rows of a change twice. Other changes
// since the snapshot may have been recorded at any address that the rows had, so the change must
// know all of them.
func TestAddressesOfAChangeAreRemappedWithItsRows(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createAccounts(e, "bank")
	must(t, err)
	must(t, bankOp{ins: []int64{1, 2, 3}}.commit(e))
	held, err := e.Snapshot(table.ID)
	must(t, err)
	rowset := held.Tables[table.ID].Memtables[0].Rowset
	c := &tableChange{id: table.ID, version: table.Version, deleted: map[base.RowsetID]*roaring.Bitmap{rowset: roaring.BitmapOf(1)}}
	must(t, e.Flush(ctx))
	must(t, e.remapAddresses(c))
	must(t, rewriteFirst(e, table, func() {}))
	must(t, e.remapAddresses(c))
	if len(c.rows) != 1 || len(c.touched) != 3 || len(c.checked) != 3 || c.checked[rowset] == nil {
		t.Errorf("rows %v, touched %v, seen %v", c.rows, c.touched, c.checked)
	}
	held.Release()
	mustEnd(t, e)
}

// TestNewValuesOfAColumnFitIntoAnArray changes different rows of a part. Together their new texts
// are longer than one array can hold.
func TestNewValuesOfAColumnFitIntoAnArray(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createAccounts(e, "bank")
	must(t, err)
	text := func(rows int, bytes int32) arrow.RecordBatch {
		offsets := make([]int32, rows+1)
		for i := range rows {
			offsets[i+1] = offsets[i] + bytes/int32(rows)
		}
		values := array.NewData(arrow.BinaryTypes.String, rows, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)),
			// No byte of this memory is touched.
			memory.NewBufferBytes(make([]byte, bytes))}, nil, 0, 0)
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{array.MakeFromData(values)}, int64(rows))
	}
	change := func(ordinal uint32, bytes int32) *request {
		l := patch.Layer{Rowset: 7, Columns: []base.ColumnID{3}, Ordinals: []uint32{ordinal, ordinal + 1}, Values: text(2, bytes)}
		return &request{changes: &changeSet{tables: []*tableChange{{id: table.ID, updated: []patch.Layer{l}, rows: map[base.RowsetID]*roaring.Bitmap{7: roaring.BitmapOf(ordinal, ordinal+1)}}}}}
	}
	must(t, e.commit(ctx, func() error {
		a := newPendingWrites()
		if err := e.stage(change(0, 900<<20), e.seq+1, a); err != nil {
			t.Error(err)
		}
		wantKind(t, e.stage(change(2, 300<<20), e.seq+2, a), base.Unavailable)
		if err := e.stage(change(2, 30<<20), e.seq+2, a); err != nil {
			t.Error(err)
		}
		return nil
	}))
	mustEnd(t, e)
}
