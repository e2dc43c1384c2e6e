package msgpack

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	mp "github.com/scoterdb/scoter/bench/load/msgpackrows"
	"github.com/scoterdb/scoter/internal/ingest"
)

// columnar returns a body of n rows: time, two tags of 100 and 10 values, three floats.
func columnar(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := mp.AppendMap(nil, 2)
	b = mp.AppendString(mp.AppendString(b, "m"), "cpu")
	b = mp.AppendMap(mp.AppendString(b, "columns"), 6)
	b = mp.AppendArray(mp.AppendString(b, "time"), n)
	for i := range n {
		b = mp.AppendInt64(b, 1_700_000_000_000_000+int64(i)*1000)
	}
	b = mp.AppendArray(mp.AppendString(b, "host"), n)
	for range n {
		b = mp.AppendString(b, fmt.Sprintf("host-%02d.example", r.IntN(100)))
	}
	b = mp.AppendArray(mp.AppendString(b, "region"), n)
	for range n {
		b = mp.AppendString(b, fmt.Sprintf("region-%d", r.IntN(10)))
	}
	for _, name := range []string{"user", "system", "idle"} {
		b = mp.AppendArray(mp.AppendString(b, name), n)
		for range n {
			b = mp.AppendFloat(b, 100*r.Float64())
		}
	}
	return b
}

func BenchmarkColumnar(b *testing.B) {
	const n = 10_000
	body := columnar(n)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		rows, err := Decode(body, Options{Now: time.Unix(1_700_000_000, 0)})
		if err != nil || rows[0].Batch.NumRows() != n {
			b.Fatal(rows, err)
		}
		ingest.Release(rows)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())*1e6/float64(b.N)/n, "ms/Mrow")
}
