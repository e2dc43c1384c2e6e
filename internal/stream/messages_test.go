package stream

import (
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/memtable"
)

// knownColumns is a wire.Messages of a format whose columns are known before the first message.
type knownColumns struct{ wire.Messages }

func (knownColumns) Known() bool { return true }

// TestTypesThatAreLearnedAtTheSameTimeAreStored checks that no column is lost if a replay of dead
// letters and the session find new columns at the same time.
func TestTypesThatAreLearnedAtTheSameTimeAreStored(t *testing.T) {
	x := newSession(t)
	x.name.Database = "d"
	x.manager.pool = memtable.NewPool(memtable.PoolOptions{})
	defer x.manager.pool.Close()
	x.plan.format.Messages = knownColumns{x.plan.format.Messages}
	const learners, fields = 4, 100
	record := &kgo.Record{Topic: "t"}
	var all sync.WaitGroup
	for l := range learners {
		all.Go(func() {
			for f := range fields {
				b := array.NewInt64Builder(memory.DefaultAllocator)
				b.Append(1)
				column := b.NewArray()
				name := fmt.Sprintf("f%d_%d", l, f)
				rows := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil), []arrow.Array{column}, 1)
				made, err := x.newBatchTable(x.plan, []piece{{rows: rows, numbers: []int32{0}}}, []*kgo.Record{record}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				made.release()
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	if got := len(x.messages.Load().Columns); got != learners*fields+len(metadata) {
		t.Errorf("%d columns, want %d", got, learners*fields+len(metadata))
	}
}
