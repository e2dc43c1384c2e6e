package stream_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/stream"
)

// produce sends records to a partition, each as "key=value", or as "key" for a tombstone.
func (c *cluster) produce(topic string, partition int32, records ...string) {
	c.t.Helper()
	var all []*kgo.Record
	for _, text := range records {
		key, value, ok := strings.Cut(text, "=")
		rec := &kgo.Record{Topic: topic, Partition: partition, Key: []byte(key)}
		if ok {
			rec.Value = []byte(value)
		}
		all = append(all, rec)
	}
	must(c.t, c.producer.ProduceSync(ctx, all...).FirstErr())
}

// from returns the beginning of a CREATE SOURCE statement for the topic u.
func (c *cluster) from(options string) string {
	return fmt.Sprintf(`CREATE SOURCE u FROM KAFKA (brokers = '%s', topic = 'u', max_age = '20ms'%s) FORMAT json `, c.brokers, options)
}

const (
	users     = "SELECT string_agg(id || coalesce(name, '-'), ' ' ORDER BY id) FROM users"
	readUpTo  = "SELECT sum(next_offset) FROM scoter.source_partitions"
	noLetters = "SELECT count(*) FROM scoter.dead_letters"
)

// TestTombstonesDeleteTheRowsOfTheirKeys deletes rows by tombstones (records without a value), in
// one batch and in several batches, and over restarts. The source fills tables of all kinds, also
// one without a primary key.
func TestTombstonesDeleteTheRowsOfTheirKeys(t *testing.T) {
	for _, with := range []string{"", "WITH (upsert = 'merge-on-read')", "WITH (is_deleted = 'gone')", "WITH (is_deleted = 'gone', upsert = 'merge-on-read')",
		"WITH (version = 'ver')", "WITH (version = 'ver', is_deleted = 'gone')", "WITH (version = 'ver', is_deleted = 'gone', upsert = 'merge-on-read')"} {
		t.Run(with, func(t *testing.T) {
			c := newCluster(t, kfake.SeedTopics(1, "u"))
			dir := t.TempDir()
			s := newServer(t, dir)
			must(t, s.exec("CREATE TABLE users (id VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, ver BIGINT NOT NULL DEFAULT 7, gone BOOLEAN, CHECK (len(name) > 0)) "+with))
			must(t, s.exec(c.from("")+"INTO TABLE users AS SELECT _key::VARCHAR AS id, name, ver FROM messages INTO TABLE log METADATA (key, offset)"))
			if got := s.states()[0].Definition.Kafka["tombstones"]; got != "delete" {
				t.Errorf("tombstones = %q", got)
			}
			c.produce("u", 0, `a={"name": "x", "ver": 1}`, "a", `b={"name": "x", "ver": 1}`, "b", `b={"name": "y", "ver": 2}`, "c", `d={"name": "x", "ver": 3}`, `e={"name": "x", "ver": 3}`)
			s.eventually(readUpTo, "8")
			s.eventually(users, "by dx ex")
			c.produce("u", 0, "d", `e={"name": "z", "ver": 4}`, "e", `e={"name": "w", "ver": 5}`, `f={"name": "x", "ver": 1}`)
			s.eventually(readUpTo, "13")
			s.eventually(users, "by ew fx")
			must(t, s.Engine.Flush(ctx))
			must(t, s.Close())
			s = newServer(t, dir)
			c.produce("u", 0, "e", "nobody", "f", `f={"name": "v", "ver": 2}`, "b")
			s.eventually(readUpTo, "18")
			s.eventually(users, "fv")
			c.produce("u", 0, "f")
			s.eventually(readUpTo, "19")
			s.eventually("SELECT count(*) FROM users", "0")
			if got := s.value("SELECT count(*) || ' ' || count(DISTINCT _offset) FROM log"); got != "9 9" {
				t.Errorf("log: %s", got)
			}
			s.eventually(noLetters, "0")
			must(t, s.Engine.Check(ctx))
		})
	}
}

// TestATombstoneWithoutAVersionDeletesWhateverVersionIsThere checks that a tombstone without a
// version deletes the row of its key, whatever the row's version is. But it does not remove the
// mark of a deletion that has a version. A tombstone whose version comes from the record's metadata
// is compared by that version.
func TestATombstoneWithoutAVersionDeletesWhateverVersionIsThere(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "u"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE users (id VARCHAR PRIMARY KEY, name VARCHAR, ver BIGINT, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone')"))
	must(t, s.exec(c.from("")+"INTO TABLE users AS SELECT _key::VARCHAR AS id, name, ver, gone FROM messages"))
	// If a row is deleted, Debezium sends an event that says so, followed by a tombstone. Older
	// events, from another partition, arrive after both.
	c.produce("u", 0, `a={"name": "x", "ver": 8, "gone": false}`)
	s.eventually(users, "ax")
	c.produce("u", 0, `a={"ver": 9, "gone": true}`, "a")
	s.eventually(users, "(null)")
	c.produce("u", 1, `a={"name": "late", "ver": 7}`, `b={"name": "b", "ver": 1}`)
	s.eventually(users, "bb")
	c.produce("u", 0, `a={"ver": 10, "gone": true}`)
	s.eventually(readUpTo, "6")
	c.produce("u", 0, "a")
	s.eventually(readUpTo, "7")
	c.produce("u", 1, `a={"name": "late", "ver": 9}`)
	s.eventually(readUpTo, "8")
	if got := s.value(users); got != "bb" {
		t.Errorf("after Debezium's tombstone: %s", got)
	}
	// A row is inserted again with a lower version, in one batch with the tombstone.
	c.produce("u", 0, `c={"name": "x", "ver": 50, "gone": false}`)
	s.eventually(users, "bb cx")
	c.produce("u", 0, "c", `c={"name": "new", "ver": 1, "gone": false}`)
	s.eventually(users, "bb cnew")
	must(t, s.exec("DROP SOURCE u"))
	must(t, s.exec("CREATE TABLE latest (id VARCHAR PRIMARY KEY, name VARCHAR, ver BIGINT, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone')"))
	must(t, s.exec(c.from("")+"INTO TABLE latest AS SELECT _key::VARCHAR AS id, name, _timestamp::TIMESTAMP::VARCHAR AS at, _offset AS ver FROM messages"))
	s.eventually(readUpTo, "11")
	c.produce("u", 1, "late")
	c.produce("u", 0, "low", "low", "low", "low", `late={"name": "newer"}`)
	s.eventually(readUpTo, "17")
	c.produce("u", 1, "late") // offset 4, lower than the row's
	s.eventually(readUpTo, "18")
	s.eventually("SELECT name FROM latest WHERE id = 'late'", "newer")
	s.eventually(noLetters, "0")
}

// TestWhichTombstonesAreDeadLetters uses tables whose primary key does not come from the record's
// key alone. Tombstones cannot delete rows there. They must become dead letters, unless the
// source's option says to ignore them.
func TestWhichTombstonesAreDeadLetters(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "u"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE users (id VARCHAR PRIMARY KEY, name VARCHAR)"))
	c.produce("u", 0, `a={"id": "a", "name": "x"}`, "a")
	for i, into := range []string{"INTO TABLE users", "INTO TABLE log", "INTO TABLE users AS SELECT id, name FROM messages",
		"INTO TABLE users AS SELECT coalesce(_key::VARCHAR, id) AS id, name FROM messages", "INTO TABLE users AS SELECT _key::VARCHAR AS id, name FROM messages WHERE name <> 'y'"} {
		must(t, s.exec(c.from("")+into))
		s.eventually(noLetters, fmt.Sprint(i+1))
		if got := s.states()[0].Definition.Kafka["tombstones"]; got != "" {
			t.Errorf("%s: tombstones = %q", into, got)
		}
		if got := s.value("SELECT max(reason) FROM scoter.dead_letters"); got != "a tombstone: the record has no value" {
			t.Error(got)
		}
		must(t, s.exec("DROP SOURCE u"))
	}
	must(t, s.exec(c.from(", tombstones = 'ignore'")+"INTO TABLE users"))
	s.eventually(readUpTo, "2")
	if got := s.value(noLetters); got != "5" {
		t.Errorf("%s dead letters", got)
	}
	must(t, s.exec("DROP SOURCE u"))
	// The user sets the option to "delete", although the query's condition uses a value that
	// tombstones lack.
	must(t, s.exec(c.from(", tombstones = 'delete'")+"INTO TABLE users AS SELECT _key::VARCHAR AS id, name FROM messages WHERE name <> 'y' OR name IS NULL"))
	s.eventually("SELECT count(*) FROM users", "0")
	s.eventually(readUpTo, "2")
	// A record with neither a key nor a value is a dead letter.
	must(t, c.producer.ProduceSync(ctx, &kgo.Record{Topic: "u"}).FirstErr())
	s.eventually(noLetters, "6")
	// The table is replaced by a table without a primary key, so tombstones delete nothing.
	must(t, s.exec("DROP TABLE users; CREATE TABLE users (id VARCHAR, name VARCHAR)"))
	c.produce("u", 0, `b={"name": "x"}`, "b", `c={"name": "x"}`)
	s.eventually(users, "bx cx")
	s.eventually(`SELECT reason FROM scoter.dead_letters WHERE "offset" = 4`, "a tombstone that deletes nothing: no table of the source has a primary key that comes from the record's key")
	must(t, s.exec("DROP SOURCE u"))
	for into, why := range map[string]string{"INTO TABLE log": "no primary key", "INTO TABLE users AS SELECT _key::VARCHAR AS id FROM messages": "no primary key",
		"INTO VIEW n AS SELECT count(*) AS n FROM messages": "a view"} {
		if err := s.exec(c.from(", tombstones = 'delete'") + into); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", into, err)
		}
	}
}

// TestTombstonesByMetadata deletes rows of a table that has no query and whose primary key is the
// metadata column _key.
func TestTombstonesByMetadata(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "u"))
	s := newServer(t, t.TempDir())
	must(t, s.exec("CREATE TABLE users (_partition INTEGER, _key BLOB, name VARCHAR, PRIMARY KEY (_key, _partition))"))
	must(t, s.exec("CREATE TABLE names (_key BLOB PRIMARY KEY, name VARCHAR)"))
	must(t, s.exec(c.from("")+"INTO TABLE users METADATA (partition, key) INTO TABLE names (name) METADATA (key) INTO VIEW n AS SELECT count(*) AS n FROM messages"))
	c.produce("u", 0, `a={"name": "x"}`, "a", `b={"name": "x"}`, "b", `b={"name": "y"}`)
	c.produce("u", 1, `a={"name": "x"}`, `b={"name": "z"}`, "b")
	s.eventually(readUpTo, "8")
	s.eventually("SELECT string_agg(_partition || _key::VARCHAR || name, ' ' ORDER BY _partition, _key) FROM users", "0by 1ax")
	s.eventually("SELECT count(*) <= 2 FROM names", "true") // partitions arrive in any order
	s.eventually("SELECT n FROM n", "5")
	s.eventually(noLetters, "0")
}

// TestTombstonesAmongManyRecords reads many records and tombstones, in batches of different sizes.
// The tables must have the last record of each key.
func TestTombstonesAmongManyRecords(t *testing.T) {
	// the number of records in a batch, and in total
	for rows, n := range map[int]int{1000: 900, 7: 900, 1: 150} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) { tombstonesAmong(t, rows, n) })
	}
}

func tombstonesAmong(t *testing.T, rows, n int) {
	c := newCluster(t, kfake.SeedTopics(1, "u"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(`CREATE TABLE users (id VARCHAR PRIMARY KEY, name BIGINT);
		CREATE TABLE onread (id VARCHAR PRIMARY KEY, name BIGINT) WITH (upsert = 'merge-on-read');
		CREATE TABLE versioned (id VARCHAR PRIMARY KEY, name BIGINT, gone BOOLEAN) WITH (version = 'name', is_deleted = 'gone');
		CREATE TABLE tags (tag VARCHAR PRIMARY KEY, name BIGINT)`))
	r := rand.New(rand.NewPCG(5, uint64(rows)))
	last, tags := map[string]string{}, map[string]string{}
	var records []string
	for i := range n {
		key := string(rune('a'+r.IntN(20))) + fmt.Sprint(r.IntN(3))
		tag := strings.ToUpper(key[:1])
		delete(last, key)
		delete(tags, tag)
		if r.IntN(3) > 0 {
			last[key], tags[tag] = fmt.Sprint(i), fmt.Sprint(i)
			key += fmt.Sprintf(`={"name": %d}`, i)
		}
		records = append(records, key)
	}
	c.produce("u", 0, records...)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE u FROM KAFKA (brokers = '%s', topic = 'u', max_age = '20ms', batch_rows = %d) KEY FORMAT string FORMAT json
		INTO TABLE users INTO TABLE onread AS SELECT _key AS id, name FROM messages INTO TABLE versioned AS SELECT _key AS id, name FROM messages
		INTO TABLE tags AS SELECT upper(_key[1]) AS tag, name FROM messages`, c.brokers, rows)))
	s.eventually(readUpTo, fmt.Sprint(n))
	for table, want := range map[string]map[string]string{"users": last, "onread": last, "versioned": last, "tags": tags} {
		var all []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			all = append(all, key+want[key])
		}
		key := map[bool]string{true: "tag", false: "id"}[table == "tags"]
		s.eventually(fmt.Sprintf("SELECT string_agg(%s || name, ' ' ORDER BY %[1]s) FROM %s", key, table), strings.Join(all, " "))
	}
	s.eventually(noLetters, "0")
}

// TestSourcesFromBeforeTombstonesDeletedKeepTheirDeadLetters checks that tombstones become dead
// letters in a source that an older version of Scoter created, without the option tombstones. A
// source of the settings file keeps the value that was chosen when it was created.
func TestSourcesFromBeforeTombstonesDeletedKeepTheirDeadLetters(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "u"))
	dir := t.TempDir()
	s := newServer(t, dir)
	must(t, s.exec("CREATE TABLE users (id VARCHAR PRIMARY KEY, name VARCHAR)"))
	d := stream.Definition{Kafka: map[string]string{"brokers": c.brokers, "topic": "u", "max_age": "20ms"}, Format: map[string]string{"name": "json"},
		Tables: []stream.Table{{Name: engine.TableName{Database: "d", Schema: "main", Name: "users"}, Query: "SELECT _key::VARCHAR AS id, name FROM messages"}}}
	text, err := d.Encode()
	must(t, err)
	if strings.Contains(string(text), "tombstones") || strings.Contains(string(text), `"key"`) {
		t.Fatalf("a definition as earlier versions wrote it: %s", text)
	}
	_, err = s.Engine.CreateSource(ctx, catalog.Source{Name: catalog.SourceName{Database: "d", Schema: "main", Name: "older"}, Definition: text}, false)
	must(t, err)
	must(t, s.Close())
	s = newServer(t, dir)
	c.produce("u", 0, `a={"name": "x"}`, "a")
	s.eventually(noLetters, "1")
	must(t, s.Sources.Configure(ctx, catalog.SourceName{Database: "d", Schema: "main", Name: "older"}, d))
	if got := s.states()[0].Definition.Kafka["tombstones"]; got != "" {
		t.Errorf("an older source has tombstones = %q", got)
	}
	must(t, s.exec("DROP SOURCE older"))
	name := catalog.SourceName{Database: "d", Schema: "main", Name: "configured"}
	for range 2 { // once for each of two starts of the server
		must(t, s.Sources.Configure(ctx, name, d))
		if got := s.states()[0].Definition.Kafka["tombstones"]; got != "delete" {
			t.Errorf("tombstones = %q", got)
		}
	}
	s.eventually("SELECT count(*) FROM users", "0")
	d.Kafka["tombstones"] = "ignore"
	must(t, s.Sources.Configure(ctx, name, d))
	c.produce("u", 0, `b={"name": "x"}`, "b", `c={"name": "x"}`)
	s.eventually(users, "bx cx")
}
