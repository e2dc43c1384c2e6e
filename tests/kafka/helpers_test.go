// Package kafka streams from a real Kafka broker into the real program.
package kafka

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scoterdb/scoter/bench/stream/broker"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/tests/binary"
)

// kafka starts a broker. If that is not possible, it skips the test.
func kafka(t *testing.T) *broker.Broker {
	t.Helper()
	b, err := broker.Start(t.Context(), t.TempDir())
	if base.KindOf(err) == base.Unavailable && err != nil {
		t.Skip("NO KAFKA, sources are tested against a fake in internal/stream only:", err)
	}
	must(t, err)
	t.Cleanup(b.Kill)
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func client(t testing.TB, b *broker.Broker, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(b.Addr), kgo.MetadataMinAge(50 * time.Millisecond)}, opts...)...)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// send produces records, and waits until the broker has stored them.
func send(t testing.TB, c *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, c.ProduceSync(ctx, records...).FirstErr())
}

// token is an administrator's token. A source needs it, because it reads files and connects to
// other machines.
const token = "admin"

// asAdmin returns the flags of a server that accepts the token.
func asAdmin(t testing.TB) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scoter.toml")
	must(t, os.WriteFile(path, fmt.Appendf(nil, "[[token]]\nname = \"test\"\nrole = \"admin\"\nsha256 = \"%x\"\n", sha256.Sum256([]byte(token))), 0o600))
	return []string{"--config", path}
}

// run executes a statement.
func run(t testing.TB, s *binary.Server, sql string) {
	t.Helper()
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql))
	if err != nil || status != 200 {
		t.Fatalf("%s: %d %s %v\n%s", sql, status, text, err, s.Log())
	}
}

// line returns the only row of a query as text, or the error: a table may not exist before the
// first record.
func line(t testing.TB, s *binary.Server, sql string) string {
	t.Helper()
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql))
	if err != nil {
		t.Fatalf("%s: %v\n%s", sql, err, s.Log())
	}
	var answer struct{ Rows [][]any }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != 200 || len(answer.Rows) != 1 {
		return text
	}
	var out []string
	for _, v := range answer.Rows[0] {
		if f, ok := v.(float64); ok {
			v = strconv.FormatFloat(f, 'f', -1, 64)
		}
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, " ")
}

// eventually waits until the only row of a query is want.
func eventually(t testing.TB, s *binary.Server, sql, want string) {
	t.Helper()
	const patience = 90 * time.Second
	var got string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got = line(t, s, sql); got == want {
			return
		}
	}
	t.Fatalf("%s: %s, want %s\n%v\n%s", sql, got, want, s.Rows(t, "SELECT state, error, lag FROM scoter.sources"), s.Log())
}

const orderProto = `syntax = "proto3";
package shop;
message Order {
  int64 id = 1;
  string country = 2;
  repeated Item items = 3;
  string note = 4;
}
message Item {
  string name = 1;
  int64 price = 2;
}`

// protoFile writes a schema to a folder that the program may read.
func protoFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "order.proto")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// order encodes an Order. The number of its items depends on its id, and is at most 3.
func order(id int64) []byte {
	text := func(b []byte, n protowire.Number, v string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	number := func(b []byte, n protowire.Number, v int64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
	}
	b := text(number(nil, 1, id), 2, []string{"de", "fr", "jp"}[id%3])
	for i := range id % 4 {
		item := number(text(nil, 1, fmt.Sprint("item ", i)), 2, id+i)
		b = protowire.AppendBytes(protowire.AppendTag(b, 3, protowire.BytesType), item)
	}
	return text(b, 4, strings.Repeat("x", 100))
}
