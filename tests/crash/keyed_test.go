package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// lastRow is the current row of an id in a table with a primary key.
type lastRow struct {
	version int
	gone    bool
	note    int
}

// workload returns a request and its effect.
type workload func(w *lastWriter) (path, body string, apply func(rows map[int]lastRow))

// lastWriter repeatedly sends rows of some keys, and knows the expected rows.
type lastWriter struct {
	work   workload
	rand   *rand.Rand
	first  int // the first of its keys
	next   int // version
	sure   map[int]lastRow
	unsure map[int]lastRow // the rows if the statement without a response took effect
}

const (
	lastKeys = 120
	lateness = 4 // versions are at most this much late
)

// onRead sends row versions in any order, and updates and deletions of single rows.
func onRead(w *lastWriter) (path, body string, apply func(rows map[int]lastRow)) {
	w.next++
	id := w.first + w.rand.IntN(lastKeys)
	switch w.rand.IntN(6) {
	case 0:
		note := w.next
		return "/api/v1/sql", fmt.Sprintf("UPDATE last SET note = %d WHERE id = %d", note, id), func(rows map[int]lastRow) {
			if r, there := rows[id]; there && !r.gone {
				r.note = note
				rows[id] = r
			}
		}
	case 1: // removes the row with its version
		return "/api/v1/sql", fmt.Sprintf("DELETE FROM last WHERE id = %d", id), func(rows map[int]lastRow) {
			if !rows[id].gone {
				delete(rows, id)
			}
		}
	}
	came := make(map[int]lastRow, lastKeys)
	var lines strings.Builder
	for range 1 + w.rand.IntN(lastKeys) {
		id := w.first + w.rand.IntN(lastKeys)
		if _, twice := came[id]; twice {
			continue
		}
		// some are late
		r := lastRow{version: w.next - w.rand.IntN(lateness), gone: w.rand.IntN(8) == 0, note: w.next}
		came[id] = r
		fmt.Fprintf(&lines, `{"id":%d,"version":%d,"gone":%t,"note":%d}`+"\n", id, r.version, r.gone, r.note)
	}
	return "/api/v1/tables/default/last/rows", lines.String(), func(rows map[int]lastRow) {
		for id, r := range came {
			if there, ok := rows[id]; !ok || r.version >= there.version {
				rows[id] = r
			}
		}
	}
}

// run sends statements until the server has ended.
func (w *lastWriter) run(t *testing.T, s *binary.Server) (answered int) {
	for {
		path, body, apply := w.work(w)
		w.unsure = maps.Clone(w.sure)
		apply(w.unsure)
		contentType := "application/x-ndjson"
		if path == "/api/v1/sql" {
			contentType = "text/plain"
		}
		status, text, err := s.Post(path, contentType, []byte(body))
		switch {
		case err != nil:
			return answered
		case status == http.StatusOK:
			w.sure = w.unsure
			answered++
		case status == http.StatusServiceUnavailable: // asked to retry: nothing was stored
			w.unsure = w.sure
		default:
			t.Errorf("%s %.200s: %d %s", path, body, status, text)
			return answered
		}
	}
}

func shown(rows map[int]lastRow) map[int]lastRow {
	live := map[int]lastRow{}
	for id, r := range rows {
		if !r.gone {
			live[id] = r
		}
	}
	return live
}

func TestKillNineKeepsRowsThatMergeOnRead(t *testing.T) {
	keeps(t, "(id BIGINT PRIMARY KEY, version BIGINT, gone BOOLEAN, note BIGINT) WITH (version = 'version', is_deleted = 'gone', upsert = 'merge-on-read')", onRead)
}

// keeps has writers that change rows of a table, each its own keys. Meanwhile rows are read,
// flushed, deduplicated and merged, and the server is killed. Each key must have the row that the
// acknowledged statements give it.
func keeps(t *testing.T, table string, work workload) {
	dir := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	flags := []string{"--flush-bytes", "64KiB", "--flush-age", "50ms"}
	s := binary.Serve(t, dir, flags...)
	if status, text := post(t, s, "CREATE TABLE last "+table); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	all := make([]*lastWriter, 3)
	for i := range all {
		all[i] = &lastWriter{work: work, rand: rand.New(rand.NewPCG(seed, uint64(i+1))), first: i * lastKeys, sure: map[int]lastRow{}}
	}
	answered := make([]int, len(all))
	for round := range rounds(t) / 2 {
		var wg sync.WaitGroup
		for i, w := range all {
			wg.Go(func() { answered[i] += w.run(t, s) })
		}
		wg.Go(func() {
			for {
				status, text, err := s.Post("/api/v1/sql", "text/plain", []byte("SELECT id FROM last GROUP BY id HAVING count(*) > 1"))
				if err != nil {
					return
				}
				if status != http.StatusOK || !strings.Contains(text, `"rows":[]`) {
					t.Errorf("keys with several rows: %d %s", status, text)
					return
				}
			}
		})
		time.Sleep(time.Duration(20+random.IntN(300)) * time.Millisecond)
		s.Kill()
		wg.Wait()
		if out, code := binary.Run(t, "check", dir); round%5 == 4 && code != 0 {
			t.Fatalf("scoter check: %d\n%s", code, out)
		}
		s = binary.Serve(t, dir, flags...)
		for _, w := range all {
			got := map[int]lastRow{}
			for _, r := range s.Rows(t, fmt.Sprintf("SELECT id, version, note FROM last WHERE id BETWEEN %d AND %d", w.first, w.first+lastKeys-1)) {
				got[int(r[0].(float64))] = lastRow{version: int(r[1].(float64)), note: int(r[2].(float64))}
			}
			if maps.Equal(got, shown(w.unsure)) {
				w.sure = w.unsure
			} else if !maps.Equal(got, shown(w.sure)) {
				t.Fatalf("round %d: %v\nwant %v\nor %v", round, got, shown(w.sure), shown(w.unsure))
			}
			w.next += lateness // later versions win over any existing tombstone
		}
	}
	s.Kill()
	for i, n := range answered {
		if n == 0 {
			t.Errorf("no statement of writer %d was acknowledged", i)
		}
	}
	t.Logf("%v statements were acknowledged, all count", answered)
}
