package stream_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scoterdb/scoter/internal/config"
)

// TestRecordsReplaceTheRowsOfTheirKeys fills tables with and without a primary key, over restarts.
// The last record of a key wins and replaces the whole row, whichever schema it was written with. A
// record without the key is a dead letter.
func TestRecordsReplaceTheRowsOfTheirKeys(t *testing.T) {
	for _, upsert := range []string{"merge-on-write", "merge-on-read"} {
		t.Run(upsert, func(t *testing.T) { replaceRows(t, fmt.Sprintf(" WITH (upsert = '%s')", upsert)) })
	}
}

func replaceRows(t *testing.T, options string) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	dir := t.TempDir()
	small := func(s *config.Server) { s.FlushBytes = 4 << 10 }
	s := newServer(t, dir, small)
	must(t, s.exec(`CREATE TABLE orders (id BIGINT PRIMARY KEY, country VARCHAR, note VARCHAR DEFAULT 'none')`+options))
	must(t, s.exec(`CREATE TABLE items (id BIGINT, name VARCHAR, price BIGINT, PRIMARY KEY (id, name))`+options))
	must(t, s.exec(`CREATE TABLE newest (country VARCHAR PRIMARY KEY, id BIGINT)`+options))
	url, _, _ := schemas(t, "PROTOBUF", itemProto, `syntax = "proto3"; message Order { int64 id = 1; string country = 2; repeated Item items = 3; optional double weight = 9; } message Item { string name = 1; int64 price = 2; }`,
		`syntax = "proto3"; message Order { optional int64 id = 1; string country = 2; repeated Item items = 3; } message Item { string name = 1; int64 price = 2; }`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms') FORMAT protobuf (registry = '%s')
		INTO TABLE orders INTO TABLE all_orders METADATA (offset)
		INTO TABLE items (id, items[].name AS name, items[].price AS price)
		INTO TABLE newest AS SELECT country, id FROM messages`, c.brokers, url)))
	var values [][]byte
	for i := range int64(3000) {
		values = append(values, framed(1, "\x00", order(i%1000)))
	}
	c.send("orders", 0, values...)
	s.eventually("SELECT count(*) FROM all_orders", "3000")
	for sql, want := range map[string]string{
		"SELECT count(*) || ' ' || sum(id) FROM orders":                      "1000 499500",
		"SELECT count(*) || ' ' || count(DISTINCT (id, name)) FROM items":    "1500 1500",
		"SELECT string_agg(country || id, ' ' ORDER BY country) FROM newest": "de999 fr997 jp998",
		"SELECT count(*) FROM orders WHERE note = 'none'":                    "1000",
		"SELECT count(*) || ' ' || count(DISTINCT _offset) FROM all_orders":  "3000 3000",
	} {
		if got := s.value(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	s.eventually("SELECT count(*) || ' ' || max(state) FROM scoter.sources WHERE lag = 0", "1 running")
	s.eventually("SELECT next_offset FROM scoter.source_partitions", "3000")
	must(t, s.Close())
	s = newServer(t, dir, small)
	// A batch has records of two schemas. The later record wins and replaces the whole row.
	must(t, s.exec("UPDATE orders SET note = 'mine' WHERE id < 10"))
	weight := protowire.AppendFixed64(protowire.AppendTag(nil, 9, protowire.Fixed64Type), 0x3ff8000000000000)
	moved := func(id int64, country string) []byte {
		b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(id))
		return protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), country)
	}
	c.send("orders", 0,
		framed(1, "\x00", moved(1, "a")), framed(2, "\x00", append(moved(1, "b"), weight...)), framed(1, "\x00", moved(1, "c")),
		framed(2, "\x00", append(moved(2, "d"), weight...)), framed(1, "\x00", moved(2, "e")), framed(2, "\x00", append(moved(2, "f"), weight...)),
		framed(3, "\x00", nil), nil, framed(1, "\x00", moved(5, "g")))
	s.eventually("SELECT count(*) FROM all_orders", "3007")
	if got := s.value("SELECT string_agg(id || country || coalesce(weight::VARCHAR, '-') || note, ' ' ORDER BY id) FROM orders WHERE id < 7"); got !=
		"0de-mine 1c-none 2f1.5none 3de-mine 4fr-mine 5g-none 6de-mine" {
		t.Error(got)
	}
	if got := s.value("SELECT string_agg(country || id, ' ' ORDER BY country) FROM newest WHERE len(country) = 1"); got != "a1 b1 c1 d2 e2 f2 g5" {
		t.Error(got)
	}
	if got := s.value(`SELECT string_agg("offset" || ' ' || reason, '; ' ORDER BY "offset") FROM scoter.dead_letters`); got !=
		`3006 table d.main.orders: row 1, column "id": NULL in a column that is NOT NULL; 3007 a tombstone: the record has no value` {
		t.Error(got)
	}
}

// TestVersionsDecideInWhichOrderRecordsOfAKeyCount reads records of one key from two partitions.
// The record with the higher version wins. A record that is marked as deleted deletes the row of
// the key.
func TestVersionsDecideInWhichOrderRecordsOfAKeyCount(t *testing.T) {
	for _, upsert := range []string{"merge-on-write", "merge-on-read"} {
		t.Run(upsert, func(t *testing.T) { checkVersionOrder(t, upsert) })
	}
}

func checkVersionOrder(t *testing.T, upsert string) {
	c := newCluster(t, kfake.SeedTopics(2, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(`CREATE TABLE events (id BIGINT PRIMARY KEY, version BIGINT, gone BOOLEAN, text VARCHAR) WITH (version = 'version', is_deleted = 'gone', upsert = '`+upsert+`')`))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json INTO TABLE events`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "version": 3, "text": "new"}`), []byte(`{"id": 2, "version": 7, "gone": true}`), []byte(`{"id": 3, "version": 1, "text": "a"}`))
	s.eventually("SELECT count(*) FROM events", "2")
	c.send("events", 1, []byte(`{"id": 1, "version": 2, "text": "old"}`), []byte(`{"id": 2, "version": 6, "text": "old"}`), []byte(`{"id": 3, "version": 2}`))
	s.eventually("SELECT string_agg(id || coalesce(text, '-'), ' ' ORDER BY id) FROM events", "1new 3-")
	// The offsets of records that change no row are stored too.
	c.send("events", 1, []byte(`{"id": 1, "version": 2, "text": "older"}`))
	s.eventually("SELECT sum(next_offset) || ' ' || (SELECT text FROM events WHERE id = 1) FROM scoter.source_partitions", "7 new")
	// A record without a version counts as older than all others, whichever records are in its
	// batch.
	c.send("events", 1, []byte(`{"id": 1, "text": "without"}`))
	s.eventually("SELECT sum(next_offset) || ' ' || (SELECT text FROM events WHERE id = 1) FROM scoter.source_partitions", "8 new")
	c.send("events", 1, []byte(`{"id": 1, "text": "without"}`), []byte(`{"id": 4, "version": 1, "text": "b"}`))
	s.eventually("SELECT sum(next_offset) || ' ' || (SELECT text FROM events WHERE id = 1) FROM scoter.source_partitions", "10 new")
}
