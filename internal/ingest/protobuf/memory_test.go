package protobuf

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/bench/stream/messages"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// poisoned returns a decoder whose batches are overwritten when they are released.
func poisoned(t *testing.T, name string, paths []string) *Decoder {
	t.Helper()
	o := Options{PoisonMemory: true}
	for _, p := range paths {
		o.Columns = append(o.Columns, wire.Column{Path: p})
	}
	files, err := CompileProto(context.Background(), messages.Protos, "auction.proto", "event.proto")
	if err != nil {
		t.Fatal(err)
	}
	md, err := FindMessage(files, name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(md, o)
	if err != nil {
		t.Fatal(err)
	}
	return plan.NewDecoder()
}

// eachBuffer calls f with the buffers of a column, including those of its children and its
// dictionary.
func eachBuffer(data arrow.ArrayData, f func([]byte)) {
	for _, b := range data.Buffers() {
		if b != nil && b.Len() > 0 {
			f(b.Bytes())
		}
	}
	for _, child := range data.Children() {
		eachBuffer(child, f)
	}
}

func buffersOf(rec arrow.RecordBatch) (all [][]byte) {
	for _, c := range rec.Columns() {
		eachBuffer(c.Data(), func(b []byte) { all = append(all, b) })
	}
	return all
}

// TestBatchesAreMadeOfReleasedOnes checks two rules. While a batch, or one of its columns, is
// retained, its values do not change. The memory of a released batch is used for the next batch.
func TestBatchesAreMadeOfReleasedOnes(t *testing.T) {
	const rows = 3000
	source := messages.NewSource(7)
	auctions, events := source.Auctions(4*rows), source.Events(4*rows)
	for _, shape := range []struct {
		name, message string
		paths         []string
		messages      [][]byte
	}{
		{"nested", messages.Auction, nil, auctions},
		{"normalized", messages.Auction, messages.NormalizedPaths, auctions},
		{"flat", messages.Event, nil, events},
	} {
		t.Run(shape.name, func(t *testing.T) {
			d := poisoned(t, shape.message, shape.paths)
			decode := func(part int) (arrow.RecordBatch, []string) {
				fresh := poisoned(t, shape.message, shape.paths)
				msgs := shape.messages[part*rows : (part+1)*rows]
				want := rowsOf(t, fresh, msgs...)
				for _, m := range msgs {
					if err := d.Append(m); err != nil {
						t.Fatal(err)
					}
				}
				rec := d.Finish()
				same(t, fmt.Sprintf("batch %d", part), showRows(t, rec), want)
				return rec, want
			}
			first, firstRows := decode(0)
			second, secondRows := decode(1)
			same(t, "the first, after the second", showRows(t, first), firstRows)
			column := first.Column(first.Schema().NumFields() - 1)
			column.Retain()
			before := fmt.Sprint(column)
			late := buffersOf(first)
			first.Release()
			third, _ := decode(2)
			if got := fmt.Sprint(column); got != before {
				t.Error("a column that is held has changed since its batch was released")
			}
			same(t, "the second, after the third", showRows(t, second), secondRows)
			column.Release()
			again := 0
			for _, b := range buffersOf(third) {
				if slices.ContainsFunc(late, func(old []byte) bool { return &old[0] == &b[0] }) {
					again++
				}
			}
			if again == 0 {
				t.Error("the third batch has none of the memory of the first")
			}
			late = buffersOf(second)
			second.Release()
			rubbish := 0
			for _, b := range late {
				if b[0] == 0xdb && b[len(b)-1] == 0xdb {
					rubbish++
				}
			}
			if rubbish < again {
				t.Errorf("%d of %d buffers are overwritten once they are released, %d had been used again", rubbish, len(late), again)
			}
			third.Release()
		})
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s has %d rows that are not the %d decoded into fresh memory", what, len(got), len(want))
	}
}

func TestBatchesMayBeReleasedAnywhere(t *testing.T) {
	d := poisoned(t, messages.Auction, messages.NormalizedPaths)
	msgs := messages.NewSource(3).Auctions(500)
	want := rowsOf(t, poisoned(t, messages.Auction, messages.NormalizedPaths), msgs...)
	var readers sync.WaitGroup
	defer readers.Wait()
	for range 50 {
		for _, m := range msgs {
			if err := d.Append(m); err != nil {
				t.Fatal(err)
			}
		}
		rec := d.Finish()
		readers.Go(func() {
			defer rec.Release()
			if got := showRows(t, rec); !slices.Equal(got, want) {
				t.Errorf("a batch of %d rows, not the %d of others", len(got), len(want))
			}
		})
	}
}
