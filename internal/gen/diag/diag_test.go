package diag

import (
	"bytes"
	"strings"
	"testing"
)

func TestTextShowsPlaceExcerptCaretAndHelp(t *testing.T) {
	s := NewText("q.sql", "SELECT 1;\n\tSELECT ü, naem FROM t;\n")
	at := strings.Index(s.Text, "naem")
	got := s.At(Error, SQLInvalid, at, at+4, "no column %q", "naem").Suggest("did you mean name?").Text()
	want := "q.sql:2:12: error: no column \"naem\" [SQL_EXECUTION_ERROR]\n    2 | \tSELECT ü, naem FROM t;\n      | \t          ^^^^\n      = help: did you mean name?\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestListSortsByPlaceAndRendersJSON(t *testing.T) {
	s := NewText("a.sql", "x\ny\n")
	var l List
	l.Add(s.At(Warning, UnusedVariable, 2, 3, "second"))
	l.Add(s.At(Error, SQLParse, 0, 1, "first"))
	if all := l.All(); all[0].Message != "first" || !l.HasErrors() {
		t.Error("order")
	}
	var b bytes.Buffer
	if err := l.WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"valid": false`) || !strings.Contains(b.String(), `"line": 2`) {
		t.Error(b.String(), err)
	}
}

func TestPositionsOutsideAreClamped(t *testing.T) {
	s := NewText("a", "ab\ncd")
	if l, c := s.Position(99); l != 2 || c != 3 {
		t.Error(l, c)
	}
	if l, c := s.Position(-1); l != 1 || c != 1 {
		t.Error(l, c)
	}
}

func TestLongLinesAreCutAroundTheCaret(t *testing.T) {
	s := NewText("q.sql", strings.Repeat("x", 300)+"BAD"+strings.Repeat("y", 300))
	text := s.At(Error, SQLInvalid, 300, 303, "bad").Text()
	lines := strings.Split(text, "\n")
	if len([]rune(lines[1])) > 140 || strings.Index(lines[1], "BAD")-len("…")+1 != strings.Index(lines[2], "^^^") {
		t.Error(text)
	}
}
