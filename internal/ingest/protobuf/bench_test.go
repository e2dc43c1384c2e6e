package protobuf

import (
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/bench/stream/baseline"
	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/ingest/wire"
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
	var columns []wire.Column
	for _, p := range paths {
		columns = append(columns, wire.Column{Path: p})
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

// measure decodes b.N messages in batches of 122,880. bench/stream/decode measures their cost in
// processor time, including garbage collection.
func measure(b *testing.B, d decoder, msgs [][]byte) {
	const rows = 122_880
	size := 0
	for _, m := range msgs {
		size += len(m)
	}
	for range 2 { // the first batch teaches the decoder sizes
		for i := range min(rows, 10*b.N) {
			if err := d.Append(msgs[i%len(msgs)]); err != nil {
				b.Fatal(err)
			}
		}
		d.Finish().Release()
	}
	b.SetBytes(int64(size / len(msgs)))
	b.ResetTimer()
	for i := range b.N {
		if err := d.Append(msgs[i%len(msgs)]); err != nil {
			b.Fatal(err)
		}
		if (i+1)%rows == 0 {
			d.Finish().Release()
		}
	}
	d.Finish().Release()
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
