package encode

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	chunkRows   = 2048
	benchChunks = 128
	benchRows   = benchChunks * chunkRows
	benchHosts  = 100
)

// benchBatches makes batches like those of DuckDB: chunks of rows with a time, a host and three
// doubles. If decimals is negative, the doubles are random, with 17 digits.
func benchBatches(decimals, chunks int) []arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "time", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "host", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "a", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "b", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "c", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	random := rand.New(rand.NewPCG(1, 2))
	value := func() float64 {
		if decimals < 0 {
			return random.Float64() * 100
		}
		return float64(random.IntN(10_000)) / 100
	}
	var out []arrow.RecordBatch
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for row := 0; row < chunks*chunkRows; {
		for range chunkRows {
			b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + int64(row)*1_000_123))
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("host_%03d", random.IntN(benchHosts)))
			for j := 2; j < 5; j++ {
				b.Field(j).(*array.Float64Builder).Append(value())
			}
			row++
		}
		out = append(out, b.NewRecordBatch())
	}
	return out
}

func benchmarkWrite(b *testing.B, f Format, decimals int, opt Options) {
	batches := benchBatches(decimals, benchChunks)
	var bytes int64
	b.ReportAllocs()
	for b.Loop() {
		stats, err := Write(context.Background(), io.Discard, f, newInput(batches...), opt)
		if err != nil {
			b.Fatal(err)
		}
		bytes = stats.Bytes
	}
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(bytes)/benchRows, "B/row")
}

func BenchmarkJSON(b *testing.B)               { benchmarkWrite(b, JSON, -1, Options{}) }
func BenchmarkJSONTwoDecimals(b *testing.B)    { benchmarkWrite(b, JSON, 2, Options{}) }
func BenchmarkNDJSON(b *testing.B)             { benchmarkWrite(b, NDJSON, -1, Options{}) }
func BenchmarkCSV(b *testing.B)                { benchmarkWrite(b, CSV, -1, Options{}) }
func BenchmarkMessagePack(b *testing.B)        { benchmarkWrite(b, MessagePack, -1, Options{}) }
func BenchmarkParquet(b *testing.B)            { benchmarkWrite(b, Parquet, -1, Options{}) }
func BenchmarkParquetTwoDecimals(b *testing.B) { benchmarkWrite(b, Parquet, 2, Options{}) }

func BenchmarkArrow(b *testing.B) {
	for _, rows := range []int{1, 8192, 0} {
		b.Run(fmt.Sprintf("gather=%d", rows), func(b *testing.B) { benchmarkWrite(b, Arrow, -1, Options{batchRows: rows}) })
	}
}

// BenchmarkArrowClient measures how much time a client that reads the Arrow stream saves if the
// encoder joins small batches.
func BenchmarkArrowClient(b *testing.B) {
	for _, rows := range []int{1, 8192, 0} {
		b.Run(fmt.Sprintf("gather=%d", rows), func(b *testing.B) {
			stream := written(b, Arrow, Options{batchRows: rows}, benchBatches(-1, benchChunks)...)
			for b.Loop() {
				r, err := ipc.NewReader(bytes.NewReader(stream))
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				r.Release()
			}
			b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
