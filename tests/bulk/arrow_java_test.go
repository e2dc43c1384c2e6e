package bulk

import (
	"path/filepath"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

func TestJavaReadsAndWritesArrow(t *testing.T) {
	t.Parallel()
	bin, jars := toolchain.Java(t)
	dir := t.TempDir()
	for _, name := range []string{"duckdb.sql", "writes.sql"} {
		toolchain.Copy(t, filepath.Join(toolchain.Root(t), "tests", "bulk", "engines", name), filepath.Join(dir, name))
	}
	toolchain.Copy(t, filepath.Join(toolchain.Root(t), "tests", "bulk", "arrow", "Bulk.java"), filepath.Join(dir, "Bulk.java"))
	toolchain.Write(t, filepath.Join(dir, "scoter.yaml"), `{version: 1, name: bulk, sql: [{files: [duckdb.sql, writes.sql], gen: [
  {generator: java/duckdb/arrow, name: writes, output: writes/, config: {package: writes, migrations: true}}]}]}`)
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
	toolchain.Javac(t, dir, bin, "--release", "17", "-encoding", "UTF-8", "-cp", jars+":.", "-d", "out", "Bulk.java")
	run := func(mode ...string) string {
		args := append([]string{"--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", "out:" + jars, "Bulk"}, mode...)
		return toolchain.Run(t, dir, []string{"TZ=America/New_York"}, filepath.Join(bin, "java"), args...)
	}
	said(t, run(), []string{
		"every: 1001", "inserted the same: true", "updated: 1001", "changed: true",
		"insert: 300000", "inserted: 300000 44999850000 1 a",
		"null: SQLException: insertAllKv: row 3: column v must not be null",
		"duplicate: SQLException: insertAllKv: row 3: duplicate key k: 7",
		"twice: SQLException: insertAllKv: row 3: duplicate key 300001",
		"long: SQLException: insertAllKv: Constraint Error: CHECK constraint failed on table kv",
		"late: SQLException: insertAllKv: row 250001: duplicate key k: 299999",
		"broken: SQLException: insertAllKv: the rows end with an error: no more rows",
		"missing: SQLException: insertAllKv: the rows have no column doc: they have k, v",
		"unknown: SQLException: deleteAllKv: there is no column v, which the rows have, but k",
		"two of a name: SQLException: deleteAllKv: the rows have more than one column k",
		"nothing behind: 300000 44999850000 1 a", "no rows: 0",
		"update twice: 100000", "last wins: [a, last]", "upsert: 200000", "delete: 390000", "upserted: 10000 3949995000 1 u",
		"in a transaction: 1000", "fails in it: SQLException: insertAllKv: the rows end with an error: no more rows",
		"in it: 11000 3950494500 2 t", "rolled back: 10000 3949995000 1 u",
		"in a transaction: 1000", "fails in it: SQLException: insertAllKv: the rows end with an error: no more rows",
		"in it: 11000 3950494500 2 t", "rolled back: 10000 3949995000 1 u",
		"beside: 10000 3949995000 1 u", "whole: 500000", "left: 0",
	})
	// The driver's streaming results end with the next statement.
	said(t, run("streaming"), []string{"beside: 0 0 0 ", "whole: 500000", "left: 0"})
}
