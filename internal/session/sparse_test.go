package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/write"
)

// sparseWorld is an engine with keyed tables, for tests with rows of different columns.
type sparseWorld struct {
	*testing.T
	engine  *engine.Engine
	store   *hooked
	mutator *Statements
}

// hooked is a store that a test can change while a statement runs.
type hooked struct {
	statement.Names
	write.Store
	looked func() // called after each Lookup
	adds   func() // called before the next Append
	fail   error  // ConformBatch fails with this error
}

func (h *hooked) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error) {
	if adds := h.adds; adds != nil {
		h.adds = nil
		adds()
	}
	return h.Store.Append(ctx, tables, o)
}

func (h *hooked) Lookup(database, schemaName, name string) (schema.Table, error) {
	t, err := h.Names.Lookup(database, schemaName, name)
	if h.looked != nil {
		h.looked()
	}
	return t, err
}

func (h *hooked) ConformBatch(ctx context.Context, in arrow.RecordBatch, t schema.Table, first int64, whole bool) (arrow.RecordBatch, error) {
	if h.fail != nil {
		return nil, h.fail
	}
	return h.Store.ConformBatch(ctx, in, t, first, whole)
}

func newSparseWorld(t *testing.T) *sparseWorld {
	e, err := engine.Open("/db", engine.Settings{DisableAutomaticFlush: true}, engine.Components{FS: vfs.NewCrashable(), Logger: slog.New(slog.DiscardHandler), PoisonMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.CreateDatabase(t.Context(), "d", true); err != nil {
		t.Fatal(err)
	}
	store := &hooked{Names: e, Store: e}
	stores := StoresOf(e)
	stores.Names, stores.Store = store, store
	w := &sparseWorld{T: t, engine: e, store: store, mutator: NewStatements(stores, nil, nil, nil, nil, nil, nil, dml.Auto, slog.New(slog.DiscardHandler))}
	t.Cleanup(func() {
		if err := e.Check(context.Background()); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// create makes a table (id BIGINT PRIMARY KEY, name VARCHAR, age INTEGER), or a table with other
// columns next to the key.
func (w *sparseWorld) create(name string, others ...schema.Column) {
	w.Helper()
	if others == nil {
		others = []schema.Column{{Name: "name", Type: schema.Of(schema.Varchar)}, {Name: "age", Type: schema.Of(schema.Integer)}}
	}
	columns := append([]schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}}, others...)
	_, err := w.engine.CreateTable(w.Context(), schema.Table{Database: "d", Schema: "main", Name: name, Columns: columns, PrimaryKey: []base.ColumnID{1}}, false)
	if err != nil {
		w.Fatal(err)
	}
}

func (w *sparseWorld) table(name string) schema.Table {
	w.Helper()
	t, err := w.engine.Lookup("d", "main", name)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

// rows returns lines of JSON as rows for a table.
func (w *sparseWorld) rows(table string, lines ...string) engine.TableRows {
	w.Helper()
	rec, err := ndjson.Decode([]byte(strings.Join(lines, "\n")), ndjson.Options{Moments: true})
	if err != nil {
		w.Fatal(err)
	}
	return engine.TableRows{Table: engine.TableName{Database: "d", Schema: "main", Name: table}, Batches: []arrow.RecordBatch{rec}}
}

func (w *sparseWorld) append(tables ...engine.TableRows) (engine.Counts, error) {
	return w.mutator.Append(w.Context(), tables, engine.AppendOptions{Create: true})
}

func TestRowsOfDifferentColumnsChangeTheirTableOnce(t *testing.T) {
	w := newSparseWorld(t)
	w.create("p")
	before := w.table("p").Version
	counts, err := w.append(w.rows("p", `{"id":1,"at":"2024-05-01T00:00:00Z","a":1}`, `{"id":2,"name":"x","b":"y"}`, `{"id":3,"c":1.5}`))
	if err != nil || counts.Inserted != 3 {
		t.Fatal(counts, err)
	}
	after := w.table("p")
	if got := after.Version - before; got != 1 {
		t.Errorf("%d changes of the table", got)
	}
	if at := after.ColumnIndex("at"); at < 0 || after.Columns[at].Type.Kind != schema.TimestampTZ {
		t.Errorf("columns %v", after.Columns)
	}
	// An error names the row that caused it, and the table stays as it is.
	_, err = w.append(w.rows("p", `{"id":1,"new":1}`, `{"id":2,"age":"no"}`))
	if err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "row 2") || !strings.Contains(err.Error(), "age") {
		t.Error(err)
	}
	if now := w.table("p"); now.Version != after.Version {
		t.Errorf("columns %v", now.Columns)
	}
}

func TestWhatIsWrongWithAPieceIsSaidOfTheRowsAsTheyCame(t *testing.T) {
	w := newSparseWorld(t)
	w.create("strict", schema.Column{Name: "must", Type: schema.Of(schema.Integer), NotNull: true}, schema.Column{Name: "note", Type: schema.Of(schema.Varchar)})
	lines := []string{`{"id":1,"must":1}`, `{"id":2,"must":null,"note":"x"}`}
	if _, err := w.append(w.rows("strict", lines...)); err == nil || base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "row 2") {
		t.Error(err)
	}
	w.store.fail = base.Errorf(base.Unavailable, "no memory")
	if _, err := w.append(w.rows("strict", lines...)); err == nil || base.KindOf(err) != base.Unavailable {
		t.Errorf("what another attempt may do: %v", err)
	}
}

func TestSetsOfColumnsThatAreOneEditAreBounded(t *testing.T) {
	w := newSparseWorld(t)
	w.create("p")
	lines := func(n int) (all []string) {
		for i := range n {
			line := fmt.Sprintf(`{"id":%d`, i)
			for bit := range 9 {
				if i>>bit&1 == 1 {
					line += fmt.Sprintf(`,"c%d":1`, bit)
				}
			}
			all = append(all, line+"}")
		}
		return all
	}
	if counts, err := w.append(w.rows("p", lines(incoming.MaxPieces)...)); err != nil || counts.Inserted != incoming.MaxPieces {
		t.Error(counts, err)
	}
	_, err := w.append(w.rows("p", lines(incoming.MaxPieces+40)...))
	if e := new(base.Error); !errors.As(err, &e) || e.Kind != base.Invalid || !strings.Contains(e.Hint, "separate requests") {
		t.Error(err)
	}
	sparse := w.rows("p", lines(incoming.MaxPieces+40)...)
	sparse.NullMeansMissing = true // rows of such a request are written one piece after the other
	pieces, release, err := w.mutator.Pieces(w.Context(), sparse, engine.AppendOptions{Create: true})
	defer release()
	if err != nil {
		t.Fatal(err)
	}
	var all engine.Counts
	for _, rows := range pieces {
		counts, err := w.append(rows)
		if err != nil {
			t.Fatal(err)
		}
		all.Inserted += counts.Inserted
		all.Updated += counts.Updated
	}
	if all.Inserted != 40 || all.Updated != incoming.MaxPieces {
		t.Errorf("%+v", all)
	}
}

// TestRowsGoToATableThatIsCreatedAgainMeanwhile drops a table and creates another one of the same
// name while a request with rows for it and for another table is prepared.
func TestRowsGoToATableThatIsCreatedAgainMeanwhile(t *testing.T) {
	w := newSparseWorld(t)
	w.create("p")
	w.create("q")
	lookups := 0
	w.store.looked = func() {
		if lookups++; lookups == 3 { // at this point it is known that both tables have keys
			if err := w.engine.DropTable(t.Context(), w.table("p").ID); err != nil {
				t.Error(err)
			}
			w.create("p")
		}
	}
	counts, err := w.append(w.rows("p", `{"id":1,"name":"a"}`, `{"id":2,"age":3}`), w.rows("q", `{"id":1,"name":"x"}`))
	if err != nil || counts.Inserted != 3 {
		t.Fatal(counts, err)
	}
	id := w.table("p").ID
	s, err := w.engine.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if n := s.Tables[id].Rows(); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// TestWholeRowsDoNotTakeAwayWhatCameMeanwhile adds a column to tables that merge on read after it
// was determined that the rows have all columns.
func TestWholeRowsDoNotTakeAwayWhatCameMeanwhile(t *testing.T) {
	for name, send := range map[string]func(w *sparseWorld, rows engine.TableRows) (engine.Counts, error){
		"append": func(w *sparseWorld, rows engine.TableRows) (engine.Counts, error) { return w.append(rows) },
		"upsert": func(w *sparseWorld, rows engine.TableRows) (engine.Counts, error) {
			return w.mutator.Write(w.Context(), rows, write.Upsert, nil, engine.AppendOptions{IdempotencyKey: "once"})
		},
		"with others": func(w *sparseWorld, rows engine.TableRows) (engine.Counts, error) {
			return w.append(rows, w.rows("other", `{"a":1}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSparseWorld(t)
			_, err := w.engine.CreateTable(t.Context(), schema.Table{
				Database: "d", Schema: "main", Name: "m", Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}, {Name: "a", Type: schema.Of(schema.BigInt)}},
				PrimaryKey: []base.ColumnID{1}, MergeOnRead: true,
			}, false)
			if err != nil {
				t.Fatal(err)
			}
			if counts, err := w.append(w.rows("m", `{"id":1,"a":1}`)); err != nil || counts.Inserted != 1 {
				t.Fatal(counts, err)
			}
			w.store.adds = func() {
				if counts, err := w.append(w.rows("m", `{"id":1,"z":7}`)); err != nil || counts.Updated != 1 {
					t.Error(counts, err)
				}
			}
			counts, err := send(w, w.rows("m", `{"id":1,"a":2}`))
			if err != nil || counts.Updated != 1 { // the row was updated, so its key was looked up
				t.Error(counts, err)
			}
		})
	}
}
