//go:build linux

package pressure

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// hostileEnv sets how long the hostile statements run. The default is a few seconds (10m for the
// full test, on an idle machine).
const hostileEnv = "SCOTER_TEST_HOSTILE"

const (
	hostileAtOnce  = 4
	hostileTimeout = 2 * time.Second
	// hostileOvertime is how long after its timeout a statement may end (docs/OPERATING.md).
	// busyOvertime is the limit on a machine whose processors are also used by others.
	hostileOvertime = 3 * time.Second
	busyOvertime    = 60 * time.Second
	// hostileQueries is the server's query_memory. hostileResident is the memory that its process
	// may have with that setting (docs/OPERATING.md). hostileFloor is how much more than before it
	// may have some time afterwards.
	hostileQueries  = "256MiB"
	hostileResident = 1372 << 20
	hostileFloor    = 192 << 20
)

//go:embed testdata/hostile.tmpl
var hostileText string

// hostileStatements returns the paragraphs of testdata/hostile.tmpl.
func hostileStatements(t *testing.T) []string {
	t.Helper()
	numbers := func(n int, separator string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = strconv.Itoa(i)
		}
		return strings.Join(out, separator)
	}
	doubling := func(n int) string {
		out := []string{"c0 AS (SELECT 1 a)"}
		for i := range n {
			out = append(out, fmt.Sprintf("c%d AS (SELECT * FROM c%d, c%d x)", i+1, i, i))
		}
		return strings.Join(out, ", ")
	}
	var statements []string
	for paragraph := range strings.SplitSeq(hostileText, "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(strings.TrimSpace(paragraph), "\n") {
			if line != "" && !strings.HasPrefix(line, "--") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		tmpl, err := template.New("").Funcs(template.FuncMap{
			"repeat": strings.Repeat, "numbers": numbers, "doubling": doubling,
		}).Parse(strings.Join(lines, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := tmpl.Execute(&text, nil); err != nil {
			t.Fatal(err)
		}
		statements = append(statements, text.String())
	}
	return statements
}

// outcome is how a statement ended.
type outcome struct {
	status int
	kind   string // of the error, if there is one
	text   string // the start of the response, if it is an error
	took   time.Duration
	err    error // set if there was no response
}

func (o outcome) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %v", o.status, o.kind, cmp.Or(o.err, error(nil)))) + " after " + o.took.Round(time.Millisecond).String()
}

// ask sends a statement as a reader.
func ask(s *binary.Server, sql string) outcome {
	began := time.Now()
	status, text, err := s.Post(fmt.Sprintf("/api/v1/sql?timeout_ms=%d&format=arrow", hostileTimeout.Milliseconds()), "text/plain", []byte(sql))
	o := outcome{status: status, took: time.Since(began), err: err}
	if status >= 300 {
		var answer struct {
			Error struct{ Kind string } `json:"error"`
		}
		// without a kind it does not match an expected one
		_ = json.Unmarshal([]byte(text), &answer)
		o.kind, o.text = answer.Error.Kind, text[:min(len(text), 300)]
	}
	return o
}

// endsWell reports whether this outcome is allowed.
func (o outcome) endsWell() bool {
	switch o.kind {
	case "", "too_large", "timeout", "invalid", "forbidden":
		return o.err == nil && (o.kind != "" || o.status == 200)
	}
	return false
}

// hostileServer starts a server, and returns it with the token of a reader and of a writer.
func hostileServer(t *testing.T) (reader, writer *binary.Server) {
	t.Helper()
	dir := t.TempDir()
	var config strings.Builder
	for _, role := range []string{"reader", "writer"} {
		fmt.Fprintf(&config, "[[token]]\nname = %q\nrole = %q\nsha256 = \"%x\"\n", role, role, sha256.Sum256([]byte("sct_"+role)))
	}
	file := filepath.Join(dir, "scoter.toml")
	if err := os.WriteFile(file, []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	writer = binary.Serve(t, filepath.Join(dir, "data"), "--config", file, "--query-memory", hostileQueries)
	other := *writer
	reader = &other
	writer.Token, reader.Token = "sct_writer", "sct_reader"
	return reader, writer
}

// resident returns a number of the process's status in bytes, such as VmRSS. It returns 0 if the
// process has ended.
func resident(pid int, name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// latencies makes requests until it is stopped, and returns how long each took.
func latencies(stop <-chan struct{}, failed *atomic.Pointer[string], once func() (status int, text string, err error)) []time.Duration {
	var all []time.Duration
	for {
		select {
		case <-stop:
			return all
		case <-time.After(20 * time.Millisecond):
		}
		began := time.Now()
		status, text, err := once()
		all = append(all, time.Since(began))
		if err != nil || status >= 300 {
			failure := fmt.Sprintf("%d %.200s %v", status, text, err)
			failed.CompareAndSwap(nil, &failure)
		}
	}
}

func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(float64(len(all))*p))]
}

// TestHostileStatementsLeaveOthersServed has a reader that sends statements which need far more
// memory and time than allowed. The process must not be killed, and must stay within its memory.
// Each statement must end soon after its timeout, and other clients must be served meanwhile.
func TestHostileStatementsLeaveOthersServed(t *testing.T) {
	duration, overtime, whole := 15*time.Second, busyOvertime, false
	if v := os.Getenv(hostileEnv); v != "" {
		var err error
		if duration, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
		overtime, whole = hostileOvertime, true
	}
	statements := hostileStatements(t)
	reader, writer := hostileServer(t)
	for range 20 { // so that the floor includes everything that a server allocates at first
		reader.Rows(t, "SELECT 1")
		if status, text, err := writer.Post("/write?db=default", "text/plain", []byte("probe v=1")); err != nil || status >= 300 {
			t.Fatal(status, text, err)
		}
	}
	floor := resident(writer.PID(), "VmRSS")

	stop := make(chan struct{})
	var failed atomic.Pointer[string]
	var queries, writes []time.Duration
	var others, hostile sync.WaitGroup
	others.Go(func() {
		queries = latencies(stop, &failed, func() (int, string, error) { return writer.Post("/api/v1/sql", "text/plain", []byte("SELECT 1")) })
	})
	others.Go(func() {
		writes = latencies(stop, &failed, func() (int, string, error) {
			return writer.Post("/write?db=default", "text/plain", []byte("probe v=1"))
		})
	})
	others.Go(func() { // protect the machine's memory in any case
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			if rss := resident(writer.PID(), "VmRSS"); rss > hostileResident {
				t.Errorf("the process holds %d MiB", rss>>20)
				writer.Kill()
				return
			}
		}
	})

	order := rand.Perm(len(statements))
	var next, asked atomic.Int64
	until := time.Now().Add(duration)
	for range hostileAtOnce {
		hostile.Go(func() {
			for time.Now().Before(until) && resident(writer.PID(), "VmRSS") > 0 {
				sql := statements[order[int(next.Add(1)-1)%len(order)]]
				o := ask(reader, sql)
				asked.Add(1)
				if testing.Verbose() {
					t.Logf("%.100s: %s; %d MiB", sql, o, resident(writer.PID(), "VmRSS")>>20)
				}
				if !o.endsWell() {
					t.Errorf("%.200s: %s: %s", sql, o, o.text)
				}
				if o.took > hostileTimeout+overtime {
					t.Errorf("%.200s: took %s with a timeout of %s", sql, o.took, hostileTimeout)
				}
			}
		})
	}
	hostile.Wait()
	close(stop)
	others.Wait()

	peak := resident(writer.PID(), "VmHWM")
	t.Logf("%d statements; floor %d MiB, peak %d MiB; SELECT 1: %d, median %s, p99 %s; write: %d, median %s, p99 %s", asked.Load(), floor>>20, peak>>20,
		len(queries), percentile(queries, 0.5), percentile(queries, 0.99), len(writes), percentile(writes, 0.5), percentile(writes, 0.99))
	if failure := failed.Load(); failure != nil {
		t.Errorf("another client: %s", *failure)
	}
	if whole && percentile(queries, 0.99) > 200*time.Millisecond {
		t.Errorf("SELECT 1 of another client has a p99 of %s", percentile(queries, 0.99))
	}
	if whole && percentile(writes, 0.99) > 500*time.Millisecond {
		t.Errorf("a row of another client has a p99 of %s", percentile(writes, 0.99))
	}
	more := int64(hostileFloor)
	if !whole {
		more = hostileShare // half a minute is not enough on a busy machine
	}
	returns(t, writer, floor, more)
}

// hostileShare is what all queries may use in addition to the floor: query_memory x 1.5 + 64 MiB.
const hostileShare = 448 << 20

// returns fails if a server does not return to its previous memory, plus more.
func returns(t *testing.T, s *binary.Server, floor, more int64) {
	t.Helper()
	var now int64
	for range 300 {
		if now = resident(s.PID(), "VmRSS"); now <= floor+more {
			t.Logf("back at %d MiB", now>>20)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the process held %d MiB before, and %d MiB half a minute after", floor>>20, now>>20)
}
