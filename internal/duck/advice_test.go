package duck

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func TestNamesAreSuggestedOnceAndNoneOfDuckDBsOwn(t *testing.T) {
	c := connect(t)
	f := func(sql, message, hint string) {
		t.Helper()
		rows, err := c.Query(context.Background(), sql)
		if err == nil {
			_, err = rows.Next(context.Background())
			rows.Close()
		}
		e := new(base.Error)
		if !errors.As(err, &e) || e.Hint != hint || e.Message != message {
			t.Errorf("%s:\n%v\n%s", sql, err, e.Hint)
		}
	}
	const column, scalar = "Referenced column %q not found in FROM clause!", "Scalar Function with name %s does not exist!"
	missing := func(form, name string) string {
		return strings.NewReplacer("%q", `"`+name+`"`, "%s", name).Replace(form)
	}
	f("SELECT xx FROM (SELECT 1 AS xy)", missing(column, "xx"), "did you mean xy?")
	f("SELECT xx FROM (SELECT 1 AS xy) a, (SELECT 2 AS xy) b", missing(column, "xx"), "did you mean a.xy or b.xy?")
	f("SELECT xx FROM (SELECT 1 AS xy, 2 AS xz) a", missing(column, "xx"), "did you mean xy or xz?")
	f("SELECT scoter_y FROM (SELECT 1 AS scoter_x)", missing(column, "scoter_y"), "")
	f("SELECT v.z FROM (VALUES (1)) v(y)", `Table "v" does not have a column named "z"`, "")
	f("SELECT count_stra()", missing(scalar, "count_stra"), "did you mean count?")
	f("SELECT sum_no_overflo(1)", missing(scalar, "sum_no_overflo"), "did you mean sum?")
	f("SELECT internal_compress_integral_ubigin(1)", missing(scalar, "internal_compress_integral_ubigin"), "")
	f("SELECT icu_collate_deu('a')", missing(scalar, "icu_collate_deu"), "")
	f("SELECT list_sortt([1])", missing(scalar, "list_sortt"), "did you mean list_sort?")
	f("SELECT struct_extract({'a': 1}, 'b')", `Could not find key "b" in struct`, "did you mean a?")
	f("SELECT '2020-01-01'::TIMESTAMPTZ AT TIME ZONE 'Europe/Berlinn'", "Unknown TimeZone 'Europe/Berlinn'!",
		"did you mean Europe/Berlin, Europe/Busingen, Europe/Tallinn, Europe/Tirane or Europe/Vienna?")
	if got := publicName("main.INTEGER", false); got != "INTEGER" {
		t.Error(got)
	}
	f("SELECT error('Use SET to mend it')", "Use SET to mend it", "")
}

func TestNoAdviceIsGivenThatNobodyCanFollow(t *testing.T) {
	c := connect(t)
	for _, sql := range []string{
		"SELECT st_point(1, 2)", "SELECT (SELECT range FROM range(3))", "SELECT string_agg('a' ORDER BY 'x')",
		"SELECT sum('a', 'b')", "SELECT " + strings.Repeat("(1+", 2000) + "1" + strings.Repeat(")", 2000),
	} {
		rows, err := c.Query(context.Background(), sql)
		if err == nil {
			_, err = rows.Next(context.Background())
			rows.Close()
		}
		e := new(base.Error)
		if !errors.As(err, &e) {
			t.Errorf("%.60s: %v", sql, err)
			continue
		}
		for _, word := range []string{"SET ", "INSTALL", "LOAD ", "PRAGMA", "did you mean sum("} {
			if strings.Contains(e.Message+e.Hint, word) {
				t.Errorf("%.60s: %s\n%s", sql, e.Message, e.Hint)
			}
		}
	}
	for text, want := range map[string]string{
		// These are messages of DuckDB 1.5.6.
		`{"exception_type":"Out of Memory","exception_message":"could not allocate block of size 256.0 KiB (1.0 MiB/1.0 MiB used)\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)\n* Disabling insertion-order preservation (SET preserve_insertion_order=false)\n* Increasing the memory limit (SET memory_limit='...GB')\n\nSee also https://duckdb.org/docs/stable/guides/performance/how_to_tune_workloads"}`:                                                                        "could not allocate block of size 256.0 KiB (1.0 MiB/1.0 MiB used)",
		`{"exception_type":"Out of Memory","exception_message":"failed to pin block of size 1 MiB (1/1 used)\nDatabase is launched in in-memory mode and no temporary directory is specified.\nUnused blocks cannot be offloaded to disk.\n\nLaunch the database with a persistent storage back-end\nOr set SET temp_directory='/path/to/tmp.tmp'\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)\n\nSee also https://duckdb.org/docs/stable/guides/performance/how_to_tune_workloads"}`: "failed to pin block of size 1 MiB (1/1 used)",
		`{"exception_type":"Invalid Input","exception_message":"in a cast: Out of Memory Error: x\n\nPossible solutions:\n* Increasing the memory limit (SET memory_limit='...GB')\n\nSee also https://duckdb.org/docs/stable/guides/performance/how_to_tune_workloads; while it was read"}`:                                                                                                                                                                                                                      "in a cast: Out of Memory Error: x; while it was read",
		`{"exception_type":"Binder","exception_message":"Pivot column limit of 3 exceeded. Use SET pivot_limit=X to increase the limit."}`: "Pivot column limit of 3 exceeded.",
	} {
		if got := parseFailure(text).err(""); got.Message != want {
			t.Errorf("%.80s became %q", text, got.Message)
		}
	}
}
