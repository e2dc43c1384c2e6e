package slt

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestASmallTableIsReadInTheOrderOfItsRows checks the order of rows without ORDER BY, which is not
// guaranteed. The rows of a small table in memory or in one part are returned in the order of
// insertion, also to aggregates, and after several INSERTs. SELECT and LIMIT return that order for
// several parts as well.
func TestASmallTableIsReadInTheOrderOfItsRows(t *testing.T) {
	db := openScoter(t, false, 0)
	same := func(sql, want string) {
		t.Helper()
		for range 20 {
			if got := strings.Join(mustRun(t, db, sql).rows, " "); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
				return
			}
		}
	}
	for _, definition := range []string{"(i INTEGER)", "(i INTEGER PRIMARY KEY)", "(i INTEGER PRIMARY KEY) WITH (upsert = 'merge-on-read')"} {
		mustRun(t, db, "CREATE TABLE o "+definition)
		var all []string
		for i := range 30 {
			all = append(all, fmt.Sprint((i+15)%30))
			mustRun(t, db, "INSERT INTO o VALUES ("+all[i]+")")
		}
		check := func() {
			t.Helper()
			same("SELECT string_agg(i, ' ') FROM o", strings.Join(all, " "))
			same("SELECT first(i) FROM o", all[0])
			same("SELECT last(i) FROM o", all[29])
			same("SELECT unnest(list(i)) FROM o", strings.Join(all, " "))
			same("SELECT i FROM o LIMIT 2", all[0]+" "+all[1])
			same("SELECT i FROM o", strings.Join(all, " "))
		}
		check()
		if strings.Contains(definition, "KEY") { // the part is sorted by the key
			mustRun(t, db, "DROP TABLE o")
			continue
		}
		if err := db.app.Engine.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		check()
		for i := 30; i < 34; i++ {
			mustRun(t, db, fmt.Sprintf("INSERT INTO o VALUES (%d)", 100-i))
			all = append(all, fmt.Sprint(100-i))
			same("SELECT i FROM o LIMIT 2", all[0]+" "+all[1])
			same("SELECT i FROM o", strings.Join(all, " "))
			if err := db.app.Engine.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		same("SELECT i FROM o", strings.Join(all, " "))
		mustRun(t, db, "DROP TABLE o")
	}
}
