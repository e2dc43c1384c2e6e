package sqltoken

import (
	"reflect"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func texts(t *testing.T, sql string) []string {
	t.Helper()
	tokens, err := Split(sql)
	if err != nil {
		t.Fatalf("Split(%q): %v", sql, err)
	}
	var out []string
	for _, tok := range tokens {
		out = append(out, tok.Text())
	}
	return out
}

func TestSplitKeepsStringsAndCommentsWhole(t *testing.T) {
	f := func(sql string, want ...string) {
		t.Helper()
		if got := texts(t, sql); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
	f("SELECT 'a;b' -- ; c\n, 1", "SELECT", "'a;b'", ",", "1")
	f("a /* x /* nested ; */ y */ b", "a", "b")
	f(`E'it\'s' 'it''s' "q""q"`, `E'it\'s'`, `'it''s'`, `"q""q"`)
	f("$$a;b$$ $x$ $$ $x$", "$$a;b$$", "$x$ $$ $x$")
	f("a = $1 AND b = $name AND c = ?", "a", "=", "$1", "AND", "b", "=", "$name", "AND", "c", "=", "?")
	f("x::INT[3]", "x", "::", "INT", "[", "3", "]")
	f("1e-3+.5-1_0x", "1e-3", "+", ".5", "-", "1_0", "x")
	f("a->>'$.b'", "a", "->>", "'$.b'")
	f("t.1", "t", ".1")
	f("a=-1+-2<=+3", "a", "=", "-", "1", "+", "-", "2", "<=", "+", "3")
	f("a!=-1||-b", "a", "!=-", "1", "||-", "b")
	f("a--comment", "a")
	f("a -- b\r; c -- d\n e", "a", ";", "c", "e")
	f("E'a\\'' -- b\r  -- c\n 'd\\';' 'e'", "E'a\\'' -- b\r  -- c\n 'd\\';'", "'e'")
	f("E'a' 'b\\' 'c'\n'd\\'", "E'a'", "'b\\'", "'c'", "'d\\'")
	f("E'a'\u00a0\n'b\\'' ;", "E'a'\u00a0\n'b\\''", ";")
	f("1e'\\';' .5FROM a=#1_0", "1", "e'\\';'", ".5", "FROM", "a", "=", "#", "1_0")
	f("?1_0a $1_0e'\\'' a$b", "?1_0", "a", "$1_0", "e'\\''", "a$b")
	f(`n'a' $"b""c"`, "n'a'", `$"b""c"`)
	f("1\u00a0FROM $a\u00a0b", "1", "FROM", "$a", "b")
	f("größe<>1", "größe", "<>", "1")
	f("a IS DISTINCT FROM b", "a", "IS", "DISTINCT", "FROM", "b")
}

func TestSplitNamesWhatDoesNotEnd(t *testing.T) {
	f := func(sql string, position int) {
		t.Helper()
		_, err := Split(sql)
		e, ok := err.(*base.Error)
		if !ok || e.Kind != base.Invalid || e.Position != position {
			t.Errorf("%q: %v at %d, want Invalid at %d", sql, err, e.Position, position)
		}
	}
	f("SELECT 'abc", 8)
	f(`SELECT "abc`, 8)
	f("SELECT (1", 8)
	f("SELECT 1)", 9)
	f("SELECT /* x", 8)
	f("SELECT $$ x", 8)
	f("SELECT \x00", 8)
}

func TestStatementsCutsAtTopLevelSemicolons(t *testing.T) {
	got, err := Statements(" SELECT ';' ;; insert into t values (1) ; ")
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	if got[1].Text != "insert into t values (1)" || got[1].Offset != 15 || got[1].Verb() != "INSERT" {
		t.Errorf("second statement: %+v", got[1])
	}
}

func TestStatementsKeepsPlacesBehindWideSpaces(t *testing.T) {
	got, err := Statements("SELECT\u00a0'\u00a0' ,\u3000x")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if want := "SELECT  '\u00a0' ,   x"; got[0].Text != want || got[0].Verb() != "SELECT" {
		t.Errorf("%q, want %q", got[0].Text, want)
	}
	if x := got[0].Tokens[3]; got[0].Text[x.Start:x.End] != "x" {
		t.Errorf("token %+v", x)
	}
}

func TestStatementsHidesFromDuckDBWhatItReplacesByMistake(t *testing.T) {
	got, err := Statements("SELECT /* it's\n\u00a0 */ E'\\'\\\\' -- it's\u00a0\n, '\u00a0\\'")
	want := "SELECT        \n      E'''\\\\'          \n, '\u00a0\\'"
	if err != nil || len(got) != 1 || got[0].Text != want {
		t.Errorf("%+v, want %q (%v)", got, want, err)
	}
	if got, err := Statements("SELECT /* it's */ E'\\''"); err != nil || got[0].Text != "SELECT /* it's */ E'\\''" {
		t.Errorf("%q, %v", got[0].Text, err)
	}
}

func TestEditsKnowWhereTheirTextComesFrom(t *testing.T) {
	e := Edits{{Start: 8, End: 9, Text: "[two]"}, {Start: 0, End: 0, Text: ">"}, {Start: 3, End: 6, Text: ""}}
	if got := e.Apply("one--- 2 three"); got != ">one [two]" && got != ">one 2[two]three" {
		t.Fatalf("%q", got)
	}
	f := func(offset, want int, written bool) {
		t.Helper()
		if at, w := e.Origin(offset); at != want || w != written {
			t.Errorf("offset %d: %d, %v, want %d, %v", offset, at, w, want, written)
		}
	}
	f(0, 0, true)
	f(1, 0, false)
	f(4, 6, false)
	f(6, 8, true)
	f(10, 8, true)
	f(11, 9, false)
}

func TestVerbLooksBehindCTEs(t *testing.T) {
	f := func(sql, want string) {
		t.Helper()
		s, err := Statements(sql)
		if err != nil || s[0].Verb() != want {
			t.Errorf("%q: %q, want %q (%v)", sql, s[0].Verb(), want, err)
		}
	}
	f("with a as (select 1), b(x) as materialized (select 2) update t set x = 1", "UPDATE")
	f("WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a", "SELECT")
	f("((select 1))", "SELECT")
	f("from t", "FROM")
	f("with insert as (select 1), recursive as (select 2) select 1", "SELECT")
	f("with recursive r(a) using key (a) as (select 1), as as (select 2) table r", "TABLE")
	f("with update_log as (select 1) delete from t", "DELETE")
}

func TestQualifiedName(t *testing.T) {
	tokens, _ := Split(`FROM a."b.c".d x`)
	parts, next := QualifiedName(tokens, 1)
	if !reflect.DeepEqual(parts, []string{"a", "b.c", "d"}) || !tokens[next].Is("x") {
		t.Errorf("parts %q, next %d", parts, next)
	}
}

// TestTextsHaveSoManyTokens checks the limit on the number of tokens of a text. Each token takes 48
// bytes, whatever its size. Scripts have no limit, because they are sent in pieces.
func TestTextsHaveSoManyTokens(t *testing.T) {
	text := strings.Repeat("1 ", maxTokens)
	if _, err := Split(text); err != nil {
		t.Error(err)
	}
	text += ";"
	if _, err := Split(text); base.KindOf(err) != base.TooLarge {
		t.Errorf("one more: %v", err)
	}
	if _, err := Statements(text); base.KindOf(err) != base.TooLarge {
		t.Errorf("statements of one more: %v", err)
	}
	if statements, err := Script(text); err != nil || len(statements) != 1 {
		t.Errorf("%d statements, %v", len(statements), err)
	}
}

func TestStatementsHaveTheirOwnTokens(t *testing.T) {
	statements, err := Statements("SELECT 1; EXPLAIN SELECT 2")
	if err != nil || len(statements) != 2 {
		t.Fatal(statements, err)
	}
	explained := statements[1]
	inner := explained.From(1)
	for _, s := range []Statement{statements[0], explained, inner} {
		for _, token := range s.Tokens {
			if s.Text[token.Start:token.End] != token.Text() {
				t.Errorf("%q: %q is at %d", s.Text, token.Text(), token.Start)
			}
		}
	}
}
