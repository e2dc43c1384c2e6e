package kafka

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/bench/stream/broker"
	"github.com/scoterdb/scoter/tests/binary"
)

// rounds returns how many rounds run: 10, or SCOTER_KAFKA_ROUNDS.
func rounds(t *testing.T) int {
	text := os.Getenv("SCOTER_KAFKA_ROUNDS")
	if text == "" {
		return 10
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// world is the system to which accidents happen.
type world struct {
	kafka    *broker.Broker
	disk     *binary.Disk // nil if the machine does not support it
	dir      string
	server   *binary.Server
	producer *producer
	flags    []string
}

const (
	topic     = "orders"
	perSecond = 3000
)

// serve starts the program on the world's folder.
func (w *world) serve(t *testing.T) {
	if w.disk != nil {
		w.server = w.disk.Serve(t, "data", w.flags...)
	} else {
		w.server = binary.Serve(t, w.dir, w.flags...)
	}
	w.server.Token = token
}

// accidents happen while records are sent. After each one, every acknowledged record must be in
// every table exactly once.
var accidents = []struct {
	name string
	run  func(t *testing.T, w *world)
}{
	{"kill -9", func(t *testing.T, w *world) {
		w.server.Kill()
		w.serve(t)
	}},
	{"SIGTERM", func(t *testing.T, w *world) {
		if code := w.server.Terminate(t); code != 0 {
			t.Errorf("exit code %d: %s", code, w.server.Log())
		}
		w.serve(t)
	}},
	{"the broker is killed", func(t *testing.T, w *world) {
		w.kafka.Kill()
		must(t, w.kafka.Restart(t.Context()))
	}},
	{"another member of the group comes and goes", func(t *testing.T, w *world) {
		other, err := kgo.NewClient(kgo.SeedBrokers(w.kafka.Addr), kgo.ConsumerGroup("scoter"), kgo.ConsumeTopics(topic),
			kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.DisableAutoCommit())
		must(t, err)
		assigned := false
		for deadline := time.Now().Add(30 * time.Second); !assigned && time.Now().Before(deadline); {
			other.PollFetches(t.Context()).EachRecord(func(*kgo.Record) { assigned = true })
		}
		if !assigned {
			t.Error("the other member never gets a partition")
		}
		other.Close() // leaves the group
	}},
	{"the disk is full", func(t *testing.T, w *world) {
		if w.disk == nil {
			t.Log("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
			return
		}
		free := w.disk.Fill(t)
		time.Sleep(time.Second)
		free()
	}},
	{"the topic is made again", func(t *testing.T, w *world) {
		// Unread records of a deleted topic are lost, so read all of them first.
		w.producer.stop(t)
		w.waitStored(t)
		must(t, w.kafka.DeleteTopic(t.Context(), topic))
		must(t, w.kafka.CreateTopic(t.Context(), topic, 3))
		w.producer.client.PurgeTopicsFromProducing(topic)
		w.producer.start(perSecond)
	}},
	{"the broker restarts, then kill -9", func(t *testing.T, w *world) {
		w.kafka.Stop()
		must(t, w.kafka.Restart(t.Context()))
		w.server.Kill()
		w.serve(t)
	}},
}

// waitStored waits until all acknowledged records are stored, and compares all tables with them.
func (w *world) waitStored(t *testing.T) {
	t.Helper()
	if len(w.producer.unknown) > 0 {
		t.Fatalf("%d records of which the broker does not say whether it has them", len(w.producer.unknown))
	}
	e := w.producer.expected()
	eventually(t, w.server, "SELECT count(DISTINCT id) FROM orders", fmt.Sprint(e.orders))
	for sql, want := range map[string]string{
		"SELECT count(*), sum(id)::BIGINT, sum(len(items))::BIGINT FROM orders":                                               fmt.Sprint(e.orders, e.ids, e.items),
		"SELECT count(*), sum(price)::BIGINT FROM items":                                                                      fmt.Sprint(e.items, e.prices),
		"SELECT sum(n)::BIGINT, sum(total)::BIGINT FROM per_country":                                                          fmt.Sprint(e.orders, e.ids),
		"SELECT sum(n)::BIGINT, sum(n * items)::BIGINT, count(*) FROM totals":                                                 fmt.Sprint(e.orders, e.items, 4),
		"SELECT bool_and(abs(ids - n) < 0.2 * n) FROM totals":                                                                 "true",
		"SELECT count(*), sum(id)::BIGINT FROM latest":                                                                        fmt.Sprint(e.orders, e.ids),
		"SELECT count(*) FROM (SELECT id % 100 AS slot, max(id) FROM orders GROUP BY slot EXCEPT SELECT slot, id FROM slots)": "0",
		// A dead letter without a value reports that a topic was created again.
		"SELECT count(*) FROM scoter.dead_letters WHERE value IS NOT NULL OR reason NOT LIKE 'the topic was deleted and created again%'": "0",
	} {
		if got := line(t, w.server, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestEveryRecordOnceWhateverHappens runs a source into a raw, a normalized, two keyed and two
// aggregate tables under load, with one accident after the other.
func TestEveryRecordOnceWhateverHappens(t *testing.T) {
	w := &world{kafka: kafka(t), disk: binary.NewDisk(t, "384m"), dir: t.TempDir(),
		flags: append(asAdmin(t), "--flush-bytes", "1MiB", "--flush-age", "300ms", "--write-memory", "64MiB", "--max-body", "8MiB", "--stream-memory", "16MiB")}
	must(t, w.kafka.CreateTopic(t.Context(), topic, 3))
	w.serve(t)
	run(t, w.server, "CREATE TABLE latest (id BIGINT PRIMARY KEY, country VARCHAR)")
	run(t, w.server, "CREATE TABLE slots (slot BIGINT PRIMARY KEY, id BIGINT) WITH (version = 'id')")
	run(t, w.server, fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = '%s', group = 'scoter', max_age = '100ms')
		FORMAT protobuf (schema = '%s', message = 'shop.Order')
		INTO TABLE orders METADATA (partition, offset)
		INTO TABLE items (id, items[].name AS name, items[].price AS price)
		INTO TABLE per_country AS SELECT country, count(*) AS n, sum(id) AS total FROM messages GROUP BY country
		INTO TABLE latest (id, country)
		INTO TABLE slots AS SELECT id %% 100 AS slot, id FROM messages
		INTO VIEW totals AS SELECT len(items) AS items, count(*) AS n, min(id) AS first, max(id) AS last, approx_count_distinct(id) AS ids FROM messages GROUP BY ALL`,
		w.kafka.Addr, topic, protoFile(t, orderProto)))
	w.producer = newProducer(t, w.kafka, topic)
	for round := range rounds(t) {
		a := accidents[round%len(accidents)]
		began := time.Now()
		w.producer.start(perSecond)
		time.Sleep(500 * time.Millisecond)
		a.run(t, w)
		time.Sleep(500 * time.Millisecond)
		w.producer.stop(t)
		w.waitStored(t)
		t.Logf("round %d: %s: %d records so far, after %v", round+1, a.name, w.producer.expected().orders, time.Since(began).Round(time.Millisecond))
	}
	// The data on disk must agree too.
	w.server.Kill()
	if w.disk != nil {
		if out, err := w.disk.Command(t, "check", w.disk.Dir+"/data").CombinedOutput(); err != nil {
			t.Errorf("scoter check: %v: %s", err, out)
		}
	} else if out, code := binary.Run(t, "check", w.dir); code != 0 {
		t.Errorf("scoter check: %s", out)
	}
}
