package stream_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

func texts(all ...string) (out [][]byte) {
	for _, text := range all {
		out = append(out, []byte(text))
	}
	return out
}

// TestWhatIsNullInAllRecordsIsNull reads changes of rows as Debezium writes them: what a row was before is null until one changes. A query that names it
// gives rows from the first record on, and has the values once there are any.
func TestWhatIsNullInAllRecordsIsNull(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "changes"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(`CREATE TABLE c (id BIGINT PRIMARY KEY, name VARCHAR, old VARCHAR, gone BOOLEAN) WITH (is_deleted = 'gone')`))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE changes FROM KAFKA (brokers = '%s', topic = 'changes', max_age = '20ms') FORMAT json
		INTO TABLE c AS SELECT coalesce(after.id, before.id) AS id, after.name AS name, before.name AS old, op = 'd' AS gone FROM messages
		INTO TABLE made AS SELECT m.after.id AS id, m.before.id AS old_id, after.note AS note, before.name AS old FROM messages m`, c.brokers)))
	c.send("changes", 0, texts(
		`{"before": null, "after": {"id": 1, "name": "a", "note": null}, "op": "c"}`,
		`{"before": null, "after": {"id": 2, "name": "b", "note": null}, "op": "c"}`)...)
	s.eventually("SELECT count(*) FROM made", "2")
	for sql, want := range map[string]string{
		"SELECT string_agg(concat_ws(' ', id, name, old), ', ' ORDER BY id) FROM c": "1 a, 2 b",
		"SELECT count(*) FROM scoter.dead_letters":                                  "0",
		"SELECT sum(id) FROM made":                                                  "3",
	} {
		if want != "" && s.value(sql) != want {
			t.Errorf("%s: %s, want %s", sql, s.value(sql), want)
		}
	}
	c.send("changes", 0, texts(
		`{"before": {"id": 1, "name": "a", "note": "x"}, "after": {"id": 1, "name": "A", "note": "y"}, "op": "u"}`,
		`{"before": {"id": 2, "name": "b"}, "after": null, "op": "d"}`,
		`{"before": null, "after": {"id": 3, "name": "c", "note": null}, "op": "c"}`)...)
	s.eventually("SELECT count(*) FROM made", "5")
	for sql, want := range map[string]string{
		"SELECT string_agg(concat_ws(' ', id, name, old), ', ' ORDER BY id) FROM c":                      "1 A a, 3 c",
		"SELECT string_agg(concat_ws(' ', id, old_id, note, old), ', ' ORDER BY old_id, id) FROM made":   "1 1 y a, 2 b, 1, 2, 3",
		"SELECT any_value(typeof(old_id)) || any_value(typeof(note)) || any_value(typeof(id)) FROM made": "BIGINTVARCHARBIGINT",
		"SELECT coalesce(string_agg(reason, ' '), '') || '.' FROM scoter.dead_letters":                   ".",
	} {
		if got := s.value(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestTypesOfJSONAreDeclared: columns of a declared type are there before a value tells it, and a value that is none of it is refused.
func TestTypesOfJSONAreDeclared(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "typed"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE typed FROM KAFKA (brokers = '%s', topic = 'typed', max_age = '20ms')
		FORMAT json (types = 'before STRUCT(id BIGINT, at TIMESTAMP), price DECIMAL(12,2), tags VARCHAR[]')
		INTO TABLE everything INTO TABLE picked AS SELECT before.id AS id, before.at AS at, price, len(tags) AS n FROM messages`, c.brokers)))
	c.send("typed", 0, texts(`{"k": 1, "before": null, "price": 0.10}`, `{"k": 2}`, `{"k": 3, "price": "none"}`, `{"k": 4, "before": {"id": 7, "at": "2024-01-01T00:00:00"}, "tags": ["x", "y"]}`)...)
	s.eventually("SELECT count(*) FROM everything", "3")
	for sql, want := range map[string]string{
		"SELECT string_agg(concat_ws(' ', id, \"at\", price, n), ', ' ORDER BY id NULLS FIRST, price) FROM picked":              "0.10, , 7 2024-01-01 00:00:00 2",
		"SELECT any_value(typeof(before)) || ' ' || any_value(typeof(price)) || ' ' || any_value(typeof(tags)) FROM everything": `STRUCT(id BIGINT, "at" TIMESTAMP) DECIMAL(12,2) VARCHAR[]`,
		`SELECT string_agg("offset", ' ') FROM scoter.dead_letters`:                                                             "2",
	} {
		if got := s.value(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	for _, types := range []string{"a NOTYPE", "a", "a BIGINT) b"} {
		if err := s.exec(fmt.Sprintf(`CREATE SOURCE bad FROM KAFKA (brokers = '%s', topic = 'typed') FORMAT json (types = '%s') INTO TABLE bad`, c.brokers, types)); err == nil {
			t.Errorf("%s is taken", types)
		}
	}
}

// TestASourceThatRefusesEverythingSaysSo, until a record is taken.
func TestASourceThatRefusesEverythingSaysSo(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "bad"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(`CREATE TABLE b (id BIGINT NOT NULL)`))
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE bad FROM KAFKA (brokers = '%s', topic = 'bad', max_age = '20ms') FORMAT json INTO TABLE b`, c.brokers)))
	var all []string
	for range 20 {
		all = append(all, `{"id": "x"}`)
	}
	c.send("bad", 0, texts(all...)...)
	s.eventually("SELECT state || dead_letters || (error LIKE 'each of the last 20 records became a dead letter: %') FROM scoter.sources", "refusing20true")
	c.send("bad", 0, texts(`{"id": 1}`)...)
	s.eventually("SELECT state FROM scoter.sources", "running")
}
