//go:build unix

package merge

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sys/unix"
)

// benchBatch returns readings of some sensors: a host, a time, a region, three random doubles.
func benchBatch(r *rand.Rand, from, rows int) arrow.RecordBatch {
	const hosts, regions = 1000, 20
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	names := func(prefix string, n int) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range n {
			b.Append(fmt.Sprintf("%s-%05d", prefix, i))
		}
		return b.NewArray()
	}
	ts := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond})
	host, region := array.NewUint32Builder(memory.DefaultAllocator), array.NewUint32Builder(memory.DefaultAllocator)
	doubles := make([]*array.Float64Builder, 3)
	for i := range doubles {
		doubles[i] = array.NewFloat64Builder(memory.DefaultAllocator)
	}
	for i := range rows {
		host.Append(uint32(i % hosts))
		ts.Append(arrow.Timestamp(1_700_000_000_000_000 + int64(from+i)*1000 + r.Int64N(1000)))
		region.Append(uint32(r.IntN(regions)))
		doubles[0].Append(r.Float64() * 100)
		doubles[1].Append(r.NormFloat64())
		doubles[2].Append(r.Float64())
	}
	fields := []arrow.Field{{Name: "host", Type: typ}, {Name: "ts", Type: ts.Type()}, {Name: "region", Type: typ}}
	columns := []arrow.Array{array.NewDictionaryArray(typ, host.NewArray(), names("host", hosts)), ts.NewArray(),
		array.NewDictionaryArray(typ, region.NewArray(), names("region", regions))}
	for i, name := range []string{"a", "b", "c"} {
		fields, columns = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64}), append(columns, doubles[i].NewArray())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// BenchmarkMerge reports the CPU seconds per million rows of a merge, for parts of one row group
// and for parts of several.
func BenchmarkMerge(b *testing.B) {
	for _, size := range []struct{ parts, rows int }{{8, 1 << 20}, {16, 1 << 20}, {4, 2 << 20}} {
		parts, benchRows := size.parts, size.rows
		b.Run(fmt.Sprintf("%dx%d", parts, benchRows/parts), func(b *testing.B) {
			d, err := tryOpen(vfs.OS, b.TempDir(), quiet)
			must(b, err)
			must(b, d.engine.CreateDatabase(ctx, "d", true))
			double := schema.Of(schema.Double)
			table, err := d.engine.CreateTable(ctx, schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{
				{Name: "host", Type: schema.Of(schema.Varchar)}, {Name: "ts", Type: schema.Of(schema.Timestamp)}, {Name: "region", Type: schema.Of(schema.Varchar)},
				{Name: "a", Type: double}, {Name: "b", Type: double}, {Name: "c", Type: double},
			}, SortKey: []schema.SortField{{Column: 1}, {Column: 2}}}, false)
			must(b, err)
			r := rand.New(rand.NewPCG(1, 1))
			for i := range parts {
				n := benchRows / parts
				_, err := d.engine.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{benchBatch(r, i*n, n)}}}, engine.AppendOptions{})
				must(b, err)
				must(b, d.engine.Flush(ctx))
			}
			snap, err := d.engine.Snapshot(table.ID)
			must(b, err)
			view := snap.Tables[table.ID]
			plan := Pick(view.Parts, nil, Policy{Rest: true})[0]
			start := cpuSeconds(b)
			for b.Loop() {
				made, _, _, err := d.merges.merger.write(ctx, view, plan, func() error { return nil })
				must(b, err)
				b.ReportMetric(float64(made[0].Bytes)/float64(made[0].Rows), "B/row")
				must(b, d.engine.AbandonPart(table.ID, made[0].ID))
			}
			b.ReportMetric((cpuSeconds(b)-start)/float64(b.N)/(float64(plan.Rows)/1e6), "cpu-s/Mrows")
			snap.Release()
			must(b, d.close())
		})
	}
}

// cpuSeconds returns the CPU time that this process has used, which does not depend on the disk and
// other processes.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var usage unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
