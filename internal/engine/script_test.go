package engine

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// script is the state of a test that runs one file of testdata.
type script struct {
	t         *testing.T
	disk      *vfs.Crashable
	fs        *vfs.FailingFS // the disk; it can hold a part that is being written
	clock     *manualClock
	engine    *Engine
	snapshots map[string]*snapshot.Snapshot
	paused    *pausedWork // the flush or merge that is paused; nil if there is none
	load      *scriptLoad // the load that is not committed yet; nil if there is none
}

// scriptCommand runs one command of a script, and returns its output.
type scriptCommand func(*script, *datadriven.TestData) (string, error)

// scriptCommands are the commands of scripts. A comment at each method says how its command is
// written.
var scriptCommands = map[string]scriptCommand{
	"create-database": (*script).createDatabase,
	"drop-database":   (*script).dropDatabase,
	"create":          (*script).createTable,
	"alter":           (*script).alter,
	"truncate":        (*script).truncate,
	"drop":            (*script).drop,
	"view":            (*script).view,
	"create-source":   (*script).createSource,
	"drop-source":     (*script).dropSource,
	"pause-source":    (*script).pauseSource,
	"progress":        (*script).progress,

	"append":      (*script).append,
	"update":      (*script).update,
	"delete":      (*script).delete,
	"upsert":      (*script).upsert,
	"expression":  (*script).expression,
	"load":        (*script).loadRows,
	"commit-load": (*script).commitLoad,
	"abort-load":  (*script).abortLoad,

	"rows":        (*script).rows,
	"superseded":  (*script).superseded,
	"expressions": (*script).expressions,
	"snapshot":    (*script).snapshot,
	"release":     (*script).release,
	"inspect":     (*script).inspect,
	"files":       (*script).files,
	"check":       (*script).check,

	"freeze":   (*script).freeze,
	"flush":    (*script).flush,
	"merge":    (*script).merge,
	"continue": (*script).goOn,
	"dedup":    (*script).dedup,
	"collect":  (*script).collect,
	"advance":  (*script).advance,
	"reopen":   (*script).reopen,
	"crash":    (*script).crash,
}

// TestScripts runs testdata/scripts/*. cockroachdb/datadriven compares each command's output with
// the file, and rewrites the file with -rewrite.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		s := &script{t: t, disk: vfs.NewCrashable(), clock: newManualClock(), snapshots: map[string]*snapshot.Snapshot{}}
		s.open()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			command := scriptCommands[d.Cmd]
			if command == nil {
				t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			}
			out, err := command(s, d)
			if err != nil {
				out += fmt.Sprintf("%s: %v", base.KindOf(err), err)
			}
			return out
		})
		if s.paused != nil || s.load != nil {
			t.Error("the script ends in the middle of a flush, merge or load")
		}
		s.giveUp()
		mustEnd(t, s.engine)
	})
}

func (s *script) open() {
	s.fs = vfs.Failing(s.disk, vfs.Never)
	e, err := tryOpen(s.fs, s.clock)
	must(s.t, err)
	s.engine = e
}

// giveUp ends everything that uses the engine: paused work, the load and the snapshots.
func (s *script) giveUp() {
	if s.paused != nil {
		_, _ = s.finish() // the error does not matter, because the engine is being closed
	}
	if s.load != nil {
		must(s.t, s.endLoad())
	}
	for name, held := range s.snapshots {
		held.Release()
		delete(s.snapshots, name)
	}
}

// reopen
func (s *script) reopen(*datadriven.TestData) (string, error) {
	s.giveUp()
	must(s.t, s.engine.Close())
	s.open()
	return "", nil
}

// crash
//
// The crash loses everything that was not synced.
func (s *script) crash(*datadriven.TestData) (string, error) {
	clone := s.disk.CrashClone(rand.New(rand.NewPCG(1, 2)), 0)
	s.giveUp()
	must(s.t, s.engine.Close())
	s.disk = clone
	s.open()
	return "", nil
}

// values returns the values of an argument: two for key=(a, b).
func values(d *datadriven.TestData, key string) []string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals
		}
	}
	return nil
}

// arg returns the value of an argument, or "".
func arg(d *datadriven.TestData, key string) string { return strings.Join(values(d, key), ",") }

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

// snapshot name [t]
//
// With a table, the snapshot is one for statements that change it: it hides superseded rows. A
// snapshot of the same name is released.
func (s *script) snapshot(d *datadriven.TestData) (string, error) {
	name := d.CmdArgs[0].Key
	var ids []base.TableID
	for _, a := range d.CmdArgs[1:] {
		t, err := s.engine.Lookup("d", "main", a.Key)
		if err != nil {
			return "", err
		}
		ids = append(ids, t.ID)
	}
	held, err := s.engine.DeduplicatedSnapshot(ctx, ids...)
	if err != nil {
		return "", err
	}
	if old := s.snapshots[name]; old != nil {
		old.Release()
	}
	s.snapshots[name] = held
	return fmt.Sprintf("seq %d", held.Seq), nil
}

// release name
func (s *script) release(d *datadriven.TestData) (string, error) {
	s.snapshots[d.CmdArgs[0].Key].Release()
	delete(s.snapshots, d.CmdArgs[0].Key)
	return "", nil
}

// inspect
func (s *script) inspect(*datadriven.TestData) (string, error) { return s.engine.DebugString(), nil }

// check
func (s *script) check(*datadriven.TestData) (string, error) { return "", s.engine.Check(ctx) }

// freeze
func (s *script) freeze(*datadriven.TestData) (string, error) {
	return "", s.engine.commit(ctx, s.engine.freeze)
}

// collect
func (s *script) collect(*datadriven.TestData) (string, error) {
	return "", s.engine.CollectGarbage()
}

// advance 24h
func (s *script) advance(d *datadriven.TestData) (string, error) {
	by, err := time.ParseDuration(d.CmdArgs[0].Key)
	s.clock.advance(by)
	return "", err
}

// files
//
// The output lists all files except those of SQLite.
func (s *script) files(*datadriven.TestData) (string, error) { return s.filesBelow("/db") }

func (s *script) filesBelow(dir string) (string, error) {
	names, err := s.disk.List(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := s.disk.Stat(path)
		if err != nil {
			return "", err
		}
		if info.IsDir {
			below, err := s.filesBelow(path)
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
