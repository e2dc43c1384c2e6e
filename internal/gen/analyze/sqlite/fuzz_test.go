package sqlite

import (
	"os"
	"strings"
	"testing"
)

func FuzzParseNeverFailsBadly(f *testing.F) {
	text, err := os.ReadFile("testdata/peers.sql")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range strings.Split(string(text), "\n\n") {
		f.Add(s)
	}
	f.Add(strings.Repeat("(", 3000))
	f.Add("SELECT " + strings.Repeat("- ", 3000) + "1")
	f.Add("SELECT " + strings.Repeat("1+", 3000) + "1")
	f.Fuzz(func(t *testing.T, sql string) {
		tree, err := parse(sql)
		if err != nil {
			return
		}
		w := &walker{
			numericComparisons: map[*expr]bool{},
			table:              func(string, string) *tableInfo { return nil },
			nullableParam:      func(int) bool { return true },
			in:                 func(int) bool { return false },
		}
		w.statement(tree)
	})
}
