package duck

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// resident returns the memory that the process holds, in bytes. DuckDB's plans are not on Go's
// heap.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only Linux tells what memory a process holds: ", err)
	}
	var all, held int
	if _, err := fmt.Sscan(string(text), &all, &held); err != nil {
		t.Fatal(err)
	}
	return held * os.Getpagesize()
}

func TestCachedStatementsAreBounded(t *testing.T) {
	const most = 40 << 20
	// Each row of a statement has about 100 bytes.
	for _, want := range []struct{ rows, statements int }{{60, 100}, {600, 15}} {
		c := connect(t)
		before := resident(t)
		for i := range want.statements {
			row := fmt.Sprintf("(%d, 'some text', 1.5, %d, %d, 'another text', DATE '2024-01-01', NULL, true, 'a third')", i, i+1, i+2)
			stmt, err := c.PrepareCached("SELECT * FROM (VALUES " + strings.Repeat(row+", ", want.rows-1) + row + ")")
			if err != nil {
				t.Fatal(err)
			}
			stmt.Close()
		}
		grown := resident(t) - before
		t.Logf("statements of %d rows: %d MB", want.rows, grown>>20)
		if grown > most {
			t.Errorf("statements of %d rows: a connection that is idle holds %d MB", want.rows, grown>>20)
		}
	}
}
