package stream_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// threeTables creates a source that stores Orders in a raw, a normalized and an aggregate table.
func threeTables(c *cluster, t testing.TB, more string) string {
	return fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms'%s)
		FORMAT protobuf (schema = '%s', message = 'test.Order')
		INTO TABLE orders METADATA (topic, partition, offset, timestamp, key, headers)
		INTO TABLE items (id, items[].name AS name, items[].price AS price) METADATA (offset)
		INTO TABLE per_country AS SELECT country, count(*) AS n, sum(id) AS total, max(id) AS newest FROM messages GROUP BY country`,
		c.brokers, more, protoFile(t, itemProto))
}

func TestOneTopicFillsARawANormalizedAndAnAggregateTable(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(threeTables(c, t, "")))
	// The tables exist before the first record.
	for _, table := range []string{"orders", "items", "per_country", "scoter.dead_letters"} {
		if got := s.value("SELECT count(*) FROM " + table); got != "0" {
			t.Errorf("%s: %s", table, got)
		}
	}
	c.send("orders", 0, orders(0, 100)...)
	c.send("orders", 1, orders(100, 1000)...)
	s.eventually("SELECT count(*) FROM orders", "1000")
	for sql, want := range map[string]string{
		"SELECT count(DISTINCT id) FROM orders": "1000",
		"SELECT sum(len(items)) FROM orders":    "1500",
		"SELECT count(*) FROM items":            "1500",
		"SELECT sum(price) = (SELECT sum(list_sum([i.price for i in items])) FROM orders) FROM items": "true",
		"SELECT sum(n) FROM per_country":                                                                                    "1000",
		"SELECT sum(total) FROM per_country WHERE country = 'de'":                                                           "166833",
		"SELECT max(newest) FROM per_country":                                                                               "999",
		"SELECT string_agg(DISTINCT _topic || _partition, ' ' ORDER BY _topic || _partition) FROM orders":                   "orders0 orders1",
		"SELECT count(*) FROM orders WHERE _offset = id - 100 * _partition AND _key = 'k'::BLOB AND _headers[1].name = 'h'": "1000",
		"SELECT count(*) FROM orders WHERE _timestamp > now() - INTERVAL 1 HOUR":                                            "1000",
		"SELECT count(*) FROM scoter.dead_letters":                                                                          "0",
	} {
		if got := s.value(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	s.eventually("SELECT lag || ' ' || messages || ' ' || rows || ' ' || state FROM scoter.sources", "0 1000 "+fmt.Sprint(2500+3*batches(s))+" running")
	s.eventually("SELECT sum(next_offset) || ' ' || sum(end_offset) FROM scoter.source_partitions", "1000 1000")
}

// TestAViewMergesWhatBatchesGave compares a view of a source, which merges the results of all
// batches, with the same query over all rows.
func TestAViewMergesWhatBatchesGave(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms', batch_rows = 700)
		FORMAT protobuf (schema = '%s', message = 'test.Order') INTO TABLE orders
		INTO VIEW totals AS SELECT country, count(*) AS n, count(*) FILTER (id > 9) AS more, sum(id) AS total, min(id) AS first, max(id) AS last,
			bool_and(id > 5) AS all_late, approx_count_distinct(id // 2) AS pairs, approx_count_distinct(len(items)) FILTER (len(items) > 0) AS sizes
			FROM messages GROUP BY ALL`, c.brokers, protoFile(t, itemProto))))
	if got := s.value("SELECT count(*) FROM totals"); got != "0" {
		t.Error(got)
	}
	c.send("orders", 0, orders(0, 3000)...)
	c.send("orders", 0, orders(2000, 9000)...)
	s.eventually("SELECT sum(n)::BIGINT FROM totals", "10000")
	if got := s.value("SELECT count(*) FROM totals_states"); got == "3" {
		t.Error("one batch only: nothing was merged")
	}
	const exact = `SELECT country, count(*), count(*) FILTER (id > 9), sum(id), min(id), max(id), bool_and(id > 5), count(DISTINCT len(items)) FILTER (len(items) > 0) FROM orders GROUP BY ALL`
	if got := s.value("SELECT count(*) FROM (SELECT country, n, more, total, first, last, all_late, sizes FROM totals EXCEPT " + exact + ")"); got != "0" {
		t.Errorf("%s groups differ", got)
	}
	// The estimate may be wrong by six standard errors.
	if got := s.value("SELECT count(*) FROM totals JOIN (SELECT country, count(DISTINCT id // 2) AS pairs FROM orders GROUP BY ALL) o USING (country) WHERE abs(totals.pairs - o.pairs) > 0.19 * o.pairs"); got != "0" {
		t.Errorf("%s estimates are far off: %s", got, s.value("SELECT string_agg(pairs, ' ') FROM totals"))
	}
	wantKind(t, s.exec(fmt.Sprintf(`CREATE SOURCE other FROM KAFKA (brokers = '%s', topic = 'orders') FORMAT protobuf (schema = '%s', message = 'test.Order')
		INTO VIEW totals AS SELECT country, sum(id) AS total FROM messages GROUP BY ALL`, c.brokers, protoFile(t, itemProto))), base.Conflict)
}

// TestAViewCountsNothingAsZero checks that a count in a source's view is 0 before the first record,
// also if an older version of Scoter created the view.
func TestAViewCountsNothingAsZero(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms') FORMAT protobuf (schema = '%s', message = 'test.Order')
		INTO VIEW totals AS SELECT count(*) AS n, count(id) AS ids, sum(id) AS total, approx_count_distinct(id) AS several FROM messages`, c.brokers, protoFile(t, itemProto))))
	const all = "SELECT concat_ws(' ', n, ids, total, several) FROM totals"
	if got := s.value(all); got != "0 0 0" {
		t.Error(got)
	}
	view, err := s.Engine.LookupView("d", "main", "totals")
	must(t, err)
	for _, name := range []string{"n", "ids"} {
		view.SQL = strings.Replace(view.SQL, fmt.Sprintf(`coalesce(sum("%s"), 0)`, name), fmt.Sprintf(`sum("%s")`, name), 1)
	}
	must(t, s.Engine.PutView(ctx, view, true))
	if got := s.value(all); got != "0" {
		t.Error(got)
	}
	must(t, s.exec("RESUME SOURCE orders"))
	s.eventually(all, "0 0 0")
	c.send("orders", 0, orders(0, 3)...)
	s.eventually(all, "3 3 3 3")
}

// TestStatesOfAViewDoNotGrowWithTheNumberOfBatches stores states (intermediate results) of the same
// groups in many batches, over a restart. The number of states must stay bounded.
func TestStatesOfAViewDoNotGrowWithTheNumberOfBatches(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	dir := t.TempDir()
	small := func(s *config.Server) { s.FlushBytes = 256 << 10 }
	s := newServer(t, dir, small)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', batch_rows = 1000, max_age = '1h') FORMAT json INTO TABLE events
		INTO VIEW totals AS SELECT id %% 999 AS g, text, count(*) AS n, sum(id) AS total, min(id) AS first, max(id) AS last, bool_or(id = 7) AS seven,
			approx_count_distinct(id // 999) AS ids, approx_count_distinct(text) FILTER (id < 0) AS none FROM messages GROUP BY ALL
		INTO VIEW all_of_them AS SELECT count(*) AS n, max(text) AS last FROM messages`, c.brokers)))
	sent := 0
	send := func(n int) {
		var values [][]byte
		for range n {
			values = append(values, fmt.Appendf(nil, `{"id": %d, "text": "t%d"}`, sent, sent%999%3))
			sent++
		}
		c.send("events", 0, values...)
		s.eventually("SELECT count(*) FROM events", fmt.Sprint(sent))
	}
	check := func() {
		t.Helper()
		// If states were not joined, each batch would add a thousand states.
		s.eventually("SELECT count(*) < 52000 FROM totals_states", "true")
		for sql, want := range map[string]string{
			"SELECT count(*) || ' ' || sum(n) FROM totals": fmt.Sprint("999 ", sent),
			`SELECT count(*) FROM (SELECT g, text, n, total, first, last, seven, ids, none FROM totals EXCEPT
				SELECT id % 999, text, count(*), sum(id), min(id), max(id), bool_or(id = 7), count(DISTINCT id // 999), 0 FROM events GROUP BY ALL)`: "0",
			"SELECT n || last FROM all_of_them": fmt.Sprint(sent, "t2"),
			"SELECT errors FROM scoter.sources": "0",
		} {
			if got := s.value(sql); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
	}
	send(70_000)
	check()
	must(t, s.Close())
	s = newServer(t, dir, small)
	check()
	send(60_000)
	check()
}

// TestStatesThatMemoryDoesNotHoldAtOnceAreJoined checks a view with more states (intermediate
// results of its aggregates) than fit into memory together. They are joined in several shares.
func TestStatesThatMemoryDoesNotHoldAtOnceAreJoined(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir(), func(s *config.Server) { s.WriteMemory, s.FlushBytes, s.MaxBody = 24<<20, 1<<20, 4<<20 })
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', batch_rows = 2000, max_age = '1h') FORMAT json
		INTO VIEW totals AS SELECT g, count(*) AS n, max(text) AS text FROM messages GROUP BY ALL`, c.brokers)))
	const groups = 30_000
	for range 2 {
		var values [][]byte
		for i := range groups {
			values = append(values, fmt.Appendf(nil, `{"g": %d, "text": "%s%d"}`, i, strings.Repeat("text ", 150), i))
		}
		c.send("events", 0, values...)
	}
	s.eventually("SELECT sum(n)::BIGINT FROM totals", fmt.Sprint(2*groups))
	s.eventually("SELECT count(*) < 1.2 * 30000 FROM totals_states", "true")
	if got := s.value("SELECT count(*) || ' ' || min(n) || ' ' || max(n) || ' ' || (SELECT errors FROM scoter.sources) FROM totals"); got != fmt.Sprint(groups, " 2 2 0") {
		t.Error(got)
	}
}

// TestAQueryThatFailsHoldsTheStreamUp drops a table that a source's query joins, and creates it
// again. The records must wait for the table.
func TestAQueryThatFailsHoldsTheStreamUp(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE names (id BIGINT, name VARCHAR)"))
	must(t, s.exec("INSERT INTO names VALUES (1, 'one'), (2, 'two')"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events
		INTO TABLE named AS SELECT m.id::BIGINT AS id, name FROM messages m JOIN names n ON n.id = m.id::BIGINT
		INTO TABLE again AS SELECT m.id::BIGINT AS id, name FROM messages m JOIN names n ON n.id = m.id::BIGINT`, c.brokers)))
	// If the query cannot process one record, only that record is at fault.
	c.send("events", 0, []byte(`{"id": "1"}`), []byte(`{"id": "x"}`))
	s.eventually("SELECT string_agg(id || name, ' ') FROM named", "1one")
	s.eventually(`SELECT string_agg("offset" || reason, ' ') FROM scoter.dead_letters WHERE reason LIKE '%Could not convert string ''x''%'`, s.value(`SELECT "offset" || reason FROM scoter.dead_letters WHERE "offset" = 1`))
	must(t, s.exec("DROP TABLE names"))
	c.send("events", 0, []byte(`{"id": "2"}`))
	s.eventually("SELECT state || ' ' || (error LIKE '%names%') FROM scoter.sources", "waiting true")
	// Create and fill the table in one statement, because the source continues as soon as the table
	// exists.
	must(t, s.exec("CREATE TABLE names AS SELECT 2::BIGINT AS id, 'zwei' AS name"))
	s.eventually("SELECT string_agg(id || name, ' ' ORDER BY id) FROM named", "1one 2zwei")
	if got := s.value("SELECT (SELECT count(*) FROM again) || ' ' || (SELECT count(*) FROM events) || ' ' || (SELECT count(*) FROM scoter.dead_letters)"); got != "2 2 1" {
		t.Error(got)
	}
	if got := s.value("SELECT errors > 0 FROM scoter.sources"); got != "true" {
		t.Error(got)
	}
}

// TestRowsWithoutATimeAreThere checks that rows without a time are in a partition of their own.
func TestRowsWithoutATimeAreThere(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	dir := t.TempDir()
	small := func(s *config.Server) { s.FlushAge = 50 * time.Millisecond }
	s := newServer(t, dir, small)
	must(t, s.exec("CREATE TABLE events (seen TIMESTAMP, id BIGINT) PARTITIONED BY (hour(seen)) SORTED BY (seen)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events
		INTO VIEW hours AS SELECT date_trunc('hour', seen::TIMESTAMP) AS hour, count(*) AS n FROM messages GROUP BY ALL`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "seen": "2026-01-31T12:00:00"}`), []byte(`{"id": 2}`), []byte(`{"id": 3, "seen": null}`))
	s.eventually("SELECT string_agg(id || coalesce(hour(seen)::VARCHAR, '-'), ' ' ORDER BY id) FROM events", "112 2- 3-")
	s.eventually("SELECT count(*) FROM scoter.parts WHERE table_name = 'events'", "2")
	if got := s.value("SELECT string_agg(n, ' ' ORDER BY n) || ' ' || (SELECT count(*) FROM events WHERE seen IS NULL) FROM hours"); got != "1 2 2" {
		t.Error(got)
	}
}

// TestAQuietTopicIsSeenAndCostsNothing uses batches that never become full. A record must be stored
// after max_age. While no records arrive, the source must send few requests.
func TestAQuietTopicIsSeenAndCostsNothing(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events') FORMAT json INTO TABLE events`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1}`))
	s.eventually("SELECT count(*) FROM events", "1")
	var requests atomic.Int64
	c.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		requests.Add(1)
		return nil, nil, false
	})
	time.Sleep(3 * time.Second)
	// A fetch waits for seconds at the broker. The test counts requests and not time, because other
	// tests use the processor too.
	if n := requests.Load(); n > 15 {
		t.Errorf("%d requests in three seconds without records", n)
	}
	c.send("events", 0, []byte(`{"id": 2}`))
	s.eventually("SELECT count(*) FROM events", "2")
}

// batches returns the number of batches that were stored. Each batch adds one row per country to
// the aggregate table.
func batches(s *server) int {
	var n int
	fmt.Sscan(s.value("SELECT count(*) FROM per_country WHERE country = 'de'"), &n)
	return n
}

func TestPoisonAndTombstonesAreDeadLettersAndCanBeReplayed(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(threeTables(c, t, "")))
	c.send("orders", 0, order(1), []byte{0xff}, order(2), nil, order(3))
	s.eventually("SELECT count(*) FROM orders", "3")
	s.eventually(`SELECT string_agg("offset" || ': ' || reason, '; ' ORDER BY "offset") FROM scoter.dead_letters`,
		"1: byte 1: the bytes end within a value; 3: a tombstone: the record has no value")
	if got := s.value(`SELECT value::VARCHAR || topic || key::VARCHAR || headers[1].value::VARCHAR FROM scoter.dead_letters WHERE "offset" = 1`); got != `\xFForderskv` {
		t.Error(got)
	}
	// A record that is still invalid stays a dead letter.
	must(t, s.exec("REPLAY SOURCE orders"))
	if got := s.value("SELECT count(*) FROM scoter.dead_letters"); got != "2" {
		t.Errorf("%s dead letters", got)
	}
}

func TestStatementsOnSources(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	dir := t.TempDir()
	s := newServer(t, dir)
	create := threeTables(c, t, "")
	must(t, s.exec(create))
	wantKind(t, s.exec(create), base.Conflict)
	must(t, s.exec(strings.Replace(create, "SOURCE orders", "SOURCE IF NOT EXISTS orders", 1)))
	must(t, s.exec("PAUSE SOURCE orders"))
	c.send("orders", 0, orders(0, 10)...)
	must(t, s.Close())
	// The source stays paused after a restart.
	s = newServer(t, dir)
	if got := s.value("SELECT state || (SELECT count(*) FROM orders) FROM scoter.sources"); got != "paused0" {
		t.Error(got)
	}
	must(t, s.exec("RESUME SOURCE orders"))
	s.eventually("SELECT count(*) FROM orders", "10")
	must(t, s.exec("DROP SOURCE orders"))
	must(t, s.exec("DROP SOURCE IF EXISTS orders"))
	wantKind(t, s.exec("DROP SOURCE orders"), base.NotFound)
	wantKind(t, s.exec("RESUME SOURCE orders"), base.NotFound)
	if got := s.value("SELECT count(*) FROM orders"); got != "10" {
		t.Error(got)
	}
	for _, wrong := range []string{
		"CREATE SOURCE x", "CREATE SOURCE x FROM KAFKA ()", "CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't')",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b') FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't', wrong = 1) FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't', sasl = 'magic') FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't', user = 'u') FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't', start = 'noon') FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT xml INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t (a.b) AS SELECT 1",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t (a[].b, c[].d)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t (a..b)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT avg(a) AS a FROM messages",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT a, count(*) AS n FROM messages GROUP BY a HAVING count(*) > 1",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT a, count(DISTINCT b) AS n FROM messages GROUP BY a",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT a FROM messages",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT wavg(a, b) AS a FROM messages",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT a, count(*) AS n FROM messages GROUP BY ROLLUP (a)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT a, count(*) AS n FROM messages GROUP BY a, b",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT count(*) AS n FROM (SELECT DISTINCT id FROM messages)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO VIEW v AS SELECT count(*) AS n FROM messages WHERE a > (SELECT avg(a) FROM messages)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t METADATA (color)",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't' max_age = '1s') FORMAT json INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t AS SELEC 1",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json INTO TABLE t AS SELECT a, FROM messages WHERE",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT avro (registry = 'http://r', framing = 'none') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (registry = 'http://r', schema = '/none.proto', message = 'm') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json (registry = 'http://r') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json (recursion = 3) INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT json (framing = 'xx') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT avro (registry = 'http://r', schema_dir = '/') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT avro (registry = 'http://r', message = 'm') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (registry = 'http://r', message = 'm') INTO TABLE t",
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (registry = 'http://r', schema_dir = '/') INTO TABLE t",
		fmt.Sprintf("CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (schema = '%s', message = 'test.Order', subject = 's') INTO TABLE t", protoFile(t, itemProto)),
		fmt.Sprintf("CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (schema = '%s', message = 'test.Order', registry_user = 'u') INTO TABLE t", protoFile(t, itemProto)),
		"CREATE SOURCE x FROM KAFKA (brokers = 'b', topic = 't') FORMAT protobuf (schema = '/none.proto', message = 'm') INTO TABLE t",
		strings.Replace(create, "newest FROM messages", "newest FROM no_such_table", 1),
		strings.Replace(create, "max(id)", "max(no_such_column)", 1),
	} {
		if err := s.exec(wrong); err == nil || base.KindOf(err) != base.Invalid && base.KindOf(err) != base.NotFound {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if got := s.value("SELECT count(*) FROM scoter.sources"); got != "0" {
		t.Errorf("%s sources", got)
	}
}

func wantKind(t testing.TB, err error, kind base.Kind) {
	t.Helper()
	if err == nil || base.KindOf(err) != kind {
		t.Fatalf("error %v, want one of kind %s", err, kind)
	}
}
