package engine

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// script is the state of a test that runs one file of testdata. The method run has a case for each
// command.
type script struct {
	t         *testing.T
	fs        *vfs.Crashable
	clock     *manualClock
	engine    *Engine
	snapshots map[string]*snapshot.Snapshot
}

// TestScripts runs testdata/scripts/*. cockroachdb/datadriven compares each command's output with
// the file, and rewrites the file with -rewrite.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		s := &script{t: t, fs: vfs.NewCrashable(), clock: newManualClock(), snapshots: map[string]*snapshot.Snapshot{}}
		s.open()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.run(d)
			if err != nil {
				out += fmt.Sprintf("%s: %v", base.KindOf(err), err)
			}
			return out
		})
		for _, held := range s.snapshots {
			held.Release()
		}
		mustEnd(t, s.engine)
	})
}

func (s *script) open() {
	e, err := tryOpen(s.fs, s.clock)
	must(s.t, err)
	s.engine = e
}

func (s *script) reopen() {
	for name, held := range s.snapshots {
		held.Release()
		delete(s.snapshots, name)
	}
	must(s.t, s.engine.Close())
	s.open()
}

// arg returns the value of an argument, or "".
func arg(d *datadriven.TestData, key string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return strings.Join(a.Vals, ",")
		}
	}
	return ""
}

// table returns the table that is the command's first argument.
func (s *script) table(d *datadriven.TestData) (schema.Table, error) {
	n := nameOf(d)
	return s.engine.Lookup(n.Database, n.Schema, n.Name)
}

// nameOf parses the first argument: table, or database.schema.table.
func nameOf(d *datadriven.TestData) TableName {
	parts := strings.Split(d.CmdArgs[0].Key, ".")
	if len(parts) == 3 {
		return TableName{parts[0], parts[1], parts[2]}
	}
	return TableName{"d", "main", parts[0]}
}

func (s *script) run(d *datadriven.TestData) (string, error) {
	e := s.engine
	switch d.Cmd {
	case "create-database":
		return "", e.CreateDatabase(ctx, d.CmdArgs[0].Key, d.HasArg("if-not-exists"))
	case "drop-database":
		return "", e.DropDatabase(ctx, d.CmdArgs[0].Key, d.HasArg("cascade"))
	// create t [sort=a,b] [partition=a]; a column "name TYPE [NOT NULL]" a line
	case "create":
		return s.create(d)
	case "drop":
		t, err := s.table(d)
		if err != nil {
			return "", err
		}
		return "", e.DropTable(ctx, t.ID)
	case "truncate":
		t, err := s.table(d)
		if err != nil {
			return "", err
		}
		_, err = truncate(e, t.ID)
		return "", err
	// alter t add=(a BIGINT) | drop=a | rename=(a,b) | type=(a,DOUBLE) | table=u
	case "alter":
		return s.alter(d)
	case "view":
		n := nameOf(d)
		return "", e.PutView(ctx, catalog.View{Name: catalog.ViewName(n), SQL: strings.TrimSpace(d.Input)}, d.HasArg("replace"))
	// append t columns=(a BIGINT, b VARCHAR) [key=k] [hash=h] [create] [async]
	// The input has one JSON object per line.
	case "append":
		record, err := batchOfJSON(arg(d, "columns"), d.Input)
		if err != nil {
			return "", err
		}
		r, err := e.Append(ctx, []TableRows{{Table: nameOf(d), Batches: []arrow.RecordBatch{record}}}, AppendOptions{
			Create: d.HasArg("create"), Async: d.HasArg("async"), IdempotencyKey: arg(d, "key"), BodyHash: []byte(arg(d, "hash"))})
		if err != nil {
			return "", err
		}
		out := fmt.Sprintf("rows %d seq %d", r.Rows(), r.Seq)
		if r.Replayed {
			out += " replayed"
		}
		return out, nil
	// create-stream s [if-not-exists]
	case "create-stream":
		created, err := e.CreateSource(ctx, catalog.Source{Name: catalog.SourceName(nameOf(d)), Definition: []byte("{}")}, d.HasArg("if-not-exists"))
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("stream %d", created.ID), nil
	case "drop-stream", "pause-stream":
		stream, err := e.LookupSource(catalog.SourceName(nameOf(d)))
		if err != nil {
			return "", err
		}
		if d.Cmd == "drop-stream" {
			return "", e.DropSource(ctx, stream.ID)
		}
		_, err = e.ChangeSource(ctx, stream.ID, func(s catalog.Source) catalog.Source {
			s.Paused = true
			return s
		})
		return "", err
	// progress stream partition=0 from=0 next=5 [topic=1] [reset] [into=(t, u)]
	// The input has one JSON object per line, for the column a INTEGER.
	case "progress":
		return s.progress(d)
	// rows t [snapshot=name] [addresses]
	case "rows":
		return s.rows(d)
	case "snapshot":
		held, err := e.Snapshot()
		s.snapshots[d.CmdArgs[0].Key] = held
		return "", err
	case "release":
		s.snapshots[d.CmdArgs[0].Key].Release()
		delete(s.snapshots, d.CmdArgs[0].Key)
		return "", nil
	case "freeze":
		return "", e.commit(ctx, e.freeze)
	case "flush":
		return "", e.Flush(ctx)
	case "collect":
		return "", e.CollectGarbage()
	// advance 24h
	case "advance":
		d, err := time.ParseDuration(d.CmdArgs[0].Key)
		s.clock.advance(d)
		return "", err
	case "files":
		return s.files("/db")
	case "reopen":
		s.reopen()
		return "", nil
	case "crash": // loses everything that was not synced
		clone := s.fs.CrashClone(rand.New(rand.NewPCG(1, 2)), 0)
		s.reopen()
		must(s.t, s.engine.Close())
		s.fs = clone
		s.open()
		return "", nil
	case "inspect":
		return e.DebugString(), nil
	case "check":
		return "", e.Check(ctx)
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

func (s *script) progress(d *datadriven.TestData) (string, error) {
	id, err := strconv.ParseUint(d.CmdArgs[0].Key, 10, 32)
	must(s.t, err)
	var n [4]int64
	for i, key := range []string{"partition", "from", "next", "topic"} {
		if d.HasArg(key) {
			d.ScanArgs(s.t, key, &n[i])
		}
	}
	var tables []TableRows
	if d.HasArg("into") {
		record, err := batchOfJSON("a INTEGER", d.Input)
		must(s.t, err)
		for name := range strings.SplitSeq(arg(d, "into"), ",") {
			tables = append(tables, TableRows{Table: TableName{"d", "main", name}, Batches: []arrow.RecordBatch{record}})
		}
	}
	r, err := s.engine.Append(ctx, tables, AppendOptions{Progress: &Progress{Source: base.SourceID(id), Ranges: []OffsetRange{
		{Topic: "topic", TopicID: [16]byte{byte(n[3])}, Partition: int32(n[0]), From: n[1], Next: n[2], Epoch: -1, Reset: d.HasArg("reset")}}}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rows %d seq %d", r.Rows(), r.Seq), nil
}

func (s *script) create(d *datadriven.TestData) (string, error) {
	n := nameOf(d)
	t := schema.Table{Database: n.Database, Schema: n.Schema, Name: n.Name}
	for line := range strings.Lines(d.Input) {
		name, typeName, _ := strings.Cut(strings.TrimSpace(line), " ")
		typeName, notNull := strings.CutSuffix(typeName, " NOT NULL")
		parsed, err := schema.Parse(typeName)
		if err != nil {
			return "", err
		}
		t.Columns = append(t.Columns, schema.Column{Name: name, Type: parsed, NotNull: notNull})
	}
	for name := range strings.SplitSeq(arg(d, "sort"), ",") {
		if i := t.ColumnIndex(name); i >= 0 {
			t.SortKey = append(t.SortKey, schema.SortField{Column: base.ColumnID(i) + 1})
		}
	}
	if i := t.ColumnIndex(arg(d, "partition")); i >= 0 {
		t.PartitionBy = []schema.PartitionField{{Column: base.ColumnID(i) + 1}}
	}
	created, err := s.engine.CreateTable(ctx, t, d.HasArg("if-not-exists"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("table %d", created.ID), nil
}

func (s *script) alter(d *datadriven.TestData) (string, error) {
	t, err := s.table(d)
	if err != nil {
		return "", err
	}
	change := d.CmdArgs[1]
	t, err = s.engine.AlterTable(ctx, t.ID, func(t schema.Table) (schema.Table, error) {
		switch change.Key {
		case "add":
			name, typeName, _ := strings.Cut(change.Vals[0], " ")
			parsed, err := schema.Parse(typeName)
			if err != nil {
				return t, err
			}
			return t.AddColumns(schema.Column{Name: name, Type: parsed})
		case "drop":
			return t.DropColumn(change.Vals[0])
		case "rename":
			return t.RenameColumn(change.Vals[0], change.Vals[1])
		case "type":
			parsed, err := schema.Parse(change.Vals[1])
			if err != nil {
				return t, err
			}
			return t.ChangeType(change.Vals[0], parsed)
		case "table":
			return t.Rename(change.Vals[0])
		}
		return t, fmt.Errorf("unknown change %s", change.Key)
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("version %d", t.Version), nil
}

func (s *script) rows(d *datadriven.TestData) (string, error) {
	held := s.snapshots[arg(d, "snapshot")]
	n := nameOf(d)
	if held == nil {
		t, err := s.table(d)
		if err != nil {
			return "", err
		}
		if held, err = s.engine.Snapshot(t.ID); err != nil {
			return "", err
		}
		defer held.Release()
	}
	for _, t := range held.Tables {
		if t.Schema.Name != n.Name {
			continue
		}
		if d.HasArg("addresses") {
			var b strings.Builder
			err := eachRow(s.engine, t, func(a base.RowAddress, row map[string]string) { fmt.Fprintf(&b, "%s %s\n", a, rowText(row)) })
			return b.String(), err
		}
		rows, err := rowsOf(s.engine, t)
		return strings.Join(rows, "\n"), err
	}
	return "", fmt.Errorf("table %s is not in the snapshot", n.Name)
}

// files lists all files except those of SQLite.
func (s *script) files(dir string) (string, error) {
	names, err := s.fs.List(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := s.fs.Stat(path)
		if err != nil {
			return "", err
		}
		if info.IsDir {
			below, err := s.files(path)
			if err != nil {
				return "", err
			}
			b.WriteString(below)
		} else if !strings.HasPrefix(name, "catalog.db") {
			b.WriteString(path + "\n")
		}
	}
	return b.String(), nil
}
