// Package crash kills the real server under load, and checks that everything acknowledged is
// stored.
package crash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

const (
	writers        = 4
	rowsPerRequest = 50
)

// ledger is what a writer knows about its requests.
type ledger struct {
	acknowledged map[int]bool
	unknown      map[int]bool // sent, without a response: stored as a whole or not at all
}

// rounds returns how often the server is killed. SCOTER_CRASH_ROUNDS sets the number.
func rounds(t *testing.T) int {
	if text := os.Getenv("SCOTER_CRASH_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 20
}

func TestKillNineLosesNothingAcknowledgedAndDoublesNothing(t *testing.T) {
	dir := t.TempDir()
	ledgers := make([]ledger, writers)
	for w := range ledgers {
		ledgers[w] = ledger{map[int]bool{}, map[int]bool{}}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	next := make([]int, writers)
	// Small flushes, so that kills hit every stage of a flush.
	flags := []string{"--flush-bytes", "256KiB", "--flush-age", "50ms"}
	for round := range rounds(t) {
		s := binary.Serve(t, dir, flags...)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for w := range writers {
			wg.Go(func() { write(t, s, w, &next[w], &ledgers[w], stop) })
		}
		time.Sleep(time.Duration(20+random.IntN(280)) * time.Millisecond)
		s.Kill()
		close(stop)
		wg.Wait()
		if round%10 == 9 {
			verify(t, dir, ledgers, flags)
		}
	}
	verify(t, dir, ledgers, flags)
}

// write sends requests until the server has ended.
func write(t *testing.T, s *binary.Server, w int, next *int, l *ledger, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		n := *next
		*next++
		var body bytes.Buffer
		for i := range rowsPerRequest {
			fmt.Fprintf(&body, `{"writer":%d,"request":%d,"row":%d,"text":"value %d of many"}`+"\n", w, n, i, i)
		}
		status, text, err := s.Post("/api/v1/tables/default/events/rows", "application/x-ndjson", body.Bytes())
		switch {
		case err != nil:
			l.unknown[n] = true
			return
		case status == http.StatusOK:
			l.acknowledged[n] = true
		default:
			t.Errorf("writer %d request %d: %d %s", w, n, status, text)
			return
		}
	}
}

func verify(t *testing.T, dir string, ledgers []ledger, flags []string) {
	t.Helper()
	if out, code := binary.Run(t, "check", dir); code != 0 {
		t.Fatalf("scoter check: %d\n%s", code, out)
	}
	s := binary.Serve(t, dir, flags...)
	defer s.Kill()
	acknowledged := 0
	for w, l := range ledgers {
		rows := map[int]int{}
		for _, r := range s.Rows(t, fmt.Sprintf("SELECT request, count(*), count(DISTINCT row) FROM events WHERE writer = %d GROUP BY request", w)) {
			request, count, distinct := int(r[0].(float64)), int(r[1].(float64)), int(r[2].(float64))
			if count != rowsPerRequest || distinct != rowsPerRequest {
				t.Errorf("writer %d request %d: %d rows, %d of them different, want %d", w, request, count, distinct, rowsPerRequest)
			}
			rows[request] = count
			if !l.acknowledged[request] && !l.unknown[request] {
				t.Errorf("writer %d request %d was never sent", w, request)
			}
		}
		for request := range l.acknowledged {
			if rows[request] == 0 {
				t.Errorf("writer %d request %d was acknowledged and is lost", w, request)
			}
		}
		acknowledged += len(l.acknowledged)
	}
	t.Logf("%d requests acknowledged, all there", acknowledged)
}
