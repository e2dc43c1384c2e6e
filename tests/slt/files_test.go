package slt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesThatWereReplacedAreReadAgain reads files repeatedly over one connection, because the
// pool hands out the most recently used connection first. After a file was replaced by another of
// the same name, the old content must not be used.
func TestFilesThatWereReplacedAreReadAgain(t *testing.T) {
	db, dir := openScoter(t, true, 0), t.TempDir()
	path := filepath.Join(dir, "f.csv")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	is := func(sql string, want ...string) {
		t.Helper()
		sql = strings.NewReplacer("%f", path, "%d", dir).Replace(sql)
		for range 2 {
			if got := mustRun(t, db, sql); !slices.Equal(got.rows, want) {
				t.Errorf("%s: %q, want %q", sql, got.rows, want)
			}
		}
	}
	do := func(sql string) {
		t.Helper()
		mustRun(t, db, strings.ReplaceAll(sql, "%f", path))
	}

	write("f.csv", "x\n1\n")
	is("SELECT * FROM read_csv('%f')", "1")
	write("f.csv", "x\n1.5\n")
	is("SELECT * FROM read_csv('%f')", "1.5")
	write("f.csv", "x,y\n1.5,a text of more than some characters\n")
	is("SELECT * FROM read_csv('%f')", "1.5\ta text of more than some characters")

	is("SELECT count(*) FROM glob('%d/*')", "1")
	write("g.csv", "x\n")
	is("SELECT count(*) FROM glob('%d/*')", "2")

	do("CREATE TABLE t (id INTEGER, a VARCHAR, b VARCHAR)")
	insert := "INSERT INTO t BY NAME SELECT * FROM read_csv('%f')"
	write("f.csv", "id,a,b\n1,an a,a b\n")
	do(insert)
	write("f.csv", "id,b,a\n2,a b,an a\n")
	do(insert)
	is("SELECT DISTINCT a, b FROM t", "an a\ta b")

	create := "CREATE OR REPLACE TABLE c AS SELECT * FROM read_csv('%f')"
	write("f.csv", "x\n1\n")
	do(create)
	is("FROM c", "1")
	write("f.csv", "y,z\n2,3\n")
	do(create)
	is("SELECT y, z FROM c", "2\t3")
}
