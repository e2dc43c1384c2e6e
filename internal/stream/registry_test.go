package stream_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"google.golang.org/protobuf/encoding/protowire"
)

// schemas starts a schema registry with the given schemas, whose ids begin at 1. While the flag
// down is set, the registry does not answer. Once the flag registered is set, the first schema also
// has the id 99.
func schemas(t *testing.T, kind string, texts ...string) (url string, down, registered *atomic.Bool) {
	down, registered = new(atomic.Bool), new(atomic.Bool)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /schemas/ids/{id}", func(w http.ResponseWriter, r *http.Request) {
		var id int
		fmt.Sscan(r.PathValue("id"), &id)
		if id == 99 && registered.Load() {
			id = 1
		}
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		switch {
		case down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case id < 1 || id > len(texts):
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code": 40403, "message": "Schema not found"}`)
		default:
			must(t, json.NewEncoder(w).Encode(map[string]string{"schema": texts[id-1], "schemaType": kind}))
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, down, registered
}

// framed puts the registry's header before a message. The message has the first type of a Protobuf
// file, or is in Avro.
func framed(id uint32, path string, msg []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32([]byte{0}, id), path...), msg...)
}

func TestSchemasOfARegistryEvolveAndWhatDoesNotFitIsPutAside(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	url, down, registered := schemas(t, "PROTOBUF", itemProto,
		`syntax = "proto3"; message Order { int64 id = 1; string country = 2; double weight = 9; }`,
		`syntax = "proto3"; message Order { string id = 1; }`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms')
		FORMAT protobuf (registry = '%s') INTO TABLE orders`, c.brokers, url)))
	weight := protowire.AppendFixed64(protowire.AppendTag(nil, 9, protowire.Fixed64Type), 0x3ff8000000000000)
	text := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "abc")
	digits := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "77")
	c.send("orders", 0,
		framed(1, "\x00", order(1)), framed(2, "\x00", append(order(2), weight...)), framed(3, "\x00", text), framed(99, "\x00", order(3)),
		[]byte{1, 2}, framed(3, "\x00", digits), framed(1, "\x00", order(4)))
	s.eventually("SELECT string_agg(id || coalesce(':' || weight, ''), ' ' ORDER BY id) FROM orders", "1 2:1.5 4 77")
	s.eventually(`SELECT string_agg("offset" || ' ' || coalesce(schema_id::VARCHAR, '-'), ', ' ORDER BY "offset") FROM scoter.dead_letters`, "2 3, 3 99, 4 -")
	if got := s.value(`SELECT count(*) FROM scoter.dead_letters WHERE reason LIKE '%"id"%abc%' OR reason LIKE '%99%' OR reason LIKE '%too short%'`); got != "3" {
		t.Error(s.value("SELECT string_agg(reason, '; ') FROM scoter.dead_letters"))
	}
	// A registry that is not reachable stops the stream, and loses nothing.
	down.Store(true)
	c.send("orders", 0, framed(1, "\x02\x00", order(5)), framed(1, "\x00", order(6)))
	s.eventually("SELECT state FROM scoter.sources", "waiting")
	down.Store(false)
	s.eventually("SELECT count(*) FROM orders WHERE id = 6", "1")
	// Once the registry has the schema, the dead letter can be replayed, but only once.
	registered.Store(true)
	must(t, s.exec("REPLAY SOURCE orders"))
	must(t, s.exec("REPLAY SOURCE orders"))
	if got := s.value(`SELECT count(*) FROM orders WHERE id = 3`); got != "1" {
		t.Errorf("%s rows of the letter", got)
	}
	if got := s.value(`SELECT string_agg("offset"::VARCHAR, ' ' ORDER BY "offset") FROM scoter.dead_letters WHERE "offset" <= 4`); got != "2 4" {
		t.Errorf("dead letters %s", got)
	}
}

func TestAvroOfARegistry(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	url, _, _ := schemas(t, "AVRO", `{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, {"name": "country", "type": "string"}]}`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms')
		FORMAT avro (registry = '%s') INTO TABLE orders METADATA (offset)`, c.brokers, url)))
	c.send("orders", 0, framed(1, "", []byte{2, 4, 'd', 'e'}), framed(1, "", []byte{4}), framed(1, "", []byte{6, 4, 'f', 'r'}))
	s.eventually("SELECT string_agg(id || country || _offset, ' ' ORDER BY id) FROM orders", "1de0 3fr2")
	s.eventually("SELECT count(*) FROM scoter.dead_letters", "1")
}

func TestJSON(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "events"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE events FROM KAFKA (brokers = '%s', topic = 'events', max_age = '20ms') FORMAT json
		INTO TABLE events METADATA (offset)
		INTO TABLE items AS SELECT id, unnest(items).name AS name FROM messages
		INTO TABLE flat (id, items[].name, items[].tags[].t AS tag, items[1].name AS second) METADATA (offset)
		INTO TABLE firsts (id, items[0].name AS first)`, c.brokers)))
	c.send("events", 0, []byte(`{"id": 1, "items": [{"name": "a"}, {"name": "b"}]}`), []byte(`{"id": 2}{"id": 3}`), []byte(` {"id": 4, "at": "2026-01-01"} `), []byte("[1]"),
		[]byte(`{"id": 5, "id": 6}`), []byte(`{"id": "x7", "items": []}`), []byte(`{"id": 8`))
	s.eventually("SELECT string_agg(id || ':' || _offset, ' ' ORDER BY id) FROM events", "1:0 4:2")
	s.eventually(`SELECT string_agg("offset"::VARCHAR, ' ' ORDER BY "offset") FROM scoter.dead_letters`, "1 3 4 5 6")
	// This batch lacks a column that the query names.
	c.send("events", 0, []byte(`{"id": 9}`))
	s.eventually("SELECT count(*) FROM events", "3")
	if got := s.value("SELECT string_agg(id || name, ' ' ORDER BY name) FROM items"); got != "1a 1b" {
		t.Error(got)
	}
	// Only later messages have this list, so the table of its elements is created only then.
	c.send("events", 0, []byte(`{"id": 10, "items": [{"name": "c", "tags": [{"t": 1}, {"t": 2}]}, {"name": "d", "tags": [{"t": 3}]}, {"name": "e"}]}`), []byte(`{"id": 11, "items": []}`))
	s.eventually("SELECT count(*) FROM events", "5")
	if got := s.value("SELECT string_agg(id || items_name || tag || second || ':' || _offset, ' ' ORDER BY tag) FROM flat"); got != "10c1d:8 10c2d:8 10d3d:8" {
		t.Error(got)
	}
	if got := s.value("SELECT string_agg(id || coalesce(first, '-'), ' ' ORDER BY id) FROM firsts"); got != "1a 4- 9- 10c 11-" {
		t.Error(got)
	}
}

func TestPathsOfAvro(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	url, _, _ := schemas(t, "AVRO", `{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, {"name": "by", "type":
		{"type": "record", "name": "Who", "fields": [{"name": "name", "type": "string"}]}}, {"name": "lines", "type": {"type": "array", "items": "int"}}]}`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms')
		FORMAT avro (registry = '%s') INTO TABLE lines (id, by.name, lines[] AS line, lines[1] AS second) METADATA (partition)`, c.brokers, url)))
	c.send("orders", 0, framed(1, "", []byte{2, 4, 'd', 'e', 4, 6, 8, 0}), framed(1, "", []byte{4, 4, 'f', 'r', 0}), framed(1, "", []byte{6, 4, 'u', 'k', 2, 10, 0}))
	s.eventually("SELECT string_agg(id || by_name || line || coalesce(second, 0) || _partition, ' ' ORDER BY id, line) FROM lines", "1de340 1de440 3uk500")
}

// TestAvroIsResolvedToTheSchemaOfAFile reads records of two writer schemas into the columns of one
// reader schema. The columns exist before the first record. A record that does not fit is a dead
// letter.
func TestAvroIsResolvedToTheSchemaOfAFile(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	url, _, _ := schemas(t, "AVRO", `{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}, {"name": "land", "type": "string"}]}`,
		`{"type": "record", "name": "Order", "fields": [{"name": "note", "type": "string"}, {"name": "country", "type": "string"}, {"name": "id", "type": "long"}, {"name": "more", "type": "double"}]}`,
		`{"type": "record", "name": "Order", "fields": [{"name": "country", "type": "string"}]}`)
	reader := filepath.Join(t.TempDir(), "order.avsc")
	must(t, os.WriteFile(reader, []byte(`{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}, {"name": "country", "type": "string", "aliases": ["land"]},
		{"name": "note", "type": "string", "default": "none"}]}`), 0o600))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms')
		FORMAT avro (registry = '%s', schema = '%s') INTO TABLE orders METADATA (offset)`, c.brokers, url, reader)))
	if got := s.value("SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'orders'"); got != "id country note _offset" {
		t.Error(got)
	}
	c.send("orders", 0, framed(1, "", []byte{2, 4, 'd', 'e'}), framed(2, "", append([]byte{2, 'n', 4, 'f', 'r', 4}, make([]byte, 8)...)), framed(3, "", []byte{4, 'x', 'x'}), framed(1, "", []byte{6, 4, 'j', 'p'}))
	s.eventually("SELECT string_agg(id || country || note || _offset, ' ' ORDER BY id) FROM orders", "1denone0 2frn1 3jpnone3")
	s.eventually("SELECT schema_id || ' ' || reason FROM scoter.dead_letters", "3 the schemas of writer and reader do not fit: the reader's field id is not in the writer's schema, and has no default")
}

// TestSeveralMessageTypesOfOneFile reads the first type, another type and a nested type. An absent
// message is NULL.
func TestSeveralMessageTypesOfOneFile(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "orders"))
	s := newServer(t, t.TempDir())
	url, _, _ := schemas(t, "PROTOBUF", `syntax = "proto3"; message Order { int64 id = 1; Who who = 2; message Who { string name = 1; } }
		message Item { int64 id = 1; string name = 2; message Part { int64 id = 1; string size = 2; } }`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE orders FROM KAFKA (brokers = '%s', topic = 'orders', max_age = '20ms') FORMAT protobuf (registry = '%s') INTO TABLE orders`, c.brokers, url)))
	text := func(id byte, text string) []byte { return append([]byte{8, id, 18, byte(len(text))}, text...) }
	// In the header, the schema's id is followed by the length of the path to the message type and
	// the numbers of the path, all zigzag-encoded. A single 0 is short for the path to the first
	// type.
	c.send("orders", 0, framed(1, "\x00", text(1, "")), framed(1, "\x02\x02", text(2, "bolt")), framed(1, "\x04\x02\x00", text(3, "L")), framed(1, "\x02\x06", text(4, "")), framed(1, "\x00", []byte{8, 5}))
	s.eventually("SELECT string_agg(id || coalesce(name, '-') || coalesce(size, '-') || (who IS NULL), ' ' ORDER BY id) FROM orders", "1--false 2bolt-true 3-Ltrue 5--true")
	s.eventually(`SELECT string_agg("offset"::VARCHAR, ' ') FROM scoter.dead_letters`, "3")
}
