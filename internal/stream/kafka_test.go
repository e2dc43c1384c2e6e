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
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestATopicThatIsMadeAgainIsReadFromItsBeginning: its records are others, although their offsets are the same.
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
	s.eventually("SELECT count(*) FROM scoter.dead_letters WHERE reason LIKE 'the topic was made again%' AND value IS NULL", "1")
	if got := s.value("SELECT sum(n) FROM per_country"); got != "30" {
		t.Error(got)
	}
}

// TestRecordsThatWereRemovedBeforeTheyWereReadAreToldOf: retention was faster.
func TestRecordsThatWereRemovedBeforeTheyWereReadAreToldOf(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(threeTables(c, t, "")))
	c.send("orders", 0, orders(0, 10)...)
	s.eventually("SELECT count(*) FROM orders", "10")
	must(t, s.exec("PAUSE SOURCE orders"))
	c.send("orders", 0, orders(10, 20)...)
	_, err := c.admin().DeleteRecords(ctx, kadm.Offsets{"orders": {0: {Topic: "orders", Partition: 0, At: 15}}})
	must(t, err)
	must(t, s.exec("RESUME SOURCE orders"))
	s.eventually("SELECT count(*) || ' ' || max(id) FROM orders", "15 19")
	s.eventually("SELECT reason FROM scoter.dead_letters", "offsets 10 to 14 were removed from the topic before they were read")
}

// TestAGroupAssignsPartitionsAndOffsetsAreTheEngines lets a second member come and go while records arrive.
func TestAGroupAssignsPartitionsAndOffsetsAreTheEngines(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(4, "orders"), kfake.GroupMinSessionTimeout(100*time.Millisecond))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	d := ordersDefinition(c, t)
	d.Kafka["group"] = "scoter"
	must(t, n.sources.Create(ctx, catalog.StreamName{Database: "d", Schema: "main", Name: "orders"}, d, false))
	next := int64(0)
	send := func() {
		c.send("orders", int32(next/50%4), orders(next, next+50)...)
		next += 50
	}
	for range 8 {
		send()
	}
	// Another member reads, and commits offsets that are not ours.
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

// TestFaultsOfTheBrokerAreSurvived fails fetches, closes connections and moves leaders.
func TestFaultsOfTheBrokerAreSurvived(t *testing.T) {
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "orders"))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	must(t, n.sources.Create(ctx, catalog.StreamName{Database: "d", Schema: "main", Name: "orders"}, ordersDefinition(c, t), false))
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
