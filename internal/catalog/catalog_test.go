package catalog

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

var at = time.UnixMicro(1_700_000_000_123_456).UTC()

func table(id base.TableID, name string, version uint32) Table {
	return Table{Created: at, Schema: schema.Table{
		ID: id, Database: "db", Schema: "main", Name: name, Version: version, NextColumnID: 3,
		Columns: []schema.Column{
			{ID: 1, Name: "ts", Type: schema.Of(schema.Timestamp), NotNull: true},
			{ID: 2, Name: "v", Type: schema.ListOf(schema.Of(schema.Double))},
		},
	}}
}

func part(id base.RowsetID, table base.TableID) Part {
	return Part{ID: id, Table: table, SchemaVersion: 1, Partition: "2024-01-0" + fmt.Sprint(id%9+1), Rows: 10, Bytes: 1000, Checksum: math.MaxUint32,
		Level: int(id % 3), MinSeq: base.Seq(id), MaxSeq: base.Seq(id) + 5, Created: at,
		Stats: map[base.ColumnID]schema.ColumnStats{
			1: {Min: schema.IntValue(math.MinInt64), Max: schema.IntValue(int64(id)), Nulls: 0},
			2: {Nulls: 3},
		}}
}

// script is a list of edits that use every field.
func script() []Edit {
	return []Edit{
		{PutDatabases: []string{"db"}, PutSchemas: []SchemaName{{"db", "main"}}},
		{PutTables: []Table{table(1, "a", 1), table(2, "b", 1)}, Counters: Counters{NextTable: 3, NextRowset: 10, NextSeq: 100}},
		{AddParts: []Part{part(1, 1), part(2, 1), part(3, 2)}, FlushedThrough: 4, PutKeys: []Key{{"k1", []byte{1, 2}, []byte("r"), at}, {"k2", nil, nil, at}}},
		{PutViews: []View{{ViewName{"db", "main", "v"}, "SELECT 1 AS x", []ViewColumn{{"x", schema.Of(schema.Integer)}}, at}}},
		{PutSources: []Source{{1, SourceName{"db", "main", "s"}, []byte(`{"topic":"t"}`), false, at}, {2, SourceName{"db", "main", "a"}, []byte{}, true, at}},
			PutOffsets: []Offset{{1, "t", 0, [16]byte{1}, 10, -1}, {1, "t", 1, [16]byte{1}, 0, 5}, {2, "t", 0, [16]byte{}, 7, 0}}, Counters: Counters{NextSource: 3}},
		{PutExports: []Export{{1, ExportName{"db", "main", "s"}, 1, []byte(`{"storage":"s3"}`), false, at}, {2, ExportName{"db", "main", "x"}, 2, []byte{}, true, at}},
			PutObjects: []ExportObject{{1, "", 1, "f", 10, 100, "e", at, true}, {1, "", 2, "g", 0, 0, "", at, false}, {2, "day=1", 1, "h", 1, 50, "", at, false}},
			Counters:   Counters{NextExport: 3}},
		{PutExports: []Export{{1, ExportName{"db", "main", "s"}, 1, nil, true, at}}, PutObjects: []ExportObject{{1, "", 2, "k", 3, 30, "e", at, true}}},
		{DropExportObjects: []ExportObject{{Export: 1, Partition: "", Generation: 2}}, DropExports: []base.ExportID{2}},
		{RemoveParts: []base.RowsetID{1, 2}, AddParts: []Part{part(4, 1)}, DropKeys: []string{"k1"}, Counters: Counters{NextRowset: 11}},
		{PutTables: []Table{table(1, "b", 2), table(2, "a", 2)}}, // a swap of names
		{PutSources: []Source{{1, SourceName{"db", "main", "s"}, nil, true, at}}, PutOffsets: []Offset{{1, "t", 0, [16]byte{2}, 3, 1}}},
		{DropSources: []base.SourceID{2}},
		{DropTables: []base.TableID{2}, FlushedThrough: 5, Deduped: map[base.TableID]base.Seq{1: 60}},
		{DropViews: []ViewName{{"db", "main", "v"}}, PutDatabases: []string{"empty"}},
		{DropExports: []base.ExportID{1}},
		{DropDatabases: []string{"empty"}, PutTables: []Table{{Schema: table(1, "b", 2).Schema, TruncatedSeq: 50, Created: at}}, RemoveParts: []base.RowsetID{4}},
	}
}

func mustOpen(t *testing.T, fsys vfs.FS, path string) (*Catalog, State) {
	t.Helper()
	c, s, err := Open(fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, s
}

// states returns the content of a catalog after the first n edits of the script, for every n.
func states(t *testing.T) []string {
	t.Helper()
	fsys := vfs.NewCrashable()
	c, s := mustOpen(t, fsys, "/catalog.db")
	all := []string{s.String()}
	for i, e := range script() {
		if err := c.Apply(e); err != nil {
			t.Fatalf("edit %d: %v", i, err)
		}
		if err := c.Check(); err != nil {
			t.Fatalf("edit %d: %v", i, err)
		}
		var b strings.Builder
		if err := c.Inspect(&b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.String())
	}
	for i := range all[1:] {
		if all[i] == all[i+1] {
			t.Fatalf("edit %d shows no difference", i)
		}
	}
	return all
}

func TestOpenGivesWhatWasApplied(t *testing.T) {
	fsys := vfs.NewCrashable()
	c, s := mustOpen(t, fsys, "/catalog.db")
	want := State{TableVersions: map[base.TableID][]schema.Table{}, Counters: Counters{1, 1, 1, 1, 1}}
	if !reflect.DeepEqual(s, want) {
		t.Fatalf("a new catalog holds %+v", s)
	}
	for _, e := range script()[:6] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, s = mustOpen(t, fsys, "/catalog.db")
	want = State{
		Databases: []string{"db"}, Schemas: []SchemaName{{"db", "main"}},
		Tables:        []Table{table(1, "a", 1), table(2, "b", 1)},
		TableVersions: map[base.TableID][]schema.Table{1: {table(1, "a", 1).Schema}, 2: {table(2, "b", 1).Schema}},
		Views:         script()[3].PutViews, Parts: script()[2].AddParts, Keys: script()[2].PutKeys,
		Sources: script()[4].PutSources, Offsets: script()[4].PutOffsets,
		FlushedThrough: 4, Exports: script()[5].PutExports, ExportObjects: script()[5].PutObjects, Counters: Counters{3, 10, 100, 3, 3},
	}
	if !reflect.DeepEqual(s, want) {
		t.Fatalf("got\n%+v\nwant\n%+v", s, want)
	}
}

func TestCrashKeepsExactlyTheAppliedEdits(t *testing.T) {
	want := states(t)
	random := rand.New(rand.NewPCG(1, 1))
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.Where(vfs.WritesOnly, vfs.FromIndex(k)))
		applied, opened, failed := 0, false, false
		if c, _, err := Open(failing, "/catalog.db"); err == nil {
			opened = true
			for _, e := range script() {
				if err := c.Apply(e); err != nil {
					failed = true
					break
				}
				applied++
			}
			c.Close()
		}
		for _, clone := range crashes(disk, random) {
			c, s, err := Open(clone, "/catalog.db")
			if err != nil {
				t.Fatalf("crash at write %d, after %d edits: %v", k, applied, err)
			}
			got := s.String()
			if got != want[applied] && (!failed || got != want[applied+1]) {
				t.Fatalf("crash at write %d, after %d edits: catalog holds\n%s\nwant\n%s", k, applied, got, want[applied])
			}
			if err := errors.Join(c.Check(), c.Close()); err != nil {
				t.Fatalf("crash at write %d: %v", k, err)
			}
		}
		if opened && !failed {
			if k < 20 {
				t.Fatalf("only %d writes were seen", k)
			}
			return
		}
	}
}

func TestEveryFailingOperationIsReportedAndLeavesTheCatalogUsable(t *testing.T) {
	want := states(t)
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.Never)
		c, _, err := Open(failing, "/catalog.db")
		if err != nil {
			t.Fatal(err)
		}
		start := failing.Ops()
		failing.SetRule(vfs.OnIndex(start+k, nil))
		done := false
		for i, e := range script() {
			err := c.Apply(e)
			if err != nil {
				if base.KindOf(err) == base.Internal || !strings.Contains(err.Error(), "/catalog.db") {
					t.Fatalf("operation %d: %v", k, err)
				}
				// A failed edit was not applied, and can be applied again.
				if err := c.Apply(e); err != nil {
					t.Fatalf("operation %d failed, and edit %d after it: %v", k, i, err)
				}
			}
		}
		done = failing.Ops() < start+k
		if err := c.Close(); err != nil && done {
			t.Fatal(err)
		}
		_, s := mustOpen(t, disk, "/catalog.db")
		if s.String() != want[len(want)-1] {
			t.Fatalf("operation %d: catalog holds\n%s\nwant\n%s", k, s, want[len(want)-1])
		}
		if done {
			return
		}
	}
}

func TestEveryFailingOperationOfOpenIsReported(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	for _, e := range script()[:4] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	for k := 0; ; k++ {
		failing := vfs.Failing(disk, vfs.OnIndex(k, nil))
		c, _, err := Open(failing, "/catalog.db")
		if err != nil {
			continue
		}
		ops := failing.Ops()
		c.Close()
		if k >= ops {
			return
		}
	}
}

func TestFullDiskRollsBackAndRecoversWithSpace(t *testing.T) {
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	c, _ := mustOpen(t, failing, "/catalog.db")
	for _, e := range script()[:2] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	failing.SetRule(vfs.OnKind(vfs.OpWriteAt, vfs.ErrNoSpace))
	err := c.Apply(script()[2])
	if base.KindOf(err) != base.StorageFull {
		t.Fatalf("got %v", err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	failing.SetRule(vfs.Never)
	if err := c.Apply(script()[2]); err != nil {
		t.Fatal(err)
	}
}

func TestEditsThatDoNotFitAreRefusedWhole(t *testing.T) {
	c, _ := mustOpen(t, vfs.NewCrashable(), "/catalog.db")
	for _, e := range script()[:3] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	print := func() string {
		var b strings.Builder
		if err := c.Inspect(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := print()
	lost := part(9, 1)
	lost.SchemaVersion = 7
	for name, e := range map[string]Edit{
		"part twice":           {PutDatabases: []string{"x"}, AddParts: []Part{part(1, 1)}},
		"part of no table":     {AddParts: []Part{part(9, 77)}},
		"part of no version":   {AddParts: []Part{lost}},
		"remove unknown part":  {RemoveParts: []base.RowsetID{3, 99}},
		"drop full schema":     {DropSchemas: []SchemaName{{"db", "main"}}},
		"drop full database":   {DropDatabases: []string{"db"}},
		"database twice":       {PutDatabases: []string{"db"}},
		"table name twice":     {PutTables: []Table{table(3, "a", 1)}},
		"table of no schema":   {PutTables: []Table{{Schema: schema.Table{ID: 5, Version: 1, Database: "no", Schema: "no", Name: "x"}}}},
		"stream name twice":    {PutSources: []Source{{ID: 5, Name: SourceName{"db", "main", "s"}}, {ID: 6, Name: SourceName{"db", "main", "s"}}}},
		"offset of no stream":  {PutOffsets: []Offset{{Source: 9, Topic: "t"}}},
		"counter falls":        {Counters: Counters{NextSeq: 99}},
		"flushed falls":        {FlushedThrough: 3},
		"value too long":       {PutDeletions: []Deletions{{Part: 1, Rows: 1, Bitmap: make([]byte, 300<<20)}}},
		"older schema version": {PutTables: []Table{{Schema: table(1, "a", 1).Schema}, table(4, "a", 1)}},
	} {
		err := c.Apply(e)
		if err == nil {
			t.Errorf("%s: applied", name)
		}
		if after := print(); after != before {
			t.Fatalf("%s: the catalog changed to\n%s", name, after)
		}
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	if err := c.db.Exec(fmt.Sprintf(`UPDATE meta SET format_version = %d`, FormatVersion+1)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	_, _, err := Open(disk, "/catalog.db")
	if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "newer") {
		t.Fatalf("got %v", err)
	}
}

func TestDamageIsCorruptAndNamesTheFile(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	for _, e := range script()[:4] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	f, err := disk.OpenReadWrite("/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	size, _ := f.Size()
	detected := 0
	for offset := int64(0); offset < size; offset += 4096 {
		page := make([]byte, 4096)
		if _, err := f.ReadAt(page, offset); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte(strings.Repeat("x", 4096)), offset); err != nil {
			t.Fatal(err)
		}
		c, _, err := Open(disk, "/catalog.db")
		if err == nil {
			err = errors.Join(c.Check(), c.Close())
		}
		if err != nil {
			if base.KindOf(err) != base.Corrupt || !strings.Contains(err.Error(), "/catalog.db") {
				t.Fatalf("page at %d: %v", offset, err)
			}
			detected++
		}
		if _, err := f.WriteAt(page, offset); err != nil {
			t.Fatal(err)
		}
	}
	if detected < 5 {
		t.Fatalf("only %d damaged pages of %d bytes were noticed", detected, size)
	}
}

func TestFileIsAnOrdinaryDatabase(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	for _, e := range script()[:3] {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := disk.Materialize(dir); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite3.Open("file:" + filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, _, err := db.Prepare(`SELECT t.name, count(*), sum(row_count) FROM parts p JOIN tables t ON t.id = p.table_id GROUP BY 1 ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for s.Step() {
		got = append(got, fmt.Sprint(s.ColumnText(0), s.ColumnInt(1), s.ColumnInt(2)))
	}
	if want := []string{"a2 20", "b1 10"}; s.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, %v, want %q", got, s.Err(), want)
	}
}

func TestWorksOnTheOperatingSystemsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd %3f?name#.db")
	c, _ := mustOpen(t, vfs.OS, path)
	for _, e := range script() {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.Check(), c.Close()); err != nil {
		t.Fatal(err)
	}
	_, s := mustOpen(t, vfs.OS, path)
	if len(s.Tables) != 1 || s.Tables[0].TruncatedSeq != 50 || s.Tables[0].DedupedSeq != 60 {
		t.Fatalf("got %s", s)
	}
}

// crashes returns the possible disks after a power failure at this moment.
func crashes(disk *vfs.Crashable, random *rand.Rand) []*vfs.Crashable {
	all := []*vfs.Crashable{disk.CrashClone(random, 0), disk.CrashClone(random, 100)}
	for range 6 {
		all = append(all, disk.CrashClone(random, 50))
	}
	return all
}

func TestTheCatalogMatchesWhatApplyReportedAfterALastingFailure(t *testing.T) {
	for what, look := range map[string]func(*Catalog) error{
		"nothing": func(*Catalog) error { return nil },
		"Check":   (*Catalog).Check,
		"State":   func(c *Catalog) error { _, err := c.State(); return err },
		"Inspect": func(c *Catalog) error { return c.Inspect(io.Discard) },
		"CopyTo":  func(c *Catalog) error { return c.CopyTo("/copy.db") },
	} {
		t.Run(what, func(t *testing.T) { lastingFailure(t, look) })
	}
}

// lastingFailure runs an edit on a disk that fails from some operation on, in every way in which it
// can fail. After that it calls look, and applies the edit again.
func lastingFailure(t *testing.T, look func(*Catalog) error) {
	want := states(t)
	refused := 0
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.Never)
		c, _ := mustOpen(t, failing, "/catalog.db")
		for _, e := range script()[:2] {
			if err := c.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		failing.SetRule(vfs.FromIndex(failing.Ops() + k))
		first := c.Apply(script()[2])
		failing.SetRule(vfs.Never)
		if first == nil {
			if refused == 0 {
				t.Fatal("no failure made the outcome unknown")
			}
			return
		}
		if err := look(c); err != nil && c.broken == nil {
			t.Fatalf("from operation %d: %v", k, err)
		}
		second := c.Apply(script()[2])
		copied := c.CopyTo("/copied.db")
		c.Close()
		_, s := mustOpen(t, disk, "/catalog.db")
		if s.String() != want[3] {
			t.Fatalf("from operation %d: %v, then %v, and the catalog holds\n%s", k, first, second, s)
		}
		if second != nil {
			// The edit is in the file although it was reported as failed: only a restart helps.
			if refused++; base.KindOf(second) != base.Unavailable {
				t.Fatalf("from operation %d: %v", k, second)
			}
			if copied == nil {
				t.Fatalf("from operation %d: what is in doubt is copied", k)
			}
		}
	}
}

func TestAClosedCatalogIsAnError(t *testing.T) {
	c, _ := mustOpen(t, vfs.NewCrashable(), "/catalog.db")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, stateErr := c.State()
	for what, err := range map[string]error{"Apply": c.Apply(Edit{}), "Check": c.Check(), "CopyTo": c.CopyTo("/copy.db"), "Inspect": c.Inspect(io.Discard), "State": stateErr} {
		if err == nil || base.KindOf(err) != base.Internal || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestWhatIsFoundAfterAKillStays ends the process at each operation of an edit. Another process
// reads the result, and then the power fails.
func TestWhatIsFoundAfterAKillStays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		dying := vfs.Failing(disk, vfs.Never)
		c, _ := mustOpen(t, dying, "/catalog.db")
		for _, e := range script()[:2] {
			if err := c.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		dying.SetRule(vfs.FromIndex(dying.Ops() + k))
		if c.Apply(script()[2]) == nil {
			return
		}
		next, found := mustOpen(t, disk, "/catalog.db")
		for _, after := range crashes(disk, random) {
			if _, s := mustOpen(t, after, "/catalog.db"); s.String() != found.String() {
				t.Fatalf("killed at operation %d: found\n%s\nand after a power failure\n%s", k, found, s)
			}
		}
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
