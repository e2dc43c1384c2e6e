package main

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func TestErrorsShowWhereInTheStatementTheyAre(t *testing.T) {
	f := func(text string, position int, want string) {
		t.Helper()
		var b strings.Builder
		printError(&b, "error", base.Wrap(inText(base.Errorf(base.Invalid, "no column").At(position).WithHint("did you mean y?"), text), "statement 1 of 2"))
		if got := b.String(); got != "error: statement 1 of 2: no column\n"+want+"  hint: did you mean y?\n" {
			t.Errorf("%q at %d:\n%s", text, position, got)
		}
	}
	f("SELECT x FROM t", 8, "  SELECT x FROM t\n         ^\n")
	f("SELECT x FROM t;\n", 1, "  SELECT x FROM t;\n  ^\n")
	f("SELECT\n\tx\nFROM t", 9, "  line 2:  x\n           ^\n")
	f("SELECT 'ü', '日本', x", 24, "  SELECT 'ü', '日本', x\n                      ^\n")
	f("SELECT", 7, "  SELECT\n        ^\n")
	f("SELECT", 70, "  SELECT\n        ^\n")
	f("SELECT \xff x", 10, "  SELECT ? x\n           ^\n")
	long := "SELECT " + strings.Repeat("a, ", 100) + "x" + strings.Repeat(", b", 100)
	f(long, 308, "  ..."+long[257:337]+"...\n  "+strings.Repeat(" ", 53)+"^\n")
	f("SELECT 1", 0, "")
	var b strings.Builder
	if printError(&b, "scoter", base.Errorf(base.Invalid, "no rows").At(5)); b.String() != "scoter: no rows\n  at byte 5\n" {
		t.Error(b.String())
	}
}
