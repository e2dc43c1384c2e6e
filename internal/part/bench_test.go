//go:build unix

package part

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sys/unix"
)

const benchRows = 1 << 20

// benchBatches is a typical flush: hosts sorted, each with ascending time, two dictionary
// strings, three doubles as sensors give them (random) in batches of a row group.
func benchBatches() (schema.Table, []arrow.RecordBatch) {
	double := schema.Of(schema.Double)
	table := tableOf(
		schema.Column{Name: "host", Type: schema.Of(schema.Varchar)}, schema.Column{Name: "ts", Type: schema.Of(schema.Timestamp)},
		schema.Column{Name: "region", Type: schema.Of(schema.Varchar)},
		schema.Column{Name: "a", Type: double}, schema.Column{Name: "b", Type: double}, schema.Column{Name: "c", Type: double},
	)
	table.SortKey = []schema.SortField{{Column: 1}, {Column: 3}}
	const hosts, regions = 1000, 20
	perHost := benchRows/hosts + 1
	r := rand.New(rand.NewPCG(1, 1))
	dictionary := func(prefix string, n int) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range n {
			b.Append(fmt.Sprintf("%s-%05d", prefix, i))
		}
		return b.NewArray()
	}
	hostNames, regionNames := dictionary("host", hosts), dictionary("region", regions)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	fields := table.Arrow().Fields()
	fields[0].Type, fields[2].Type = typ, typ
	var batches []arrow.RecordBatch
	for from := 0; from < benchRows; from += RowGroupRows {
		ts := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond})
		host, region := array.NewUint32Builder(memory.DefaultAllocator), array.NewUint32Builder(memory.DefaultAllocator)
		var doubles [3]*array.Float64Builder
		for i := range doubles {
			doubles[i] = array.NewFloat64Builder(memory.DefaultAllocator)
		}
		n := min(RowGroupRows, benchRows-from)
		for i := from; i < from+n; i++ {
			host.Append(uint32(i / perHost))
			ts.Append(arrow.Timestamp(1_700_000_000_000_000 + int64(i%perHost)*1_000_000 + r.Int64N(1000)))
			region.Append(uint32(r.IntN(regions)))
			doubles[0].Append(r.Float64() * 100)
			doubles[1].Append(r.NormFloat64())
			doubles[2].Append(r.Float64())
		}
		batches = append(batches, array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{
			array.NewDictionaryArray(typ, host.NewArray(), hostNames), ts.NewArray(), array.NewDictionaryArray(typ, region.NewArray(), regionNames),
			doubles[0].NewArray(), doubles[1].NewArray(), doubles[2].NewArray()}, int64(n)))
	}
	return table, batches
}

// cpuSeconds is what this process has used: the disk and the neighbours do not count.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkWrite reports CPU seconds per million rows of 6 columns, everything included.
func BenchmarkWrite(b *testing.B) {
	table, batches := benchBatches()
	for name, profile := range map[string]Profile{"fast": Fast, "best": Best} {
		b.Run(name, func(b *testing.B) {
			path := b.TempDir() + "/p"
			var written Written
			start := cpuSeconds(b)
			for b.Loop() {
				var err error
				if written, err = WriteBatches(vfs.OS, path, table, batches, Options{Profile: profile}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpuSeconds(b)-start)/float64(b.N)/(benchRows/1e6), "cpu-s/Mrows")
			b.ReportMetric(float64(written.Bytes)/benchRows, "B/row")
		})
	}
}
