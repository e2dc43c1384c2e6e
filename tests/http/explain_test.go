package http

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestPlansNameColumnsOfRowsInMemory checks that plans name the columns of rows in memory, as they
// do for parts.
func TestPlansNameColumnsOfRowsInMemory(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, `CREATE TABLE m ("the host" VARCHAR, load HUGEINT, "order" BIGINT)`).must(t, 200)
	sql(t, s, "INSERT INTO m VALUES ('a', 1, 2), ('b', 3, 4)").must(t, 200)
	sql(t, s, "ALTER TABLE m RENAME COLUMN load TO busy").must(t, 200)
	for _, text := range []string{`SELECT "the host", busy FROM m WHERE "order" > 3`, `DELETE FROM m WHERE "order" > 3 AND busy > 2 AND "the host" = 'b'`} {
		plan := sql(t, s, "EXPLAIN "+text).must(t, 200).body
		for _, name := range []string{"the host", "load", "order"} { // as in the written rows
			if !strings.Contains(plan, name) {
				t.Errorf("%s: the plan does not name %q: %s", text, name, plan)
			}
		}
		for _, name := range []string{"c1", "c2", "c3"} {
			if strings.Contains(plan, name) {
				t.Errorf("%s: the plan names a column %s: %s", text, name, plan)
			}
		}
	}
	if a := sql(t, s, `SELECT "the host", busy, "order" FROM m WHERE "order" > 3`).must(t, 200); !strings.Contains(a.body, `["b",3,4]`) && !strings.Contains(a.body, `"b"`) {
		t.Error(a.body)
	}
}
