// Package http tests the server through its HTTP interface.
package http

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestAnAcknowledgedRowIsInTheNextQuery queries after each acknowledgement. Readers check that no
// row disappears that was visible before. Flushes run all the time.
func TestAnAcknowledgedRowIsInTheNextQuery(t *testing.T) {
	const writers, readers, writesEach = 8, 4, 1250
	s := binary.Serve(t, t.TempDir(), "--flush-bytes", "64KiB", "--flush-age", "1s")
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte("CREATE TABLE w (writer BIGINT, n BIGINT) SORTED BY (writer, n)"))
	if err != nil || status != http.StatusOK {
		t.Fatal(status, text, err)
	}
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for n := range writesEach {
				body := fmt.Sprintf(`{"writer":%d,"n":%d}`, w, n)
				status, text, err := s.Post("/api/v1/tables/default/w/rows", "application/x-ndjson", []byte(body))
				if err != nil || status != http.StatusOK {
					t.Errorf("write: %d %s %v", status, text, err)
					return
				}
				seen := s.Rows(t, fmt.Sprintf("SELECT count(*), max(n) FROM w WHERE writer = %d", w))[0]
				if seen[0] != float64(n+1) || seen[1] != float64(n) {
					t.Errorf("writer %d wrote row %d and sees %v rows up to %v", w, n, seen[0], seen[1])
					return
				}
			}
		})
	}
	for range readers {
		reading.Go(func() {
			last := map[any]float64{}
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, r := range s.Rows(t, "SELECT writer, count(*), count(DISTINCT n), max(n) FROM w GROUP BY writer") {
					count, distinct, most := r[1].(float64), r[2].(float64), r[3].(float64)
					if count != distinct || count != most+1 || count < last[r[0]] {
						t.Errorf("writer %v: %v rows, %v of them different, up to %v, after %v before", r[0], count, distinct, most, last[r[0]])
						return
					}
					last[r[0]] = count
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
}
