package stream_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/stream"
)

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cluster is a Kafka cluster in this process, with a producer.
type cluster struct {
	*kfake.Cluster
	t        testing.TB
	brokers  string
	producer *kgo.Client
}

func newCluster(t testing.TB, opts ...kfake.Opt) *cluster {
	t.Helper()
	fake, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	must(t, err)
	t.Cleanup(fake.Close)
	c := &cluster{Cluster: fake, t: t, brokers: strings.Join(fake.ListenAddrs(), ",")}
	c.producer, err = kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MetadataMinAge(10*time.Millisecond))
	must(t, err)
	t.Cleanup(c.producer.Close)
	return c
}

// send writes records with the given values to a partition of a topic.
func (c *cluster) send(topic string, partition int32, values ...[]byte) {
	c.t.Helper()
	var records []*kgo.Record
	for _, v := range values {
		records = append(records, &kgo.Record{Topic: topic, Partition: partition, Key: []byte("k"), Value: v, Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("v")}}})
	}
	must(c.t, c.producer.ProduceSync(ctx, records...).FirstErr())
}

func (c *cluster) admin() *kadm.Client { return kadm.NewClient(c.producer) }

// server is a Scoter database that reads its sources from the test's Kafka cluster.
type server struct {
	*app.App
	t   testing.TB
	dir string
}

func newServer(t testing.TB, dir string, change ...func(*config.Server)) *server {
	t.Helper()
	settings := config.Default()
	settings.Dir, settings.Database, settings.FlushAge = dir, "d", time.Hour
	for _, f := range change {
		f(&settings)
	}
	a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
	must(t, err)
	s := &server{App: a, t: t, dir: dir}
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// exec runs SQL statements, and fails the test on an error.
func (s *server) exec(sql string) error {
	answer, err := s.Executor.Execute(ctx, session.Request{SQL: sql, Database: "d", Role: session.Admin})
	if err == nil {
		answer.Close()
	}
	return err
}

// value returns the only value of a query as text, or "" if the table does not exist.
func (s *server) value(sql string) string {
	s.t.Helper()
	answer, err := s.Executor.Execute(ctx, session.Request{SQL: "SELECT (" + sql + ")::VARCHAR", Database: "d", Role: session.Admin})
	if err != nil {
		return err.Error()
	}
	defer answer.Close()
	rec, err := answer.Rows.Next(ctx)
	must(s.t, err)
	defer rec.Release()
	return strings.Clone(rec.Column(0).ValueStr(0))
}

// eventually waits until the only value of a query, as text, is want.
func (s *server) eventually(sql, want string) {
	s.t.Helper()
	var got string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if got = s.value(sql); got == want {
			return
		}
	}
	s.t.Fatalf("%s: %s, want %s; sources: %+v", sql, got, want, s.states())
}

func (s *server) states() []stream.Status { return s.Sources.List() }

// itemProto is the Protobuf schema that most tests use.
const itemProto = `syntax = "proto3";
package test;
message Order {
  int64 id = 1;
  string country = 2;
  repeated Item items = 3;
}
message Item {
  string name = 1;
  int64 price = 2;
}`

func protoFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "order.proto")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// order encodes an Order. The number of its items depends on its id, and is at most 3.
func order(id int64) []byte {
	b := protowire.AppendTag(nil, 1, protowire.VarintType)
	b = protowire.AppendVarint(b, uint64(id))
	b = protowire.AppendTag(b, 2, protowire.BytesType)
	b = protowire.AppendString(b, []string{"de", "fr", "jp"}[id%3])
	for i := range id % 4 {
		item := protowire.AppendTag(nil, 1, protowire.BytesType)
		item = protowire.AppendString(item, fmt.Sprintf("item %d", i))
		item = protowire.AppendTag(item, 2, protowire.VarintType)
		item = protowire.AppendVarint(item, uint64(id+i))
		b = protowire.AppendTag(b, 3, protowire.BytesType)
		b = protowire.AppendBytes(b, item)
	}
	return b
}

func orders(from, to int64) (all [][]byte) {
	for id := from; id < to; id++ {
		all = append(all, order(id))
	}
	return all
}
