package livescan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

type fixture struct {
	t     *testing.T
	conn  *duck.Conn
	paths []string
}

// rowsPerFile is the number of rows in a file. It gives several row groups, the last of which is
// short, and vectors that are not full.
const rowsPerFile = 10_000

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	inst, err := duck.Open(duck.Settings{Threads: 2, ReadableDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	conn, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := Register(conn); err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, conn: conn}
	for n := range 3 {
		f.paths = append(f.paths, filepath.Join(dir, fmt.Sprintf("%d.parquet", n)))
		rows := fmt.Sprintf(`SELECT %d * %d + i AS id, i %% 7 AS few, 'text ' || i %% 5 AS word, [i, i + 1] AS list,
			CASE WHEN i %% 3 > 0 THEN 'a long text, and all of them differ ' || hash(i) END AS long, {'odd': i %% 2, 'word': 'text ' || i %% 5} AS pair FROM range(%d) r(i)`,
			n, rowsPerFile, rowsPerFile)
		if n == 1 {
			f.writeOddGroups(rows, f.paths[n])
		} else if err := conn.Exec("COPY (" + rows + ") TO '" + f.paths[n] + "' (FORMAT parquet, ROW_GROUP_SIZE 4096)"); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// writeOddGroups writes a file whose row groups are not multiples of 64 rows. DuckDB does not write
// such files.
func (f *fixture) writeOddGroups(query, path string) {
	f.t.Helper()
	file, err := os.Create(path)
	if err != nil {
		f.t.Fatal(err)
	}
	rows, err := f.conn.Query(context.Background(), query)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	out, err := pqarrow.NewFileWriter(rows.Schema(), file, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(3001)), pqarrow.DefaultWriterProps())
	if err != nil {
		f.t.Fatal(err)
	}
	for {
		rec, err := rows.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = out.WriteBuffered(rec)
			rec.Release()
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) rows(sql string) string {
	f.t.Helper()
	rows, err := f.conn.Query(context.Background(), sql)
	if err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out strings.Builder
	for {
		rec, err := rows.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			f.t.Fatalf("%s: %v", sql, err)
		}
		for i := range int(rec.NumRows()) {
			for _, c := range rec.Columns() {
				out.WriteString(c.ValueStr(i) + "|")
			}
			out.WriteByte('\n')
		}
		rec.Release()
	}
}

// queries use what DuckDB does with a scan: pushed-down filters, counts without a scan, statistics,
// copied plans, and rows that are looked up again by number.
var queries = []string{
	"SELECT count(*) FROM %s",
	"SELECT min(id), max(id), min(long), max(long) FROM %s",
	"SELECT * FROM %s WHERE few = 3 ORDER BY id",
	"SELECT * FROM %s WHERE word IN ('text 1', 'text 4') AND id % 11 = 0 ORDER BY id",
	"SELECT id, word, list, few, long FROM %s WHERE few IN (2, 5) ORDER BY id",
	"SELECT id, few, list, word FROM %s ORDER BY id",
	"SELECT id, word FROM %s WHERE long LIKE '%7%5%' AND few < 6 ORDER BY id",
	"SELECT pair.word, word, pair.odd, count(*) FROM %s WHERE few < 4 GROUP BY ALL ORDER BY ALL",
	"SELECT id, scoter_source, scoter_ordinal FROM %s WHERE id > 4090 AND id < 4110 ORDER BY id",
	"SELECT id FROM %s WHERE scoter_ordinal BETWEEN 4090 AND 5110 ORDER BY id",
	"SELECT word, few, count(*), CAST(sum(id) AS BIGINT), count(long) FROM %s GROUP BY ALL ORDER BY ALL",
	"SELECT * FROM %s ORDER BY long DESC NULLS LAST, id LIMIT 10",
	"SELECT count(*), CAST(sum(list[2]) AS BIGINT) FROM %s WHERE long IS NULL",
	"WITH x AS (FROM %s) SELECT count(*) FROM x a JOIN x b ON a.id = b.id + 1 WHERE b.few = 2",
	"SELECT count(*) FROM %s a WHERE id % 50 = 1 AND few = (SELECT max(few) + 1 FROM %s b WHERE b.id = a.id - 1)",
}

// rowsets are the rowset ids of the fixture's files.
var rowsets = []base.RowsetID{70, 3, 1 << 40}

func TestRowsAreLeftOut(t *testing.T) {
	f := newFixture(t)
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n, of int) []int { return random.Perm(of)[:n] }
	for i, chosen := range []func() []int{
		func() []int { return some(1, rowsPerFile) },
		func() []int { return some(20, rowsPerFile) },
		func() []int { return some(200, rowsPerFile) },
		func() []int { return some(3000, rowsPerFile) },
		func() []int { return some(6000, rowsPerFile) },
		func() []int { return some(9990, rowsPerFile) },
		func() []int { return some(6000, 6000) }, // adjacent
		func() []int { return some(6000, 6010) },
		func() []int { return some(rowsPerFile, rowsPerFile) },
	} {
		for kind, describe := range []func([]File) *Filter{Without, Addressed, Only} {
			only, addressed := kind == 2, kind > 0
			var files []File
			var numbers []string
			for n, path := range f.paths[:2] { // the third file has no hidden rows
				rows := chosen()
				slices.Sort(rows)
				var inFile []uint32
				for _, row := range rows {
					inFile = append(inFile, uint32(row))
					numbers = append(numbers, fmt.Sprint(n*rowsPerFile+row))
				}
				file := File{Path: path, Rowset: rowsets[n], Rows: Rows{Numbers: inFile}}
				if !only {
					file.Rows = Hidden(inFile, rowsPerFile)
				}
				files = append(files, file)
			}
			paths, condition, source := f.paths, "NOT IN", "0"
			if only {
				paths, condition = f.paths[:2], "IN"
			} else if addressed {
				files = append(files, File{Path: f.paths[2], Rowset: rowsets[2]})
			}
			if addressed {
				source = fmt.Sprintf("list_extract(%v, CAST(file_index AS BIGINT) + 1)", strings.ReplaceAll(fmt.Sprint(rowsets), " ", ", "))
			}
			filter := describe(files)
			t.Cleanup(filter.Close)
			if err := f.conn.Exec("CREATE OR REPLACE TEMP TABLE numbers AS SELECT unnest([" + strings.Join(numbers, ", ") + "]) AS id"); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("(SELECT *, %s AS scoter_source, file_row_number AS scoter_ordinal FROM read_parquet(['%s']) WHERE id %s (SELECT id FROM numbers))",
				source, strings.Join(paths, "', '"), condition)
			once := i%2 == 0 != only
			got := fmt.Sprintf("(SELECT * REPLACE (0 AS scoter_source) FROM (SELECT *, scoter_source, scoter_ordinal FROM %s))", Parquet(paths, filter, once))
			if addressed {
				got = fmt.Sprintf("(SELECT *, scoter_source, scoter_ordinal FROM %s)", Parquet(paths, filter, once))
			}
			for _, sql := range append(queries, "SELECT id FROM %s WHERE scoter_source = 3 AND id % 9 = 0 ORDER BY id") {
				if got, want := f.rows(strings.ReplaceAll(sql, "%s", got)), f.rows(strings.ReplaceAll(sql, "%s", want)); got != want {
					t.Errorf("rows %d, kind %d, once %v: %s:\ngot\n%.500s\nwant\n%.500s", i, kind, once, sql, got, want)
				}
			}
		}
	}
}

func TestColumnsHaveTheNamesOfDuckDBsOwn(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Dir(f.paths[0])
	paths := []string{filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")}
	for _, path := range paths {
		if err := f.conn.Exec("COPY (SELECT 999 - i AS file_row_number, i % 2 AS file_index, 'x' || i AS filename FROM range(1000) r(i)) TO '" + path + "' (ROW_GROUP_SIZE 300)"); err != nil {
			t.Fatal(err)
		}
	}
	for filter, even := range map[*Filter]string{
		Addressed([]File{{Path: paths[0], Rowset: 8, Rows: Hidden([]uint32{7}, 1000)}, {Path: paths[1], Rowset: 9}}):                                              "1000|500000|\n",
		Only([]File{{Path: paths[0], Rowset: 8, Rows: Rows{Numbers: []uint32{5, 6, 8}}}, {Path: paths[1], Rowset: 9, Rows: Rows{Numbers: []uint32{5, 6, 7, 8}}}}): "4|3968|\n",
	} {
		t.Cleanup(filter.Close)
		got := f.rows("SELECT scoter_source, scoter_ordinal, * FROM " + Parquet(paths, filter, true) + " WHERE scoter_ordinal BETWEEN 6 AND 8 AND file_row_number != 993 ORDER BY ALL")
		if want := "8|8|991|0|x8|\n9|7|992|1|x7|\n9|8|991|0|x8|\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got := f.rows("SELECT count(*), sum(file_row_number)::BIGINT FROM " + Parquet(paths, filter, true) + " WHERE file_index = 0"); got != even {
			t.Errorf("got %s, want %s", got, even)
		}
	}
}

// TestPathsAreNoPatterns reads files in folders whose names DuckDB would treat as patterns. There
// are other folders that match these patterns.
func TestPathsAreNoPatterns(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Dir(f.paths[0])
	var paths []string
	for i, name := range []string{"x1", "x[1]", "y", "?", "zz", "z*", "**", "{y}", `q\r`, "it's"} {
		path := filepath.Join(dir, name, "1.parquet")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		plain := filepath.Join(dir, "to be moved.parquet") // COPY treats names specially, too
		if err := f.conn.Exec(fmt.Sprintf("COPY (SELECT %d AS n FROM range(10)) TO '%s'", i, plain)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(plain, path); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i, path := range paths {
		files, only := []File{{Path: path, Rowset: 5, Rows: Hidden([]uint32{3, 4}, 10)}}, []File{{Path: path, Rowset: 5, Rows: Rows{Numbers: []uint32{3, 4}}}}
		for filter, rows := range map[*Filter]int{nil: 10, Without(files): 8, Addressed(files): 8, Only(only): 2} {
			if filter != nil {
				t.Cleanup(filter.Close)
			}
			for _, once := range []bool{false, true} {
				if got, want := f.rows("SELECT count(*), min(n), max(n) FROM "+Parquet(paths[i:i+1], filter, once)), fmt.Sprintf("%d|%d|%d|\n", rows, i, i); got != want {
					t.Errorf("%s, once %v: %q, want %q", path, once, got, want)
				}
			}
		}
	}
	if got, want := f.rows("SELECT count(*), count(DISTINCT n) FROM "+Parquet(paths, nil, false)), fmt.Sprintf("%d|%d|\n", 10*len(paths), len(paths)); got != want {
		t.Errorf("all: %q, want %q", got, want)
	}
}

func TestScatteredRowsAreTold(t *testing.T) {
	var run, others []uint32
	for row := range uint32(3 * vector) {
		run, others = append(run, 100+row), append(others, 20*vector+2*row)
	}
	for _, c := range []struct {
		rows []uint32
		want bool
	}{
		{[]uint32{7}, true},
		{run[:100], true}, // within one vector, which must be read
		{run, false},
		{append([]uint32{1, 3, 5}, run...), false},
		{append(run[:vector:vector], others...), true},
		{others, true},
	} {
		if got := scattered(c.rows); got != c.want {
			t.Errorf("%d rows from %d to %d: scattered %v", len(c.rows), c.rows[0], c.rows[len(c.rows)-1], got)
		}
	}
}

func TestConditionsDoNotFailForRowsThatAreLeftOut(t *testing.T) {
	f := newFixture(t)
	var negative []uint32
	for row := uint32(0); row < rowsPerFile; row += 7 {
		negative = append(negative, row) // few - 1, which to_base refuses
	}
	filter := Without([]File{{Path: f.paths[0], Rows: Hidden(negative, rowsPerFile)}})
	t.Cleanup(filter.Close)
	for _, condition := range []string{"to_base(few - 1, 2) = '0'", "few < 7 AND to_base(few - 1, 2) = '0'", "(few = 1 OR to_base(few - 1, 2) = '0')"} {
		if got := f.rows("SELECT count(*) FROM " + Parquet(f.paths[:1], filter, false) + " WHERE " + condition); got != "1429|\n" {
			t.Errorf("%s: %s", condition, got)
		}
	}
}

func TestAClosedFilterIsFound(t *testing.T) {
	f := newFixture(t)
	filter := Without([]File{{Path: f.paths[0], Rows: Hidden([]uint32{1}, rowsPerFile)}})
	t.Cleanup(filter.Close)
	sql := "SELECT count(*) FROM " + Parquet(f.paths, filter, false)
	if got := f.rows(sql); got != "29999|\n" {
		t.Error(got)
	}
	filter.Close()
	if _, err := f.conn.Query(context.Background(), sql); err == nil || !strings.Contains(err.Error(), "no such rows") {
		t.Error(err)
	}
}

func TestFilesAreScannedOnce(t *testing.T) {
	f := newFixture(t)
	filter := Without([]File{{Path: f.paths[0], Rows: Hidden([]uint32{5}, rowsPerFile)}})
	t.Cleanup(filter.Close)
	for _, filter := range []*Filter{nil, filter} {
		for _, once := range []bool{false, true} {
			plan := f.rows("EXPLAIN SELECT * FROM " + Parquet(f.paths, filter, once) + " WHERE few = 3 ORDER BY word LIMIT 5")
			if twice := strings.Contains(plan, "JOIN"); twice == once {
				t.Errorf("once %v:\n%s", once, plan)
			}
		}
	}
}

// TestAllRowsAreCountedByMetadata counts the rows of one file. DuckDB reads their number from the
// file's footer.
func TestAllRowsAreCountedByMetadata(t *testing.T) {
	f := newFixture(t)
	filter := Without([]File{{Path: f.paths[0], Rows: Hidden([]uint32{5}, rowsPerFile)}})
	t.Cleanup(filter.Close)
	for filter, want := range map[*Filter]bool{nil: false, filter: true} {
		for _, once := range []bool{false, true} {
			plan := f.rows("EXPLAIN SELECT count(*) FROM " + Parquet(f.paths[:1], filter, once))
			if scans := strings.Contains(strings.ToLower(plan), function); scans != want {
				t.Errorf("hidden rows %v, once %v:\n%s", want, once, plan)
			}
		}
	}
}
