package stream_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/stream"
	"github.com/scoterdb/scoter/internal/vfs"
)

// sums is a Planner that replaces DuckDB, which cannot read the test's in-memory disk. For any
// query it returns the number of rows in the batch and the sum of their ids.
type sums struct{}

func (sums) Collect(_ context.Context, r sqlquery.Request) ([]arrow.RecordBatch, error) {
	if strings.HasPrefix(r.SQL, "DESCRIBE ") {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "column_name", Type: arrow.BinaryTypes.String}, {Name: "column_type", Type: arrow.BinaryTypes.String}}, nil))
		b.Field(0).(*array.StringBuilder).AppendValues([]string{"n", "total"}, nil)
		b.Field(1).(*array.StringBuilder).AppendValues([]string{"BIGINT", "BIGINT"}, nil)
		return []arrow.RecordBatch{b.NewRecordBatch()}, nil
	}
	var n, total int64
	for _, view := range r.Transient.Table.Memtables {
		for _, one := range view.Batches {
			ids := one.Record.Column(r.Transient.Table.Schema.ColumnIndex("id")).(*array.Int64)
			n += int64(ids.Len())
			for i := range ids.Len() {
				total += ids.Value(i)
			}
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "total", Type: arrow.PrimitiveTypes.Int64}}, nil))
	b.Field(0).(*array.Int64Builder).Append(n)
	b.Field(1).(*array.Int64Builder).Append(total)
	return []arrow.RecordBatch{b.NewRecordBatch()}, nil
}

func (sums) Parse(context.Context, string) error { return nil }

func (sums) SplitAggregate(context.Context, string, string, string) (sqlquery.SplitAggregate, error) {
	return sqlquery.SplitAggregate{}, nil
}

func (sums) Lineage(context.Context, string, string, sqlquery.KeyColumns) (sqlquery.Lineage, error) {
	return sqlquery.Lineage{}, nil
}

// appends is a Writer that only appends rows. It replaces the Writer of package write, which needs
// DuckDB.
type appends struct{ *engine.Engine }

func (a appends) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	_, err := a.Engine.Append(ctx, tables, o)
	return err
}

func (a appends) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	for _, rows := range tables {
		_, _, records, err := a.Engine.Conform(ctx, rows, o)
		for _, rec := range records {
			rec.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// node is an engine with its sources, on a simulated disk that can crash.
type node struct {
	t       testing.TB
	disk    *vfs.Crashable
	engine  *engine.Engine
	memory  *ledger.Account
	sources *stream.Manager
}

func (n *node) open(disk *vfs.Crashable) {
	n.t.Helper()
	n.disk = disk
	log := slog.New(slog.DiscardHandler)
	var err error
	n.engine, err = engine.Open("/db", engine.Settings{FlushBytes: 64 << 10, FlushAge: 30 * time.Millisecond}, engine.Components{FS: disk, Logger: log})
	must(n.t, err)
	must(n.t, n.engine.CreateDatabase(ctx, "d", true))
	n.memory = ledger.Default().Streams
	n.sources, err = stream.New(n.engine, stream.Settings{Memory: n.memory}, log)
	must(n.t, err)
	n.sources.Start(sums{}, appends{n.engine})
}

func (n *node) close() {
	must(n.t, n.sources.Close())
	must(n.t, n.engine.Close())
}

// crash simulates a power failure: it opens the engine again with the disk content that survived.
func (n *node) crash(random *rand.Rand) {
	left := n.disk.CrashClone(random, []int{0, 50, 100}[random.IntN(3)])
	n.close()
	n.open(left)
}

// sum returns the sum of a column's values, the number of rows and the number of distinct values.
func (n *node) sum(table, column string) (rows, distinct int, total int64) {
	n.t.Helper()
	seen := map[int64]bool{}
	n.each("main", table, func(record arrow.RecordBatch) error {
		values := record.Column(record.Schema().FieldIndices(column)[0]).(*array.Int64)
		for i := range values.Len() {
			rows++
			total += values.Value(i)
			seen[values.Value(i)] = true
		}
		return nil
	})
	return rows, len(seen), total
}

// each calls add with the batches of a table, which together have all rows.
func (n *node) each(schemaName, table string, add func(arrow.RecordBatch) error) {
	n.t.Helper()
	found, err := n.engine.Lookup("d", schemaName, table)
	must(n.t, err)
	snap, err := n.engine.Snapshot(found.ID)
	must(n.t, err)
	defer snap.Release()
	t := snap.Tables[found.ID]
	for _, p := range t.Parts {
		must(n.t, part.Read(n.engine.PartFile(p), t.Schema, add))
	}
	for _, m := range t.Memtables {
		for _, one := range m.Batches {
			must(n.t, add(one.Record))
		}
	}
}

// verify waits until all records of a topic are stored. It then checks that each id from 0 to
// count-1 is stored exactly once in the raw, the normalized and the aggregate table.
func (n *node) verify(count int64) {
	n.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		rows, distinct, _ := n.sum("orders", "id")
		if int64(distinct) == count || time.Now().After(deadline) {
			if int64(rows) != count || int64(distinct) != count {
				n.t.Fatalf("%d rows with %d ids of %d; sources %+v", rows, distinct, count, n.sources.List())
			}
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	items := int64(0)
	for id := range count {
		items += id % 4
	}
	if rows, _, _ := n.sum("items", "id"); int64(rows) != items {
		n.t.Fatalf("%d items, want %d", rows, items)
	}
	_, _, total := n.sum("totals", "n")
	_, _, sum := n.sum("totals", "total")
	if total != count || sum != count*(count-1)/2 {
		n.t.Fatalf("totals of %d ids with the sum %d, want %d, %d", total, sum, count, count*(count-1)/2)
	}
	must(n.t, n.engine.Check(ctx))
}

func ordersDefinition(c *cluster, t testing.TB) stream.Definition {
	name := func(table string) engine.TableName {
		return engine.TableName{Database: "d", Schema: "main", Name: table}
	}
	return stream.Definition{
		Kafka:  map[string]string{"brokers": c.brokers, "topic": "orders", "max_age": "4ms", "batch_rows": "40"},
		Format: map[string]string{"name": "protobuf", "schema": protoFile(t, itemProto), "message": "test.Order"},
		Tables: []stream.Table{{Name: name("orders"), Metadata: []string{"offset"}}, {Name: name("items"), Columns: []string{"id", "items[].price AS price"}},
			{Name: name("totals"), Query: "SELECT count(*) AS n, sum(id) AS total FROM messages"}},
	}
}

// TestCrashesLoseNothingAndDoubleNothing produces records with unique ids while the engine's disk
// fails repeatedly at random moments.
func TestCrashesLoseNothingAndDoubleNothing(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	c := newCluster(t, kfake.SeedTopics(3, "orders"))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, ordersDefinition(c, t), false))
	next := int64(0)
	for range 12 {
		for range 1 + random.IntN(4) {
			more := int64(1 + random.IntN(200))
			c.send("orders", random.Int32N(3), orders(next, next+more)...)
			next += more
			time.Sleep(time.Duration(random.IntN(8)) * time.Millisecond)
		}
		n.crash(random)
	}
	n.verify(next)
	n.crash(random)
	n.verify(next)
	n.close()
}

// TestAFullDiskHoldsTheStreamUp makes the disk refuse every write for a while. The source must wait
// and lose nothing.
func TestAFullDiskHoldsTheStreamUp(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, ordersDefinition(c, t), false))
	c.send("orders", 0, orders(0, 100)...)
	n.verify(100)
	n.disk.SetCapacity(1)
	c.send("orders", 0, orders(100, 5000)...)
	for n.sources.List()[0].State != "waiting" {
		time.Sleep(time.Millisecond)
	}
	if got := n.sources.List()[0]; got.QueueBytes == 0 || got.QueueBytes != n.memory.Used() || got.Errors == 0 {
		t.Errorf("%d bytes wait, of %d in use; %d errors", got.QueueBytes, n.memory.Used(), got.Errors)
	}
	// The lag must be reported even while no records are read.
	c.send("orders", 0, orders(5000, 6000)...)
	for n.sources.List()[0].Lag != 5900 {
		time.Sleep(10 * time.Millisecond)
	}
	if kind := n.sources.List()[0].Error; !strings.Contains(kind, "space") && !strings.Contains(kind, "full") {
		t.Errorf("the source tells of %q", kind)
	}
	n.disk.SetCapacity(1 << 40)
	n.verify(6000)
	if used := n.memory.Used(); used != 0 {
		t.Errorf("%d bytes in use", used)
	}
	n.close()
}
