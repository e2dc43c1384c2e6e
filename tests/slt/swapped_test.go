package slt

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// TestColumnsFindTheirNamesWhileAViewIsReplaced reads a view by the names of its columns, while
// their order changes all the time.
func TestColumnsFindTheirNamesWhileAViewIsReplaced(t *testing.T) {
	db := openScoter(t, false, 0)
	mustRun(t, db, "CREATE VIEW v AS SELECT 1 AS a, 2 AS b")
	mustRun(t, db, "CREATE TABLE t (a INTEGER, b INTEGER)")
	mustRun(t, db, "CREATE TABLE k (b INTEGER, a INTEGER, c INTEGER PRIMARY KEY)")
	other := &scoterDB{app: db.app}
	var done atomic.Bool
	var replacing sync.WaitGroup
	replacing.Go(func() {
		for i := 0; !done.Load(); i++ {
			sql := "CREATE OR REPLACE VIEW v AS SELECT 1 AS a, 2 AS b"
			if i%2 == 0 {
				sql = "CREATE OR REPLACE VIEW v AS SELECT 2 AS b, 1 AS a"
			}
			if _, err := other.run(sql); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 150 {
		for _, sql := range []string{
			"INSERT INTO t BY NAME SELECT * FROM v",
			fmt.Sprintf("INSERT INTO k BY NAME SELECT *, %d AS c FROM v", i),
			fmt.Sprintf("CREATE TABLE c%d AS SELECT * FROM v", i),
		} {
			// the columns changed between two reads of them
			if _, err := db.run(sql); err != nil && base.KindOf(err) != base.Conflict {
				t.Error(err)
			}
		}
	}
	done.Store(true)
	replacing.Wait()
	union := "SELECT a, b FROM t UNION ALL SELECT a, b FROM k"
	for i := range 150 {
		if _, err := db.app.Engine.Lookup("default", "main", fmt.Sprint("c", i)); err == nil {
			union += fmt.Sprintf(" UNION ALL SELECT a, b FROM c%d", i)
		}
	}
	if got := mustRun(t, db, "SELECT a, b, count(*) > 300 FROM ("+union+") GROUP BY ALL"); len(got.rows) != 1 || got.rows[0] != "1\t2\ttrue" {
		t.Errorf("%q", got.rows)
	}
}
