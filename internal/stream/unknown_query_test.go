package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

func texts(all ...string) (out [][]byte) {
	for _, text := range all {
		out = append(out, []byte(text))
	}
	return out
}

// TestWhatIsNullInAllRecordsIsNull reads row changes as Debezium writes them. The field with the
// state before a change is null until a row changes. A query that names this field must return rows
// from the first record on, and the field's values once there are any.
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

// TestTypesOfJSONAreDeclared checks that declared columns exist before the first value, and that a
// value of another type is refused.
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

// TestASourceThatRefusesEverythingSaysSo checks that the state of a source is "refusing" while all
// records become dead letters, until a record is accepted.
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

// TestQueriesOfWhatIsNullSoFar reads records in which a field is null or []. The queries select
// something from that field. All of them must return rows from the first record on, and no record
// may become a dead letter.
func TestQueriesOfWhatIsNullSoFar(t *testing.T) {
	const (
		// The records have the forms that Debezium writes: flattened rows, rows with the schema
		// around them, and row changes.
		flat     = `{"id": %d, "name": "a", "email": null, "tags": [], "address": null, "lines": [{"sku": "s", "price": null, "parts": [{"note": null, "n": 1}]}], "__deleted": "false"}`
		envelope = `{"schema": {"type": "struct", "optional": false}, "payload": {"before": null, "after": {"id": %d, "name": "a", "note": null, "place": {"city": null, "zip": 1}}, "op": "c"}}`
	)
	for _, c := range []struct{ record, later, query, want, wantLater string }{
		{flat, `{"id": 3, "email": "e"}`, "SELECT id, upper(email) AS v FROM messages", "-, -", "-, -, E"},
		{flat, `{"id": 3, "email": "e"}`, "SELECT id, coalesce(email, 'none') AS v FROM messages", "none, none", "none, none, e"},
		{flat, `{"id": 3, "tags": ["x", "y"]}`, "SELECT id, len(tags) AS v FROM messages", "-, -", "-, -, 2"},
		{flat, `{"id": 3, "tags": ["x", "y"]}`, "SELECT id, tags[1] AS v FROM messages", "-, -", "-, -, x"},
		{flat, `{"id": 3, "tags": ["x", "y"]}`, "SELECT id, list_contains(tags, 'x') AS v FROM messages", "-, -", "-, -, true"},
		{flat, `{"id": 3, "tags": ["x", "y"]}`, "SELECT id, array_to_string(tags, '+') AS v FROM messages", "-, -", "-, -, x+y"},
		{flat, `{"id": 3, "tags": ["x", "y"]}`, "SELECT id, tags AS v FROM messages", "-, -", "-, -, [x, y]"},
		{flat, `{"id": 3, "address": {"city": "c"}}`, "SELECT id, m.address.city AS v FROM messages m", "-, -", "-, -, c"},
		{flat, `{"id": 3, "address": {"city": {"name": "c"}}}`, "SELECT id, m.address.city.name AS v FROM messages m", "-, -", "-, -, c"},
		{flat, `{"id": 3, "lines": [{"sku": "s", "price": 1.5}]}`, "SELECT id, lines[1].price AS v FROM messages", "-, -", "-, -, 1.5"},
		{flat, `{"id": 3, "lines": [{"sku": "s", "price": 1.5}]}`, "SELECT id, unnest(lines).price AS v FROM messages", "-, -", "-, -, 1.5"},
		{flat, `{"id": 3, "lines": [{"sku": "s", "price": 1.5}]}`, "SELECT id, list_sum(list_transform(lines, lambda l: l.price)) AS v FROM messages", "-, -", "-, -, 1.5"},
		{flat, `{"id": 3, "lines": [{"parts": [{"note": "n"}]}]}`, "SELECT id, lines[1].parts[1].note AS v FROM messages", "-, -", "-, -, n"},
		{envelope, `{"payload": {"before": {"id": 3, "name": "b"}, "after": {"id": 3}}}`, "SELECT m.payload.after.id AS id, m.payload.before.name AS v FROM messages m", "-, -", "-, -, b"},
		{envelope, `{"payload": {"after": {"id": 3, "note": "n"}}}`, "SELECT payload.after.id AS id, payload.after.note AS v FROM messages", "-, -", "-, -, n"},
		{envelope, `{"payload": {"after": {"id": 3, "place": {"city": "c"}}}}`, "SELECT payload.after.id AS id, payload.after.place.city || '!' AS v FROM messages", "-, -", "-, -, c!"},
		{envelope, `{"payload": {"after": {"id": 3, "place": {"city": {"name": "c"}}}}}`, "SELECT payload.after.id AS id, payload.after.place.city.name AS v, payload.before.id AS old FROM messages", "-, -", "-, -, c"},
	} {
		t.Run(c.query, func(t *testing.T) {
			k := newCluster(t, kfake.SeedTopics(1, "rows"))
			s := newServer(t, t.TempDir())
			must(t, s.exec(fmt.Sprintf(`CREATE SOURCE rows FROM KAFKA (brokers = '%s', topic = 'rows', max_age = '20ms') FORMAT json INTO TABLE q AS %s`, k.brokers, c.query)))
			k.send("rows", 0, texts(fmt.Sprintf(c.record, 1), fmt.Sprintf(c.record, 2))...)
			s.eventually("SELECT sum(next_offset)::BIGINT FROM scoter.source_partitions", "2")
			values := "SELECT (SELECT string_agg(coalesce(v::VARCHAR, '-'), ', ' ORDER BY id) FROM q) || coalesce((SELECT string_agg(reason, '; ') FROM scoter.dead_letters), '')"
			if s.value("SELECT count(*) FROM duckdb_columns() WHERE table_name = 'q' AND column_name = 'v'") == "0" {
				// the column is created with its type
				values = strings.Replace(values, "v::VARCHAR", "NULL", 1)
			}
			if got := s.value(values); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			k.send("rows", 0, texts(c.later)...)
			s.eventually("SELECT sum(next_offset)::BIGINT FROM scoter.source_partitions", "3")
			if got := s.value("SELECT string_agg(coalesce(v::VARCHAR, '-'), ', ' ORDER BY id) || coalesce((SELECT string_agg(reason, '; ') FROM scoter.dead_letters), '') FROM q"); got != c.wantLater {
				t.Errorf("later: %s, want %s", got, c.wantLater)
			}
		})
	}
}

// TestWhatIsNullInAllRecordsOfAvroIsNull reads row changes in Avro. The schema tells the type of
// the field with the state before a change, although the field is null in all records.
func TestWhatIsNullInAllRecordsOfAvroIsNull(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "changes"))
	s := newServer(t, t.TempDir())
	url, _, _ := schemas(t, "AVRO", `{"type": "record", "name": "Envelope", "fields": [
		{"name": "before", "type": ["null", {"type": "record", "name": "Value", "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": ["null", "string"]}]}]},
		{"name": "after", "type": ["null", "Value"]}, {"name": "tags", "type": {"type": "array", "items": "string"}}, {"name": "op", "type": "string"}]}`)
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE changes FROM KAFKA (brokers = '%s', topic = 'changes', max_age = '20ms') FORMAT avro (registry = '%s')
		INTO TABLE c AS SELECT coalesce(after.id, before.id) AS id, after.name AS name, before.name AS old, len(tags) AS n, op = 'd' AS gone FROM messages`, c.brokers, url)))
	created := []byte{0, 2, 2, 2, 2, 'a', 0, 2, 'c'}
	c.send("changes", 0, framed(1, "", created))
	s.eventually("SELECT string_agg(concat_ws(' ', id, name, old, n, gone), ', ') FROM c", "1 a 0 false")
	deleted := []byte{2, 2, 2, 2, 'a', 0, 2, 2, 'x', 0, 2, 'd'}
	c.send("changes", 0, framed(1, "", deleted))
	s.eventually("SELECT string_agg(concat_ws(' ', id, name, old, n, gone), ', ' ORDER BY gone) FROM c", "1 a 0 false, 1 a 1 true")
	if got := s.value("SELECT count(*) || any_value(typeof(old)) FROM c, (SELECT count(*) AS letters FROM scoter.dead_letters) WHERE letters = 0"); got != "2VARCHAR" {
		t.Error(got)
	}
}

// TestDeclaredTypesOfFlattenedRows checks that the declared types of columns are the same, for all
// records, in a table without a query and in a query.
func TestDeclaredTypesOfFlattenedRows(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "typed"))
	s := newServer(t, t.TempDir())
	must(t, s.exec(fmt.Sprintf(`CREATE SOURCE typed FROM KAFKA (brokers = '%s', topic = 'typed', max_age = '20ms')
		FORMAT json (types = 'email VARCHAR, tags VARCHAR[], lines STRUCT(sku VARCHAR, price DECIMAL(9,2))[], address STRUCT(city STRUCT(name VARCHAR)), seen TIMESTAMP')
		INTO TABLE everything INTO TABLE picked AS SELECT id, upper(email) AS email, len(tags) AS tags, lines[1].price AS price, address.city.name AS city, seen FROM messages`, c.brokers)))
	c.send("typed", 0, texts(`{"id": 1, "email": null, "tags": [], "lines": [], "address": null, "seen": null}`, `{"id": 2, "lines": [{"sku": "s", "price": null}], "address": {"city": null}}`,
		`{"id": 3, "email": "e", "tags": ["x"], "lines": [{"sku": "s", "price": 1}], "address": {"city": {"name": "c"}}, "seen": "2024-01-01T00:00:00"}`)...)
	s.eventually("SELECT string_agg(concat_ws(' ', id, email, tags, price, city, seen), ', ' ORDER BY id) FROM picked", "1 0, 2, 3 E 1 1.00 c 2024-01-01 00:00:00")
	for sql, want := range map[string]string{
		"SELECT any_value(typeof(lines)) || any_value(typeof(address)) || any_value(typeof(seen)) FROM everything": "STRUCT(sku VARCHAR, price DECIMAL(9,2))[]STRUCT(city STRUCT(\"name\" VARCHAR))TIMESTAMP",
		"SELECT count(*) FROM scoter.dead_letters": "0",
	} {
		if got := s.value(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
