package stream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestATopicThatIsMadeAgainIsReadFromItsBeginning deletes a topic and creates it again. The records
// of the new topic must be read, although they have the same offsets as the old records.
func TestATopicThatIsMadeAgainIsReadFromItsBeginning(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(threeTables(c, t, "")))
	c.send("orders", 0, orders(0, 10)...)
	s.eventually("SELECT count(*) FROM orders", "10")
	must(t, s.exec("PAUSE SOURCE orders"))
	if _, err := c.admin().DeleteTopics(ctx, "orders"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.admin().CreateTopics(ctx, 1, 1, nil, "orders"); err != nil {
		t.Fatal(err)
	}
	c.producer.PurgeTopicsFromClient("orders")
	c.send("orders", 0, orders(10, 30)...)
	must(t, s.exec("RESUME SOURCE orders"))
	s.eventually("SELECT count(*) || ' ' || count(DISTINCT id) FROM orders", "30 30")
	s.eventually("SELECT count(*) FROM scoter.dead_letters WHERE reason LIKE 'the topic was deleted and created again%' AND value IS NULL", "1")
	if got := s.value("SELECT sum(n) FROM per_country"); got != "30" {
		t.Error(got)
	}
}

// TestRecordsThatWereRemovedBeforeTheyWereReadAreToldOf checks that records which retention removed
// are reported.
func TestRecordsThatWereRemovedBeforeTheyWereReadAreToldOf(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(threeTables(c, t, "")))
	c.send("orders", 0, orders(0, 10)...)
	s.eventually("SELECT count(*) FROM orders", "10")
	remove := func(before int64) {
		t.Helper()
		_, err := c.admin().DeleteRecords(ctx, kadm.Offsets{"orders": {0: {Topic: "orders", Partition: 0, At: before}}})
		must(t, err)
	}
	must(t, s.exec("PAUSE SOURCE orders"))
	c.send("orders", 0, orders(10, 20)...)
	remove(15)
	must(t, s.exec("RESUME SOURCE orders"))
	s.eventually("SELECT count(*) || ' ' || max(id) FROM orders", "15 19")
	s.eventually("SELECT reason FROM scoter.dead_letters", "offsets 10 to 14 were removed from the topic before they were read")
	// The loss is reported once, without waiting for a record.
	must(t, s.exec("PAUSE SOURCE orders"))
	c.send("orders", 0, orders(20, 30)...)
	remove(30)
	for range 2 {
		must(t, s.exec("RESUME SOURCE orders"))
		s.eventually("SELECT reason FROM scoter.dead_letters WHERE \"offset\" = 30", "offsets 20 to 29 were removed from the topic before they were read")
		must(t, s.exec("PAUSE SOURCE orders"))
	}
	if got := s.value("SELECT count(*) FROM scoter.dead_letters"); got != "2" {
		t.Errorf("%s letters", got)
	}
}

// TestTheStartOfASourceIsDecidedOnce checks that the offset at which a source begins to read is
// decided only once. Records that arrive while the source is stopped are read even if it has stored
// nothing yet. Records of new partitions are read as well.
func TestTheStartOfASourceIsDecidedOnce(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for start, first := range map[string]int64{"latest": 20, "2026-01-31T12:00:10Z": 10, "2030-01-01T00:00:00Z": 20, "earliest": 0} {
		for _, group := range []string{"", ", group = 'scoter'"} {
			t.Run(start+group, func(t *testing.T) {
				t.Parallel()
				c := newCluster(t, kfake.SeedTopics(2, "events"))
				dir := t.TempDir()
				s := newServer(t, dir)
				next := int64(0)
				send := func(partition int32, n int) {
					t.Helper()
					for range n {
						must(t, c.producer.ProduceSync(ctx, &kgo.Record{Topic: "events", Partition: partition, Value: fmt.Appendf(nil, `{"id": %d}`, next),
							Timestamp: noon.Add(time.Duration(next) * time.Second)}).FirstErr())
						next++
					}
				}
				send(0, 20)
				must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms', start = '%s'%s) FORMAT json INTO TABLE events`, c.brokers, start, group)))
				s.eventually("SELECT string_agg(next_offset || '/' || end_offset, ' ' ORDER BY partition) FROM scoter.source_partitions WHERE next_offset = end_offset OR partition = 1", "20/20 0/0")
				must(t, s.exec("PAUSE SOURCE events"))
				send(0, 3)
				send(1, 4)
				must(t, s.Close())
				s = newServer(t, dir)
				must(t, s.exec("RESUME SOURCE events"))
				want := func() {
					t.Helper()
					s.eventually("SELECT count(DISTINCT id) || ' ' || count(*) || ' ' || min(id) FROM events", fmt.Sprintf("%d %d %d", next-first, next-first, first))
				}
				want()
				must(t, s.exec("PAUSE SOURCE events"))
				if _, err := c.admin().CreatePartitions(ctx, 1, "events"); err != nil {
					t.Fatal(err)
				}
				c.producer.PurgeTopicsFromClient("events")
				send(2, 5)
				must(t, s.exec("RESUME SOURCE events"))
				want()
			})
		}
	}
}

// TestAPartitionThatMovesGivesItsMemoryBack lets the collected records of a partition fill the
// memory for records. When the partition moves to another member of the group, the memory must be
// released. Otherwise the other partitions are not read.
func TestAPartitionThatMovesGivesItsMemoryBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "events"))
	s := newServer(t, t.TempDir(), func(s *config.Server) { s.StreamMemory = 1 << 20 })
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', group = 'scoter', max_age = '1h') FORMAT json INTO TABLE events`, c.brokers)))
	const mine = "SELECT count(*) FROM scoter.source_partitions WHERE end_offset IS NOT NULL"
	s.eventually(mine, "2")
	s.eventually("SELECT count(next_offset) FROM scoter.source_partitions", "2")
	send := func(partition, n int) {
		var values [][]byte
		for range n {
			values = append(values, fmt.Appendf(nil, `{"text": "%s"}`, strings.Repeat("x", 1000)))
		}
		c.send("events", int32(partition), values...)
	}
	// Kafka's balancer decides which partition the other member gets. The first round of the test
	// finds out which one it is.
	moved, filled := -1, -1
	for range 5 {
		other, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(c.brokers, ",")...), kgo.ConsumerGroup("scoter"), kgo.ConsumeTopics("events"),
			kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.DisableAutoCommit())
		must(t, err)
		s.eventually(mine, "1")
		fmt.Sscan(s.value("SELECT partition FROM scoter.source_partitions WHERE end_offset IS NULL"), &moved)
		if moved == filled {
			t.Cleanup(other.Close)
			break
		}
		other.Close()
		s.eventually(mine, "2")
		filled = moved
		send(filled, 700)
		s.eventually("SELECT queue_bytes > 700_000 FROM scoter.sources", "true")
	}
	if moved != filled {
		t.Fatalf("partition %d never moves", filled)
	}
	s.eventually("SELECT queue_bytes FROM scoter.sources", "0")
	send(1-moved, 1000)
	s.eventually("SELECT count(*) > 700 FROM events", "true")
	must(t, s.exec("PAUSE SOURCE events"))
	if got := s.states()[0].QueueBytes; got != 0 {
		t.Errorf("%d bytes are in use", got)
	}
}

// TestHowFarBehindASourceIs checks the lag in scoter.sources, and that it is NULL if it is unknown.
func TestHowFarBehindASourceIs(t *testing.T) {
	t.Parallel()
	const behind = "SELECT coalesce(lag::VARCHAR, '-') || ' ' || CASE WHEN lag_seconds IS NULL THEN '-' WHEN lag_seconds = 0 THEN '0' WHEN lag_seconds > 3600 THEN 'hours' END FROM scoter.sources"
	c := newCluster(t, kfake.SeedTopics(2, "events"))
	dir := t.TempDir()
	s := newServer(t, dir)
	must(t, s.exec("CREATE TABLE names (name VARCHAR)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE events AS SELECT id FROM messages, (SELECT count(*) FROM names)`, c.brokers)))
	s.eventually(behind, "0 0")
	old := func(partition int32) {
		t.Helper()
		must(t, c.producer.ProduceSync(ctx, &kgo.Record{Topic: "events", Partition: partition, Value: []byte(`{"id": 1}`), Timestamp: time.Now().Add(-2 * time.Hour)}).FirstErr())
	}
	old(0)
	s.eventually("SELECT count(*) FROM events", "1")
	s.eventually(behind, "0 0")
	// The query fails from now on, so that records wait.
	must(t, s.exec("DROP TABLE names"))
	old(0)
	s.eventually(behind, "1 hours")
	old(1)
	s.eventually(behind, "2 -") // no record of partition 1 was stored yet
	must(t, s.exec("PAUSE SOURCE events"))
	s.eventually(behind, "- -")
	s.eventually("SELECT string_agg(next_offset || coalesce(end_offset::VARCHAR, '-'), ' ' ORDER BY partition) FROM scoter.source_partitions", "1- 0-")
	must(t, s.Close())
	s = newServer(t, dir)
	must(t, s.exec("RESUME SOURCE events"))
	s.eventually(behind, "2 -")
	must(t, s.exec("CREATE TABLE names AS SELECT 'x' AS name"))
	s.eventually(behind, "0 0")
	c.Close()
	must(t, s.exec("RESUME SOURCE events"))
	s.eventually("SELECT state || coalesce(lag::VARCHAR, '-') FROM scoter.sources", "failing-")
}

// TestAViewReadsItsOwnTables uses a view over a table named messages in the query of a source. The
// view must read that table, and not the batch that the query reads under the same name.
func TestAViewReadsItsOwnTables(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	for _, sql := range []string{
		"CREATE TABLE messages AS SELECT unnest([7, 8, 9]) AS id",
		"CREATE VIEW known AS SELECT count(*) AS n FROM messages",
		fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
			INTO TABLE events AS SELECT id, n FROM messages, known`, c.brokers),
	} {
		must(t, s.exec(sql))
	}
	must(t, c.producer.ProduceSync(ctx, &kgo.Record{Topic: "events", Value: []byte(`{"id": 1}`)}).FirstErr())
	s.eventually("SELECT id || ' ' || n FROM events", "1 3")
}

// TestAPartitionThatIsNotThere creates a source of a partition that does not exist. The source's
// error must name the partition until it exists.
func TestAPartitionThatIsNotThere(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', partitions = '0,1', start = 'latest', max_age = '20ms') FORMAT json INTO TABLE events`, c.brokers)))
	s.eventually("SELECT state || ' ' || error FROM scoter.sources", "failing topic events has no partition 1")
	if _, err := c.admin().CreatePartitions(ctx, 1, "events"); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT state || ' ' || count(DISTINCT partition) FROM scoter.sources, scoter.source_partitions GROUP BY state", "running 2")
}

// TestAGroupAssignsPartitionsAndOffsetsAreTheEngines lets a second member join and leave the
// source's consumer group while records arrive. The source must continue at the offsets that the
// engine stores.
func TestAGroupAssignsPartitionsAndOffsetsAreTheEngines(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(4, "orders"), kfake.GroupMinSessionTimeout(100*time.Millisecond))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	d := ordersDefinition(c, t)
	d.Kafka["group"] = "scoter"
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, d, false))
	next := int64(0)
	send := func() {
		c.send("orders", int32(next/50%4), orders(next, next+50)...)
		next += 50
	}
	for range 8 {
		send()
	}
	// Another member reads, and commits offsets that differ from the engine's.
	other, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(c.brokers, ",")...), kgo.ConsumerGroup("scoter"), kgo.ConsumeTopics("orders"),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	must(t, err)
	for read := 0; read == 0; send() {
		poll, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		read += other.PollRecords(poll, 100).NumRecords()
		cancel()
	}
	must(t, other.CommitUncommittedOffsets(ctx))
	other.Close()
	send()
	n.verify(next)
	n.close()
}

// TestFaultsOfTheBrokerAreSurvived makes fetches fail, closes connections and moves leaders of
// partitions. No record may be lost or stored twice.
func TestFaultsOfTheBrokerAreSurvived(t *testing.T) {
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "orders"))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	must(t, n.sources.Create(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}, ordersDefinition(c, t), false))
	calls := 0
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		calls++
		switch {
		case calls%5 == 1:
			return nil, fmt.Errorf("the connection is cut"), true
		case calls%5 == 2:
			resp := req.ResponseKind().(*kmsg.FetchResponse)
			resp.ErrorCode = kerr.NotLeaderForPartition.Code
			return resp, nil, true
		}
		return nil, nil, false
	})
	next := int64(0)
	for i := range int32(6) {
		c.send("orders", i%3, orders(next, next+100)...)
		next += 100
		c.ShufflePartitionLeaders()
	}
	n.verify(next)
	n.close()
}

func TestPasswords(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.EnableSASL(), kfake.Superuser(mechanism, "u", "it's secret"))
		must(t, err)
		defer fake.Close()
		s := newServer(t, t.TempDir())
		brokers := strings.Join(fake.ListenAddrs(), ",")
		create := `CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', sasl = '%s', user = 'u', password = '%s') FORMAT json INTO TABLE events`
		must(t, s.exec(fmt.Sprintf(create, brokers, strings.ToLower(mechanism), "it''s secret")))
		s.eventually("SELECT state FROM scoter.sources", "running")
		if shown := s.value("SELECT definition || coalesce(error, '') FROM scoter.sources"); strings.Contains(shown, "secret") || !strings.Contains(shown, "***") {
			t.Errorf("%s: %s", mechanism, shown)
		}
		must(t, s.exec("DROP SOURCE events"))
		if mechanism != "PLAIN" {
			continue
		}
		must(t, s.exec(fmt.Sprintf(create, brokers, strings.ToLower(mechanism), "wrong secret")))
		s.eventually("SELECT state FROM scoter.sources", "failing")
		if shown := s.value("SELECT error FROM scoter.sources"); strings.Contains(shown, "secret") {
			t.Error(shown)
		}
		must(t, s.exec("DROP SOURCE events"))
	}
}
