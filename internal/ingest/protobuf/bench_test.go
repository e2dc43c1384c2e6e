//go:build unix

package protobuf

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/bench/stream/baseline"
	"github.com/scoterdb/scoter/bench/stream/messages"
)

func benchPlan(t testing.TB, name string, paths []string) *Plan {
	t.Helper()
	files, err := CompileProto(context.Background(), messages.Protos, "auction.proto", "event.proto")
	if err != nil {
		t.Fatal(err)
	}
	md, err := FindMessage(files, name)
	if err != nil {
		t.Fatal(err)
	}
	var columns []Column
	for _, p := range paths {
		columns = append(columns, Column{Path: p})
	}
	plan, err := NewPlan(md, Options{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

type decoder interface {
	Append(msg []byte) error
	Finish() arrow.RecordBatch
}

// cpu returns the processor time of the process, the garbage collector's included.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure decodes b.N messages in batches of 122,880 and reports processor time per
// message.
func measure(b *testing.B, d decoder, msgs [][]byte) {
	const rows = 122_880
	size := 0
	for _, m := range msgs {
		size += len(m)
	}
	for range 2 { // a batch to learn sizes from
		for i := range min(rows, 10*b.N) {
			if err := d.Append(msgs[i%len(msgs)]); err != nil {
				b.Fatal(err)
			}
		}
		d.Finish().Release()
	}
	runtime.GC()
	b.SetBytes(int64(size / len(msgs)))
	b.ResetTimer()
	start := cpu()
	for i := range b.N {
		if err := d.Append(msgs[i%len(msgs)]); err != nil {
			b.Fatal(err)
		}
		if (i+1)%rows == 0 {
			d.Finish().Release()
		}
	}
	d.Finish().Release()
	b.ReportMetric(float64(cpu()-start)/float64(b.N)/1000, "cpu-us/msg")
}

func BenchmarkDecode(b *testing.B) {
	auctions, events := messages.NewSource(1).Auctions(8192), messages.NewSource(1).Events(8192)
	nested, flat := benchPlan(b, messages.Auction, nil), benchPlan(b, messages.Event, nil)
	normalized := benchPlan(b, messages.Auction, messages.NormalizedPaths)
	b.Run("nested", func(b *testing.B) { measure(b, nested.NewDecoder(), auctions) })
	b.Run("nested-baseline", func(b *testing.B) { measure(b, baseline.New(nested.Message(), nested.Schema()), auctions) })
	b.Run("flat", func(b *testing.B) { measure(b, flat.NewDecoder(), events) })
	b.Run("flat-baseline", func(b *testing.B) { measure(b, baseline.New(flat.Message(), flat.Schema()), events) })
	b.Run("normalized", func(b *testing.B) { measure(b, normalized.NewDecoder(), auctions) })
}
