//go:build unix

package engine

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// metrics is the table of the benchmarks. It has two tag columns, a time and three value columns.
var metrics = schema.Table{
	Database: "d", Schema: "main", Name: "metrics",
	Columns: []schema.Column{
		{Name: "host", Type: schema.Of(schema.Varchar)},
		{Name: "region", Type: schema.Of(schema.Varchar)},
		{Name: "time", Type: schema.Of(schema.Timestamp)},
		{Name: "load", Type: schema.Of(schema.Double)},
		{Name: "memory", Type: schema.Of(schema.Double)},
		{Name: "requests", Type: schema.Of(schema.BigInt)},
	},
	SortKey: []schema.SortField{{Column: 1}, {Column: 3}},
}

// metricsBatch returns rows in the form in which decoders make them: tags are dictionaries, and
// rows are ordered by time.
func metricsBatch(r *rand.Rand, rows int) arrow.RecordBatch {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	host := array.NewDictionaryBuilder(memory.DefaultAllocator, dict).(*array.BinaryDictionaryBuilder)
	region := array.NewDictionaryBuilder(memory.DefaultAllocator, dict).(*array.BinaryDictionaryBuilder)
	at := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond})
	load, mem := array.NewFloat64Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
	requests := array.NewInt64Builder(memory.DefaultAllocator)
	start := r.Int64N(1 << 40)
	for i := range rows {
		h := r.IntN(100)
		_ = host.AppendString(fmt.Sprintf("host-%03d.example.com", h))
		_ = region.AppendString([]string{"eu-west", "eu-north", "us-east", "us-west"}[h%4])
		at.Append(arrow.Timestamp(start + int64(i)*1000))
		load.Append(float64(r.IntN(10000)) / 100)
		mem.Append(r.Float64() * 64e9)
		requests.Append(r.Int64N(100000))
	}
	columns := []arrow.Array{host.NewArray(), region.NewArray(), at.NewArray(), load.NewArray(), mem.NewArray(), requests.NewArray()}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: metrics.Columns[i].Name, Type: c.DataType()}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// cpuSeconds returns the CPU time of the process so far, including system calls.
func cpuSeconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkAppend appends batches of 10,000 rows x 6 columns from 4 goroutines to a real disk with
// fsync, including flushes. It reports CPU seconds per million rows.
func BenchmarkAppend(b *testing.B) {
	e, err := Open(b.TempDir(), Settings{}, Components{Logger: quiet})
	must(b, err)
	must(b, e.CreateDatabase(ctx, "d", true))
	_, err = e.CreateTable(ctx, metrics, false)
	must(b, err)
	r := rand.New(rand.NewPCG(1, 2))
	batches := make([]arrow.RecordBatch, 16)
	for i := range batches {
		batches[i] = metricsBatch(r, 10_000)
	}
	before := cpuSeconds()
	start := time.Now()
	b.ResetTimer()
	b.SetParallelism(2) // the number is multiplied by GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			_, err := e.Append(ctx, []TableRows{{Table: TableName{"d", "main", "metrics"}, Batches: batches[i%16 : i%16+1]}}, AppendOptions{})
			if err != nil {
				b.Error(err)
			}
		}
	})
	must(b, e.Flush(ctx))
	b.StopTimer()
	millions := float64(b.N) / 100
	b.ReportMetric((cpuSeconds()-before)/millions, "cpu-s/Mrows")
	b.ReportMetric(millions*1e6/time.Since(start).Seconds(), "rows/s")
	must(b, e.Close())
}

// BenchmarkAppendRow appends single rows from 32 goroutines to a real disk with fsync. It measures
// group commit.
func BenchmarkAppendRow(b *testing.B) {
	e, err := Open(b.TempDir(), Settings{}, Components{Logger: quiet})
	must(b, err)
	must(b, e.CreateDatabase(ctx, "d", true))
	_, err = e.CreateTable(ctx, metrics, false)
	must(b, err)
	row := []arrow.RecordBatch{metricsBatch(rand.New(rand.NewPCG(1, 2)), 1)}
	before := cpuSeconds()
	b.ReportAllocs()
	b.ResetTimer()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := e.Append(ctx, []TableRows{{Table: TableName{"d", "main", "metrics"}, Batches: row}}, AppendOptions{}); err != nil {
				b.Error(err)
			}
		}
	})
	b.StopTimer()
	b.ReportMetric((cpuSeconds()-before)*1e6/float64(b.N), "cpu-us/row")
	b.ReportMetric(float64(e.memory.Rows.Used())/float64(b.N), "memory-bytes/row")
	must(b, e.Close())
}

// BenchmarkAppendSteps measures the cost of each step of an append, one after the other.
func BenchmarkAppendSteps(b *testing.B) {
	const count = 100
	r := rand.New(rand.NewPCG(1, 2))
	table, err := schema.New(func() schema.Table { t := metrics; t.ID = 1; return t }())
	must(b, err)
	table.ID = 1
	in := metricsBatch(r, 10_000)
	records := make([]arrow.RecordBatch, count)
	pool := memtable.NewPool(memtable.PoolOptions{})
	dir := b.TempDir()
	spent := map[string]float64{}
	measure := func(what string, step func(i int)) {
		before := cpuSeconds()
		for i := range count {
			step(i)
		}
		spent[what] += cpuSeconds() - before
	}
	once := func(what string, step func()) {
		before := cpuSeconds()
		step()
		spent[what] += cpuSeconds() - before
	}
	for b.Loop() {
		var rows [count]*memtable.Rows
		measure("conform", func(i int) {
			records[i], err = batch.Conform(in, table, batch.ConformOptions{})
			must(b, err)
		})
		measure("copy", func(i int) {
			rows[i], err = pool.Copy(table, records[i])
			must(b, err)
		})
		var encoded body
		measure("encode", func(i int) {
			encoded = body{}
			must(b, encoded.add(rows[i].Record()))
		})
		stored := make([]arrow.RecordBatch, count)
		for i := range rows {
			stored[i] = rows[i].Record()
		}
		var order []uint32
		once("sort", func() {
			order, err = batch.Sort(stored, table)
			must(b, err)
		})
		var taken []arrow.RecordBatch
		once("take", func() {
			next := taker(stored, order)
			for len(order) > 0 {
				record, err := next()
				if err != nil {
					break
				}
				taken = append(taken, record)
			}
		})
		once("write", func() {
			_, err := part.WriteBatches(vfs.OS, fmt.Sprintf("%s/%d.parquet", dir, b.N), table, taken, part.Options{Profile: part.Fast})
			must(b, err)
		})
		for _, r := range rows {
			r.Release()
		}
	}
	for what, seconds := range spent {
		b.ReportMetric(seconds/float64(b.N), what+"-cpu-s/Mrows")
	}
}

// BenchmarkChange has 8 clients that each change two columns of single rows in a table of a million
// rows, on a real disk with fsync, including flushes. It reports the engine's CPU microseconds per
// change, without the time to find the row.
func BenchmarkChange(b *testing.B) {
	e, err := Open(b.TempDir(), Settings{}, Components{Logger: quiet})
	must(b, err)
	table, err := createAccounts(e, "t")
	must(b, err)
	const parts, rows = 10, 100_000
	for i := range parts {
		must(b, appendAccounts(e, table, i*rows, rows, 0))
		must(b, e.Flush(ctx))
	}
	s, err := e.Snapshot(table.ID)
	must(b, err)
	listed := s.Tables[table.ID].Parts
	s.Release()
	amount, note := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	amount.Append(7)
	note.Append("changed by one of many clients")
	values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "amount", Type: arrow.PrimitiveTypes.Int64}, {Name: "note", Type: arrow.BinaryTypes.String}}, nil),
		[]arrow.Array{amount.NewArray(), note.NewArray()}, 1)
	var next atomic.Uint64
	b.ResetTimer()
	start := cpuSeconds()
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for {
				i := next.Add(1)
				if i > uint64(b.N) {
					return
				}
				s, err := e.Snapshot(table.ID)
				must(b, err)
				at := i * 7919 % (parts * rows) // the factor is a prime, so each row is used once
				l := patch.Layer{Rowset: listed[at%parts].ID, Columns: []base.ColumnID{2, 3}, Ordinals: []uint32{uint32(at / parts)}, Values: values}
				_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Updated: []patch.Layer{l}, ReadDependencies: []ReadDependency{{Table: table.ID, Columns: []base.ColumnID{1}}}}}, AppendOptions{})
				must(b, err)
				s.Release()
			}
		})
	}
	clients.Wait()
	b.ReportMetric((cpuSeconds()-start)/float64(b.N)*1e6, "cpu-us/change")
	b.ReportMetric(float64(e.memory.Patches.Used())/float64(b.N), "B/change")
	b.StopTimer()
	must(b, e.Close())
}
