package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/config"
)

// TestRequestsForOneTableLeaveMemoryForOthers locks a table and sends many more rows for it than
// requests may hold in memory. Requests for another table must be answered at once, and the
// requests that wait must not hold rows of the locked table in memory.
func TestRequestsForOneTableLeaveMemoryForOthers(t *testing.T) {
	settings := config.Default()
	settings.Dir, settings.WriteMemory, settings.MaxBody = t.TempDir(), 32<<20, 8<<20
	a, err := Open(settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	execute(t, a, "CREATE TABLE busy (k BIGINT PRIMARY KEY, v VARCHAR)")
	execute(t, a, "CREATE TABLE other (k BIGINT PRIMARY KEY, v VARCHAR)")
	execute(t, a, "INSERT INTO busy SELECT -i, repeat('x', 1000) FROM range(1, 10001) r(i)")
	server := httptest.NewServer(a.handler())
	defer server.Close()
	send := func(table string, first, rows int) (status int, answer string) {
		var body strings.Builder
		for i := range rows {
			fmt.Fprintf(&body, `{"k":%d,"v":"%01000d"}`+"\n", first+i, i)
		}
		resp, err := http.Post(server.URL+"/api/v1/tables/default/"+table+"/rows", "application/x-ndjson", strings.NewReader(body.String()))
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}

	busy, err := a.Engine.Lookup("default", "main", "busy")
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := a.Engine.LockTables(context.Background(), nil, busy.ID)
	if err != nil {
		t.Fatal(err)
	}
	// A request has 0.5 MB of rows; all requests together may hold 16 MB.
	const requests, rows = 64, 500
	var waiting sync.WaitGroup
	var mu sync.Mutex
	stored, refused := 0, 0
	began := time.Now()
	for i := range requests {
		waiting.Go(func() {
			status, answer := send("busy", i*rows, rows)
			mu.Lock()
			defer mu.Unlock()
			switch status {
			case http.StatusOK:
				stored++
			case http.StatusServiceUnavailable:
				refused++
			default:
				t.Errorf("status %d: %s", status, answer)
			}
		})
	}
	time.Sleep(time.Second)
	var slowest time.Duration
	others := 0
	for ; time.Since(began) < 7*time.Second; others++ {
		sent := time.Now()
		if status, answer := send("other", others*100, 100); status != http.StatusOK {
			t.Errorf("a request for another table, %v after the first: %d: %s", sent.Sub(began), status, answer)
			break
		}
		slowest = max(slowest, time.Since(sent))
		time.Sleep(20 * time.Millisecond)
	}
	if err := a.Engine.Flush(context.Background()); err != nil {
		t.Error(err)
	}
	held := a.Engine.Status().MemoryBytes
	unlock()
	waiting.Wait()
	t.Logf("%d requests for another table, the slowest in %v; of %d that waited %d were stored and %d refused; %d bytes in memory", others, slowest, requests, stored, refused, held)
	if held > 1<<20 {
		t.Errorf("%d bytes of rows stay in memory after a flush", held)
	}
	if stored == 0 {
		t.Error("none of the requests that waited was stored")
	}
	if got, want := execute(t, a, "SELECT count(*) AS n FROM busy"), fmt.Sprintf("{\"n\":%d}\n", 10_000+stored*rows); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
