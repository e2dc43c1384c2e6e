package crash

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestKillNineKeepsExpressionsWholeAndOnce repeatedly adds one to all rows of a table, mostly with
// expression updates (UPDATEs that are stored as SQL). Meanwhile rows are inserted, parts are
// flushed and merged, and the server is killed. Each acknowledged statement must count once for
// each row, whichever way the row took from the log into its part. A statement without a response
// must count for all rows or for none.
func TestKillNineKeepsExpressionsWholeAndOnce(t *testing.T) {
	dir := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const rows = 20000
	flags := []string{"--flush-bytes", "256KiB", "--flush-age", "50ms"}
	s := binary.Serve(t, dir, flags...)
	for _, sql := range []string{
		"CREATE TABLE counters (id BIGINT, n BIGINT, note VARCHAR)",
		fmt.Sprintf("INSERT INTO counters SELECT i, 0, 'row ' || i FROM range(%d) AS r(i)", rows),
	} {
		if status, text := post(t, s, sql); status != http.StatusOK {
			t.Fatalf("%s: %d %s", sql, status, text)
		}
	}
	// statements that count, statements that may count, and statements in the mode
	least, most, found := 0, 0, 0
	for round := range rounds(t) {
		var wg sync.WaitGroup
		stop, first := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			begun := sync.OnceFunc(func() { close(first) })
			defer begun()
			for i := round; ; i++ {
				mode := []string{"expression", "expression", "patch", "expression", "rewrite"}[i%5]
				status, err := tryPost(s, fmt.Sprintf("UPDATE counters SET n = n + 1 WHERE id < %d WITH (mode = '%s')", rows, mode))
				switch {
				case err != nil:
					most++
					return
				case status == http.StatusOK:
					least, most = least+1, most+1
					begun()
					if mode == "expression" {
						found++
					}
				case status != http.StatusServiceUnavailable: // merges are behind
					t.Errorf("update in mode %s: %d", mode, status)
					return
				}
			}
		})
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				body := strings.Repeat(fmt.Sprintf(`{"id":%d,"n":0,"note":"a row that came later"}`+"\n", rows+i), 500)
				if _, _, err := s.Post("/api/v1/tables/default/counters/rows", "application/x-ndjson", []byte(body)); err != nil {
					return
				}
			}
		})
		<-first // a slow machine should make progress too
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		s.Kill()
		close(stop)
		wg.Wait()
		if out, code := binary.Run(t, "check", dir); round%5 == 4 && code != 0 {
			t.Fatalf("scoter check: %d\n%s", code, out)
		}
		s = binary.Serve(t, dir, flags...)
		got := s.Rows(t, fmt.Sprintf("SELECT count(*), min(n), max(n) FROM counters WHERE id < %d", rows))[0]
		count, lowest, highest := int(got[0].(float64)), int(got[1].(float64)), int(got[2].(float64))
		if count != rows || lowest != highest || lowest < least || lowest > most {
			t.Fatalf("round %d: %d rows from %d to %d, want %d rows with one number from %d to %d", round, count, lowest, highest, rows, least, most)
		}
		least, most = lowest, lowest
	}
	s.Kill()
	if found == 0 {
		t.Fatal("no expression was acknowledged")
	}
	t.Logf("%d statements, %d of them expressions, each there once", least, found)
}

func tryPost(s *binary.Server, sql string) (status int, err error) {
	status, _, err = s.Post("/api/v1/sql", "text/plain", []byte(sql))
	return status, err
}

func post(t *testing.T, s *binary.Server, sql string) (int, string) {
	t.Helper()
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql))
	if err != nil {
		t.Fatal(err)
	}
	return status, string(text)
}
