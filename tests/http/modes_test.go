package http

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

func TestModesChangeRowsByKey(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	change := func(query, body, want string) {
		t.Helper()
		got := post(t, s, "/api/v1/tables/default/people/rows?"+query, "application/x-ndjson", body).must(t, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", query, got.body, want)
		}
	}
	// The first rows create the table, and their key becomes its primary key.
	change("mode=upsert&key=id", `{"id":1,"name":"Ada","age":36}`+"\n"+`{"id":2,"name":"Bob","age":20}`, `"rows":2,"inserted":2,"updated":0,"deleted":0`)
	change("mode=upsert", `{"id":2,"name":"Bo","age":21}`+"\n"+`{"id":3,"name":"Cy","age":30}`, `"inserted":1,"updated":1`)
	// Columns that are not sent do not change. Of several rows with one key the last wins.
	change("mode=upsert", `{"id":1,"age":1}`+"\n"+`{"id":1,"age":37}`+"\n"+`{"id":4,"age":4}`, `"inserted":1,"updated":1`)
	change("mode=update", `{"id":3,"name":"Cyd"}`+"\n"+`{"id":9,"name":"nobody"}`, `"rows":1,"inserted":0,"updated":1`)
	change("mode=delete", `{"id":4}`+"\n"+`{"id":9}`, `"rows":1,"inserted":0,"updated":0,"deleted":1`)
	// Plain rows replace existing rows too: there is one row per key.
	change("", `{"id":2,"name":"Bob","age":22,"city":"Rome"}`, `"updated":1`)
	equal(t, s, "SELECT id, name, age, city FROM people ORDER BY id", `[[1,"Ada",37,null],[2,"Bob",22,"Rome"],[3,"Cyd",30,null]]`)
	// Repeated texts are dictionaries, and become patches.
	change("mode=update", `{"id":1,"name":"Ada","city":"Bern"}`+"\n"+`{"id":2,"name":"Bob","city":"Bern"}`+"\n"+`{"id":3,"name":"Cyd","city":"Bern"}`+"\n"+`{"id":8,"name":"Cyd","city":"Bern"}`, `"updated":3`)
	equal(t, s, "SELECT id, age, city FROM people ORDER BY id", `[[1,37,"Bern"],[2,22,"Bern"],[3,30,"Bern"]]`)
	// By columns that are not the key.
	change("mode=update&key=name", `{"name":"Ada","city":"London"}`, `"updated":1`)
	change("mode=delete&key=age,name", `{"name":"Cyd","age":30}`+"\n"+`{"name":"Ada","age":1}`, `"deleted":1`)
	equal(t, s, "SELECT id, name, age, city FROM people ORDER BY id", `[[1,"Ada",37,"London"],[2,"Bob",22,"Bern"]]`)
}

// TestModeInsertFollowsTheTable checks mode=insert for an existing key. The whole request is
// refused, or rows are replaced if the table says so. A request without a mode replaces rows.
func TestModeInsertFollowsTheTable(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE strict (id INTEGER PRIMARY KEY, v INTEGER, w VARCHAR DEFAULT 'd')").must(t, http.StatusOK)
	sql(t, s, "CREATE TABLE loose (id INTEGER PRIMARY KEY, v INTEGER, w VARCHAR DEFAULT 'd') WITH (on_insert = 'replace')").must(t, http.StatusOK)
	const path = "/api/v1/tables/default/"
	insert := func(table, body string) answer {
		t.Helper()
		return post(t, s, path+table+"/rows?mode=insert", ndjson, body)
	}
	for _, table := range []string{"strict", "loose", "unkeyed"} {
		insert(table, `{"id":1,"v":1}`+"\n"+`{"id":2,"v":2}`).must(t, http.StatusOK)
	}
	equal(t, s, "SELECT id, v, w FROM strict ORDER BY id", `[[1,1,"d"],[2,2,"d"]]`)
	insert("strict", `{"id":3,"v":3}`+"\n"+`{"id":2,"v":3}`).refused(t, http.StatusConflict, "conflict", `Duplicate key "id: 2"`)
	insert("strict", `{"id":3,"v":3}`+"\n"+`{"id":3,"v":4}`).refused(t, http.StatusConflict, "conflict", `Duplicate key "id: 3"`)
	insert("strict", `{"id":3,"v":3,"fresh":1}`+"\n"+`{"id":2,"v":3,"fresh":1}`).refused(t, http.StatusConflict, "conflict", `Duplicate key "id: 2"`)
	insert("strict", `{"id":null,"v":3}`).refused(t, http.StatusBadRequest, "invalid", "NULL")
	equal(t, s, "SELECT * FROM strict ORDER BY id", `[[1,1,"d"],[2,2,"d"]]`)
	insert("loose", `{"id":3,"v":3}`+"\n"+`{"id":2,"v":3}`).must(t, http.StatusOK)
	equal(t, s, "SELECT id, v FROM loose ORDER BY id", `[[1,1],[2,3],[3,3]]`)
	insert("unkeyed", `{"id":1,"v":1}`).must(t, http.StatusOK)
	equal(t, s, "SELECT count(*) FROM unkeyed", `[[3]]`)
	post(t, s, path+"strict/rows", ndjson, `{"id":2,"v":5}`).must(t, http.StatusOK)
	insert("strict", `{"id":4,"v":4,"fresh":2}`).must(t, http.StatusOK)
	equal(t, s, "SELECT id, v, fresh FROM strict ORDER BY id", `[[1,1,null],[2,5,null],[4,4,2]]`)
	post(t, s, path+"strict/rows?mode=insert&key=id", ndjson, `{"id":9}`).refused(t, http.StatusBadRequest, "invalid", "takes no key")
	// Too many rows for the log.
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "{\"id\":%d,\"v\":1,\"w\":\"%s\"}\n", i+1000, strings.Repeat("x", 500))
	}
	insert("strict", many.String()).must(t, http.StatusOK)
	insert("strict", strings.Replace(many.String(), `"id":1000,`, `"id":1,`, 1)).refused(t, http.StatusConflict, "conflict", "Duplicate key")
	equal(t, s, "SELECT count(*), sum(v) FROM strict", `[[100003,100010]]`)
}

// TestKeysAreFoundInAnyOrderOfTheirColumns names the columns of a primary key in a different order
// than the table. It is the same key.
func TestKeysAreFoundInAnyOrderOfTheirColumns(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE p (a INTEGER, b INTEGER, v INTEGER, PRIMARY KEY (a, b))").must(t, http.StatusOK)
	change := func(query, body, want string) {
		t.Helper()
		got := post(t, s, "/api/v1/tables/default/p/rows?"+query, ndjson, body).must(t, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", query, got.body, want)
		}
	}
	change("mode=upsert&key=b,a", `{"a":1,"b":2,"v":1}`, `"inserted":1,"updated":0`)
	change("mode=upsert&key=b,a", `{"a":1,"b":2,"v":2}`+"\n"+`{"a":2,"b":1,"v":3}`, `"inserted":1,"updated":1`)
	change("mode=update&key=b,a", `{"b":2,"a":1,"v":4}`, `"updated":1`)
	equal(t, s, "SELECT a, b, v FROM p ORDER BY ALL", `[[1,2,4],[2,1,3]]`)
	change("mode=delete&key=b,a", `{"a":1,"b":2}`, `"deleted":1`)
	equal(t, s, "SELECT a, b, v FROM p", `[[2,1,3]]`)
	sql(t, s, "INSERT OR REPLACE INTO p VALUES (2, 1, 5)").must(t, http.StatusOK)
	equal(t, s, "SELECT a, b, v FROM p", `[[2,1,5]]`)
}

// TestKeyColumnsThatAreNotSentHaveTheirDefaults sends rows that lack a column of the key. The rows
// of the tables are found by an index and by MERGE INTO.
func TestKeyColumnsThatAreNotSentHaveTheirDefaults(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for table, definition := range map[string]string{
		"plain":   "(host VARCHAR, minute INTEGER DEFAULT 0, level INTEGER)",
		"keyed":   "(host VARCHAR, minute INTEGER DEFAULT 0, level INTEGER, PRIMARY KEY (host, minute))",
		"checked": "(host VARCHAR, minute INTEGER DEFAULT 0, level INTEGER CHECK (level < 100), PRIMARY KEY (host, minute))",
		"moved":   "(host VARCHAR, minute INTEGER DEFAULT 0, level INTEGER, PRIMARY KEY (host, minute)) SORTED BY (level)",
	} {
		sql(t, s, "CREATE TABLE "+table+" "+definition).must(t, http.StatusOK)
		sql(t, s, "INSERT INTO "+table+" VALUES ('a', 0, 1), ('a', 1, 2)").must(t, http.StatusOK)
		path := "/api/v1/tables/default/" + table + "/rows?mode=upsert&key=host,minute"
		got := post(t, s, path, ndjson, `{"host":"a","level":9}`+"\n"+`{"host":"b","level":8}`).must(t, http.StatusOK)
		if !strings.Contains(got.body, `"inserted":1,"updated":1`) {
			t.Errorf("%s: %s", table, got.body)
		}
		equal(t, s, "SELECT host, minute, level FROM "+table+" ORDER BY ALL", `[["a",0,9],["a",1,2],["b",0,8]]`)
		post(t, s, path, ndjson, `{"level":7}`).refused(t, http.StatusBadRequest, "invalid", "host")
		post(t, s, strings.Replace(path, "upsert", "update", 1), ndjson, `{"host":"a","level":7}`).refused(t, http.StatusBadRequest, "invalid", "key")
	}
}

func TestModesHeedVersionsAndDeletions(t *testing.T) {
	// Rows are found by an index, and by MERGE INTO.
	for name, definition := range map[string][2]string{"plain": {}, "checked": {", CHECK (x < 1000)", ""}, "moved": {"", " SORTED BY (x, ver)"}} {
		t.Run(name, func(t *testing.T) { versionsAndDeletions(t, definition[0], definition[1]) })
	}
}

func versionsAndDeletions(t *testing.T, check, sorted string) {
	s := binary.Serve(t, t.TempDir(), "--write-memory", "16MiB", "--max-body", "4MiB")
	for table, options := range map[string]string{"complete": "version = 'ver', is_deleted = 'gone'", "versioned": "version = 'ver'", "marked": "is_deleted = 'gone'"} {
		sql(t, s, "CREATE TABLE "+table+" (id INTEGER PRIMARY KEY, x INTEGER, ver INTEGER, gone BOOLEAN"+check+")"+sorted+" WITH ("+options+")").must(t, http.StatusOK)
		post(t, s, "/api/v1/tables/default/"+table+"/rows", "text/csv", "id,x,ver,gone\n1,1,5,\n2,2,5,\n3,3,5,false\n").must(t, http.StatusOK)
	}
	change := func(table, query, body, want string) {
		t.Helper()
		got := post(t, s, "/api/v1/tables/default/"+table+"/rows?"+query, "application/x-ndjson", body).must(t, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s, %s %s: %s, want %s", table, query, body, got.body, want)
		}
	}
	none := `"inserted":0,"updated":0,"deleted":0`

	change("complete", "mode=update", `{"id":1,"x":10,"ver":4}`, none) // with a lower version
	change("complete", "mode=update", `{"id":1,"x":11,"ver":6}`+"\n"+`{"id":9,"x":9,"ver":1}`, `"inserted":0,"updated":1,"deleted":0`)
	// the row with the higher version wins, not the last one
	change("complete", "mode=update", `{"id":1,"x":12,"ver":8}`+"\n"+`{"id":1,"x":13,"ver":7}`, `"updated":1`)
	// without a version: newer than the existing row
	change("complete", "mode=update", `{"id":2,"x":20}`, `"updated":1`)
	change("complete", "mode=update", `{"id":3,"ver":7,"gone":true}`, `"updated":0,"deleted":1`)
	change("complete", "mode=update", `{"id":3,"x":1,"ver":9}`, none) // the key is deleted
	change("complete", "mode=upsert", `{"id":3,"x":33,"ver":6}`, none)
	equal(t, s, "SELECT id, x, ver FROM complete ORDER BY id", `[[1,12,8],[2,20,5]]`)
	change("complete", "mode=delete", `{"id":2,"ver":4}`, none)
	// each leaves a tombstone
	change("complete", "mode=delete", `{"id":2,"ver":6}`+"\n"+`{"id":8,"ver":3}`, `"updated":0,"deleted":1`)
	change("complete", "mode=upsert", `{"id":2,"x":2,"ver":5}`+"\n"+`{"id":8,"x":8,"ver":2}`, none)
	change("complete", "mode=delete", `{"id":2}`, none)
	change("complete", "mode=upsert", `{"id":2,"x":22,"ver":7}`+"\n"+`{"id":8,"x":88,"ver":3}`, `"inserted":2`)
	// without a version: its versions are forgotten
	change("complete", "mode=delete", `{"id":1}`, `"deleted":1`)
	change("complete", "mode=upsert", `{"id":1,"x":1,"ver":1}`, `"inserted":1`)
	equal(t, s, "SELECT id, x, ver FROM complete ORDER BY id", `[[1,1,1],[2,22,7],[8,88,3]]`)

	change("versioned", "mode=update", `{"id":1,"x":10,"ver":4}`+"\n"+`{"id":2,"x":20,"ver":5}`, `"updated":1`)
	change("versioned", "mode=delete", `{"id":1,"ver":4}`+"\n"+`{"id":3,"ver":6}`, `"deleted":1`)
	// no tombstone is left
	change("versioned", "mode=upsert", `{"id":3,"x":30,"ver":1}`, `"inserted":1`)
	equal(t, s, "SELECT id, x, ver FROM versioned ORDER BY id", `[[1,1,5],[2,20,5],[3,30,1]]`)

	change("marked", "mode=update", `{"id":1,"gone":true}`+"\n"+`{"id":2,"gone":false}`+"\n"+`{"id":9,"gone":true}`, `"inserted":0,"updated":1,"deleted":1`)
	change("marked", "mode=update", `{"id":2,"x":20}`, `"updated":1`)
	change("marked", "mode=update", `{"id":1,"x":10}`, none)
	change("marked", "mode=delete", `{"id":3,"gone":false}`, `"deleted":1`)
	change("marked", "mode=upsert", `{"id":1,"x":10}`, `"inserted":1`)
	equal(t, s, "SELECT id, x FROM marked ORDER BY id", `[[1,10],[2,20]]`)

	// A row without a version is newer than a tombstone. Deleting a missing row is not counted.
	change("complete", "mode=delete", `{"id":2,"ver":9}`, `"deleted":1`)
	change("complete", "mode=upsert", `{"id":2,"x":2}`, `"inserted":1`)
	change("complete", "mode=upsert", `{"id":50,"gone":true,"ver":3}`+"\n"+`{"id":8,"gone":true,"ver":4}`, `"inserted":0,"updated":0,"deleted":1`)
	change("complete", "mode=upsert", `{"id":50,"x":50,"ver":2}`, none)
	change("marked", "mode=upsert", `{"id":50,"gone":true}`+"\n"+`{"id":1,"gone":true}`, `"inserted":0,"updated":0,"deleted":1`)
	equal(t, s, "SELECT id, x, ver FROM complete ORDER BY id", `[[1,1,1],[2,2,null]]`)
	equal(t, s, "SELECT id, x FROM marked ORDER BY id", `[[2,20]]`)

	// Statements behave the same.
	run := func(statement, want string) {
		t.Helper()
		if got := sql(t, s, statement).must(t, http.StatusOK); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", statement, got.body, want)
		}
	}
	run("INSERT INTO complete VALUES (1, 1, 5, TRUE), (50, 1, 5, TRUE), (60, 1, 5, FALSE) ON CONFLICT DO UPDATE SET x = complete.x + excluded.x", `"inserted":1,"updated":0,"deleted":1`)
	run("INSERT INTO complete VALUES (60, 1, 6, TRUE), (61, 1, 6, TRUE), (62, 1, 5, FALSE) ON CONFLICT DO UPDATE SET x = complete.x + excluded.x RETURNING id", `"rows":[`+"\n[62]]")
	run("INSERT INTO complete (id, x) VALUES (61, 4) RETURNING id, x", `"rows":[`+"\n[61,4]]")
	run("MERGE INTO complete USING (VALUES (60, 7), (61, 7)) AS s(id, x) USING (id) WHEN MATCHED THEN UPDATE SET x = s.x WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x)", `"inserted":1,"updated":1,"deleted":0`)
	run("MERGE INTO complete USING (VALUES (60), (61), (63)) AS s(id) USING (id) WHEN MATCHED THEN UPDATE SET gone = TRUE, ver = 9 WHEN NOT MATCHED THEN INSERT (id, ver, gone) VALUES (s.id, 9, TRUE)", `"inserted":0,"updated":0,"deleted":2`)
	run("MERGE INTO complete USING (VALUES (60), (63)) AS s(id) USING (id) WHEN NOT MATCHED THEN INSERT (id, x, ver) VALUES (s.id, 0, 8)", none)
	equal(t, s, "SELECT id, x, ver FROM complete ORDER BY id", `[[2,2,null],[62,1,5]]`)
	run("MERGE INTO marked USING (VALUES (2), (70)) AS s(id) USING (id) WHEN MATCHED THEN UPDATE SET gone = TRUE WHEN NOT MATCHED THEN INSERT (id, gone) VALUES (s.id, TRUE) RETURNING merge_action, id", `"rows":[],`)
	run("INSERT INTO marked (id, x, gone) VALUES (2, 1, FALSE), (70, 1, FALSE), (71, 1, TRUE) ON CONFLICT DO UPDATE SET x = marked.x + 1", `"inserted":2,"updated":0,"deleted":0`)
	equal(t, s, "SELECT id, x FROM marked ORDER BY id", `[[2,1],[70,1]]`)
	// nothing is stored for deleted keys
	equal(t, s, "SELECT sum(rows) FROM scoter.tables WHERE table_name = 'marked'", `[[2]]`)
	run("UPDATE marked SET gone = TRUE WHERE id = 70", `"updated":1,"deleted":0`)
	equal(t, s, "SELECT id FROM marked", `[[2]]`)

	// Many rows at once, which are written as parts directly.
	for _, table := range []string{"complete", "marked"} {
		run("TRUNCATE "+table, "")
		run("INSERT INTO "+table+" SELECT i, 1, 5, FALSE FROM range(10) r(i)", `"inserted":10`)
		run("INSERT INTO "+table+" SELECT i, 1, 6, i % 2 = 0 FROM range(5, 300005) r(i) ON CONFLICT DO UPDATE SET x = "+table+".x + excluded.x", `"inserted":149997,"updated":3,"deleted":2`)
		equal(t, s, "SELECT count(*), sum(x) FROM "+table, `[[150005,150008]]`)
	}
	run("INSERT INTO complete VALUES (6, 1, 5, FALSE), (100, 1, 5, FALSE)", none)
	run("INSERT INTO marked VALUES (6, 1, 5, FALSE), (100, 1, 5, FALSE)", `"inserted":2`)
}

// TestDeletionsLookAtKeyAndVersionAlone sends additional columns with deletions, and leaves out NOT
// NULL columns.
func TestDeletionsLookAtKeyAndVersionAlone(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--write-memory", "64MiB", "--max-body", "16MiB")
	tables := []struct{ name, check, rest string }{
		{"plain", "", ""},
		{"checked", ", CHECK (x > 0 AND must > 0)", ""},
		{"versions", "", " WITH (version = 'ver')"},
		{"complete", "", " WITH (version = 'ver', is_deleted = 'gone')"},
		{"strict", ", CHECK (x > 0 AND must > 0)", " WITH (version = 'ver', is_deleted = 'gone')"},
		{"moved", "", " SORTED BY (ver) WITH (version = 'ver', is_deleted = 'gone')"},
		{"parted", "", " PARTITIONED BY (day(day)) WITH (version = 'ver', is_deleted = 'gone')"},
		{"unseen", "", " WITH (version = 'ver', is_deleted = 'gone', upsert = 'merge-on-read')"},
	}
	for _, table := range tables {
		sql(t, s, "CREATE TABLE "+table.name+" (id INTEGER PRIMARY KEY, x INTEGER, must INTEGER NOT NULL, day DATE NOT NULL, ver INTEGER, gone BOOLEAN"+table.check+")"+table.rest).must(t, http.StatusOK)
		sql(t, s, "INSERT INTO "+table.name+" SELECT i, i, i, '2026-01-01', 5, FALSE FROM range(1, 6) r(i)").must(t, http.StatusOK)
		change := func(query, body, want string) {
			t.Helper()
			got := post(t, s, "/api/v1/tables/default/"+table.name+"/rows?"+query, ndjson, body).must(t, http.StatusOK)
			if !strings.Contains(got.body, want) {
				t.Errorf("%s, %s %s: %s, want %s", table.name, query, body, got.body, want)
			}
		}
		change("mode=delete", `{"id":1,"note":"x","x":"no number","must":null}`, `"inserted":0,"updated":0,"deleted":1`)
		change("mode=delete&key=id", `{"id":2,"ver":6,"gone":false,"note":"x","x":"no number","must":null}`+"\n"+`{"id":9,"ver":6}`, `"inserted":0,"updated":0,"deleted":1`)
		change("mode=delete&key=id,x", `{"id":3,"x":3,"must":"y"}`, `"deleted":1`)
		equal(t, s, "SELECT id FROM "+table.name+" ORDER BY id", "[[4],[5]]")
		equal(t, s, "SELECT count(*) FROM information_schema.columns WHERE table_name = '"+table.name+"'", "[[6]]")
		if table.rest == "" {
			continue
		}
		change("mode=delete", `{"id":4,"ver":4,"must":"y"}`, `"deleted":0`)
		nothingNew := `"inserted":0`
		if table.name == "versions" { // the table keeps no tombstones
			nothingNew = `"inserted":2`
		}
		if table.name == "unseen" {
			nothingNew = `"inserted"`
		}
		rows := `{"id":2,"x":2,"must":2,"day":"2026-01-01","ver":5,"gone":false}` + "\n" + `{"id":9,"x":9,"must":9,"day":"2026-01-01","ver":5,"gone":false}`
		change("mode=upsert", rows, nothingNew)
		if table.name != "versions" {
			equal(t, s, "SELECT id FROM "+table.name+" ORDER BY id", "[[4],[5]]")
		}
	}
	post(t, s, "/api/v1/tables/default/complete/rows?mode=delete", ndjson, `{"id":4,"ver":"new"}`).refused(t, http.StatusBadRequest, "invalid", "ver")
	post(t, s, "/api/v1/tables/default/complete/rows?mode=delete", ndjson, `{"ver":6}`).refused(t, http.StatusBadRequest, "invalid", "primary key")
	post(t, s, "/api/v1/tables/default/complete/rows?mode=delete", ndjson, `{"id":null,"ver":6}`).refused(t, http.StatusBadRequest, "invalid", "id")

	// Many deletions at once, which are written as parts directly.
	sql(t, s, "CREATE TABLE many (id BIGINT PRIMARY KEY, must INTEGER NOT NULL, s VARCHAR, ver INTEGER, gone BOOLEAN, CHECK (must > 0)) WITH (version = 'ver', is_deleted = 'gone')").must(t, http.StatusOK)
	sql(t, s, "INSERT INTO many SELECT i, 1, 'x', 5, FALSE FROM range(800000) r(i) WHERE i % 2 = 0").must(t, http.StatusOK)
	var body strings.Builder
	body.WriteString("id,ver\n")
	for id := range 600000 {
		fmt.Fprintf(&body, "%d,6\n", id)
	}
	if got := post(t, s, "/api/v1/tables/default/many/rows?mode=delete", csv, body.String()).must(t, http.StatusOK); !strings.Contains(got.body, `"inserted":0,"updated":0,"deleted":300000`) {
		t.Error(got.body)
	}
	sql(t, s, "INSERT INTO many SELECT i, 1, 'x', 5, FALSE FROM range(3) r(i)").must(t, http.StatusOK)
	equal(t, s, "SELECT count(*), min(id) FROM many", "[[100000,600000]]")
}

// TestTablesThatMergeOnReadTakeRowsUnseen sends whole rows, which are not compared with existing
// rows, and incomplete rows, which are.
func TestTablesThatMergeOnReadTakeRowsUnseen(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE r (id INTEGER PRIMARY KEY, x INTEGER, s VARCHAR DEFAULT 'd') WITH (upsert = 'merge-on-read')").must(t, http.StatusOK)
	sql(t, s, "CREATE TABLE v (id INTEGER PRIMARY KEY, x INTEGER, ver INTEGER, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone', upsert = 'merge-on-read')").must(t, http.StatusOK)
	change := func(table, query, body, want string) {
		t.Helper()
		got := post(t, s, "/api/v1/tables/default/"+table+"/rows?"+query, "application/x-ndjson", body).must(t, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s, %s %s: %s, want %s", table, query, body, got.body, want)
		}
	}
	change("r", "", `{"id":1,"x":1,"s":"a"}`+"\n"+`{"id":1,"x":2,"s":"b"}`+"\n"+`{"id":2,"x":3,"s":"c"}`, `"rows":3,"inserted":3,"updated":0,"deleted":0`)
	change("r", "mode=upsert", `{"id":2,"x":4,"s":"d"}`, `"inserted":1,"updated":0`)
	change("r", "mode=upsert&key=id", `{"id":3,"x":5,"s":"e"}`, `"inserted":1`)
	equal(t, s, "SELECT * FROM r ORDER BY id", `[[1,2,"b"],[2,4,"d"],[3,5,"e"]]`)
	// A column that is not sent does not change.
	change("r", "mode=upsert", `{"id":2,"x":40}`+"\n"+`{"id":9,"x":9}`, `"inserted":1,"updated":1`)
	change("r", "mode=update", `{"id":3,"x":50,"s":"u"}`+"\n"+`{"id":7,"x":7,"s":"no"}`, `"inserted":0,"updated":1`)
	change("r", "mode=delete", `{"id":1}`+"\n"+`{"id":8}`, `"deleted":1`)
	change("r", "mode=update&key=x", `{"x":9,"s":"by x"}`, `"updated":1`)
	equal(t, s, "SELECT * FROM r ORDER BY id", `[[2,40,"d"],[3,50,"u"],[9,9,"by x"]]`)
	// Rows can add new columns.
	change("r", "", `{"id":2,"x":1,"s":"w","extra":1.5}`, `"inserted":1`)
	equal(t, s, "SELECT * FROM r ORDER BY id", `[[2,1,"w",1.5],[3,50,"u",null],[9,9,"by x",null]]`)
	post(t, s, "/api/v1/tables/default/r/rows", "application/x-ndjson", `{"id":null,"x":1,"s":"w","extra":1.5}`).refused(t, http.StatusBadRequest, "invalid", "id")

	change("v", "", `{"id":1,"x":1,"ver":5,"gone":null}`+"\n"+`{"id":1,"x":2,"ver":4,"gone":false}`+"\n"+`{"id":2,"x":1,"ver":1,"gone":false}`, `"inserted":3`)
	change("v", "mode=delete", `{"id":2,"ver":3}`, `"deleted":1`) // leaves a tombstone
	change("v", "", `{"id":2,"x":2,"ver":2,"gone":false}`+"\n"+`{"id":3,"x":3,"ver":1,"gone":false}`+"\n"+`{"id":3,"x":3,"ver":2,"gone":true}`, `"inserted":3`)
	equal(t, s, "SELECT id, x, ver FROM v ORDER BY id", `[[1,1,5]]`)
	// A row without a version is newer than the existing row, which therefore is looked up.
	change("v", "mode=upsert", `{"id":1,"x":7}`, `"updated":1`)
	equal(t, s, "SELECT id, x, ver FROM v ORDER BY id", `[[1,7,5]]`)

	once := func() {
		t.Helper()
		post(t, s, "/api/v1/tables/default/r/rows", "application/x-ndjson", `{"id":50,"x":1,"s":"once","extra":null}`, "Idempotency-Key", "first").must(t, http.StatusOK)
	}
	once()
	sql(t, s, "UPDATE r SET x = 2 WHERE id = 50").must(t, http.StatusOK)
	once()
	equal(t, s, "SELECT x FROM r WHERE id = 50", "[[2]]")
}

func TestModesWorkOnTablesWithoutAKey(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE log (host VARCHAR, minute INTEGER, level INTEGER)").must(t, http.StatusOK)
	sql(t, s, "INSERT INTO log VALUES ('a', 1, 1), ('a', 1, 2), ('b', 1, 3)").must(t, http.StatusOK)
	change := func(query, body, want string) {
		t.Helper()
		got := post(t, s, "/api/v1/tables/default/log/rows?"+query, "text/csv", body).must(t, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", query, got.body, want)
		}
	}
	change("mode=upsert&key=host,minute", "host,minute,level\na,1,9\nc,1,8\n", `"inserted":1,"updated":2`)
	change("mode=delete&key=host", "host\nb\n", `"deleted":1`)
	equal(t, s, "SELECT host, minute, level FROM log ORDER BY ALL", `[["a",1,9],["a",1,9],["c",1,8]]`)
}

// TestRowsOfDifferentColumnsDoNotOverwrite sends rows with different columns. A column that a row
// lacks must not change.
func TestRowsOfDifferentColumnsDoNotOverwrite(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	path := "/api/v1/tables/default/p/rows?"
	for _, options := range []string{"", " WITH (upsert = 'merge-on-read')"} {
		sql(t, s, "CREATE OR REPLACE TABLE p (id INTEGER PRIMARY KEY, name VARCHAR, age INTEGER)"+options).must(t, http.StatusOK)
		sql(t, s, "INSERT INTO p VALUES (1, 'A', 1), (2, 'B', 2)").must(t, http.StatusOK)
		for _, query := range []string{"", "mode=append", "mode=upsert", "mode=update", "mode=upsert&key=id"} {
			post(t, s, path+query, ndjson, mixedRows).must(t, http.StatusOK)
			equal(t, s, "SELECT * FROM p ORDER BY id", `[[1,"Ada",1],[2,"B",21]]`)
			sql(t, s, "UPDATE p SET name = chr(64 + id), age = id").must(t, http.StatusOK)
		}
		// Several rows of one key are combined. New rows get defaults.
		post(t, s, path, "application/json", `[{"id":1,"name":"Ada"},{"id":2},{"id":1,"age":36},{"id":3,"age":3},{"id":1,"name":"Eve"}]`).must(t, http.StatusOK)
		equal(t, s, "SELECT * FROM p ORDER BY id", `[[1,"Eve",36],[2,"B",2],[3,null,3]]`)
		if got := post(t, s, path+"mode=update", ndjson, `{"id":3,"name":"C"}`+"\n"+`{"id":9,"age":1}`).must(t, http.StatusOK); !strings.Contains(got.body, `"inserted":0,"updated":1,`) {
			t.Error(got.body)
		}
		sql(t, s, "DELETE FROM p WHERE id = 3").must(t, http.StatusOK)
		sql(t, s, "UPDATE p SET name = chr(64 + id), age = id").must(t, http.StatusOK)
		// An error in one row names that row, and no row is written.
		post(t, s, path, ndjson, `{"id":1,"name":"Ada"}`+"\n"+`{"id":1,"name":"Eve"}`+"\n"+`{"id":2,"age":"no"}`).refused(t, http.StatusBadRequest, "invalid", "row 3")
		for query, body := range map[string]string{
			// may change several rows for one
			"mode=update&key=name": mixedRows,
			// which of the columns are NULL?
			"":            `{"id":1,"age":null}` + "\n" + `{"id":2,"age":1}` + "\n" + `{"id":3}`,
			"mode=upsert": `{"id":1,"age":5}` + "\n" + `{"age":6}`,
		} {
			p := post(t, s, path+query, ndjson, body).refused(t, http.StatusBadRequest, "invalid", "lack the column")
			if !strings.Contains(p.Hint, "separate requests") {
				t.Error(p.Hint)
			}
		}
		equal(t, s, "SELECT * FROM p ORDER BY id", `[[1,"A",1],[2,"B",2]]`)
		// A NULL that is sent is stored. All rows may lack a column of the table.
		post(t, s, path, ndjson, `{"id":1,"name":"Ada","age":null}`+"\n"+`{"id":2,"name":null,"age":21}`).must(t, http.StatusOK)
		post(t, s, path, ndjson, `{"age":22,"id":2}`+"\n"+`{"id":3,"age":null}`).must(t, http.StatusOK)
		equal(t, s, "SELECT * FROM p ORDER BY id", `[[1,"Ada",null],[2,null,22],[3,null,null]]`)
	}
	sql(t, s, "CREATE TABLE c (id INTEGER PRIMARY KEY, ver INTEGER, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone')").must(t, http.StatusOK)
	post(t, s, "/api/v1/tables/default/c/rows?mode=delete", ndjson, `{"id":1,"ver":1}`+"\n"+`{"id":2}`).refused(t, http.StatusBadRequest, "invalid", "lack the column")
	post(t, s, "/api/v1/tables/default/c/rows?mode=delete", ndjson, `{"id":1,"note":1}`+"\n"+`{"id":2}`).must(t, http.StatusOK)
	post(t, s, "/api/v1/tables/default/c/rows", ndjson, `{"id":1,"ver":1,"gone":false}`+"\n"+`{"id":2,"ver":1}`).refused(t, http.StatusBadRequest, "invalid", "lack the column")
	// rows without keys are different rows
	sql(t, s, "CREATE TABLE ids (id UUID DEFAULT uuid() PRIMARY KEY, a INTEGER, b INTEGER)").must(t, http.StatusOK)
	post(t, s, "/api/v1/tables/default/ids/rows", ndjson, `{"a":1}`+"\n"+`{"b":2}`).refused(t, http.StatusBadRequest, "invalid", "lack the column")
	// A new table has the key from the first row on.
	post(t, s, "/api/v1/tables/default/made/rows?mode=upsert&key=id", ndjson, mixedRows+"\n"+`{"id":1,"age":36}`).must(t, http.StatusOK)
	post(t, s, "/api/v1/tables/default/made/rows", ndjson, `{"id":1,"more":1}`+"\n"+`{"id":2,"name":"Bob"}`).must(t, http.StatusOK)
	equal(t, s, "SELECT * FROM made ORDER BY id", `[[1,"Ada",36,1],[2,"Bob",21,null]]`)
	// Without a key there are no existing values to keep.
	post(t, s, "/api/v1/tables/default/plain/rows", ndjson, mixedRows).must(t, http.StatusOK)
	equal(t, s, "SELECT * FROM plain ORDER BY id", `[[1,"Ada",null],[2,null,21]]`)
}

const mixedRows = `{"id":1,"name":"Ada"}` + "\n" + `{"id":2,"age":21}`

// TestPointsOfDifferentFieldsDoNotOverwrite checks the same for line protocol, which refuses none
// of these points.
func TestPointsOfDifferentFieldsDoNotOverwrite(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for table, rest := range map[string]string{"m": ")", "checked": ", CHECK (used < 1000))", "unseen": ") WITH (upsert = 'merge-on-read')", "versions": ") WITH (version = 'ver')"} {
		sql(t, s, "CREATE TABLE "+table+" (h VARCHAR, time TIMESTAMPTZ, used DOUBLE, free DOUBLE DEFAULT 7, note VARCHAR, ver BIGINT, PRIMARY KEY (h, time)"+rest).must(t, http.StatusOK)
		lines := func(body string) {
			t.Helper()
			post(t, s, "/write?precision=s", "text/plain", strings.ReplaceAll(body, "m,", table+","), "Idempotency-Key", fmt.Sprintf("%s %d", table, len(body))).must(t, http.StatusNoContent)
		}
		lines("m,h=a used=1 1\nm,h=a free=2 1\nother v=1 1\nm,h=b used=3 1\nm,h=a note=\"x\" 2\nm,h=a used=4 1\nm,h=a used=5,free=6 2")
		want := `[["a",1,4,2,null],["a",2,5,6,"x"],["b",1,3,7,null]]`
		equal(t, s, "SELECT h, epoch(time)::BIGINT, used, free, note FROM "+table+" ORDER BY h, time", want)
		equal(t, s, "SELECT count(*) FROM other", "[[1]]")
		// Again over existing rows, with a new field.
		lines("m,h=a used=1 1\nm,h=b extra=1i 1\nm,h=a free=8 1")
		equal(t, s, "SELECT h, epoch(time)::BIGINT, used, free, note, extra FROM "+table+" ORDER BY h, time", `[["a",1,1,8,null,null],["a",2,5,6,"x",null],["b",1,3,7,null,1]]`)
		sql(t, s, "DROP TABLE other").must(t, http.StatusOK)
	}
	// Repeating the request does not undo later changes.
	again := "m,h=z used=1 1\nm,h=z2 free=2 1\nmore v=1 1"
	for _, change := range []string{"UPDATE m SET used = 9 WHERE h = 'z'", ""} {
		post(t, s, "/write?precision=s", "text/plain", again, "Idempotency-Key", "again").must(t, http.StatusNoContent)
		if change != "" {
			sql(t, s, change).must(t, http.StatusOK)
		}
	}
	equal(t, s, "SELECT h, used, free FROM m WHERE h LIKE 'z%' ORDER BY h", `[["z",9,7],["z2",null,2]]`)
	equal(t, s, "SELECT count(*) FROM more", "[[1]]")
	// Many points of one key with alternating fields are one change.
	var turns strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&turns, "m,h=turns %s=%d 1\n", []string{"used", "free"}[i%2], i)
	}
	post(t, s, "/write?precision=s", "text/plain", turns.String()).must(t, http.StatusNoContent)
	equal(t, s, "SELECT used, free FROM m WHERE h = 'turns'", "[[1998,1999]]")
	// Points that do not fit are named, and the others are stored.
	a := post(t, s, "/write?precision=s", "text/plain", "m,h=a used=2 1\nm,h=a free=\"no\" 1\nm,h=a note=\"y\" 1").must(t, http.StatusBadRequest)
	if !strings.Contains(a.body, "dropped=1") {
		t.Error(a.body)
	}
	equal(t, s, "SELECT used, free, note FROM m WHERE h = 'a' AND epoch(time) = 1", `[[2,8,"y"]]`)
}

func TestModesSayWhatTheyLack(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE plain (a INTEGER, l INTEGER[])").must(t, http.StatusOK)
	sql(t, s, "CREATE TABLE keyed (a INTEGER PRIMARY KEY, b INTEGER NOT NULL)").must(t, http.StatusOK)
	refused := func(table, query, body, contains string) {
		t.Helper()
		post(t, s, fmt.Sprintf("/api/v1/tables/default/%s/rows?%s", table, query), "application/x-ndjson", body).
			refused(t, http.StatusBadRequest, "invalid", contains)
	}
	refused("plain", "mode=replace", `{"a":1}`, "none of append")
	refused("plain", "key=a", `{"a":1}`, "takes no key")
	refused("plain", "mode=upsert", `{"a":1}`, "no primary key")
	refused("plain", "mode=upsert&key=nope", `{"a":1}`, "nope")
	refused("plain", "mode=upsert&key=l", `{"a":1,"l":[1]}`, "cannot be part of a key")
	refused("plain", "mode=upsert&key=a", `{"a":null,"l":[1]}`, "is NULL")
	refused("keyed", "mode=update", `{"b":1}`, "lack a column of the primary key")
	refused("keyed", "mode=update", `{"a":1,"b":null}`+"\n"+`{"a":1,"b":2}`, "NOT NULL")
	refused("keyed", "mode=upsert", `{"a":1}`, "b")
}

// TestAChangeWithAnIdempotencyKeyIsMadeOnce repeats requests after other changes and after a crash.
// The repetitions do nothing, and get the first responses.
func TestAChangeWithAnIdempotencyKeyIsMadeOnce(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir)
	sql(t, s, "CREATE TABLE k (id INTEGER PRIMARY KEY, v INTEGER)").must(t, http.StatusOK)
	sql(t, s, "CREATE TABLE r (id INTEGER PRIMARY KEY, v INTEGER) WITH (upsert = 'merge-on-read')").must(t, http.StatusOK)
	var many strings.Builder
	for id := range 300 {
		fmt.Fprintf(&many, `{"id":%d,"v":0}`+"\n", 1000+id)
	}
	requests := []struct{ table, query, body, answer string }{
		{"k", "mode=upsert", `{"id":1,"v":1}`, `"inserted":1,"updated":0,"deleted":0`},
		{"k", "mode=upsert", `{"id":1,"v":2}` + "\n" + `{"id":2,"v":2}`, `"inserted":1,"updated":1,"deleted":0`},
		{"k", "mode=update", `{"id":9,"v":9}`, `"inserted":0,"updated":0,"deleted":0`},
		{"k", "", many.String(), `"inserted":300,"updated":0,"deleted":0`},
		{"k", "mode=delete", `{"id":2}` + "\n" + `{"id":1001}`, `"inserted":0,"updated":0,"deleted":2`},
		{"k", "mode=delete", `{"id":8}`, `"inserted":0,"updated":0,"deleted":0`},
		{"r", "", `{"id":1,"v":1}`, `"inserted":1,"updated":0,"deleted":0`},
		{"new", "mode=upsert&key=id", `{"id":1,"v":1}`, `"inserted":1,"updated":0,"deleted":0`},
	}
	send := func() {
		t.Helper()
		for i, r := range requests {
			a := post(t, s, "/api/v1/tables/default/"+r.table+"/rows?"+r.query, "application/x-ndjson", r.body, "Idempotency-Key", fmt.Sprint("key ", i))
			if a.must(t, http.StatusOK); !strings.Contains(a.body, r.answer) {
				t.Errorf("request %d: %s, want %s", i, a.body, r.answer)
			}
		}
	}
	send()
	sql(t, s, "INSERT OR REPLACE INTO k VALUES (1, 10), (2, 20), (8, 80), (9, 90)").must(t, http.StatusOK)
	sql(t, s, "UPDATE r SET v = 10").must(t, http.StatusOK)
	sql(t, s, "UPDATE new SET v = 10").must(t, http.StatusOK)
	check := func() {
		t.Helper()
		equal(t, s, "SELECT count(*), sum(v), sum(id) FILTER (v > 0) FROM k", "[[303,200,20]]")
		equal(t, s, "SELECT v FROM r UNION ALL SELECT v FROM new", "[[10],[10]]")
	}
	check()
	send()
	check()
	s.Kill()
	s = binary.Serve(t, dir)
	check()
	send()
	check()
	post(t, s, "/api/v1/tables/default/k/rows?mode=delete", "application/x-ndjson", `{"id":9}`, "Idempotency-Key", "key 4").refused(t, http.StatusConflict, "conflict", "another body")
	check()
}

// TestAStatementWithAnIdempotencyKeyIsRunOnce checks the same for SQL.
func TestAStatementWithAnIdempotencyKeyIsRunOnce(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir)
	for table, rest := range map[string]string{"t": "", "k": "", "r": " WITH (upsert = 'merge-on-read')"} {
		key := " PRIMARY KEY"
		if table == "t" {
			key = ""
		}
		sql(t, s, "CREATE TABLE "+table+" (id INTEGER"+key+", v INTEGER)"+rest).must(t, http.StatusOK)
	}
	sql(t, s, "CREATE TABLE large (id INTEGER PRIMARY KEY, v VARCHAR)").must(t, http.StatusOK)
	requests := []struct{ statement, answer string }{
		{"INSERT INTO t SELECT i, 0 FROM range(10) r(i)", `"inserted":10,"updated":0,"deleted":0`},
		{"INSERT INTO k VALUES (1, 1), (2, 2)", `"inserted":2,"updated":0,"deleted":0`},
		{"INSERT INTO k VALUES (1, 1) ON CONFLICT DO UPDATE SET v = k.v + 1", `"inserted":0,"updated":1,"deleted":0`},
		{"INSERT INTO r VALUES (1, 1)", `"inserted":1,"updated":0,"deleted":0`},
		{"UPDATE t SET v = v + 1", `"inserted":0,"updated":10,"deleted":0`},
		{"UPDATE t SET v = v + 1 WITH (mode = 'rewrite')", `"inserted":0,"updated":10,"deleted":0`},
		{"UPDATE t SET v = v + 1 WITH (mode = 'expression')", `"inserted":0,"updated":10,"deleted":0`},
		{"DELETE FROM k WHERE id = 2", `"inserted":0,"updated":0,"deleted":1`},
		{"DELETE FROM k WHERE id = 7", `"inserted":0,"updated":0,"deleted":0`},
		{"MERGE INTO k USING (SELECT 3 AS id) AS s USING (id) WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (3, 3)", `"inserted":1,"updated":0,"deleted":0`},
		{"INSERT INTO large SELECT i, repeat('x', 1000) FROM range(40000) r(i)", `"inserted":40000,"updated":0,"deleted":0`},
		{"INSERT INTO large SELECT i, repeat('y', 1000) FROM range(40000) r(i) ON CONFLICT DO UPDATE SET v = large.v || '+'", `"inserted":0,"updated":40000,"deleted":0`},
	}
	send := func() {
		t.Helper()
		for i, r := range requests {
			a := post(t, s, "/api/v1/sql", "text/plain", r.statement, "Idempotency-Key", fmt.Sprint("key ", i))
			if a.must(t, http.StatusOK); !strings.Contains(a.body, r.answer) {
				t.Errorf("%s: %s, want %s", r.statement, a.body, r.answer)
			}
		}
	}
	check := func() {
		t.Helper()
		equal(t, s, "SELECT count(*), min(v), max(v) FROM t", "[[10,3,3]]")
		equal(t, s, "SELECT * FROM k ORDER BY id", "[[1,2],[2,20],[3,3],[7,70]]")
		equal(t, s, "SELECT * FROM r", "[[1,10]]")
		equal(t, s, "SELECT count(*), min(length(v)), max(length(v)) FROM large", "[[40000,1001,1001]]")
	}
	send()
	sql(t, s, "INSERT INTO k VALUES (2, 20), (7, 70)").must(t, http.StatusOK)
	sql(t, s, "UPDATE r SET v = 10").must(t, http.StatusOK)
	check()
	send()
	check()
	s.Kill()
	s = binary.Serve(t, dir)
	send()
	check()

	refused := func(statement, kind, contains string, status int) {
		t.Helper()
		post(t, s, "/api/v1/sql", "text/plain", statement, "Idempotency-Key", "key 4").refused(t, status, kind, contains)
	}
	refused("UPDATE t SET v = v + 2", "conflict", "another body", http.StatusConflict)
	refused("UPDATE t SET v = v + 1; SELECT 1", "invalid", "single statement", http.StatusBadRequest)
	refused("UPDATE t SET v = v + 1 RETURNING v", "invalid", "RETURNING", http.StatusBadRequest)
	refused("TRUNCATE t", "invalid", "TRUNCATE", http.StatusBadRequest)
	refused("CREATE TABLE t2 AS SELECT 1", "invalid", "CREATE", http.StatusBadRequest)
	post(t, s, "/api/v1/sql", "text/plain", "SELECT 1", "Idempotency-Key", "key 4").must(t, http.StatusOK)
	post(t, s, "/api/v1/sql", "text/plain", "UPDATE t SET nope = 1", "Idempotency-Key", "free").refused(t, http.StatusBadRequest, "invalid")
	post(t, s, "/api/v1/sql", "text/plain", "UPDATE t SET v = 3", "Idempotency-Key", "free").must(t, http.StatusOK)
	check()
}
