package http

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	database "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/tests/binary"
)

// damagedFiles writes files whose content does not match their names, and a DuckDB file that this
// process has locked. It returns their folder.
func damagedFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := database.Open("duckdb", filepath.Join(dir, "locked.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("CREATE TABLE t AS SELECT 1 AS a"); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good.parquet")
	if _, err := db.Exec("COPY (SELECT range AS a, 'x' || range AS b FROM range(10000)) TO '" + good + "'"); err != nil {
		t.Fatal(err)
	}
	parquet, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	mangled := func(from, to, step int) []byte {
		b := bytes.Clone(parquet)
		for i := from; i < to; i += step {
			b[i] ^= 0x55
		}
		return b
	}
	noise := bytes.Repeat([]byte("no such format \x00\xff"), 300)
	write("empty.parquet", nil)
	write("cut.parquet", parquet[:len(parquet)/2])
	write("tail.parquet", parquet[len(parquet)/2:])
	write("pages.parquet", mangled(4, len(parquet)-3000, 97))
	write("footer.parquet", mangled(len(parquet)-400, len(parquet)-8, 7))
	for _, name := range []string{"noise.parquet", "noise.csv.gz", "noise.csv.zst", "noise.json.gz", "noise.duckdb", "noise.json"} {
		write(name, noise)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(bytes.Repeat([]byte("1,2\n"), 5000)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("broken.csv.gz", append(packed.Bytes()[:15], noise...))
	write("cut.csv.gz", packed.Bytes()[:packed.Len()-9])
	changed := bytes.Clone(packed.Bytes())
	changed[len(changed)-6] ^= 1
	write("changed.csv.gz", changed)
	zipper, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := zipper.EncodeAll([]byte(strings.Repeat(`{"a": 1, "b": 2}`+"\n", 5000)), nil)
	write("cut.json.zst", whole[:len(whole)-5])
	return dir
}

// TestFilesThatCannotBeReadAreTheStatementsFault checks that a damaged, locked or missing file
// gives an error that says so. The error must not be a 503, because clients would retry.
func TestFilesThatCannotBeReadAreTheStatementsFault(t *testing.T) {
	dir := damagedFiles(t)
	config := filepath.Join(t.TempDir(), "scoter.toml")
	text := fmt.Sprintf("readable_dirs = [%q]\n[[token]]\nname = \"admin\"\nrole = \"admin\"\nsha256 = \"%x\"\n", dir, sha256.Sum256([]byte("admin")))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := binary.Serve(t, t.TempDir(), "--config", config)
	run := func(statement string) answer {
		t.Helper()
		return post(t, s, "/api/v1/sql", "text/plain", strings.ReplaceAll(statement, "%", dir), "Authorization", "Bearer admin")
	}
	run("CREATE TABLE kept (a BIGINT, b VARCHAR)").must(t, 200)
	run("INSERT INTO kept SELECT * FROM read_parquet('%/good.parquet')").must(t, 200)
	for source, want := range map[string]struct {
		status        int
		kind, message string
	}{
		"read_parquet('%/empty.parquet')":             {400, "invalid", "empty.parquet"},
		"read_parquet('%/cut.parquet')":               {400, "invalid", "cut.parquet"},
		"read_parquet('%/tail.parquet')":              {400, "invalid", "file"},
		"read_parquet('%/pages.parquet')":             {400, "invalid", "file"},
		"read_parquet('%/footer.parquet')":            {400, "invalid", "file"},
		"read_parquet('%/noise.parquet')":             {400, "invalid", "noise.parquet"},
		"read_csv('%/noise.csv.gz')":                  {400, "invalid", "noise.csv.gz"},
		"read_csv('%/noise.csv.zst')":                 {400, "invalid", "file"},
		"read_csv('%/broken.csv.gz', header = false)": {400, "invalid", "file"},
		"read_csv('%/cut.csv.gz', header = false)":    {400, "invalid", "cut.csv.gz is cut"},
		"read_csv('%/changed.csv.gz')":                {400, "invalid", "changed.csv.gz is damaged"},
		"read_json('%/cut.json.zst')":                 {400, "invalid", "cut.json.zst is cut"},
		"read_json('%/noise.json.gz')":                {400, "invalid", "noise.json.gz"},
		"read_json('%/noise.json')":                   {400, "invalid", "noise.json"},
		"read_duckdb('%/noise.duckdb')":               {400, "invalid", "noise.duckdb"},
		"read_duckdb('%/locked.duckdb')":              {409, "conflict", "locked.duckdb"},
		"read_csv('%/none.csv')":                      {404, "not_found", "none.csv"},
		"read_duckdb('%/none.duckdb')":                {404, "not_found", "none.duckdb"},
		"read_parquet('%/none.parquet')":              {404, "not_found", "none.parquet"},
		"'%/none.parquet'":                            {404, "not_found", "none.parquet"},
	} {
		for _, statement := range []string{"SELECT * FROM " + source, "CREATE TABLE made AS SELECT * FROM " + source, "INSERT INTO kept SELECT 1, t::VARCHAR FROM " + source + " t"} {
			if a := run(statement); a.status != want.status || !strings.Contains(a.body, want.message) || !strings.Contains(a.body, `"kind":"`+want.kind+`"`) || a.header.Get("Retry-After") != "" {
				t.Errorf("%s: %d %s", statement, a.status, a.body)
			}
		}
	}
	if a := run("SELECT count(*) AS n, (SELECT count(*) FROM information_schema.tables WHERE table_name = 'made') AS made FROM kept"); !strings.Contains(a.body, "[10000,0]") {
		t.Errorf("%s", a.body)
	}
}
