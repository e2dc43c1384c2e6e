package kafka

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestTombstonesDeleteOnceWhateverHappens sends changes of a few keys, including tombstones, while
// the program is killed. In the end each table has the last record of each key, like a compacted
// topic.
func TestTombstonesDeleteOnceWhateverHappens(t *testing.T) {
	b := kafka(t)
	must(t, b.CreateTopic(t.Context(), "users", 3))
	dir, flags := t.TempDir(), append(asAdmin(t), "--flush-bytes", "256KiB", "--flush-age", "200ms", "--write-memory", "64MiB", "--max-body", "8MiB")
	s := binary.Serve(t, dir, flags...)
	s.Token = token
	tables := []string{"plain", "onread", "versioned"}
	run(t, s, `CREATE TABLE plain (id BIGINT PRIMARY KEY, n BIGINT NOT NULL);
		CREATE TABLE onread (id BIGINT PRIMARY KEY, n BIGINT NOT NULL) WITH (upsert = 'merge-on-read');
		CREATE TABLE versioned (id BIGINT PRIMARY KEY, n BIGINT NOT NULL, gone BOOLEAN) WITH (version = 'n', is_deleted = 'gone')`)
	run(t, s, fmt.Sprintf(`CREATE SOURCE users FROM KAFKA (brokers = '%s', topic = 'users', max_age = '30ms') KEY FORMAT json FORMAT json
		INTO TABLE plain INTO TABLE onread AS SELECT _key.id AS id, n FROM messages INTO TABLE versioned INTO TABLE log METADATA (offset)`, b.Addr))
	r := rand.New(rand.NewPCG(7, 7))
	last, values := map[int]int{}, 0
	c := client(t, b)
	for range 4 {
		for range 10 {
			var records []*kgo.Record
			for range 200 {
				id, n := r.IntN(150), values
				rec := &kgo.Record{Topic: "users", Key: fmt.Appendf(nil, `{"id": %d}`, id)}
				if delete(last, id); r.IntN(3) > 0 {
					rec.Value = fmt.Appendf(nil, `{"n": %d}`, n)
					last[id] = n
					values++
				}
				records = append(records, rec)
			}
			send(t, c, records...)
			time.Sleep(20 * time.Millisecond)
		}
		s.Kill()
		s = binary.Serve(t, dir, flags...)
		s.Token = token
	}
	var want []string
	for _, id := range slices.Sorted(maps.Keys(last)) {
		want = append(want, fmt.Sprintf("%d:%d", id, last[id]))
	}
	eventually(t, s, "SELECT sum(end_offset - next_offset)::BIGINT FROM scoter.source_partitions", "0")
	for _, table := range tables {
		eventually(t, s, "SELECT string_agg(id || ':' || n, ' ' ORDER BY id) FROM "+table, strings.Join(want, " "))
	}
	eventually(t, s, "SELECT count(*), count(DISTINCT n) FROM log", fmt.Sprint(values, " ", values))
	eventually(t, s, "SELECT count(*) FROM scoter.dead_letters", "0")
}
