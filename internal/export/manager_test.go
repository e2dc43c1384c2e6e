package export

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// SetPatience sets how long callers wait for an export to stop.
func (m *Manager) SetPatience(d time.Duration) { m.patience = d }

// brittle is a planner whose results panic after the first row.
type brittle struct{ given bool }

func (*brittle) Parse(context.Context, string) error { return nil }
func (*brittle) Columns(context.Context, sqlquery.Request) ([]string, error) {
	return []string{"id"}, nil
}
func (*brittle) Select(context.Context, sqlquery.Request) (sqlquery.Rows, error) {
	return &brittle{}, nil
}
func (*brittle) Close() {}
func (*brittle) Schema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
}

func (b *brittle) Next(context.Context) (arrow.RecordBatch, error) {
	if b.given {
		panic("a defect")
	}
	b.given = true
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	ids.Append(1)
	return array.NewRecordBatch(b.Schema(), []arrow.Array{ids.NewArray()}, 1), nil
}

// open returns a database with a table of one row in a part, and a manager of it.
func open(t *testing.T, idle bool) (*Manager, schema.Table) {
	t.Helper()
	ctx := context.Background()
	store, err := engine.Open(filepath.Join(t.TempDir(), "data"), engine.Settings{DisableAutomaticFlush: true}, engine.Components{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.CreateDatabase(ctx, "d", true); err != nil {
		t.Fatal(err)
	}
	table, err := store.CreateTable(ctx, schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	row, err := new(brittle).Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer row.Release()
	if _, err := store.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{row}}}, engine.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := store.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := New(store, idle, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, table
}

func create(t *testing.T, m *Manager, table schema.Table, name string) catalog.ExportName {
	t.Helper()
	x := catalog.ExportName{Database: "d", Schema: "main", Name: name}
	d := Definition{Storage: "FOLDER", Options: map[string]string{"path": filepath.Join(t.TempDir(), "lake")}, With: map[string]string{"after": "1ms"}, Database: "d"}
	if err := m.Create(context.Background(), x, table, d, false); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestAPanicIsAnErrorOfTheExport(t *testing.T) {
	m, table := open(t, false)
	m.Start(&brittle{})
	create(t, m, table, "x")
	var got Status
	for deadline := time.Now().Add(time.Minute); got.Errors < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		got = m.List()[0]
	}
	if got.State != stateWaiting || !strings.Contains(got.Error, "a defect") || got.Errors < 2 {
		t.Errorf("%+v", got)
	}
	d, err := newPlan(got.Definition)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.storage.stat(context.Background(), "1.parquet"); base.KindOf(err) != base.NotFound {
		t.Errorf("half an object: %v", err)
	}
}

// TestAProcessThatIsNoServerResumesExportsToo checks that a process that is not a server can pause
// and resume exports. The next server process runs them.
func TestAProcessThatIsNoServerResumesExportsToo(t *testing.T) {
	m, table := open(t, true)
	m.Start(&brittle{})
	x := create(t, m, table, "x")
	want := func(state string) {
		t.Helper()
		if got := m.List()[0].State; got != state {
			t.Errorf("%s, want %s", got, state)
		}
	}
	want(stateStopped)
	if err := m.Pause(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	want(statePaused)
	if err := m.Resume(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	want(stateStopped)
}

// TestAnExportThatCannotBeDroppedGoesOn checks that an export runs again if DROP EXPORT failed,
// unless it is paused.
func TestAnExportThatCannotBeDroppedGoesOn(t *testing.T) {
	m, table := open(t, false)
	m.Start(&brittle{})
	x := create(t, m, table, "x")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Drop(canceled, x); base.KindOf(err) != base.Canceled {
		t.Fatal(err)
	}
	errors := m.List()[0].Errors
	for deadline := time.Now().Add(10 * time.Second); m.List()[0].Errors < errors+2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it tries no more: %+v", m.List()[0])
		}
	}
	if err := m.Pause(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if err := m.Drop(canceled, x); base.KindOf(err) != base.Canceled {
		t.Fatal(err)
	}
	if got := m.List()[0].State; got != statePaused {
		t.Error(got)
	}
	if err := m.Drop(t.Context(), x); err != nil || len(m.List()) != 0 {
		t.Error(err, m.List())
	}
}

// TestPartitionsThatFailWaitByThemselves checks that each failing partition waits on its own, with
// increasing delays.
func TestPartitionsThatFailWaitByThemselves(t *testing.T) {
	now := time.Now()
	f := failures{}
	part := func(names ...string) (all []engine.ExportPartition) {
		for _, n := range names {
			all = append(all, engine.ExportPartition{Partition: n})
		}
		return all
	}
	ready := func(want string) {
		t.Helper()
		got := ""
		for _, p := range f.ready(part("a", "b", "c"), now) {
			got += p.Partition
		}
		if got != want {
			t.Errorf("%q is ready, want %q", got, want)
		}
	}
	if !f.add("a", io.EOF, now) || f.add("a", io.EOF, now) || !f.add("b", io.EOF, now) || !f.add("b", io.ErrUnexpectedEOF, now) || f.add("a", io.EOF, now) {
		t.Error("news that are none, or not told")
	}
	ready("c")
	if got := f.pause(time.Hour, now); got != 2*firstWait {
		t.Errorf("pause %s", got)
	}
	now = now.Add(longestWait)
	ready("cba")
	f.keep(part("c"), part("b"))
	if _, there := f["a"]; there || len(f) != 1 {
		t.Errorf("%v", f)
	}
}

// TestAnObjectThatIsLostIsDueAtOnce checks that a lost object is written again at once. The rows of
// the object may otherwise be dropped soon.
func TestAnObjectThatIsLostIsDueAtOnce(t *testing.T) {
	for fingerprint, want := range map[string]int{engine.Lost: 1, "another": 0} {
		part := engine.ExportPartition{Parts: 1, Fingerprint: "new", Objects: []catalog.ExportObject{{Fingerprint: fingerprint}}}
		if due, _ := new(exporter).sort(schema.Table{}, []engine.ExportPartition{part}, plan{after: time.Hour}, time.Now()); len(due) != want {
			t.Errorf("%s: %d partitions are due", fingerprint, len(due))
		}
	}
}

// TestAPlaceIsNotTakenOver checks two cases in which an export does not take over a place: RESUME
// EXPORT has failed, or the other export would not notice it because it has no mark.
func TestAPlaceIsNotTakenOver(t *testing.T) {
	m, _ := open(t, true)
	d := Definition{Storage: "FOLDER", Options: map[string]string{"path": t.TempDir()}}
	if _, err := m.takeOver(t.Context(), d); base.KindOf(err) != base.Invalid {
		t.Errorf("an export without a mark: %v", err)
	}
	p, err := newPlan(d)
	if err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.storage.setMark(late, "mine"); base.KindOf(err) != base.Canceled {
		t.Error(err)
	}
	if _, err := p.storage.mark(t.Context()); base.KindOf(err) != base.NotFound {
		t.Errorf("the mark is there: %v", err)
	}
}
