package http

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// sorted is a query of 70 bytes a row that must be sorted before it returns a row.
const sorted = "SELECT i, hash(i) h, repeat('x', 20) || hash(i) s FROM range(%d) r(i), t WHERE t.a = 0 ORDER BY h LIMIT 5 OFFSET %d"

// scratch returns the number of bytes in tmp/.
func scratch(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "tmp"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files may be removed meanwhile
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestAQueryThatSpillsTooMuchGivesAllBack checks that such a query leaves space for writers while
// it runs, and frees all its space after it failed.
func TestAQueryThatSpillsTooMuchGivesAllBack(t *testing.T) {
	disk := binary.NewDisk(t, "200m")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: the space of queries is not tested")
	}
	for name, flags := range map[string][]string{"a share of the disk": nil, "a setting": {"--spill-space", "40MiB"}} {
		t.Run(name, func(t *testing.T) {
			s := disk.Serve(t, strings.ReplaceAll(name, " ", "-"), append([]string{"--query-memory", "64MiB", "--query-threads", "2"}, flags...)...)
			defer s.Kill()
			rows(t, s, "t", ndjson, `{"a":0}`).must(t, 200)
			dir := filepath.Join(disk.Outside, strings.ReplaceAll(name, " ", "-"))
			most, written := int64(0), make(chan struct{})
			ended := make(chan answer, 1)
			go func() {
				defer close(written)
				a := post(t, s, "/api/v1/sql", "text/plain", fmt.Sprintf(sorted, 12_000_000, 11_000_000))
				ended <- a
			}()
			for waiting := true; waiting; {
				select {
				case <-written:
					waiting = false
				case <-time.After(20 * time.Millisecond):
					rows(t, s, "t", ndjson, `{"a":1}`).must(t, 200)
					most = max(most, scratch(t, dir))
				}
			}
			a := <-ended
			a.refused(t, 413, "too_large")
			t.Logf("%d MiB at most: %s", most>>20, a.body)
			bound := int64(160 << 20)
			if flags != nil {
				bound = 41 << 20
			}
			if most < bound/2 || most > bound {
				t.Errorf("the query spilled %d MiB at most, the bound is %d", most>>20, bound>>20)
			}
			if left := scratch(t, dir); left > 1<<20 {
				t.Errorf("%d bytes are left in tmp/", left)
			}
			// A query that fits still works.
			send(t, s, "POST", "/api/v1/sql", fmt.Sprintf("SELECT max(h) FROM ("+sorted+")", 1_000_000, 900_000)).must(t, 200)
		})
	}
}

// TestADiskThatFillsUpWhileAQuerySpills checks that the space is freed as soon as the query has
// failed.
func TestADiskThatFillsUpWhileAQuerySpills(t *testing.T) {
	disk := binary.NewDisk(t, "400m")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: the space of queries is not tested")
	}
	dir := filepath.Join(disk.Outside, "data")
	s := disk.Serve(t, "data", "--query-memory", "64MiB", "--query-threads", "2")
	rows(t, s, "t", ndjson, `{"a":0}`).must(t, 200)
	ended := make(chan answer, 1)
	go func() { ended <- post(t, s, "/api/v1/sql", "text/plain", fmt.Sprintf(sorted, 12_000_000, 11_000_000)) }()
	for scratch(t, dir) < 30<<20 {
		time.Sleep(time.Millisecond)
	}
	free := disk.Fill(t)
	a := <-ended
	a.refused(t, 507, "storage_full")
	t.Log(a.body)
	left := scratch(t, dir)
	for until := time.Now().Add(5 * time.Second); left > 1<<20 && time.Now().Before(until); left = scratch(t, dir) {
		time.Sleep(50 * time.Millisecond)
	}
	if left > 1<<20 {
		t.Errorf("%d bytes are left in tmp/", left)
	}
	free()
	send(t, s, "POST", "/api/v1/sql", fmt.Sprintf("SELECT max(h) FROM ("+sorted+")", 1_000_000, 900_000)).must(t, 200)
	equal(t, s, "SELECT 1", "[[1]]")
}
