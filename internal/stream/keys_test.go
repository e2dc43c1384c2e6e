package stream_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scoterdb/scoter/internal/base"
)

func long(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

// TestKeysOfAllFormats fills a table whose primary key is the record's key, in each way that a
// source supports. It also deletes rows by tombstones (records without a value).
func TestKeysOfAllFormats(t *testing.T) {
	longs, _, _ := schemas(t, "AVRO", `"long"`)
	records, _, _ := schemas(t, "AVRO", `{"type": "record", "name": "K", "fields": [{"name": "id", "type": "long"}, {"name": "region", "type": "string"}]}`,
		`{"type": "record", "name": "K", "fields": [{"name": "region", "type": "string"}, {"name": "id", "type": "int"}, {"name": "more", "type": "string", "default": ""}]}`)
	proto := protoFile(t, `syntax = "proto3"; message K { int64 id = 1; string region = 2; }`)
	message := func(id int64, region string) string {
		b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(id))
		return string(protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), region))
	}
	avro := func(id uint32, msg ...byte) string { return string(framed(id, "", msg)) }
	single, composite := "id BIGINT PRIMARY KEY", "region VARCHAR, id BIGINT, PRIMARY KEY (region, id)"
	for _, c := range []struct {
		format, definition string
		query              string // the SQL that computes the primary key
		keys, again        [3]string
		bad                string
	}{
		{"string", single, "_key::BIGINT AS id", [3]string{"1", "2", "3"}, [3]string{"1", "2", "3"}, "\xff"},
		{"long", single, "_key AS id", [3]string{long(1), long(2), long(3)}, [3]string{long(1), long(2), long(3)}, "1"},
		{"json", single, "_key AS id", [3]string{"1", "2", "3"}, [3]string{" 1", "2 ", "3"}, "{"},
		{"json", composite, "_key.region AS region, _key.id AS id", [3]string{`{"id":1,"region":"e"}`, `{"id":2,"region":"e"}`, `{"id":3,"region":"e"}`},
			[3]string{`{"region": "e", "id": 1}`, `{"region": "e", "id": 2}`, `{"region": "e", "id": 3}`}, `{"id":1}`},
		{"avro (registry = '" + longs + "')", single, "_key AS id", [3]string{avro(1, 2), avro(1, 4), avro(1, 6)}, [3]string{avro(1, 2), avro(1, 4), avro(1, 6)}, "1"},
		{"avro (registry = '" + records + "')", composite, "m._key.region AS region, m._key.id AS id", [3]string{avro(1, 2, 2, 'e'), avro(1, 4, 2, 'e'), avro(1, 6, 2, 'e')},
			[3]string{avro(2, 2, 'e', 2, 0), avro(2, 2, 'e', 4, 0), avro(2, 2, 'e', 6, 0)}, avro(9, 2)},
		{"protobuf (schema = '" + proto + "', message = 'K')", composite, "_key.region AS region, _key.id AS id", [3]string{message(1, "e"), message(2, "e"), message(3, "e")},
			[3]string{message(1, "e"), message(2, "e"), message(3, "e")}, "\xff"},
	} {
		for name, into := range map[string]string{"whole": "", "paths": "(name)", "query": " AS SELECT " + c.query + ", name FROM messages AS m"} {
			t.Run(c.format+" "+name, func(t *testing.T) {
				k := newCluster(t, kfake.SeedTopics(1, "u"))
				s := newServer(t, t.TempDir())
				must(t, s.exec("CREATE TABLE users (name VARCHAR, "+c.definition+")"))
				must(t, s.exec(fmt.Sprintf(`CREATE SOURCE u FROM KAFKA (brokers = '%s', topic = 'u', max_age = '20ms') KEY FORMAT %s FORMAT json INTO TABLE users`, k.brokers, c.format)+into))
				send := func(key, value string) *kgo.Record {
					rec := &kgo.Record{Topic: "u", Key: []byte(key)}
					if value != "" {
						rec.Value = []byte(value)
					}
					return rec
				}
				must(t, k.producer.ProduceSync(ctx, send(c.keys[0], `{"name": "x"}`), send(c.keys[1], `{"name": "x"}`), send(c.again[0], ""), send(c.keys[2], `{"name": "x"}`),
					send(c.again[2], `{"name": "y"}`), send(c.bad, `{"name": "bad"}`), send(c.bad, "")).FirstErr())
				s.eventually(users, "2x 3y")
				s.eventually(noLetters, "2")
				must(t, k.producer.ProduceSync(ctx, send(c.again[1], ""), send(c.keys[1], `{"name": "z"}`), send(c.keys[2], "")).FirstErr())
				s.eventually(users, "2z")
				if got := s.value(noLetters); got != "2" {
					t.Error(s.value("SELECT string_agg(reason, '; ') FROM scoter.dead_letters"))
				}
			})
		}
	}
}

// TestKeysAreMetadata stores keys, decoded by their format, in a log table, over restarts. The key
// is NULL for a record without one.
func TestKeysAreMetadata(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "u"))
	dir := t.TempDir()
	s := newServer(t, dir)
	source := func(format string) string {
		return fmt.Sprintf("CREATE SOURCE u FROM KAFKA (brokers = '%s', topic = 'u', max_age = '20ms') KEY FORMAT %s FORMAT json INTO TABLE log METADATA (key)", c.brokers, format)
	}
	must(t, s.exec(source("json (types = 'id BIGINT, at DATE')")))
	must(t, c.producer.ProduceSync(ctx, &kgo.Record{Topic: "u", Value: []byte(`{"v": 1}`)}).FirstErr())
	c.produce("u", 0, `{"id": 5}={"v": 2}`, `{"at": "2026-01-31"}={"v": 3}`)
	const all = "SELECT string_agg(v || ':' || coalesce(_key.id::VARCHAR, '-') || coalesce(_key.at::VARCHAR, '-'), ' ' ORDER BY v) FROM log"
	s.eventually(all, "1:-- 2:5- 3:-2026-01-31")
	s.eventually(readUpTo, "3")
	must(t, s.Close())
	s = newServer(t, dir)
	c.produce("u", 0, `{"id": 6}={"v": 4}`)
	s.eventually(all, "1:-- 2:5- 3:-2026-01-31 4:6-")
	must(t, s.exec("DROP SOURCE u"))
	for _, format := range []string{"long (types = 'id BIGINT')", "bytes", "avro", "json (registry = 'http://r')"} {
		if err := s.exec(source(format)); base.KindOf(err) != base.Invalid {
			t.Errorf("%s: %v", format, err)
		}
	}
}
