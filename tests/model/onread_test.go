package model

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/scoterdb/scoter/internal/config"
)

// TestConcurrentRowsThatMergeOnRead has concurrent writers that insert rows of the same keys, with
// versions in any order, and change others. Meanwhile rows are flushed, merged and read. Every
// reader must see one row for each key, and no version after a higher one.
func TestConcurrentRowsThatMergeOnRead(t *testing.T) {
	p := open(t, func(s *config.Server) { s.MergeParallel = 1 })
	defer p.close()
	run := func(sql string) []string { t.Helper(); return p.rows(t, sql) }
	const workers, rounds, shared = 4, 20, 6
	run("CREATE TABLE r (id INTEGER PRIMARY KEY, ver INTEGER, n INTEGER, place INTEGER) SORTED BY (place, id) WITH (version = 'ver', upsert = 'merge-on-read')")
	run("INSERT INTO r SELECT i, 0, 0, 0 FROM range(100, 110) t(i)")
	var next atomic.Int64
	var mu sync.Mutex
	highest := map[int]int64{}
	stop := make(chan struct{})
	var all, upkeep sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				var rows []string
				for k := range shared {
					ver := next.Add(1)
					if (i+k)%3 == 0 {
						ver -= 40 // arrives late
					}
					mu.Lock()
					highest[k] = max(highest[k], ver)
					mu.Unlock()
					rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d)", k, ver, w, i%3))
				}
				run("INSERT INTO r VALUES " + strings.Join(rows, ", "))
				run(fmt.Sprintf("UPDATE r SET n = n + 1 WHERE id = %d", 100+i%2))
				// moves the row to another place
				run("UPDATE r SET place = place + 1 WHERE id IN (102, 103)")
				run(fmt.Sprintf("INSERT INTO r (id, n) VALUES (%d, 1) ON CONFLICT DO UPDATE SET n = r.n + excluded.n", 104+i%2))
				own := 1000 + w*rounds + i
				run(fmt.Sprintf("INSERT INTO r VALUES (%d, 3, 0, 0), (%[1]d, 2, 0, 1), (%[1]d, 5, 0, 2)", own))
				run(fmt.Sprintf("INSERT INTO r VALUES (%d, 4, 0, 0)", own))
				if got := run(fmt.Sprintf("DELETE FROM r WHERE id = %d RETURNING ver", own)); len(got) != 1 || got[0] != "5" {
					t.Errorf("deleted %v of id %d", got, own)
				}
			}
		})
	}
	upkeep.Go(func() {
		seen := map[string]int64{}
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := p.app.Engine.Flush(context.Background()); err != nil {
				t.Error(err)
			}
			for _, row := range run(fmt.Sprintf("SELECT id, max(ver), count(*) FROM r WHERE id < %d GROUP BY id", shared)) {
				parts := strings.Split(row, ",")
				ver, err := strconv.ParseInt(parts[1], 10, 64)
				if before, known := seen[parts[0]]; err != nil || parts[2] != "1" || known && ver < before {
					t.Errorf("id %s has %s rows of version %d after version %d", parts[0], parts[2], ver, before)
				}
				seen[parts[0]] = ver
			}
		}
	})
	all.Wait()
	close(stop)
	upkeep.Wait()
	check := func() {
		t.Helper()
		var want []string
		for k := range shared {
			want = append(want, fmt.Sprintf("%d,%d", k, highest[k]))
		}
		for sql, want := range map[string]string{
			fmt.Sprintf("SELECT id, ver FROM r WHERE id < %d", shared):  strings.Join(want, " "),
			"SELECT id, n FROM r WHERE id IN (100, 101, 104, 105)":      "100,40 101,40 104,40 105,40",
			"SELECT sum(place), count(*) FROM r WHERE id IN (102, 103)": fmt.Sprintf("%d,2", 2*workers*rounds),
			"SELECT count(*), count(DISTINCT id), max(id) FROM r":       fmt.Sprintf("%d,%[1]d,109", shared+10),
		} {
			if got := strings.Join(run(sql), " "); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
	}
	check()
	p.closeApp()
	p.openApp()
	check()
	if err := p.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}
