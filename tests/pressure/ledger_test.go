//go:build linux

package pressure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// ledgerMemory is the setting memory of the servers of these tests, in bytes.
const ledgerMemory = 1 << 30

// load is a kind of work. Its functions make one request each, and run at the same time.
type load []func(s *binary.Server, r *rand.Rand) (status int, text string, err error)

func statement(sql string) func(*binary.Server, *rand.Rand) (int, string, error) {
	return func(s *binary.Server, r *rand.Rand) (int, string, error) {
		return s.Post("/api/v1/sql?format=arrow", "text/plain", []byte(strings.ReplaceAll(sql, "$n", fmt.Sprint(r.IntN(1000)))))
	}
}

var (
	ingest = load{writeLines, writeLines, writeLines}
	reads  = load{
		statement("SELECT g, count(*), max(s) FROM big GROUP BY g ORDER BY 2 DESC LIMIT 10"),
		statement("SELECT * FROM big ORDER BY h LIMIT 10 OFFSET 900000"),
		statement("SELECT count(DISTINCT s) FROM big"),
		statement("SELECT id, s FROM big WHERE id < 500000"),
	}
	updates = load{statement("UPDATE big SET g = g + 1 WHERE id % 1000 = $n"), statement("UPDATE big SET s = s || 'x' WHERE id = $n")}
)

// writeLines writes 10,000 rows.
func writeLines(s *binary.Server, r *rand.Rand) (int, string, error) {
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, "cpu,host=h%d a=%g,b=%di,s=\"%016x\" %d\n", i%50, r.Float64(), i, r.Uint64(), 1_700_000_000_000_000_000+r.Int64N(1e15))
	}
	return s.Post("/write?db=default", "text/plain", []byte(lines.String()))
}

// fill creates a table with a primary key.
func fill(t *testing.T, s *binary.Server) {
	t.Helper()
	for _, sql := range []string{
		"CREATE TABLE big (id BIGINT PRIMARY KEY, g BIGINT, h UBIGINT, s VARCHAR)",
		"INSERT INTO big SELECT i, i % 5000, hash(i), 'some text of row ' || i FROM range(1000000) t(i)",
	} {
		if status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql)); err != nil || status != http.StatusOK {
			t.Fatal(status, text, err)
		}
	}
}

// run makes the requests of a load for some time. Requests may be refused for lack of memory, but
// may not fail in another way.
func (l load) run(t *testing.T, s *binary.Server, length time.Duration) {
	until := time.Now().Add(length)
	var all sync.WaitGroup
	for i, once := range l {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for time.Now().Before(until) {
				status, text, err := once(s, r)
				refused := status == http.StatusServiceUnavailable || status == http.StatusRequestEntityTooLarge || status == http.StatusConflict
				if err != nil || status >= 300 && !refused {
					t.Errorf("%d %.300s %v", status, text, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// unknownMemory is by how many bytes the sum of scoter.memory may differ from the memory of the
// process, if that is more than 15%. Under ingest the process is small (about 100 MiB), and 20 to
// 30 MiB of it were found in no account. The likely reason is memory that C's allocator has freed
// and not returned.
const unknownMemory = 48 << 20

// TestTheAccountsAddUpToTheMemoryOfTheProcess compares the sum of scoter.memory with the anonymous
// memory of the process, under several kinds of load.
func TestTheAccountsAddUpToTheMemoryOfTheProcess(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--memory", fmt.Sprint(ledgerMemory), "--flush-age", "2s")
	fill(t, s)
	for name, l := range map[string]load{"ingest": ingest, "query": reads, "updates": updates} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.run(t, s, 6*time.Second)
			}()
			var ratios, missing []float64
			for {
				select {
				case <-done:
					slices.Sort(ratios)
					slices.Sort(missing)
					median, left := ratios[len(ratios)/2], missing[len(missing)/2]
					t.Logf("accounts / anonymous memory: %.2f to %.2f, median %.2f; %.0f bytes are missing", ratios[0], ratios[len(ratios)-1], median, left)
					if (median < 0.85 || median > 1.15) && math.Abs(left) > unknownMemory {
						t.Errorf("%v", s.Rows(t, "FROM scoter.memory"))
					}
					return
				case <-time.After(100 * time.Millisecond):
				}
				before := resident(s.PID(), "RssAnon")
				sum := s.Rows(t, "SELECT sum(used_bytes)::DOUBLE FROM scoter.memory WHERE parent IS NULL")[0][0].(float64)
				after := resident(s.PID(), "RssAnon")
				anonymous := float64(before+after) / 2
				ratios, missing = append(ratios, sum/anonymous), append(missing, anonymous-sum)
			}
		})
	}
}

// TestAProcessTakesAtMostItsMemory runs all kinds of load together in a cgroup whose limit is the
// setting memory. Without rights to make a cgroup, it compares the peak of the resident memory.
func TestAProcessTakesAtMostItsMemory(t *testing.T) {
	cgroup, limited := newCgroup(t, ledgerMemory)
	flags := []string{"--memory", fmt.Sprint(ledgerMemory), "--flush-age", "2s"}
	var s *binary.Server
	if limited {
		s = binary.ServeInCgroup(t, cgroup, t.TempDir(), flags...)
	} else {
		s = binary.Serve(t, t.TempDir(), flags...)
	}
	fill(t, s)
	slices.Concat(ingest, reads, updates).run(t, s, pressureTime(t, 8*time.Second))
	peak := resident(s.PID(), "VmHWM")
	t.Logf("in a cgroup: %v; peak %d MiB; now %v", limited, peak>>20, s.Rows(t, "SELECT account, used_bytes >> 20, peak_bytes >> 20, limit_bytes >> 20 FROM scoter.memory"))
	if peak == 0 || peak > ledgerMemory {
		t.Errorf("the process took %d MiB, its memory is %d MiB", peak>>20, ledgerMemory>>20)
	}
}

// newCgroup makes a cgroup with a limit of its memory in bytes, which ends with the test. ok is
// false if that is not possible.
func newCgroup(t *testing.T, limit int64) (dir string, ok bool) {
	t.Helper()
	root, file := "/sys/fs/cgroup", "memory.max"
	if _, err := os.Stat("/sys/fs/cgroup/memory"); err == nil { // version 1
		root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	}
	dir = filepath.Join(root, fmt.Sprintf("scoter-test-%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Logf("no cgroup: %v", err)
		return "", false
	}
	// The cleanup runs after the server has ended, because the server is started later.
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, file), []byte(fmt.Sprint(limit)), 0o644); err != nil {
		t.Logf("no limit of a cgroup: %v", err)
		return "", false
	}
	return dir, true
}
