//go:build unix

package engine

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// replayedLog is the size of the log in BenchmarkReplay, in bytes.
const replayedLog = 256 << 20

// BenchmarkReplay opens a directory whose log has 256 MiB: once in frames of one row, and once in
// frames of 10,000 rows. It reports the time and the CPU seconds of Open.
func BenchmarkReplay(b *testing.B) {
	b.Run("rows=1", func(b *testing.B) { benchmarkReplay(b, 1) })
	b.Run("rows=10000", func(b *testing.B) { benchmarkReplay(b, 10_000) })
}

func benchmarkReplay(b *testing.B, rows int) {
	dir := b.TempDir()
	settings := Settings{DisableAutomaticFlush: true, FlushBytes: 1 << 30}
	open := func() *Engine {
		e, err := Open(dir, settings, Components{Memory: memoryFor(4 << 30), Logger: quiet})
		must(b, err)
		return e
	}
	e := open()
	must(b, e.CreateDatabase(ctx, "d", true))
	_, err := e.CreateTable(ctx, metrics, false)
	must(b, err)
	frames := 0
	for r := rand.New(rand.NewPCG(1, 2)); logBytes(b, e) < replayedLog; {
		for range max(1, 10_000/rows) {
			_, err := e.Append(ctx, []TableRows{{Table: TableName{"d", "main", "metrics"}, Batches: []arrow.RecordBatch{metricsBatch(r, rows)}}}, AppendOptions{Async: true})
			must(b, err)
			frames++
		}
	}
	must(b, e.Close())
	before := cpuSeconds()
	var open1 time.Duration
	for b.Loop() {
		start := time.Now()
		e = open()
		open1 += time.Since(start)
		b.StopTimer()
		must(b, e.Close())
		b.StartTimer()
	}
	b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/open")
	b.ReportMetric(open1.Seconds()/float64(b.N), "s/open")
	b.ReportMetric(float64(frames), "frames")
}

func logBytes(b *testing.B, e *Engine) (total int64) {
	names, err := os.ReadDir(e.walDir())
	must(b, err)
	for _, n := range names {
		info, err := os.Stat(filepath.Join(e.walDir(), n.Name()))
		must(b, err)
		total += info.Size()
	}
	return total
}
