package http

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// withTokens starts a server with three tokens, which are equal to their names.
func withTokens(t *testing.T) *binary.Server {
	t.Helper()
	return serveWithTokens(t, t.TempDir())
}

// serveWithTokens is withTokens with a data directory and further flags.
func serveWithTokens(t *testing.T, dir string, flags ...string) *binary.Server {
	t.Helper()
	var file strings.Builder
	for _, role := range []string{"reader", "writer", "admin"} {
		fmt.Fprintf(&file, "[[token]]\nname = %q\nrole = %q\nsha256 = \"%x\"\n", role, role, sha256.Sum256([]byte(role)))
	}
	path := filepath.Join(t.TempDir(), "scoter.toml")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return binary.Serve(t, dir, append([]string{"--config", path}, flags...)...)
}

func TestRoles(t *testing.T) {
	s := withTokens(t)
	as := func(token, method, path, contentType, body string) answer {
		t.Helper()
		header := []string{"Content-Type", contentType}
		if token != "" {
			header = append(header, "Authorization", "Bearer "+token)
		}
		return send(t, s, method, path, body, header...)
	}
	const rowsPath = "/api/v1/tables/default/t/rows"
	for _, c := range []struct {
		method, path, contentType, body string
		reader, writer, admin           int
	}{
		{"POST", rowsPath, ndjson, `{"a":1}`, 403, 200, 200},
		{"POST", "/api/v1/sql", "text/plain", "SELECT * FROM t", 200, 200, 200},
		{"POST", "/api/v1/sql", "text/plain", "INSERT INTO t VALUES (1)", 403, 200, 200},
		{"POST", "/api/v1/sql", "text/plain", "CREATE TABLE IF NOT EXISTS u (a INTEGER)", 403, 200, 200},
		{"POST", "/api/v1/sql", "text/plain", "SELECT count(*) FROM read_csv('/etc/passwd')", 403, 403, -1},
		{"POST", "/api/v1/write/msgpack", "", "\x82\xa1m\xa1k\xa7columns\x81\xa1v\x91\x01", 403, 204, 204},
		{"POST", "/write", "text/plain", "m v=1", 403, 204, 204},
		{"POST", "/api/v2/write?bucket=default", "text/plain", "m v=1", 403, 204, 204},
		{"POST", "/query", "application/x-www-form-urlencoded", "q=CREATE+DATABASE+d", 403, 200, 200},
		{"GET", "/query?q=SHOW+DATABASES", "", "", 200, 200, 200},
		{"GET", "/api/v1/status", "", "", 200, 200, 200},
		{"GET", "/metrics", "", "", 200, 200, 200},
		{"GET", "/debug/pprof/", "", "", 403, 403, 200},
	} {
		for token, want := range map[string]int{"": 401, "guess": 401, "reader": c.reader, "writer": c.writer, "admin": c.admin} {
			a := as(token, c.method, c.path, c.contentType, c.body)
			// -1: the role allows it, but the file may not be readable.
			if want == -1 && a.status != 403 && a.status != 401 || want == -1 && strings.Contains(a.body, "readable_dirs") {
				continue
			}
			if want != -1 && a.status != want {
				t.Errorf("%s %s as %q: %d, want %d: %s", c.method, c.path, token, a.status, want, a.body)
			}
			if a.status == 401 && a.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: 401 without WWW-Authenticate", c.method, c.path)
			}
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/ping", "/health", "/"} {
		if a := as("", "GET", path, "", ""); a.status >= 300 {
			t.Errorf("%s needs a token: %d", path, a.status)
		}
	}
	as("", "POST", rowsPath, ndjson, `{"a":1}`).refused(t, 401, "unauthenticated", "token")
	as("reader", "POST", rowsPath, ndjson, `{"a":1}`).refused(t, 403, "forbidden", "writer")
}

func TestCredentialsWhereClientsPutThem(t *testing.T) {
	s := withTokens(t)
	basic, _ := http.NewRequest("GET", s.URL, nil)
	basic.SetBasicAuth("anybody", "writer")
	for name, header := range map[string][]string{
		"Bearer": {"Authorization", "Bearer writer"}, "bearer in lower case": {"Authorization", "bearer writer"}, "InfluxDB 2": {"Authorization", "Token writer"},
		"InfluxDB 1": {"Authorization", basic.Header.Get("Authorization")}, "Arc": {"X-Api-Key", "writer"},
	} {
		if a := post(t, s, "/write", "text/plain", "m v=1", header...); a.status != 204 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	post(t, s, "/write?u=anybody&p=writer", "text/plain", "m v=1").must(t, 204)
	post(t, s, "/write?u=anybody&p=wrong", "text/plain", "m v=1").must(t, 401)
	post(t, s, "/write?p=writer", "text/plain", "m v=1", "Authorization", "Bearer wrong").must(t, 401)
	for _, secret := range []string{"writer", "anybody:writer"} {
		if strings.Contains(s.Log(), "p="+secret) {
			t.Error("a token is in the log")
		}
	}
}

func TestMethodsAndPaths(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	if a := send(t, s, "GET", "/nope", ""); a.header.Get("X-Request-Id") == "" {
		t.Error("an answer without a name")
	} else {
		a.refused(t, 404, "not_found", "/nope")
	}
	send(t, s, "POST", "/api/v1/tables/t/rows", "").refused(t, 404, "not_found")
	for path, allow := range map[string]string{
		"/api/v1/sql": "GET, HEAD, POST, OPTIONS", "/write": "POST, OPTIONS", "/healthz": "GET, HEAD, OPTIONS", "/api/v1/tables/a/b/rows": "POST, OPTIONS", "/query": "GET, HEAD, POST, OPTIONS",
	} {
		a := send(t, s, "DELETE", path, "")
		a.refused(t, 405, "invalid", "DELETE")
		b := send(t, s, "OPTIONS", path, "").must(t, 204)
		if a.header.Get("Allow") != allow || b.header.Get("Allow") != allow {
			t.Errorf("%s: Allow %q and %q, want %q", path, a.header.Get("Allow"), b.header.Get("Allow"), allow)
		}
		if b.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("other sites' pages may ask this server")
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/ping", "/api/v1/status"} {
		if a := send(t, s, "HEAD", path, ""); a.status >= 300 || a.body != "" {
			t.Errorf("HEAD %s: %d %q", path, a.status, a.body)
		}
	}
	if a := send(t, s, "GET", "/", "").must(t, 200); !strings.Contains(a.body, "curl ") {
		t.Error(a.body)
	}
	metrics := send(t, s, "GET", "/metrics", "").must(t, 200).body
	for _, name := range []string{"scoter_request_seconds", "scoter_write_memory_bytes", "scoter_key_index_bytes"} {
		if !strings.Contains(metrics, name) {
			t.Errorf("no %s: %s", name, metrics)
		}
	}
}

func TestDatabasesThatInfluxDBsClientsMake(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for query, want := range map[string]int{"CREATE+DATABASE+one": 200, "CREATE+DATABASE+IF+NOT+EXISTS+two": 200, "CREATE+DATABASE+%22if%22+WITH+DURATION+30d": 200,
		"CREATE+DATABASE+scoter": 400, "CREATE+DATABASE": 400, "CREATE+DATABASE+IF+NOT+EXISTS": 400} {
		post(t, s, "/query?q="+query, "text/plain", "").must(t, want)
	}
	a := send(t, s, "GET", "/query?q=CREATE+DATABASE+three", "").must(t, 200)
	if want := `{"results":[{"statement_id":0,"messages":[{"level":"warning","text":"deprecated use of 'CREATE DATABASE three' in a read only context, please use a POST request instead"}]}]}`; strings.TrimSpace(a.body) != want {
		t.Errorf("%s, want %s", a.body, want)
	}
	send(t, s, "GET", "/query?q=CREATE+DATABASE+four", "", "Sec-Fetch-Site", "cross-site").must(t, 403)
	if a := send(t, s, "GET", "/query?q=SHOW+DATABASES", ""); !strings.Contains(a.body, `"values":[["default"],["if"],["one"],["three"],["two"]]`) {
		t.Error(a.body)
	}
}

// TestPagesOfOtherSitesChangeNothing sends requests that browsers send for such pages without a
// preflight request.
func TestPagesOfOtherSitesChangeNothing(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const create = "CREATE TABLE made (a BIGINT)"
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"},
	} {
		post(t, s, "/api/v1/sql", "text/plain", create, header...).refused(t, 403, "forbidden", "another site")
		post(t, s, "/write", "text/plain", "made v=1", header...).must(t, 403)
		post(t, s, "/api/v1/tables/default/made/rows", csv, "a\n1", header...).must(t, 403)
		post(t, s, "/query?q=CREATE+DATABASE+made", "text/plain", "", header...).must(t, 403)
		for _, path := range []string{"/api/v1/sql?q=SELECT+1", "/query?q=SHOW+DATABASES", "/metrics", "/api/v1/status", "/debug/pprof/"} {
			send(t, s, "GET", path, "", header...).must(t, 403)
			send(t, s, "HEAD", path, "", header...).must(t, 403)
		}
		for _, path := range []string{"/", "/healthz", "/readyz", "/ping", "/health"} {
			if a := send(t, s, "GET", path, "", header...); a.status >= 300 {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	}
	equal(t, s, "SELECT table_name FROM information_schema.tables WHERE table_name = 'made'", "[]")
	post(t, s, "/api/v1/sql", "text/plain", "SELECT 1", "Sec-Fetch-Site", "same-origin").must(t, 200)
	post(t, s, "/api/v1/sql", "text/plain", "SELECT 1", "Origin", s.URL).must(t, 200)
	// a page of the server itself, and a URL that the user typed
	for _, site := range []string{"same-origin", "none"} {
		send(t, s, "GET", "/api/v1/sql?q=SELECT+1", "", "Sec-Fetch-Site", site).must(t, 200)
	}
	for _, path := range []string{"/", "/api/v1/sql?q=SELECT+1", "/api/v1/sql?q=SELECT", "/metrics", "/nope", "/healthz", "/ping", "/debug/pprof/"} {
		h := send(t, s, "GET", path, "").header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, h)
		}
	}

	// If a site uses this machine's name, it is the same site to a browser.
	called := func(s *binary.Server, host string) int {
		t.Helper()
		req, err := http.NewRequest("POST", s.URL+"/api/v1/sql", strings.NewReader("SELECT 1"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for host, want := range map[string]int{"evil.example:7287": 403, "evil.example": 403, "localhost:7287": 200, "LocalHost": 200, "127.0.0.1": 200, "[::1]:7287": 200, "10.1.2.3:80": 200} {
		if got := called(s, host); got != want {
			t.Errorf("called %q it answers %d, want %d", host, got, want)
		}
	}
	if got := called(binary.Serve(t, t.TempDir(), "--allow-open"), "db.example"); got != 200 {
		t.Errorf("behind a proxy it answers %d", got)
	}
}

func TestRequestsHaveNamesInTheLog(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--log-level", "debug", "--slow-query", "1ms")
	a := post(t, s, "/api/v1/sql", "text/plain", "SELECT count(*) FROM range(3000000) WHERE hash(range) = 1", "X-Request-Id", "mine-17").must(t, 200)
	if got := a.header.Get("X-Request-Id"); got != "mine-17" {
		t.Errorf("answered as %q", got)
	}
	one, two := sql(t, s, "SELECT 1").header.Get("X-Request-Id"), sql(t, s, "SELECT 1").header.Get("X-Request-Id")
	if one == "" || one == two {
		t.Errorf("two requests are %q and %q", one, two)
	}
	evil := post(t, s, "/api/v1/sql", "text/plain", "SELECT 1", "X-Request-Id", "a b"+strings.Repeat("c", 200)).header.Get("X-Request-Id")
	if strings.HasPrefix(evil, "a b") {
		t.Errorf("taken over: %q", evil)
	}
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"slow query", "request_id=mine-17", "range(3000000)"} {
		if !strings.Contains(s.Log(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.Log())
		}
	}
}

func TestHTTP2WithoutTLS(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	defer client.CloseIdleConnections()
	for path, body := range map[string]string{"/api/v1/tables/default/t/rows": `{"text":"` + noise(500_000) + `"}`, "/api/v1/sql": "SELECT 1"} {
		resp, err := client.Post(s.URL+path, ndjson, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || resp.ProtoMajor != 2 {
			t.Errorf("%s: %s %s %v %s", path, resp.Proto, resp.Status, err, text)
		}
	}
	// A request that is cancelled in the middle of its body leaves nothing.
	ctx, cancel := context.WithCancel(context.Background())
	body, pipe := io.Pipe()
	go func() {
		_, _ = pipe.Write([]byte(`{"text":"half"}` + "\n")) // until the request is cancelled
		cancel()
	}()
	req, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v1/tables/default/t/rows", body)
	req.Header.Set("Content-Type", ndjson)
	if resp, err := client.Do(req); err == nil {
		t.Errorf("answered: %s", resp.Status)
		resp.Body.Close()
	}
	equal(t, s, "SELECT count(*) FROM t", "[[1]]")
}

func TestTLS(t *testing.T) {
	known := httptest.NewTLSServer(nil) // for its certificate
	defer known.Close()
	pair := known.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := binary.Serve(t, t.TempDir(), "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.URL, "https://") {
		t.Fatal(s.URL)
	}
	resp, err := known.Client().Post(s.URL+"/api/v1/sql", "text/plain", strings.NewReader("SELECT 1"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.TLS == nil {
		t.Error(resp.Status)
	}
	if out, code := binary.Run(t, "serve", "--dir", t.TempDir(), "--tls-cert", cert, "--tls-key", cert); code != 65 || !strings.Contains(out, "tls_key") {
		t.Errorf("%d %s", code, out)
	}
}

func TestPipelining(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	conn := dial(t, s)
	const n = 50
	var all strings.Builder
	for i := range n {
		body := fmt.Sprintf(`{"a":%d}`, i)
		fmt.Fprintf(&all, "POST /api/v1/tables/default/t/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", ndjson, len(body), body)
		question := "SELECT count(*) FROM t"
		fmt.Fprintf(&all, "POST /api/v1/sql?format=ndjson HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(question), question)
	}
	if _, err := io.WriteString(conn, all.String()); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	for i := range 2 * n {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("answer %d: %s %v %s", i, resp.Status, err, text)
		}
		if want := fmt.Sprintf(":%d}", i/2+1); i%2 == 1 && !strings.Contains(string(text), want) {
			t.Errorf("answer %d is %s, want %s", i, text, want)
		}
	}
}
