package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/session"
)

// TestConcurrentStatementsBehaveAsIfOneCameAfterTheOther runs statements whose combined result is
// the same in every serial order. The result differs if one of them used data that another had
// already changed.
func TestConcurrentStatementsBehaveAsIfOneCameAfterTheOther(t *testing.T) {
	p := open(t, func(*config.Server) {})
	defer p.close()
	run := func(sql string) []string { t.Helper(); return p.rows(t, sql) }
	const workers, rounds, accounts, seatParts, seatRows = 4, 12, 6, 3, 50_000
	run("CREATE TABLE account (id INTEGER, balance INTEGER, moved INTEGER) SORTED BY (id, moved)")
	run(fmt.Sprintf("INSERT INTO account SELECT i, 100, 0 FROM range(%d) r(i)", accounts))
	run("CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER)")
	run("CREATE TABLE job (id INTEGER, state VARCHAR)")
	run(fmt.Sprintf("INSERT INTO job SELECT i, 'free' FROM range(%d) r(i)", workers*rounds))
	run("CREATE TABLE tally (id INTEGER, n INTEGER)")
	// Their rows are found in row groups of parts, and in indexes, which are built while statements
	// of all workers run. Merging the parts removes both.
	run("CREATE TABLE seat (id INTEGER, n INTEGER) SORTED BY (id)")
	run("CREATE TABLE chair (name VARCHAR, n INTEGER) SORTED BY (name)")
	for i := range seatParts {
		numbers := fmt.Sprintf("0 FROM range(%d, %d) r(i)", i*seatRows, (i+1)*seatRows)
		run("INSERT INTO seat SELECT i, " + numbers)
		run("INSERT INTO chair SELECT printf('%06d', i), " + numbers)
		if err := p.app.Engine.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE TABLE raised (id INTEGER, n INTEGER)")
	run("INSERT INTO raised SELECT i, 0 FROM range(50) r(i)")
	raise := func() {
		sql := "UPDATE raised SET n = n + 1 WHERE id % 2 = 0" + expressionMode
		for {
			_, _, err := p.ours(sql)
			if base.KindOf(err) == base.Unavailable { // until merges have caught up
				time.Sleep(time.Millisecond)
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", sql, err)
			}
			return
		}
	}

	taken := make([][]string, workers)
	stop := make(chan struct{})
	var all, upkeep sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				from, to := (w+i)%accounts, (w*3+i*5+1)%accounts
				run(fmt.Sprintf("UPDATE account SET balance = balance + CASE id WHEN %d THEN -1 ELSE 1 END WHERE id IN (%[1]d, %d) AND %[1]d <> %[2]d", from, to))
				// moves the row to another place
				run(fmt.Sprintf("UPDATE account SET moved = moved + 1 WHERE id = %d", from))
				run(fmt.Sprintf("INSERT INTO counter VALUES (%d, 1) ON CONFLICT DO UPDATE SET n = counter.n + excluded.n", i%5))
				raise()
				run(fmt.Sprintf("UPDATE raised SET n = n + 1 WHERE id = %d", w))
				run(fmt.Sprintf("INSERT INTO raised VALUES (%d, 0)", 100+w*rounds+i))
				taken[w] = append(taken[w], run("UPDATE job SET state = 'taken' WHERE id = (SELECT min(id) FROM job WHERE state = 'free') RETURNING id")...)
				for seat := range 12 { // all workers update one of two rows of each part
					row := seat%seatParts*seatRows + i%2
					run(fmt.Sprintf("UPDATE seat SET n = n + 1 WHERE id = %d", row))
					run(fmt.Sprintf("UPDATE chair SET n = n + 1 WHERE name = '%06d'", row))
				}
				run(fmt.Sprintf("MERGE INTO tally USING (SELECT %d AS id) AS s USING (id) WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 1)", i%3))
			}
		})
	}
	upkeep.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := p.app.Engine.Flush(context.Background()); err != nil {
				t.Error(err)
			}
			if err := p.merges.RunUntilIdle(context.Background()); err != nil {
				t.Error(err)
			}
			answer, err := p.app.Executor.Execute(context.Background(), session.Request{SQL: "SELECT sum(balance), count(*) FROM account", Database: "default", Role: session.Reader})
			if err != nil {
				t.Error(err)
				continue
			}
			if got, err := lines(answer.Rows); err != nil || !slices.Equal(got, []string{fmt.Sprintf("%d,%d", accounts*100, accounts)}) {
				t.Errorf("in between: %v, %v", got, err)
			}
			answer.Close()
		}
	})
	all.Wait()
	close(stop)
	upkeep.Wait()

	equal := func(sql, want string) {
		t.Helper()
		if got := strings.Join(run(sql), " "); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	equal("SELECT sum(balance), sum(moved) FROM account", fmt.Sprintf("%d,%d", accounts*100, workers*rounds))
	equal("SELECT id, n FROM counter", "0,12 1,12 2,8 3,8 4,8")
	equal("SELECT id, n FROM raised WHERE id < 6", "0,60 1,12 2,60 3,12 4,48 5,0")
	equal("SELECT count(*), sum(n) FROM raised WHERE id < 50", "50,1248")
	equal("SELECT id, n FROM tally", "0,16 1,16 2,16")
	for _, table := range []string{"seat", "chair"} {
		equal("SELECT sum(n), count(*), count(*) FILTER (n > 0), max(n), min(n) FILTER (n > 0) FROM "+table,
			fmt.Sprintf("%d,%d,%d,%d,%[4]d", workers*rounds*12, seatParts*seatRows, 2*seatParts, workers*rounds*12/(2*seatParts)))
	}
	equal("SELECT state, count(*) FROM job GROUP BY ALL", fmt.Sprintf("taken,%d", workers*rounds))
	ids := slices.Concat(taken...)
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != workers*rounds || len(ids) != n {
		t.Errorf("%d jobs were taken %d times", n, len(ids))
	}
}
