package stream_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/stream"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestAQueryOverNoMessagesStoresNothing checks that creating a source stores no row, although its
// query returns a row even without messages.
func TestAQueryOverNoMessagesStoresNothing(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms') FORMAT protobuf (schema = '%s', message = 'test.Order')
		INTO TABLE counts AS SELECT count(*) AS n FROM messages`, c.brokers, protoFile(t, itemProto))))
	s.eventually("SELECT state FROM scoter.sources", "running")
	must(t, s.exec("RESUME SOURCE orders"))
	c.send("orders", 0, orders(0, 3)...)
	s.eventually("SELECT sum(n)::BIGINT FROM counts", "3")
	if got := s.value("SELECT count(*) FROM counts WHERE n = 0"); got != "0" {
		t.Errorf("%s rows of no message", got)
	}
}

// TestARefusedSourceChangesNothing checks that a CREATE SOURCE that fails creates none of the
// tables that it names.
func TestARefusedSourceChangesNothing(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	create := fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders') FORMAT protobuf (schema = '%s', message = 'test.Order') INTO TABLE `, c.brokers, protoFile(t, itemProto))
	must(t, s.exec(create+"orders"))
	wantKind(t, s.exec(create+"other"), base.Conflict)
	must(t, s.exec(strings.Replace(create, "SOURCE", "SOURCE IF NOT EXISTS", 1)+"other"))
	if got := s.value("SELECT count(*) FROM scoter.tables WHERE table_name = 'other'"); got != "0" {
		t.Error("its table was made")
	}
}

// TestMessagesLearnNewFieldsOfStructs checks that queries see fields of structs that only later
// messages have, also after a restart, when the types come from a table.
func TestMessagesLearnNewFieldsOfStructs(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	dir := t.TempDir()
	s := newServer(t, dir)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events
		INTO TABLE xs AS SELECT a.x AS x FROM messages`, c.brokers)))
	c.send("events", 0, []byte(`{"a": {"x": 1}}`))
	s.eventually("SELECT count(*) FROM xs", "1")
	must(t, s.Close())
	s = newServer(t, dir)
	c.send("events", 0, []byte(`{"a": {"x": 2, "y": 3}}`))
	s.eventually("SELECT (SELECT sum(x) FROM xs)::BIGINT || ' ' || (SELECT sum(a.y)::BIGINT FROM events) || ' ' || (SELECT count(*) FROM scoter.dead_letters)", "3 3 0")
}

// TestAQueryIsDescribedAgainWhenWhatItReadsChanged changes a table that a source's query reads. The
// source must notice that the query's result has other columns.
func TestAQueryIsDescribedAgainWhenWhatItReadsChanged(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE names AS SELECT 1::BIGINT AS id, 'one' AS name, 'x' AS more"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE named AS SELECT n.*, m.v FROM messages m JOIN names n USING (id)`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "v": "a"}`))
	s.eventually("SELECT string_agg(name || more || v, ' ') FROM named", "onexa")
	must(t, s.exec("ALTER TABLE names DROP COLUMN more"))
	c.send("events", 0, []byte(`{"id": 1, "v": "b"}`))
	s.eventually("SELECT string_agg(name || coalesce(more, '-') || v, ' ' ORDER BY v) FROM named", "onexa one-b")
	must(t, s.exec("ALTER TABLE names ADD COLUMN other VARCHAR DEFAULT 'o'"))
	c.send("events", 0, []byte(`{"id": 1, "v": "c"}`))
	s.eventually("SELECT string_agg(name || coalesce(more, '-') || v, ' ' ORDER BY v) FROM named", "onexa one-b one-c")
	if got := s.value("SELECT count(*) FROM scoter.dead_letters"); got != "0" {
		t.Errorf("%s letters", got)
	}
}

// TestNoValueIsRoundedToATypeOfBefore changes the type of a column in a table that a query joins.
// Values must not be rounded to the type that the column had before.
func TestNoValueIsRoundedToATypeOfBefore(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE prices AS SELECT 1::BIGINT AS id, 1.25::DECIMAL(10, 2) AS price"))
	must(t, s.exec("CREATE VIEW sizes AS SELECT id, 5 AS size FROM prices"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE priced AS SELECT m.v, p.price, s.size, NULL AS none, [] AS empty FROM messages m JOIN prices p USING (id) JOIN sizes s USING (id)`, c.brokers)))
	const rows = "SELECT string_agg(concat_ws(' ', v, price, size), ', ' ORDER BY v) FROM priced"
	const deadLetters = "SELECT string_agg(reason, ', ' ORDER BY \"offset\") FROM scoter.dead_letters"
	c.send("events", 0, []byte(`{"id": 1, "v": "a"}`))
	s.eventually(rows, "a 1.25 5")
	must(t, s.exec("CREATE OR REPLACE TABLE prices AS SELECT 1::BIGINT AS id, 1.2345::DECIMAL(10, 4) AS price"))
	c.send("events", 0, []byte(`{"id": 1, "v": "b"}`))
	const price = `table d.main.priced: row 1, column "price": "1.2345" is not exact in type DECIMAL(10,2)`
	s.eventually(deadLetters, price)
	must(t, s.exec("CREATE OR REPLACE TABLE prices AS SELECT 1::BIGINT AS id, 1.5::DECIMAL(10, 4) AS price"))
	c.send("events", 0, []byte(`{"id": 1, "v": "c"}`))
	s.eventually(rows, "a 1.25 5, c 1.50 5")
	must(t, s.exec("CREATE OR REPLACE VIEW sizes AS SELECT id, 5.5::DOUBLE AS size FROM prices"))
	c.send("events", 0, []byte(`{"id": 1, "v": "d"}`))
	s.eventually("SELECT (("+deadLetters+") LIKE '%column \"size\"%')", "true")
	if got := s.value(rows); got != "a 1.25 5, c 1.50 5" {
		t.Error(got)
	}
}

// TestWhatHasNoTypeYetIsLeftOut checks that values of unknown type, such as null and [], are left
// out. No record may be refused because an earlier record did not tell the type.
func TestWhatHasNoTypeYetIsLeftOut(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events METADATA (offset)
		INTO TABLE ids AS SELECT id FROM messages`, c.brokers)))
	for i, value := range []string{`{"id": 0, "tags": [], "a": {}, "b": {"c": [], "d": 1}, "e": [{"f": null, "g": 1}], "h": [[]]}`,
		`{"id": 1, "tags": ["x"], "a": {"y": 1}, "b": {"c": [2], "d": 2}, "e": [{"f": 3, "g": 1}], "h": [[4]]}`,
		`{"id": 2, "tags": [], "a": {}, "b": {"c": [], "d": 3}, "e": [{"f": null, "g": 1}], "h": [[]]}`} {
		c.send("events", 0, []byte(value))
		s.eventually("SELECT (SELECT count(*) FROM events) || ' ' || (SELECT count(*) FROM ids) || ' ' || coalesce((SELECT string_agg(reason) FROM scoter.dead_letters), '')", fmt.Sprint(i+1, " ", i+1, " "))
	}
	if got := s.value("SELECT string_agg(coalesce(len(tags), -1) || ' ' || coalesce(a.y, -1) || ' ' || b.d || coalesce(len(b.c), -1) || ' ' || e[1].g || coalesce(e[1].f, -1) || coalesce(len(h), -1), ', ' ORDER BY id) FROM events"); got !=
		"-1 -1 1-1 1-1-1, 1 1 21 131, 0 -1 30 1-11" {
		t.Error(got)
	}
}

// TestAQueryThatNamesWhatHasNoTypeYet checks that a query reads a column of unknown type as NULL
// until a record tells the type.
func TestAQueryThatNamesWhatHasNoTypeYet(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE tags AS SELECT id, unnest(tags) AS tag FROM messages`, c.brokers)))
	for i, tags := range []string{"null", "[]", "{}"} {
		c.send("events", 0, fmt.Appendf(nil, `{"id": 1, "tags": %s}`, tags))
		s.eventually("SELECT sum(next_offset)::BIGINT FROM scoter.source_partitions", fmt.Sprint(i+1))
	}
	c.send("events", 0, []byte(`{"id": 2, "tags": ["x", "y"]}`))
	s.eventually("SELECT string_agg(id || tag, ' ' ORDER BY tag) FROM tags", "2x 2y")
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "0")
}

// TestAQueryThatNamesAFieldThatHasNoTypeYet checks that a query reads a field of unknown type as
// NULL until a record tells the type. The field is in a struct, or in structs in a list.
func TestAQueryThatNamesAFieldThatHasNoTypeYet(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE fields AS SELECT id, m.b.c AS c, (e[1]).f AS f FROM messages m`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "b": {"c": null, "d": 1}, "e": [{"f": 1}]}`), []byte(`{"id": 2, "b": {"c": 1}, "e": [{"f": [], "g": 1}]}`))
	c.send("events", 0, []byte(`{"id": 3, "b": {"c": 4}, "e": [{"f": 5}]}`))
	s.eventually("SELECT string_agg(concat_ws(' ', id, c, f), ', ') FROM fields WHERE id = 3", "3 4 5")
	must(t, s.exec("REPLAY SOURCE events"))
	s.eventually("SELECT count(*) || ' ' || (SELECT count(*) FROM scoter.dead_letters WHERE \"offset\" <> 1) FROM fields", "2 0")
}

// TestASparseFieldIsKnownAfterARestart checks that a field which few records have is still known
// after a restart. Records before the first one with the field become dead letters, and do not stop
// the source.
func TestASparseFieldIsKnownAfterARestart(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	dir := t.TempDir()
	s := newServer(t, dir)
	must(t, s.exec("CREATE TABLE names AS SELECT i AS id, 'n' || i AS name FROM range(100) r(i)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE coupons AS SELECT id, name, coupon, m.a.b AS b FROM messages m JOIN names USING (id)`, c.brokers)))
	const counts = `SELECT (SELECT count(*) FROM coupons) || ' ' || (SELECT count(*) FROM scoter.dead_letters)`
	c.send("events", 0, []byte(`{"id": 1}`))
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "1")
	c.send("events", 0, []byte(`{"id": 2, "coupon": 7, "a": {"c": 1}}`)) // a.b is still missing
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "2")
	c.send("events", 0, []byte(`{"id": 3, "a": {"b": 1}}`))
	s.eventually(counts, "1 2")
	must(t, s.exec("REPLAY SOURCE events"))
	s.eventually(counts, "3 0")
	must(t, s.Close())
	s = newServer(t, dir)
	c.send("events", 0, []byte(`{"id": 4}`))
	s.eventually(counts, "4 0")
	// RESUME discards what the source learned about the fields. So a record without them becomes a
	// dead letter, until a later record has both fields.
	must(t, s.exec("RESUME SOURCE events"))
	c.send("events", 0, []byte(`{"id": 5}`))
	s.eventually(counts, "4 1")
	c.send("events", 0, []byte(`{"id": 6, "coupon": 8, "a": {"b": 2}}`))
	s.eventually(counts, "5 1")
	// If a joined table loses a column, the records are not at fault and must wait.
	must(t, s.exec("ALTER TABLE names RENAME COLUMN name TO title"))
	c.send("events", 0, []byte(`{"id": 7}`))
	s.eventually("SELECT state FROM scoter.sources", "waiting")
	must(t, s.Close())
	s = newServer(t, dir)
	s.eventually("SELECT state || ' ' || (SELECT count(*) FROM scoter.dead_letters) FROM scoter.sources", "waiting 1")
	must(t, s.exec("ALTER TABLE names RENAME COLUMN title TO name"))
	s.eventually(counts, "6 1")
	if got := s.value("SELECT typeof(any_value(coupon)) || ' ' || string_agg(concat_ws(' ', id, name, coupon, b), ', ' ORDER BY id) FROM coupons"); got != "BIGINT 1 n1, 2 n2 7, 3 n3 1, 4 n4, 6 n6 8 2, 7 n7" {
		t.Error(got)
	}
}

// TestAQueryWaitsThoughAMessageHasTheName uses a query that names a column which a joined table has
// lost. The records must wait, although a message has a field of unknown type with the same name,
// in a struct. The query does not refer to that field.
func TestAQueryWaitsThoughAMessageHasTheName(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE names AS SELECT i AS id, 'n' || i AS name FROM range(10) r(i)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE named AS SELECT m.id, n.name FROM messages m JOIN names n ON n.id = m.id`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "user": {"name": null, "age": 7}, "name": null}`))
	s.eventually("SELECT string_agg(name, ' ') FROM named", "n1")
	must(t, s.exec("ALTER TABLE names RENAME COLUMN name TO title"))
	c.send("events", 0, []byte(`{"id": 2}`))
	s.eventually("SELECT state || ' ' || (error LIKE '%named%') || ' ' || (SELECT count(*) FROM scoter.dead_letters) FROM scoter.sources", "waiting true 0")
	must(t, s.exec("ALTER TABLE names RENAME COLUMN title TO name"))
	s.eventually("SELECT string_agg(name, ' ' ORDER BY id) || ' ' || (SELECT count(*) FROM scoter.dead_letters) FROM named", "n1 n2 0")
}

// TestAViewOfDeadLettersStays checks that the view dead_letters stays if a user changed it, and is
// replaced if an older version of Scoter created it.
func TestAViewOfDeadLettersStays(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events`, c.brokers)))
	lookUp := func() catalog.View {
		view, err := s.Engine.LookupView("d", "scoter", "dead_letters")
		must(t, err)
		return view
	}
	made := lookUp()
	for sql, want := range map[string]string{made.SQL + " AND source = 'events'": made.SQL + " AND source = 'events'", stream.OlderLettersQuery: made.SQL} {
		view := made
		view.SQL = sql
		must(t, s.Engine.PutView(ctx, view, true))
		must(t, s.exec("RESUME SOURCE events"))
		s.eventually("SELECT state FROM scoter.sources", "running")
		if got := lookUp(); got.SQL != want {
			t.Errorf("%s\nbecame %s", sql, got.SQL)
		}
	}
}

// TestResumeLearnsTypesAgain checks that RESUME learns the types again, because the first messages
// may have had wrong types.
func TestResumeLearnsTypesAgain(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE events AS SELECT v::VARCHAR AS v FROM messages`, c.brokers)))
	c.send("events", 0, []byte(`{"v": 1}`))
	s.eventually("SELECT count(*) FROM events", "1")
	c.send("events", 0, []byte(`{"v": "a"}`))
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "1")
	must(t, s.exec("RESUME SOURCE events"))
	c.send("events", 0, []byte(`{"v": "b"}`))
	s.eventually("SELECT string_agg(v, ' ' ORDER BY v) FROM events", "1 b")
}

// TestReplayMakesEachRecordRowsOnce checks these rules of a replay:
//
//   - A duplicate dead letter counts as one record.
//   - Many large dead letters are read a few at a time, and stored one by one if necessary.
//   - The reports of lost records stay.
func TestReplayMakesEachRecordRowsOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir(), func(s *config.Server) { s.WriteMemory, s.MaxBody = 24<<20, 4<<20 })
	must(t, s.exec("CREATE TABLE events (id VARCHAR, pad VARCHAR NOT NULL)"))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events METADATA (offset)`, c.brokers)))
	c.send("events", 0, []byte(`{"id": "x"}`))
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "1")
	must(t, s.exec("DROP TABLE events"))
	must(t, s.exec("CREATE TABLE events (id VARCHAR, pad VARCHAR)"))
	const insert = `INSERT INTO scoter.dead_letter_log SELECT * REPLACE (%s) FROM scoter.dead_letter_log WHERE NOT replayed AND "offset" = 0 AND value IS NOT NULL LIMIT 1`
	must(t, s.exec(fmt.Sprintf(insert, `"offset" AS "offset"`)))
	must(t, s.exec(fmt.Sprintf(insert, `NULL AS value, NULL AS key, 'lost' AS reason`)))
	for i := range 5 {
		must(t, s.exec(fmt.Sprintf(insert, fmt.Sprintf(`%d AS "offset", ('{"id": "%[1]d", "pad": "' || repeat('x', 5000000) || '"}')::BLOB AS value`, i+1))))
	}
	must(t, s.exec("REPLAY SOURCE events"))
	if got := s.value("SELECT string_agg(id || ' ' || coalesce(len(pad), 0) || ' ' || _offset, ', ' ORDER BY _offset) FROM events"); got !=
		"x 0 0, 1 5000000 1, 2 5000000 2, 3 5000000 3, 4 5000000 4, 5 5000000 5" {
		t.Error(got)
	}
	if got := s.value("SELECT string_agg(reason) FROM scoter.dead_letters"); got != "lost" {
		t.Error(got)
	}
	if got := s.value("SELECT count(*) || ' ' || count(value) FROM scoter.dead_letter_log WHERE replayed"); got != "6 0" {
		t.Error(got)
	}
}

// TestASourceGoesWithItsSchema checks that dropping a schema or database drops the sources in it.
// These sources must not create the schema or database again.
func TestASourceGoesWithItsSchema(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE DATABASE e"))
	must(t, s.exec("CREATE SCHEMA e.s"))
	for _, name := range []string{"e.s.events", "e.main.events"} {
		must(t, s.exec(fmt.Sprintf(`CREATE SOURCE %s FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE %s`, name, c.brokers, name)))
	}
	c.send("events", 0, []byte(`{"id": 1}`))
	s.eventually("SELECT (SELECT count(*) FROM e.s.events) + (SELECT count(*) FROM e.main.events)", "2")
	wantKind(t, s.exec("DROP DATABASE e"), base.Conflict)
	for _, x := range s.states() {
		if x.State != "running" {
			t.Errorf("source %s is %s: it was stopped for a DROP that is refused", x.Name.Name, x.State)
		}
	}
	c.send("events", 0, []byte(`{"id": 2}`))
	s.eventually("SELECT (SELECT count(*) FROM e.s.events) + (SELECT count(*) FROM e.main.events)", "4")
	must(t, s.exec("DROP SCHEMA e.s CASCADE"))
	if got := len(s.states()); got != 1 {
		t.Errorf("%d sources", got)
	}
	must(t, s.exec("DROP DATABASE e CASCADE"))
	c.send("events", 0, []byte(`{"id": 3}`))
	if got := len(s.states()); got != 0 {
		t.Errorf("%d sources", got)
	}
	if s.Engine.HasDatabase("e") {
		t.Error("the database is there again")
	}
}

// TestASourceThatCannotBeDroppedGoesOn checks that a source continues if it could not be dropped.
func TestASourceThatCannotBeDroppedGoesOn(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	n := &node{t: t}
	n.open(vfs.NewCrashable())
	name := catalog.SourceName{Database: "d", Schema: "main", Name: "orders"}
	must(t, n.sources.Create(ctx, name, ordersDefinition(c, t), false))
	c.send("orders", 0, orders(0, 10)...)
	n.verify(10)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	wantKind(t, n.sources.Drop(canceled, name), base.Canceled)
	c.send("orders", 0, orders(10, 20)...)
	n.verify(20)
	n.close()
}

// TestAPartitionWithoutALeaderHoldsUpNoOther checks that a source reads its other partitions while
// one partition has no leader.
func TestAPartitionWithoutALeaderHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "events"))
	var led atomic.Bool
	c.ControlKey(int16(kmsg.ListOffsets), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.ListOffsetsRequest)
		if led.Load() {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		for _, topic := range asked.Topics {
			rt := kmsg.NewListOffsetsResponseTopic()
			rt.Topic = topic.Topic
			for _, p := range topic.Partitions {
				rp := kmsg.NewListOffsetsResponseTopicPartition()
				rp.Partition, rp.Offset, rp.LeaderEpoch = p.Partition, 0, 0
				if p.Partition == 1 {
					rp.ErrorCode = kerr.LeaderNotAvailable.Code
				}
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events METADATA (partition)`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1}`))
	c.send("events", 1, []byte(`{"id": 2}`))
	s.eventually("SELECT string_agg(id || ' ' || _partition) FROM events", "1 0")
	s.eventually("SELECT state || ' ' || (error LIKE '%partition 1%') FROM scoter.sources", "waiting true")
	led.Store(true)
	s.eventually("SELECT string_agg(id || ' ' || _partition, ', ' ORDER BY id) FROM events", "1 0, 2 1")
	s.eventually("SELECT state FROM scoter.sources", "running")
}

// TestSessionsThatEndAgainAndAgainAreToldOf checks that the source reports an error if sessions end
// again and again because the topics changed. A single such end is not an error.
func TestSessionsThatEndAgainAndAgainAreToldOf(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	var well atomic.Bool
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.FetchRequest)
		if well.Load() {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		for _, topic := range asked.Topics {
			rt := kmsg.NewFetchResponseTopic()
			rt.Topic, rt.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				rp := kmsg.NewFetchResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, kerr.OffsetOutOfRange.Code
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events`, c.brokers)))
	s.eventually("SELECT state || ' ' || (error LIKE '%partition 0%') FROM scoter.sources", "failing true")
	well.Store(true)
	c.send("events", 0, []byte(`{"id": 1}`))
	s.eventually("SELECT count(*) || ' ' || (SELECT state FROM scoter.sources) FROM events", "1 running")
}

// TestAGroupIsToldAllOffsets checks that all offsets are committed to the group when the source
// stops, including offsets that the group refused before.
func TestAGroupIsToldAllOffsets(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	var refused atomic.Int32
	c.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if refused.Add(1) > 1 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, topic := range req.(*kmsg.OffsetCommitRequest).Topics {
			rt := kmsg.NewOffsetCommitResponseTopic()
			rt.Topic, rt.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				rp := kmsg.NewOffsetCommitResponseTopicPartition()
				rp.Partition, rp.ErrorCode = p.Partition, kerr.UnknownServerError.Code
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', group = 'scoter', max_age = '20ms') FORMAT json INTO TABLE events`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1}`), []byte(`{"id": 2}`))
	s.eventually("SELECT count(*) FROM events", "2")
	for deadline := time.Now().Add(time.Minute); refused.Load() == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	must(t, s.exec("PAUSE SOURCE events"))
	told, err := c.admin().FetchOffsets(ctx, "scoter")
	must(t, err)
	if at, ok := told.Lookup("events", 0); !ok || at.At != 2 {
		t.Errorf("the group was told %+v", at)
	}
}
