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

// TestKillNineLeavesTheOldTypeOrTheNew changes the type of a column back and forth, adding one each
// time. Meanwhile rows are inserted, and the server is killed. A statement without a response must
// apply to all rows or to none. Each acknowledged row must be stored once.
func TestKillNineLeavesTheOldTypeOrTheNew(t *testing.T) {
	dir := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const rows = 50000
	flags := []string{"--flush-bytes", "256KiB", "--flush-age", "50ms"}
	s := binary.Serve(t, dir, flags...)
	for _, sql := range []string{
		"CREATE TABLE counters (id BIGINT, n VARCHAR)",
		fmt.Sprintf("INSERT INTO counters SELECT i, '0' FROM range(%d) AS r(i)", rows),
	} {
		if status, text := post(t, s, sql); status != http.StatusOK {
			t.Fatalf("%s: %d %s", sql, status, text)
		}
	}
	least, most, came, maybe, changes := 0, 0, 0, 0, 0
	for round := range rounds(t) {
		var wg sync.WaitGroup
		stop, first := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			begun := sync.OnceFunc(func() { close(first) })
			defer begun()
			for i := round; ; i++ {
				to := []string{"BIGINT", "VARCHAR", "DECIMAL(12,3)", "DOUBLE"}[i%4]
				status, err := tryPost(s, "ALTER TABLE counters ALTER n TYPE "+to+" USING n::INTEGER + 1")
				if err != nil {
					most++
					return
				}
				if status != http.StatusOK {
					t.Errorf("to %s: %d", to, status)
					return
				}
				least, most, changes = least+1, most+1, changes+1
				begun()
			}
		})
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				body := strings.Repeat(fmt.Sprintf(`{"id":%d,"n":"0"}`+"\n", rows+round), 100)
				status, _, err := s.Post("/api/v1/tables/default/counters/rows", "application/x-ndjson", []byte(body))
				if err != nil {
					maybe += 100
					return
				}
				if status == http.StatusOK {
					came += 100
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
		got := s.Rows(t, fmt.Sprintf("SELECT count(*), min(n::INTEGER), max(n::INTEGER), (SELECT count(*) FROM counters WHERE id >= %d) FROM counters WHERE id < %[1]d", rows))[0]
		count, lowest, highest, later := int(got[0].(float64)), int(got[1].(float64)), int(got[2].(float64)), int(got[3].(float64))
		if count != rows || lowest != highest || lowest < least || lowest > most {
			t.Fatalf("round %d: %d rows from %d to %d, want %d rows with one number from %d to %d", round, count, lowest, highest, rows, least, most)
		}
		if later < came || later > came+maybe {
			t.Fatalf("round %d: %d rows came later, want %d to %d", round, later, came, came+maybe)
		}
		least, most, came, maybe = lowest, lowest, later, 0
	}
	s.Kill()
	if changes == 0 || came == 0 {
		t.Fatalf("%d changes and %d rows were acknowledged", changes, came)
	}
	t.Logf("%d changes of the type, %d rows", changes, came)
}
