//go:build unix

package part

import (
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sys/unix"
)

const benchRows = 1 << 20

// benchBatches returns the rows of a typical flush, in batches of a row group. They have sorted
// hosts with ascending times, two dictionary strings, and three random doubles like those of
// sensors.
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

// cpuSeconds returns the CPU time that this process has used, which does not depend on the disk and
// other processes.
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

// orders writes a row group that has two columns for lookups, and one column from which a value is
// read.
func orders(b *testing.B) (table schema.Table, path string) {
	table = tableOf(schema.Column{Name: "order", Type: schema.Of(schema.BigInt), NotNull: true}, schema.Column{Name: "line", Type: schema.Of(schema.Integer), NotNull: true},
		schema.Column{Name: "price", Type: schema.DecimalOf(15, 2)})
	table.SortKey = []schema.SortField{{Column: table.Columns[0].ID}, {Column: table.Columns[1].ID}}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	r := rand.New(rand.NewPCG(1, 1))
	for i := range RowGroupRows {
		builder.Field(0).(*array.Int64Builder).Append(int64(i / 4 * 4))
		builder.Field(1).(*array.Int32Builder).Append(int32(i % 4))
		builder.Field(2).(*array.Decimal128Builder).Append(decimal128.FromI64(90_000 + r.Int64N(10_000_000)))
	}
	path = b.TempDir() + "/p"
	if _, err := WriteBatches(vfs.OS, path, table, []arrow.RecordBatch{builder.NewRecordBatch()}, Options{Profile: Fast}); err != nil {
		b.Fatal(err)
	}
	return table, path
}

// BenchmarkLookUp measures what a change of one row by its key reads from a part: the positions of
// its columns, the row, and a value of it. For comparison it reads whole columns: those of the key,
// and that of the value.
func BenchmarkLookUp(b *testing.B) {
	table, path := orders(b)
	key := []base.ColumnID{table.Columns[0].ID, table.Columns[1].ID}
	open := func(b *testing.B) *Numbers {
		n, ok, err := OpenNumbers(blocks.Unchecked(vfs.OS, path), table, key)
		if err != nil || !ok {
			b.Fatal(ok, err)
		}
		return n
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open(b)
		}
	})
	for _, row := range []int64{1000, RowGroupRows / 2, RowGroupRows - 1} {
		b.Run(fmt.Sprintf("find row %d", row), func(b *testing.B) {
			n := open(b)
			for b.Loop() {
				if rows, err := n.Find(0, []int64{row / 4 * 4, row % 4}); err != nil || len(rows) != 1 {
					b.Fatal(rows, err)
				}
			}
		})
	}
	b.Run("read all", func(b *testing.B) {
		n := open(b)
		for b.Loop() {
			if _, err := n.Read(0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			if _, err := TakeRows(blocks.Unchecked(vfs.OS, path), table, 0, table.Columns[2].ID, []uint32{RowGroupRows / 2}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read chunk", func(b *testing.B) {
		for b.Loop() {
			if _, err := ReadChunk(blocks.Unchecked(vfs.OS, path), table, 0, table.Columns[2].ID); err != nil {
				b.Fatal(err)
			}
		}
	})
}
