package stream_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/twmb/franz-go/pkg/kfake"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/stream"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestRecordsThatFitOnlyApartAreStored checks that a batch is divided if each of its records fits,
// but not all of them together.
func TestRecordsThatFitOnlyApartAreStored(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE events (v VARCHAR)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '50ms') FORMAT json INTO TABLE events METADATA (offset)
		INTO TABLE single AS SELECT (SELECT _offset FROM messages) AS o`, c.brokers)))
	c.send("events", 0, []byte(`{"v": 1}`), []byte(`{"v": "2"}`), []byte(`{"v": "3"}`), []byte(`{"v": {"no": "text"}}`), []byte(`{"v": 5}`))
	s.eventually("SELECT string_agg(v, ' ' ORDER BY _offset) FROM events", "1 2 3 5")
	s.eventually("SELECT string_agg(o, ' ' ORDER BY o) FROM single", "0 1 2 4")
	s.eventually(`SELECT string_agg("offset", ' ') FROM scoter.dead_letters`, "3")
	s.eventually("SELECT state FROM scoter.sources", "running")
}

// narrow is a Writer that refuses the rows for which refuse returns an error.
type narrow struct {
	appends
	refuse func(tables []engine.TableRows, fits bool) error
}

func (w narrow) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	if err := w.refuse(tables, false); err != nil {
		return err
	}
	return w.appends.Append(ctx, tables, o)
}

func (w narrow) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	if err := w.refuse(tables, true); err != nil {
		return err
	}
	return w.appends.Check(ctx, tables, o)
}

// ids returns the values of the column id in the rows for a table.
func ids(tables []engine.TableRows, table string) (all []int64) {
	for _, t := range tables {
		for _, rec := range t.Batches {
			if t.Table.Name == table {
				all = append(all, rec.Column(rec.Schema().FieldIndices("id")[0]).(*array.Int64).Int64Values()...)
			}
		}
	}
	return all
}

// letters returns each dead letter of a node's log: its offset, the size of its value in bytes (-1
// without a value) and the reason.
func (n *node) letters() (all []string) {
	n.t.Helper()
	n.each("scoter", "dead_letter_log", func(rec arrow.RecordBatch) error {
		column := func(name string) arrow.Array { return rec.Column(rec.Schema().FieldIndices(name)[0]) }
		value := column("value").(*array.Binary)
		for i := range value.Len() {
			size := -1
			if value.IsValid(i) {
				size = value.ValueLen(i)
			}
			all = append(all, fmt.Sprint(column("offset").ValueStr(i), " ", size, " ", column("reason").ValueStr(i)))
		}
		return nil
	})
	return all
}

// openWith opens a node (an engine with its sources) with the given planner and writer.
func (n *node) openWith(planner stream.Planner, writer func(appends) stream.Writer) {
	n.t.Helper()
	n.open(vfs.NewCrashable())
	n.sources.Start(planner, writer(appends{n.engine}))
}

// TestWhatIsTooLargeForOneEditIsDivided checks that a batch which is too large for one edit is
// divided, down to single records. A single record that is still too large becomes a dead letter,
// and the dead letter loses its value.
func TestWhatIsTooLargeForOneEditIsDivided(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(3, "orders"))
	n := &node{t: t}
	n.openWith(sums{}, func(a appends) stream.Writer {
		return narrow{a, func(tables []engine.TableRows, fits bool) error {
			rows, bytes := int64(0), 0
			for _, t := range tables {
				for _, rec := range t.Batches {
					rows += rec.NumRows()
					if t.Table.Name == "dead_letter_log" {
						bytes += len(rec.Column(rec.Schema().FieldIndices("value")[0]).(*array.Binary).ValueBytes())
					}
				}
			}
			if !fits && (rows > 12 || bytes > 20) {
				return base.Errorf(base.TooLarge, "%d rows, %d bytes", rows, bytes)
			}
			return nil
		}}
	})
	d := ordersDefinition(c, t)
	d.Kafka["batch_rows"], d.Kafka["max_age"] = "1000", "100ms"
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, d, false))
	item := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), nil)
	large := order(1000)
	for range 20 {
		large = append(large, item...)
	}
	c.send("orders", 0, orders(0, 40)...)
	c.send("orders", 1, append(orders(40, 45), append([][]byte{{0xff}, {0xff, 0xff}, large, {0xfe}}, orders(45, 50)...)...)...)
	c.send("orders", 2, []byte{0xfd})
	n.verify(50)
	deadline := time.Now().Add(time.Minute)
	for len(n.letters()) < 5 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	got := strings.Join(n.letters(), "\n")
	if strings.Count(got, "\n") != 4 || strings.Count(got, " 1 ") < 2 || !strings.Contains(got, "7 -1 ") || !strings.Contains(got, "too large to be stored") {
		t.Errorf("letters\n%s", got)
	}
	n.close()
}

// TestADeadLetterIsWrittenOnce checks that a record becomes only one dead letter if the search for
// refused records starts again after an error that no record caused.
func TestADeadLetterIsWrittenOnce(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	n := &node{t: t}
	var away atomic.Int32
	n.openWith(sums{}, func(a appends) stream.Writer {
		return narrow{a, func(tables []engine.TableRows, fits bool) error {
			all := ids(tables, "orders")
			for _, id := range all {
				switch {
				case id == 100:
					return base.Errorf(base.Invalid, "not this one")
				case id == 5 && fits && away.Add(1) == 1:
					return base.Errorf(base.Unavailable, "away")
				}
			}
			return nil
		}}
	})
	d := ordersDefinition(c, t)
	d.Kafka["max_age"] = "100ms"
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, d, false))
	c.send("orders", 0, append(append(orders(0, 3), order(100)), orders(3, 9)...)...)
	n.verify(9)
	if got := n.letters(); len(got) != 1 || !strings.HasPrefix(got[0], "3 ") {
		t.Error(got)
	}
	n.close()
}

// failing is a Planner whose queries over messages fail with the error that why returns.
type failing struct {
	sums
	why   atomic.Pointer[func(rows int64) error]
	calls atomic.Int64
}

func (f *failing) fail(why func(rows int64) error) { f.why.Store(&why) }

func (f *failing) Collect(ctx context.Context, r sqlquery.Request) ([]arrow.RecordBatch, error) {
	if rows := r.Transient.Table.Rows(); rows > 0 && !strings.HasPrefix(r.SQL, "DESCRIBE ") {
		f.calls.Add(1)
		if err := (*f.why.Load())(rows); err != nil {
			return nil, err
		}
	}
	return f.sums.Collect(ctx, r)
}

func (n *node) waitFor(state string) {
	n.t.Helper()
	for deadline := time.Now().Add(time.Minute); n.sources.List()[0].State != state; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Fatalf("%+v, want it to be %s", n.sources.List()[0], state)
		}
	}
}

// TestAQueryWithoutMemoryIsNoRecordsFault checks that a query without enough memory runs again over
// fewer records. With a single record it waits for memory.
func TestAQueryWithoutMemoryIsNoRecordsFault(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	n, planner := &node{t: t}, &failing{}
	over := func(limit int64) func(rows int64) error {
		return func(rows int64) error {
			if rows > limit {
				return base.Errorf(base.TooLarge, "no memory for %d rows", rows)
			}
			return nil
		}
	}
	planner.fail(over(5))
	n.openWith(planner, func(a appends) stream.Writer { return a })
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, ordersDefinition(c, t), false))
	c.send("orders", 0, orders(0, 30)...)
	n.verify(30)
	planner.fail(over(0))
	c.send("orders", 0, orders(30, 33)...)
	n.waitFor("waiting")
	planner.fail(over(5))
	n.verify(33)
	if got := n.letters(); len(got) > 0 {
		t.Error(got)
	}
	n.close()
}

// TestAQueryThatBreaksDuckDBIsNotRunForever checks that a source stops if its query makes DuckDB
// fail again and again. Each such failure also ends all other statements.
func TestAQueryThatBreaksDuckDBIsNotRunForever(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	n, planner := &node{t: t}, &failing{}
	planner.fail(func(int64) error { return base.Errorf(base.Internal, "a defect that fails nothing else") })
	n.openWith(planner, func(a appends) stream.Writer { return a })
	name := catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}
	must(t, n.sources.Create(ctx, name, ordersDefinition(c, t), false))
	c.send("orders", 0, orders(0, 30)...)
	for deadline := time.Now().Add(time.Minute); planner.calls.Load() < 5; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls; %+v", planner.calls.Load(), n.sources.List()[0])
		}
	}
	must(t, n.sources.Pause(ctx, name))
	planner.calls.Store(0)
	planner.fail(func(int64) error { return base.Errorf(base.Internal, "%w", duck.ErrFailed) })
	must(t, n.sources.Resume(ctx, name))
	for deadline := time.Now().Add(time.Minute); !strings.Contains(n.sources.List()[0].Error, "RESUME SOURCE") && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := n.sources.List()[0]; got.State != "failing" || planner.calls.Load() != 3 {
		t.Errorf("%d calls; %+v", planner.calls.Load(), got)
	}
	planner.fail(func(int64) error { return nil })
	must(t, n.sources.Resume(ctx, name))
	n.verify(30)
	n.close()
}

// TestARecordOfMoreRowsThanThereIsMemoryFor checks that a record whose rows do not fit into memory
// becomes a dead letter, and that the source continues after it.
func TestARecordOfMoreRowsThanThereIsMemoryFor(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir(), func(s *config.Server) { s.WriteMemory, s.MaxBody = 16<<20, 4<<20 })
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms')
		FORMAT protobuf (schema = '%s', message = 'M') INTO TABLE events (payload, x[] AS x)`, c.brokers, protoFile(t, `syntax = "proto3"; message M { bytes payload = 1; repeated int32 x = 2; }`))))
	message := func(payload, n int) []byte {
		b := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), make([]byte, payload))
		return protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), make([]byte, n))
	}
	c.send("events", 0, message(10, 2), message(20_000, 1_000), message(10, 3))
	s.eventually("SELECT count(*) FROM events", "5")
	s.eventually(`SELECT string_agg("offset" || ' ' || octet_length(value), ' ') FROM scoter.dead_letters`, fmt.Sprint("1 ", len(message(20_000, 1_000))))
	// The record cannot be replayed yet, but it can later.
	if err := s.exec("REPLAY SOURCE events"); err != nil {
		t.Error(err)
	}
	if got := s.value("SELECT count(*) FROM scoter.dead_letters"); got != "1" {
		t.Error(got)
	}
}
