package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

// createMergeOnRead creates a table that merges on read, with ids, versions and amounts. The
// argument versions says whether the versions decide between rows of the same id.
func createMergeOnRead(e *Engine, name string, versions bool) (schema.Table, error) {
	if err := e.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	t := schema.Table{
		Database: "d", Schema: "main", Name: name,
		Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt), NotNull: true},
			{Name: "ver", Type: schema.Of(schema.BigInt)}, {Name: "amount", Type: schema.Of(schema.BigInt)}},
		PrimaryKey: []base.ColumnID{1}, MergeOnRead: true,
	}
	if versions {
		t.RowVersion = 2
	}
	return e.CreateTable(ctx, t, true)
}

// rowVersion is the version and the amount of the row that an id has.
type rowVersion struct{ ver, amount int64 }

// keyedVersion is a row with its id.
type keyedVersion struct {
	id int64
	rowVersion
}

func dedupBatch(rows []keyedVersion) arrow.RecordBatch {
	var columns [3]*array.Int64Builder
	for i := range columns {
		columns[i] = array.NewInt64Builder(memory.DefaultAllocator)
	}
	for _, r := range rows {
		columns[0].Append(r.id)
		columns[1].Append(r.ver)
		columns[2].Append(r.amount)
	}
	var fields []arrow.Field
	for _, name := range []string{"id", "ver", "amount"} {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{columns[0].NewArray(), columns[1].NewArray(), columns[2].NewArray()}, int64(len(rows)))
}

func appendMergeOnRead(e *Engine, table schema.Table, rows []keyedVersion, o AppendOptions) error {
	_, err := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{dedupBatch(rows)}}}, o)
	return err
}

// loadMergeOnRead loads rows as several parts.
func loadMergeOnRead(e *Engine, table schema.Table, rows []keyedVersion) error {
	l, err := e.Load(ctx, table, LoadOptions{})
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(rows, 7) {
		rec, err := batch.Conform(dedupBatch(piece), table, batch.ConformOptions{})
		if err == nil {
			err = l.Write(ctx, rec, func() {})
		}
		if err != nil {
			return errors.Join(err, l.Abort())
		}
	}
	_, err = l.Commit(ctx, AppendOptions{})
	return err
}

type deduplicatedRow struct {
	address base.RowAddress
	rowVersion
}

// deduplicatedRows returns the rows of a deduplicated snapshot by id.
func deduplicatedRows(e *Engine, t *snapshot.Table) (map[int64]deduplicatedRow, error) {
	rows := map[int64]deduplicatedRow{}
	var twice error
	err := eachRow(e, t, func(a base.RowAddress, row map[string]string) {
		var n [3]int64
		for i, name := range []string{"id", "ver", "amount"} {
			n[i], _ = strconv.ParseInt(row[name], 10, 64)
		}
		if other, there := rows[n[0]]; there {
			twice = fmt.Errorf("id %d has the rows %v and %v", n[0], other.address, a)
		}
		rows[n[0]] = deduplicatedRow{a, rowVersion{n[1], n[2]}}
	})
	return rows, errors.Join(err, twice)
}

func readDeduplicated(e *Engine, table schema.Table) (map[int64]rowVersion, error) {
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	rows, err := deduplicatedRows(e, s.Tables[table.ID])
	out := map[int64]rowVersion{}
	for id, r := range rows {
		out[id] = r.rowVersion
	}
	return out, err
}

// dedupChange returns a change of rows of a deduplicated snapshot.
func dedupChange(table schema.Table, rows map[int64]deduplicatedRow, deleted []int64, values map[int64]rowVersion, column base.ColumnID) Change {
	c := Change{Table: table.ID, Deleted: map[base.RowsetID]*roaring.Bitmap{}}
	key := func(id int64) {
		hashes, _ := batch.KeyHashes([]arrow.Array{dedupBatch([]keyedVersion{{id: id}}).Column(0)})
		c.Keys = append(c.Keys, hashes[0].High)
	}
	for _, id := range deleted {
		if r, ok := rows[id]; ok {
			addRows(c.Deleted, r.address.Rowset, roaring.BitmapOf(uint32(r.address.Ordinal)))
			if table.RowVersion != 0 {
				key(id)
			}
		}
	}
	byRowset := map[base.RowsetID]map[uint32]int64{}
	for id, v := range values {
		r, ok := rows[id]
		if !ok {
			continue
		}
		if byRowset[r.address.Rowset] == nil {
			byRowset[r.address.Rowset] = map[uint32]int64{}
		}
		byRowset[r.address.Rowset][uint32(r.address.Ordinal)] = v.amount
		if column == 2 {
			byRowset[r.address.Rowset][uint32(r.address.Ordinal)] = v.ver
			if table.RowVersion != 0 {
				key(id)
			}
		}
	}
	for rowset, of := range byRowset {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		ordinals := slices.Sorted(maps.Keys(of))
		for _, o := range ordinals {
			b.Append(of[o])
		}
		values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil), []arrow.Array{b.NewArray()}, int64(len(ordinals)))
		c.Updated = append(c.Updated, patch.Layer{Rowset: rowset, Columns: []base.ColumnID{column}, Ordinals: ordinals, Values: values})
	}
	return c
}

// dedupModel is a table that merges on read, and the rows that it must have.
type dedupModel struct {
	*rand.Rand
	t        *testing.T
	disk     *vfs.Crashable
	e        *Engine
	table    schema.Table
	versions bool
	rows     map[int64]rowVersion
	// late is the deduplicated snapshot of a change that has not been committed yet.
	late *snapshot.Snapshot
	came map[int64]bool // keys appended since late was taken
	done map[int64]bool // keys changed since late was taken
	// loaded says that rows were loaded since late was taken. Their keys are not recorded.
	loaded bool
}

func (m *dedupModel) some(n int) (rows []keyedVersion) {
	for range n {
		rows = append(rows, keyedVersion{int64(m.IntN(25)), rowVersion{int64(m.IntN(6)), int64(m.IntN(1000))}})
	}
	return rows
}

func (m *dedupModel) take(rows []keyedVersion) {
	for _, r := range rows {
		if there, ok := m.rows[r.id]; !ok || !m.versions || r.ver >= there.ver {
			m.rows[r.id] = r.rowVersion
		}
		m.came[r.id] = true
	}
}

func (m *dedupModel) forgetLate() {
	if m.late != nil {
		m.late.Release()
	}
	m.late = nil
}

// change changes rows, computed from a snapshot. If the snapshot is nil, it takes a new one.
func (m *dedupModel) change(from *snapshot.Snapshot) {
	now := from == nil
	if now {
		var err error
		from, err = m.e.DeduplicatedSnapshot(ctx, m.table.ID)
		must(m.t, err)
		defer from.Release()
	}
	rows, err := deduplicatedRows(m.e, from.Tables[m.table.ID])
	must(m.t, err)
	id := int64(m.IntN(25))
	value := rowVersion{int64(m.IntN(6)), int64(m.IntN(1000))}
	kind := m.IntN(3)
	var c Change
	switch kind {
	case 0:
		c = dedupChange(m.table, rows, []int64{id}, nil, 0)
	case 1:
		c = dedupChange(m.table, rows, nil, map[int64]rowVersion{id: value}, 3)
	default:
		c = dedupChange(m.table, rows, nil, map[int64]rowVersion{id: value}, 2)
	}
	_, there := rows[id]
	_, err = m.e.Commit(ctx, from, []Change{c}, AppendOptions{})
	if !there {
		must(m.t, err)
		return
	}
	if !now {
		// Rows that arrived after the snapshot count as later than the change. If they matter for
		// the change, the error is ErrChanged.
		conflictsWithIncoming := m.versions && kind != 1 && (m.came[id] || m.loaded)
		changed := errors.Is(err, ErrChanged)
		if changed && !m.done[id] && !conflictsWithIncoming || !changed && (conflictsWithIncoming || m.done[id] && !m.came[id]) {
			m.t.Fatalf("late change %d of id %d: %v; came %v, changed %v", kind, id, err, m.came[id], m.done[id])
		}
		if err != nil || m.came[id] && (!m.versions || m.rows[id] != rows[id].rowVersion) {
			return // nothing changed, or a later row supersedes the changed one
		}
	}
	must(m.t, err)
	if r, there := m.rows[id]; there {
		switch kind {
		case 0:
			delete(m.rows, id)
		case 1:
			m.rows[id] = rowVersion{r.ver, value.amount}
		default:
			m.rows[id] = rowVersion{value.ver, r.amount}
		}
		m.done[id] = true
	}
}

func (m *dedupModel) step() {
	switch n := m.IntN(22); {
	case n < 7:
		rows := m.some(1 + m.IntN(12))
		must(m.t, appendMergeOnRead(m.e, m.table, rows, AppendOptions{Async: m.IntN(3) == 0}))
		m.take(rows)
	case n < 9:
		rows := m.some(1 + m.IntN(20))
		must(m.t, loadMergeOnRead(m.e, m.table, rows))
		m.loaded = true
		m.take(rows)
	case n < 13:
		m.change(nil)
	case n < 15:
		must(m.t, m.e.Flush(ctx))
	case n < 16:
		must(m.t, m.e.commit(ctx, m.e.freeze))
	case n < 18:
		must(m.t, m.e.DeleteSuperseded(ctx, m.table.ID))
	case n < 19 && m.late == nil:
		var err error
		m.late, err = m.e.DeduplicatedSnapshot(ctx, m.table.ID)
		must(m.t, err)
		clear(m.came)
		clear(m.done)
		m.loaded = false
	case n < 20 && m.late != nil:
		m.change(m.late)
		m.forgetLate()
	case n < 21 && m.IntN(6) == 0:
		n, err := truncate(m.e, m.table.ID)
		must(m.t, err)
		if n != int64(len(m.rows)) {
			m.t.Fatalf("truncated %d rows of %d", n, len(m.rows))
		}
		m.forgetLate()
		clear(m.rows)
	case n < 22 && m.IntN(2) == 0:
		m.forgetLate()
		// Sync asynchronous appends.
		must(m.t, m.e.commit(ctx, func() error { m.e.syncLog(); return nil }))
		crashed := m.disk.CrashClone(m.Rand, m.IntN(101))
		must(m.t, m.e.Close())
		m.disk = crashed
		m.e = mustOpen(m.t, m.disk)
	}
}

// TestATableThatMergesOnReadHasOneRowForEachKey makes the same random operations on tables and on
// maps, and compares them.
func TestATableThatMergesOnReadHasOneRowForEachKey(t *testing.T) {
	for seed := range uint64(5) {
		disk := vfs.NewCrashable()
		m := &dedupModel{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, disk: disk, e: mustOpen(t, disk), versions: seed%2 == 0,
			rows: map[int64]rowVersion{}, came: map[int64]bool{}, done: map[int64]bool{}}
		var err error
		m.table, err = createMergeOnRead(m.e, "t", m.versions)
		must(t, err)
		for step := range 70 {
			m.step()
			if m.IntN(3) == 0 {
				continue // so that readers deduplicate after more than one step
			}
			got, err := readDeduplicated(m.e, m.table)
			must(t, err)
			if !maps.Equal(got, m.rows) {
				t.Fatalf("seed %d step %d: %v, want %v\n%s", seed, step, got, m.rows, m.e.DebugString())
			}
		}
		m.forgetLate()
		must(t, m.e.DeleteSuperseded(ctx, m.table.ID))
		must(t, m.e.Flush(ctx))
		got, err := readDeduplicated(m.e, m.table)
		must(t, err)
		if !maps.Equal(got, m.rows) {
			t.Fatalf("seed %d: %v, want %v\n%s", seed, got, m.rows, m.e.DebugString())
		}
		mustEnd(t, m.e)
	}
}

// TestAFailureOfOneTableLeavesOthersDeduplicated reads two tables at once. Before that, a flush has
// moved superseded rows of both. One of the tables has a part that cannot be read.
func TestAFailureOfOneTableLeavesOthersDeduplicated(t *testing.T) {
	for range 8 { // the order of the tables is random
		disk := vfs.Failing(vfs.NewCrashable(), vfs.Never)
		e := mustOpen(t, disk)
		var tables []schema.Table
		for _, name := range []string{"a", "b"} {
			table, err := createMergeOnRead(e, name, false)
			must(t, err)
			must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {2, rowVersion{}}}, AppendOptions{}))
			must(t, loadMergeOnRead(e, table, []keyedVersion{{1, rowVersion{amount: 1}}}))
			tables = append(tables, table)
		}
		both := func() error {
			s, err := e.DeduplicatedSnapshot(ctx, tables[0].ID, tables[1].ID)
			if err == nil {
				s.Release()
			}
			return err
		}
		must(t, both())
		must(t, loadMergeOnRead(e, tables[0], []keyedVersion{{2, rowVersion{amount: 1}}}))
		must(t, e.Flush(ctx))
		disk.SetRule(func(op vfs.Op) error {
			if op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, ".parquet") {
				return vfs.ErrInjected
			}
			return nil
		})
		if err := both(); !errors.Is(err, vfs.ErrInjected) {
			t.Fatalf("error %v", err)
		}
		disk.SetRule(vfs.Never)
		must(t, both())
		for i, want := range []map[int64]rowVersion{{1: {amount: 1}, 2: {amount: 1}}, {1: {amount: 1}, 2: {}}} {
			got, err := readDeduplicated(e, tables[i])
			must(t, err)
			if !maps.Equal(got, want) {
				t.Errorf("table %s: %v, want %v", tables[i].Name, got, want)
			}
		}
		mustEnd(t, e)
	}
}

// TestDeletingSupersededRowsRunsAgainWhenItsRowsAreRemoved truncates the table after its superseded
// rows were looked up, and before they are deleted.
func TestDeletingSupersededRowsRunsAgainWhenItsRowsAreRemoved(t *testing.T) {
	disk := vfs.Failing(vfs.NewCrashable(), vfs.Never)
	e := mustOpen(t, disk)
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	for range 2 {
		must(t, loadMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {2, rowVersion{}}}))
	}
	var once sync.Once
	disk.SetRule(func(op vfs.Op) error {
		// The look-up reads, and holds its snapshot.
		if op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, ".parquet") {
			once.Do(func() { must(t, e.truncate(ctx, table.ID, func() error { return nil })) })
		}
		return nil
	})
	must(t, e.DeleteSuperseded(ctx, table.ID))
	got, err := readDeduplicated(e, table)
	must(t, err)
	if len(got) != 0 {
		t.Errorf("%v after TRUNCATE", got)
	}
	mustEnd(t, e)
}

// TestTruncateCountsWhatIsThereWhenItRuns runs TRUNCATE. After it has begun, and before it runs in
// the committer, the table's superseded rows are deleted.
func TestTruncateCountsWhatIsThereWhenItRuns(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {1, rowVersion{amount: 1}}, {2, rowVersion{}}}, AppendOptions{}))
	busy, goOn := make(chan struct{}), make(chan struct{})
	waiting := func(n int) {
		eventually(func() bool {
			e.queue.mu.Lock()
			defer e.queue.mu.Unlock()
			return len(e.queue.pending) == n
		})
	}
	var others errgroup.Group
	others.Go(func() error {
		return e.commit(ctx, func() error {
			close(busy)
			<-goOn
			return nil
		})
	})
	<-busy
	others.Go(func() error { return e.DeleteSuperseded(ctx, table.ID) })
	waiting(1)
	others.Go(func() error {
		n, err := truncate(e, table.ID)
		if err == nil && n != 2 {
			t.Errorf("%d rows", n)
		}
		return err
	})
	waiting(2)
	close(goOn)
	must(t, others.Wait())
	mustEnd(t, e)
}

// TestTruncateCountsAfterItsCallerGaveUp cancels a TRUNCATE while it looks up the superseded rows
// among the removed ones.
func TestTruncateCountsAfterItsCallerGaveUp(t *testing.T) {
	disk := vfs.Failing(vfs.NewCrashable(), vfs.Never)
	e := mustOpen(t, disk)
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	for range 2 {
		must(t, loadMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {2, rowVersion{}}}))
	}
	gone, cancel := context.WithCancel(ctx)
	disk.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, ".parquet") {
			cancel()
		}
		return nil
	})
	removed, err := e.Truncate(gone, table.ID)
	must(t, err)
	if n := removed.Tables[table.ID].Rows(); n != 2 || gone.Err() == nil {
		t.Errorf("%d rows, %v", n, gone.Err())
	}
	removed.Release()
	mustEnd(t, e)
}

// TestDeletingSupersededRowsWaitsForNoTableLock deletes the superseded rows of a table that a
// statement has locked.
func TestDeletingSupersededRowsWaitsForNoTableLock(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {1, rowVersion{amount: 1}}}, AppendOptions{}))
	release, err := e.LockTables(ctx, nil, table.ID)
	must(t, err)
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	must(t, e.DeleteSuperseded(ctx, table.ID))
	rows, err := deduplicatedRows(e, s.Tables[table.ID])
	must(t, err)
	_, err = e.Commit(ctx, s, []Change{dedupChange(table, rows, nil, map[int64]rowVersion{1: {amount: 2}}, 3)}, AppendOptions{Lock: ExclusiveLock})
	must(t, err)
	s.Release()
	release()
	got, err := readDeduplicated(e, table)
	must(t, err)
	if want := map[int64]rowVersion{1: {amount: 2}}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	mustEnd(t, e)
}

// TestCheckFindsSeveralRowsOfADeduplicatedKey records that a table is deduplicated although it is
// not.
func TestCheckFindsSeveralRowsOfADeduplicatedKey(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", true)
	must(t, err)
	for i := range int64(2) {
		must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{i, i}}, {2 + i, rowVersion{}}}, AppendOptions{}))
		must(t, e.Flush(ctx))
	}
	must(t, e.Check(ctx))
	e.mu.Lock()
	e.tables[table.ID].dedup.raiseDeduped(e.seq)
	e.mu.Unlock()
	err = e.Check(ctx)
	wantKind(t, err, base.Corrupt)
	if !strings.Contains(err.Error(), "1 keys have several rows") {
		t.Error(err)
	}
	must(t, e.Close())
}

// TestAChangeThatKnowsNoSupersededRowsIsRefused commits a change that was computed from a snapshot
// that is not deduplicated.
func TestAChangeThatKnowsNoSupersededRowsIsRefused(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {1, rowVersion{}}}, AppendOptions{}))
	s, err := e.Snapshot(table.ID)
	must(t, err)
	_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Deleted: map[base.RowsetID]*roaring.Bitmap{s.Tables[table.ID].Memtables[0].Rowset: roaring.BitmapOf(1)}}}, AppendOptions{})
	s.Release()
	wantKind(t, err, base.Internal)
	mustEnd(t, e)
}

// TestKeysOfManyAppendsAreBounded appends rows while an old snapshot is held. The memory of the
// recorded keys must be bounded. A change from the old snapshot must then get the error ErrChanged,
// and must not be applied wrongly.
func TestKeysOfManyAppendsAreBounded(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", true)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{-1, rowVersion{}}}, AppendOptions{}))
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	many := make([]keyedVersion, maxWriteSetKeys/8)
	for i := range int64(10) {
		for k := range many {
			many[k].id = i*int64(len(many)) + int64(k)
		}
		must(t, appendMergeOnRead(e, table, many, AppendOptions{}))
	}
	must(t, e.commit(ctx, func() error {
		if n := e.tables[table.ID].writeSetKeys; n > maxWriteSetKeys {
			t.Errorf("%d keys are noted", n)
		}
		return nil
	}))
	rows, err := deduplicatedRows(e, s.Tables[table.ID])
	must(t, err)
	if _, err = e.Commit(ctx, s, []Change{dedupChange(table, rows, []int64{-1}, nil, 0)}, AppendOptions{}); !errors.Is(err, ErrChanged) {
		t.Errorf("a change that is older than what is noted: %v", err)
	}
	s.Release()
	mustEnd(t, e)
}

// TestAFailedTruncateLosesNoSupersededRows truncates on a full disk, after a flush moved superseded
// rows to a part.
func TestAFailedTruncateLosesNoSupersededRows(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createMergeOnRead(e, "t", true)
	must(t, err)
	must(t, loadMergeOnRead(e, table, []keyedVersion{{1, rowVersion{5, 50}}}))
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{3, 30}}, {2, rowVersion{1, 20}}}, AppendOptions{}))
	want := map[int64]rowVersion{1: {5, 50}, 2: {1, 20}}
	check := func(what string) {
		t.Helper()
		if rows, err := readDeduplicated(e, table); err != nil || !maps.Equal(rows, want) {
			t.Errorf("%s: %v, %v", what, rows, err)
		}
	}
	check("before")
	must(t, e.Flush(ctx))
	disk.SetCapacity(0)
	if _, err := e.Truncate(ctx, table.ID); err == nil {
		t.Fatal("TRUNCATE on a full disk")
	}
	disk.SetCapacity(-1)
	check("after it failed")
	must(t, e.DeleteSuperseded(ctx, table.ID))
	check("settled")
	mustEnd(t, e)
}

// TestLargeAppendsAfterSmallOnesAreNoted appends many rows after a few, while an old snapshot is
// held.
func TestLargeAppendsAfterSmallOnesAreNoted(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", true)
	must(t, err)
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	id := int64(0)
	for _, n := range []int{1, maxWriteSetKeys * 2 / 3, maxWriteSetKeys * 2 / 3, 1, maxWriteSetKeys} {
		rows := make([]keyedVersion, n)
		for i := range rows {
			id++
			rows[i].id = id
		}
		must(t, appendMergeOnRead(e, table, rows, AppendOptions{}))
	}
	s.Release()
	mustEnd(t, e)
}
