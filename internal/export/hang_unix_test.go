//go:build unix

package export_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// TestAFolderThatDoesNotAnswerKeepsNobody checks that neither statements about exports nor the
// shutdown of the server hang if a folder does not respond. The test makes the mark a pipe, because
// opening a pipe blocks until there is a writer.
func TestAFolderThatDoesNotAnswerKeepsNobody(t *testing.T) {
	s := newServer(t, dirOf(t))
	s.Exports.SetPatience(500 * time.Millisecond)
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	s.exec("CREATE EXPORT y FROM TABLE t INTO FOLDER (path = '" + s.folder + "-y') WITH (after = '1ms')")
	hang := func(folder string) (answer func()) {
		t.Helper()
		mark := filepath.Join(folder, "_scoter_export")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(mark); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(mark, 0o600); err != nil {
			t.Fatal(err)
		}
		return func() {
			t.Helper()
			f, err := os.OpenFile(mark, os.O_RDWR, 0) // opening both ends does not block
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = f.Close() })
		}
	}
	answer := hang(s.folder)
	s.exec("INSERT INTO t VALUES ('2025-01-01', 1)")
	s.flush()
	s.eventually("SELECT objects FROM scoter.exports WHERE export_name = 'y'", "1")
	s.exec("PAUSE EXPORT x")
	s.eventually("SELECT state FROM scoter.exports WHERE export_name = 'x'", "paused")

	hang(s.folder + "-new")
	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err := s.Executor.Execute(soon, session.Request{SQL: "CREATE EXPORT z FROM TABLE t INTO FOLDER (path = '" + s.folder + "-new')", Database: "d", Role: session.Admin})
	if base.KindOf(err) != base.Timeout {
		t.Errorf("CREATE EXPORT: %v", err)
	}
	s.exec("PAUSE EXPORT y; DROP EXPORT x")
	s.close()
	answer()
}

// TestAnExportThatIsResumedWhileItsFolderDoesNotAnswerGoesOn checks that such an export runs once
// the folder responds.
func TestAnExportThatIsResumedWhileItsFolderDoesNotAnswerGoesOn(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.Exports.SetPatience(50 * time.Millisecond)
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	mark := filepath.Join(s.folder, "_scoter_export")
	if err := os.Rename(mark, mark+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(mark, 0o600); err != nil {
		t.Fatal(err)
	}
	s.exec("INSERT INTO t VALUES ('2025-01-01', 1)")
	s.flush()
	time.Sleep(100 * time.Millisecond) // meanwhile the export begins to read the mark
	s.exec("PAUSE EXPORT x; RESUME EXPORT x")
	s.eventually("SELECT concat_ws(' ', state, contains(error, 'still waits')) FROM scoter.exports", "waiting true")
	pipe, err := os.OpenFile(mark, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(mark+"-away", mark); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT concat_ws(' ', state, due, objects) FROM scoter.exports", "running 0 1")
}
