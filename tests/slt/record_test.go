package slt

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// record is one statement or query of a test file, in sqllogictest's usual format:
//
//	statement ok                     statement error <regular expression>
//	statement count <rows changed>   query <types> [rowsort]
//
// Then the SQL follows, up to an empty line, or for a query up to ----. After ---- the expected
// rows follow, up to an empty line. Their values are separated by tabs. Types are I for integers, R
// for other numbers, and T for everything else. skipif and onlyif before the statement name an
// engine (duckdb or scoter). A # begins a comment.
type record struct {
	line int
	// comments and empty lines before the record; -rewrite writes them back
	above []string
	// the only engine that runs the record, or empty
	only     string
	verb     string // statement or query
	want     string // of a statement: ok, error or count
	pattern  *regexp.Regexp
	count    int64
	types    string
	rowsort  bool
	sql      string
	expected []string // lines
}

// The engines to which a record can be limited.
const (
	scoterEngine = "scoter"
	duckdbEngine = "duckdb"
)

func parseFile(path string) ([]*record, []string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var records []*record
	r := &record{}
	for i := 0; i < len(lines); i++ {
		fields := strings.Fields(lines[i])
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
			r.above = append(r.above, lines[i])
			continue
		case fields[0] == "onlyif" && len(fields) == 2:
			r.only = fields[1]
			continue
		case fields[0] == "skipif" && len(fields) == 2:
			r.only = map[string]string{duckdbEngine: scoterEngine, scoterEngine: duckdbEngine}[fields[1]]
			continue
		}
		r.line = i + 1
		if err := r.header(lines[i]); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", path, r.line, err)
		}
		var sql []string
		for i++; i < len(lines) && lines[i] != "" && lines[i] != "----"; i++ {
			sql = append(sql, lines[i])
		}
		r.sql = strings.Join(sql, "\n")
		if i < len(lines) && lines[i] == "----" {
			for i++; i < len(lines) && lines[i] != ""; i++ {
				r.expected = append(r.expected, lines[i])
			}
		}
		i--
		records = append(records, r)
		r = &record{}
	}
	return records, r.above, nil
}

func (r *record) header(line string) error {
	fields := strings.Fields(line)
	r.verb = fields[0]
	switch {
	case r.verb == "statement" && len(fields) == 2 && fields[1] == "ok":
		r.want = "ok"
	case r.verb == "statement" && len(fields) == 3 && fields[1] == "count":
		n, err := strconv.ParseInt(fields[2], 10, 64)
		r.want, r.count = "count", n
		return err
	case r.verb == "statement" && len(fields) >= 3 && fields[1] == "error":
		_, pattern, _ := strings.Cut(line, "error ")
		p, err := regexp.Compile(pattern)
		r.want, r.pattern = "error", p
		return err
	case r.verb == "query" && len(fields) >= 2:
		r.types = fields[1]
		r.rowsort = slices.Contains(fields[2:], "rowsort")
	default:
		return fmt.Errorf("no record begins with %q", line)
	}
	return nil
}

// text returns the record in the form that parseFile reads.
func (r *record) text() string {
	var b strings.Builder
	for _, l := range r.above {
		b.WriteString(l + "\n")
	}
	switch r.only {
	case scoterEngine:
		b.WriteString("skipif duckdb\n")
	case duckdbEngine:
		b.WriteString("onlyif duckdb\n")
	}
	switch {
	case r.verb == "query":
		b.WriteString("query " + r.types)
		if r.rowsort {
			b.WriteString(" rowsort")
		}
	case r.want == "error":
		b.WriteString("statement error " + r.pattern.String())
	case r.want == "count":
		fmt.Fprintf(&b, "statement count %d", r.count)
	default:
		b.WriteString("statement ok")
	}
	b.WriteString("\n" + r.sql + "\n")
	if r.verb == "query" {
		b.WriteString("----\n")
		for _, l := range r.expected {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}
