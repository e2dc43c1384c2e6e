package sqllogic

import (
	"os"
	"regexp"
	"strings"
)

// record is a command of a file: a statement, a query, or a command about the records after it.
type record struct {
	line    int
	command string
	params  []string
	sql     string
	want    []string // the text after ----
	body    []record // of a loop
}

// parse parses a file.
func parse(path string) ([]record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := parser{lines: strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n")}
	return p.records(), nil
}

type parser struct {
	lines   []string
	at      int
	skipped int // depth of mode skip
}

func blank(line string) bool { return line == "" || strings.HasPrefix(line, "#") }

// records parses to the end of the file, or of the loop.
func (p *parser) records() (out []record) {
	for {
		for p.at < len(p.lines) && blank(p.lines[p.at]) {
			p.at++
		}
		if p.at >= len(p.lines) {
			return out
		}
		r := record{line: p.at + 1}
		fields := strings.Fields(p.lines[p.at])
		conditional := false
		for fields[0] == "skipif" || fields[0] == "onlyif" {
			conditional = conditional || len(fields) != 2 || (fields[0] == "skipif") == (fields[1] == "duckdb")
			p.at++
			fields = strings.Fields(p.lines[p.at])
		}
		r.command, r.params = fields[0], fields[1:]
		p.at++
		p.body(&r)
		switch {
		case r.command == "mode" && r.params[0] == "skip":
			p.skipped++
		case r.command == "mode" && r.params[0] == "unskip":
			p.skipped--
		case r.command == "loop", r.command == "foreach", r.command == "concurrentloop", r.command == "concurrentforeach":
			r.body = p.records()
		case r.command == "endloop", r.command == "halt" && p.skipped == 0 && !conditional:
			if r.command == "halt" {
				p.at = len(p.lines)
			}
			return out
		}
		if p.skipped == 0 && !conditional {
			out = append(out, r)
		}
	}
}

// body parses the text of a statement and its expected result.
func (p *parser) body(r *record) {
	var sql []string
	for p.at < len(p.lines) && p.lines[p.at] != "" && p.lines[p.at] != "----" && !strings.HasPrefix(p.lines[p.at], "#") {
		if r.command != "statement" && r.command != "query" {
			return
		}
		sql = append(sql, p.lines[p.at])
		p.at++
	}
	r.sql = strings.Join(sql, "\n")
	if p.at < len(p.lines) && p.lines[p.at] == "----" {
		for p.at++; p.at < len(p.lines) && p.lines[p.at] != ""; p.at++ {
			r.want = append(r.want, p.lines[p.at])
		}
	}
}

var groups = map[string][]string{
	"<signed>":   {"tinyint", "smallint", "integer", "bigint", "hugeint"},
	"<unsigned>": {"utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"},
	"<integral>": {"<signed>", "<unsigned>"},
	"<numeric>":  {"<integral>", "float", "double"},
	"<alltypes>": {"<numeric>", "bool", "interval", "varchar"},
}

// values returns the values of a foreach loop.
func values(params []string) (out []string) {
	for _, p := range params {
		if group, ok := groups[strings.ToLower(p)]; ok {
			out = append(out, values(group)...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

var (
	comment    = regexp.MustCompile(`(?s)--[^\n]*(\n|$)|/\*.*?\*/`)
	changeWord = regexp.MustCompile(`(?i)\b(insert\s+(or\s+\w+\s+)?into|update\s+\w|delete\s+from|merge\s+into)`)
)

// kindOf returns the word that tells what a statement does.
func kindOf(sql string) string {
	text := strings.TrimLeft(comment.ReplaceAllString(sql, " "), " \t\n(")
	word := ""
	if words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;(*", r) }); len(words) > 0 {
		word = strings.ToUpper(words[0])
	}
	switch word {
	case "FROM", "VALUES", "TABLE", "PIVOT", "UNPIVOT", "PIVOT_WIDER", "PIVOT_LONGER":
		return "SELECT"
	case "DESC", "SUMMARIZE":
		return "DESCRIBE"
	case "WITH":
		if m := changeWord.FindString(text); m != "" {
			return strings.ToUpper(strings.Fields(m)[0])
		}
		return "SELECT"
	}
	return word
}
