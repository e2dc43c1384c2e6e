package export

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// rounds returns how many rounds run: 12, or SCOTER_EXPORT_ROUNDS.
func rounds(t *testing.T) int {
	text := os.Getenv("SCOTER_EXPORT_ROUNDS")
	if text == "" {
		return 12
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// writer sends rows with unique ids to 30 hours. It sends several requests to one hour, then to the
// next. So hours are dropped, and rows of the same hour arrive again later.
type writer struct {
	mu     sync.Mutex
	server *binary.Server // guarded by mu
	acked  map[int]bool   // guarded by mu; first ids of acknowledged requests

	stop chan struct{}
	done sync.WaitGroup
}

const rowsPerRequest = 40

func (w *writer) to(s *binary.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.server = s
}

func (w *writer) run(first, step int) {
	w.done.Go(func() {
		for id := first; ; id += step {
			select {
			case <-w.stop:
				return
			default:
			}
			w.mu.Lock()
			s := w.server
			w.mu.Unlock()
			status, _, err := s.Post("/api/v1/sql", "text/plain", fmt.Appendf(nil,
				"INSERT INTO bids SELECT TIMESTAMP '2025-03-01' + INTERVAL (%d) HOUR, i, 'x', 0, [] FROM range(%d, %d) t(i)", id/20%30, id*rowsPerRequest, (id+1)*rowsPerRequest))
			if err != nil || status != 200 {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			w.mu.Lock()
			w.acked[id] = true
			w.mu.Unlock()
		}
	})
}

// change updates rows in all modes: as patches, as expressions, and by rewriting parts.
func (w *writer) change(t *testing.T) {
	w.done.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-w.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			w.mu.Lock()
			s := w.server
			w.mu.Unlock()
			sql := fmt.Sprintf("UPDATE bids SET price = price + 1 WHERE id %% 7 = %d WITH (mode = '%s')", n%7, []string{"patch", "rewrite", "expression"}[n%3])
			if _, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql)); err == nil && strings.Contains(text, `"internal"`) {
				t.Errorf("%s: %s", sql, text)
			}
		}
	})
}

// TestEveryRowIsInTheTableOrInOneObject repeatedly kills the program and the storage while rows are
// written, updated, exported and dropped.
func TestEveryRowIsInTheTableOrInOneObject(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	dir := t.TempDir()
	s := serve(t, dir)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	run(t, s, table)
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '30ms', keep = '1d')")
	w := &writer{server: s, acked: map[int]bool{}, stop: make(chan struct{})}
	for i := range 2 {
		w.run(i, 2)
	}
	w.change(t)
	for range rounds(t) {
		time.Sleep(time.Duration(50+random.IntN(700)) * time.Millisecond)
		scoter, storage := random.IntN(3) > 0, random.IntN(3) > 0
		if storage {
			g.kill()
			time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
		}
		if scoter {
			s.Kill()
		}
		if storage && random.IntN(2) == 0 {
			g.start(t)
			storage = false
		}
		if scoter {
			s = serve(t, dir)
			w.to(s)
		}
		if storage {
			g.start(t)
		}
	}
	close(w.stop)
	w.done.Wait()
	run(t, s, "RESUME EXPORT lake")
	eventually(t, s, "rows in the table, and what is due", "0 0", func() string {
		return line(t, s, "SELECT (SELECT count(*) FROM bids), due FROM scoter.exports")
	})
	objects := line(t, s, "SELECT concat(count(*), ' objects, up to generation ', max(generation)) FROM scoter.export_objects")
	files := fmt.Sprintf("read_parquet('%s', hive_partitioning = true)", g.objects("bids"))
	if got := r.line("SELECT concat_ws(' ', count(*) - count(DISTINCT id), count(*) > 0) FROM " + files); got != "0 true" {
		t.Errorf("rows that are in objects twice, and whether there are any: %s", got)
	}
	_, err := r.db.Exec(t.Context(), "CREATE TABLE ids AS SELECT id FROM "+files)
	must(t, err)
	lost := 0
	for id := range w.acked {
		if got := r.line(fmt.Sprintf("SELECT count(*)::VARCHAR FROM ids WHERE id BETWEEN %d AND %d", id*rowsPerRequest, (id+1)*rowsPerRequest-1)); got != strconv.Itoa(rowsPerRequest) {
			lost++
			t.Logf("request %d: %s rows", id, got)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged requests are not whole in the objects", lost, len(w.acked))
	}
	if code := s.Terminate(t); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log())
	}
	if out, code := binary.Run(t, "check", dir); code != 0 {
		t.Errorf("scoter check: %s", out)
	}
	t.Logf("%d requests were acknowledged; %s", len(w.acked), objects)
}
