package http

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestUnknownParametersAreRefused checks that each route names the unknown parameter and lists its
// own parameters.
func TestUnknownParametersAreRefused(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	rowsPath := "/api/v1/tables/default/t/rows"
	for _, c := range []struct{ method, path, unknown, near, list string }{
		{"GET", "/api/v1/sql?q=SELECT+1&fromat=csv", "fromat", "format", "timeout_ms"},
		{"GET", "/api/v1/sql?q=SELECT+1&FORMAT=csv", "FORMAT", "format", "timeout_ms"},
		{"POST", "/api/v1/sql?max_row=1", "max_row", "max_rows", "timeout_ms"},
		{"POST", "/api/v1/sql?timeout=1", "timeout", "timeout_ms", "max_rows"},
		{"POST", "/api/v1/sql?q=SELECT+1", "q", "", "the body"},
		{"POST", rowsPath + "?Mode=upsert", "Mode", "mode", "durability"},
		{"POST", rowsPath + "?keys=a", "keys", "key", "durability"},
		{"POST", "/api/v1/write/msgpack?precison=ms", "precison", "precision", "durability"},
		{"GET", "/metrics?x=1", "x", "", "none"},
		{"GET", "/api/v1/status?verbose=1", "verbose", "", "none"},
		{"GET", "/healthz?verbose", "verbose", "", "none"},
		{"GET", "/readyz?verbose", "verbose", "", "none"},
		{"GET", "/health?x=", "x", "", "none"},
		{"GET", "/ping?verbos=true", "verbos", "verbose", "wait_for_leader"},
	} {
		p := send(t, s, c.method, c.path, "").refused(t, 400, "invalid", `"`+c.unknown+`"`)
		if c.near != "" && !strings.Contains(p.Message, `did you mean "`+c.near+`"?`) || c.near == "" && strings.Contains(p.Message, "did you mean") || !strings.Contains(p.Hint, c.list) {
			t.Errorf("%s %s: %s; %s", c.method, c.path, p.Message, p.Hint)
		}
	}
	for _, path := range []string{"/write?db=d&percision=s", "/api/v2/write?bucket=d&percision=s", "/api/v1/write/line-protocol?db=d&percision=s"} {
		if a := post(t, s, path, "text/plain", "m v=1 1").must(t, 400); !strings.Contains(a.body, `did you mean \"precision\"?`) || !strings.Contains(a.body, "consistency") {
			t.Error(a.body)
		}
	}
	if a := post(t, s, "/query", "application/x-www-form-urlencoded", "q=SHOW+DATABASES&epohc=ms").must(t, 400); !strings.Contains(a.body, `did you mean \"epoch\"?`) {
		t.Error(a.body)
	}
	// A refused request has stored nothing.
	equal(t, s, "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'main'", "[[0]]")
}

// TestParametersOfOtherProtocolsAreTaken sends the parameters that InfluxDB documents for its
// paths.
func TestParametersOfOtherProtocolsAreTaken(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for _, path := range []string{
		"/write?db=d&u=me&p=secret&rp=autogen&precision=s&consistency=any", "/write?consistency=&db=d&p=&precision=n&rp=&u=",
		"/api/v2/write?org=o&bucket=d&precision=ns", "/api/v2/write?orgID=1&bucket=d&precision=us", "/api/v1/write/line-protocol?db=d&precision=ms",
	} {
		post(t, s, path, "text/plain", "m v=1 1").must(t, 204)
	}
	for _, query := range []string{"db=d&epoch=ms&q=SHOW+DATABASES", "u=me&p=x&rp=autogen&pretty=true&chunked=true&chunk_size=100&q=SHOW+DATABASES"} {
		send(t, s, "GET", "/query?"+query, "").must(t, 200)
		post(t, s, "/query", "application/x-www-form-urlencoded", query).must(t, 200)
	}
	send(t, s, "GET", "/ping?verbose=true", "").must(t, 204)
	send(t, s, "GET", "/ping?wait_for_leader=1s&u=me&p=x", "").must(t, 204)
}

func TestUnknownMembersOfAJSONRequestAreRefused(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for body, want := range map[string]struct {
		name, near string
		position   int
	}{
		`{"sql": "SELECT 1", "fromat": "csv"}`:         {"fromat", "format", 21},
		`{"SQL": "SELECT 1"}`:                          {"SQL", "sql", 2},
		`{"sql": "SELECT 1", "Database": "default"}`:   {"Database", "database", 21},
		`{"sql": "SELECT 1", "nothing like it": true}`: {"nothing like it", "", 21},
	} {
		p := post(t, s, "/api/v1/sql", "application/json", body).refused(t, 400, "invalid", `"`+want.name+`"`)
		if want.near != "" && !strings.Contains(p.Message, `did you mean "`+want.near+`"?`) || !strings.Contains(p.Hint, "timeout_ms") || p.Position != want.position {
			t.Errorf("%s: %+v", body, p)
		}
	}
	post(t, s, "/api/v1/sql", "application/json", `{"sql": "SELECT $1", "params": [1], "database": "default", "format": "csv", "timeout_ms": 1000, "max_rows": 1}`).must(t, 200)
}
