package sqllogic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// outcome is the outcome of a record.
type outcome string

const (
	passed  outcome = "passed"
	refused outcome = "refused"
	follows outcome = "follows" // after another statement was refused
	wrong   outcome = "wrong"
	accepts outcome = "accepts" // accepted, although DuckDB refuses it
	crashed outcome = "crashed" // the server ended, or answered 500
	known   outcome = "known"   // refused, as documented for such statements
	skipped outcome = "skipped"
)

var outcomes = []outcome{passed, follows, refused, wrong, accepts, crashed, known, skipped}

// documented matches the refusals of functions and catalogs that docs/API.md documents.
var documented = regexp.MustCompile(`function (current_setting|setseed|sleep_ms|pg_sleep|write_log|current_query|json_serialize_plan|json_execute_serialized_sql|query|` +
	`test_vector_types|which_secret|pragma_\w+|duckdb_(settings|secrets|logs\w*)) is not allowed|pg_catalog|pg_\w+ does not exist|sqlite_master|reject_errors|duckdb_logs`)

// errDisconnected means that the server gave no response.
var errDisconnected = errors.New("no answer")

// errLeft means that the rest of a file is not run.
var errLeft = errors.New("left")

// run is a file that is being run.
type run struct {
	server *binary.Server
	file   string
	words  *strings.Replacer          // the folders that records name
	counts map[string]map[outcome]int // by kind of statement
	report func(line int, o outcome, sql, why string)
	vars   map[string]string
	labels map[string]string
	// tainted means that a statement was refused, or was accepted although DuckDB refuses it. Later
	// failures may be consequences.
	tainted bool
}

// missing matches errors about something that does not exist.
var missing = regexp.MustCompile(`(?i)does not exist|not found|"not_found"|does not have a column|has no column`)

// all runs records. It returns errLeft if the rest of the file needs something that the runner does
// not support.
func (r *run) all(records []record) error {
	for _, c := range records {
		var err error
		switch c.command {
		case "statement", "query":
			err = r.one(c)
		case "loop", "concurrentloop":
			from, _ := strconv.Atoi(r.fill(c.params[1]))
			to, _ := strconv.Atoi(r.fill(c.params[2]))
			const most = 200 // rounds
			for i := from; i < min(to, from+most) && err == nil; i++ {
				err = r.with(c.params[0], strconv.Itoa(i), c.body)
			}
		case "foreach", "concurrentforeach":
			for _, v := range values(c.params[1:]) {
				if err == nil {
					err = r.with(c.params[0], v, c.body)
				}
			}
		case "require":
			if !slices.Contains([]string{"parquet", "json", "icu", "core_functions", "vector_size", "notmusl", "notwindows", "notmingw", "64bit", "skip_reload",
				"no_alternative_verify", "noforcestorage", "no_extension_autoloading", "noexternal", "longdouble", "ram", "disk_space"}, c.params[0]) {
				return errLeft
			}
		case "require-env", "unzip", "load", "restart", "test-env":
			return errLeft
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// with runs the body of a loop with a value of its variable.
func (r *run) with(name, value string, body []record) error {
	r.vars[name] = r.fill(value)
	defer delete(r.vars, name)
	return r.all(body)
}

// fill replaces variables in a text by their values.
func (r *run) fill(text string) string {
	for name, value := range r.vars {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return r.words.Replace(text)
}

// one runs a statement or query, and counts it.
func (r *run) one(c record) error {
	sql := r.fill(c.sql)
	o, why := r.outcome(c, sql)
	kind := kindOf(sql)
	taints := (c.command == "statement" || kind == "COPY") && (o == refused || o == accepts)
	if r.tainted && (o == wrong || o == accepts || o == refused && missing.MatchString(why)) {
		o = follows
	}
	r.tainted = r.tainted || taints
	if r.counts[kind] == nil {
		r.counts[kind] = map[outcome]int{}
	}
	r.counts[kind][o]++
	if o != passed && o != follows && o != known {
		r.report(c.line, o, sql, why)
	}
	if why == errDisconnected.Error() {
		return errDisconnected
	}
	return nil
}

func (r *run) outcome(c record, sql string) (outcome, string) {
	status, body, err := r.send(sql)
	switch fails := c.command == "statement" && c.params[0] == "error"; {
	case err != nil:
		return crashed, errDisconnected.Error()
	case status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable && status != http.StatusInsufficientStorage:
		return crashed, string(body)
	case c.command == "statement" && c.params[0] == "maybe":
		return passed, ""
	case fails && status == http.StatusOK:
		return accepts, "succeeded"
	case fails:
		return passed, ""
	case status != http.StatusOK && documented.Match(body):
		return known, string(body)
	case status != http.StatusOK:
		return refused, string(body)
	case c.command == "statement":
		return passed, ""
	}
	rows, err := r.texts(sql, body)
	if err != nil {
		return skipped, err.Error()
	}
	want := make([]string, len(c.want))
	for i, line := range c.want {
		want[i] = r.fill(line)
		if strings.HasPrefix(line, "<FILE>:") {
			return skipped, "the result is in a file"
		}
	}
	order := ""
	if len(c.params) > 1 {
		order = c.params[1]
	}
	why := differs(c.params[0], order, want, rows)
	if len(c.params) > 2 && len(want) == 0 { // queries with the same label have the same result
		result := fmt.Sprint(rows)
		if first, ok := r.labels[c.params[2]]; ok && first != result {
			why = "another result than that of the label " + c.params[2]
		} else {
			why = ""
		}
		r.labels[c.params[2]] = result
	}
	if why != "" {
		return wrong, why
	}
	return passed, ""
}

// texts returns the rows of a query as DuckDB casts them to text. It runs the query within another
// one. If that is not possible, it uses the JSON result.
func (r *run) texts(sql string, plain []byte) ([][]string, error) {
	inner := strings.TrimRight(strings.TrimSpace(sql), "; \t\n")
	status, body, err := r.send("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (" + inner + "\n)")
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		body = plain
	}
	var answer struct {
		Rows                       [][]any
		Inserted, Updated, Deleted int
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&answer); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if answer.Rows == nil {
		answer.Rows = [][]any{}
		if !bytes.Contains(body, []byte(`"rows"`)) {
			answer.Rows = [][]any{{json.Number(strconv.Itoa(answer.Inserted + answer.Updated + answer.Deleted))}}
		}
	}
	out := make([][]string, len(answer.Rows))
	for i, row := range answer.Rows {
		for _, v := range row {
			switch v {
			case nil:
				v = "NULL"
			case "":
				v = "(empty)"
			}
			out[i] = append(out[i], strings.ReplaceAll(fmt.Sprint(v), "\x00", `\0`))
		}
	}
	return out, nil
}

// send runs a text in the file's database, which has the same name as DuckDB's.
func (r *run) send(sql string) (status int, body []byte, err error) {
	return send(r.server, "memory", sql)
}

func send(s *binary.Server, database, sql string) (status int, body []byte, err error) {
	client := http.Client{Timeout: time.Minute}
	req, err := http.NewRequest(http.MethodPost, s.URL+"/api/v1/sql?format=json&timeout_ms=15000&database="+url.QueryEscape(database), strings.NewReader(sql))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errDisconnected, err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errDisconnected, err)
	}
	return resp.StatusCode, body, nil
}

// runFile runs a file in an empty database. It reports whether the server still responds. The
// suite's folder data is below root, and files are written to scratch.
func runFile(t *testing.T, s *binary.Server, root, scratch, path string, counts map[string]map[outcome]int, report func(line int, o outcome, sql, why string)) bool {
	t.Helper()
	records, err := parse(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DROP DATABASE IF EXISTS memory CASCADE", "CREATE DATABASE memory"} {
		if status, body, err := send(s, "default", sql); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s %v", sql, status, body, err)
		}
	}
	words := strings.NewReplacer("{DATA_DIR}", root+"/data", "'data/", "'"+root+"/data/", "__WORKING_DIRECTORY__", root, "{TEMP_DIR}", scratch, "{TEST_DIR}", scratch, "__TEST_DIR__", scratch)
	r := &run{server: s, file: path, words: words, counts: counts, report: report, vars: map[string]string{}, labels: map[string]string{}}
	return !errors.Is(r.all(records), errDisconnected)
}
