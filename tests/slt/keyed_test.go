package slt

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// TestManyRowsGetNoKeyTwice checks that an INSERT of many rows with ON CONFLICT DO UPDATE of the
// key refuses duplicate keys, as an INSERT of few rows does.
func TestManyRowsGetNoKeyTwice(t *testing.T) {
	// 2 MiB at once
	k := openExpressionDB(t, func(s *config.Server) { s.WriteMemory, s.MaxBody = 16<<20, 4<<20 })
	for name, options := range map[string]string{
		"plain":  "",
		"marked": " WITH (is_deleted = 'gone')",
		"unseen": " WITH (upsert = 'merge-on-read')",
	} {
		k.do("CREATE TABLE " + name + " (id INTEGER PRIMARY KEY, s VARCHAR, gone BOOLEAN)" + options)
		k.do("INSERT INTO " + name + " VALUES (0, 'a', FALSE), (1, 'b', FALSE), (20000, 'c', FALSE)")
		many := "INSERT INTO " + name + " SELECT i, repeat('y', 1000), FALSE FROM range(10000) r(i)"
		for _, set := range []string{
			"id = 5",                   // of two existing rows and of an incoming one
			"id = 20001",               // of two rows
			"id = 20000 + excluded.id", // of an existing row that does not change
			"id = 5000 + excluded.id",  // of incoming rows
		} {
			if _, err := k.run(many + " ON CONFLICT DO UPDATE SET " + set); base.KindOf(err) != base.Conflict || !strings.Contains(err.Error(), "Duplicate key") {
				t.Errorf("%s, %s: %v", name, set, err)
			}
			k.is("SELECT id || left(s, 1) FROM "+name+" ORDER BY id", "0a 1b 20000c")
		}
		if n := k.do(many + " ON CONFLICT DO UPDATE SET id = 30000 + excluded.id"); n != 10000 {
			t.Errorf("%s: %d rows", name, n)
		}
		k.is("SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || max(id) || ' ' || min(id) FROM "+name, "10001 10001 30001 2")
	}
}
