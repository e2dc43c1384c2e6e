package main

import "testing"

func TestWhereStatementsEndAtThePrompt(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := isComplete(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	f("SELECT 1;", true)
	f("SELECT 1; -- done", true)
	f("SELECT 1; /* done */", true)
	f("SELECT 1;\nSELECT 2;", true)
	f("SELECT 'a''b;';", true)
	f(";", true)
	f("SELECT 1);", true)
	f("SELECT 1\x00;", true)
	f("", false)
	f("SELECT 1", false)
	f("SELECT 1; SELECT 2", false)
	f("-- a note;", false)
	f("SELECT 1 -- one;", false)
	f("SELECT 1 /* one;", false)
	f("SELECT 1 /* one;*/", false)
	f("SELECT 'one;", false)
	f("SELECT 'one;'", false)
	f("SELECT \"one;", false)
	f("SELECT $$one;", false)
	f("SELECT (1;", false)
}
