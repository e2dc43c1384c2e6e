package server

import (
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// endpoint is a route whose callers need a role.
type endpoint struct {
	pattern    string
	least      session.Role
	answer     func(http.ResponseWriter, error) // writes the response to a failed request
	handler    handler
	parameters []string // names of the parameters that the URL may have, in addition to a token
}

// handler answers a request. If it returns an error, the caller sends it as the response. After it
// has begun to write a response, it must report errors itself.
type handler func(w http.ResponseWriter, r *http.Request, who caller) error

func plain(f http.HandlerFunc) handler {
	return func(w http.ResponseWriter, r *http.Request, _ caller) error {
		f(w, r)
		return nil
	}
}

// Parameters that several routes accept. The parameters of the InfluxDB routes are part of
// InfluxDB's protocols. InfluxDB clients send all of them, and some have no effect in Scoter.
var (
	sqlParameters      = []string{"database", "format", "max_rows", "timeout_ms"}
	influxWrite        = []string{"db", "rp", "precision", "consistency", "org", "orgID", "bucket", "database", "durability"}
	influxQuery        = []string{"q", "db", "rp", "epoch", "chunked", "chunk_size", "pretty", "params", "node_id", "async"}
	arcWrite           = []string{"db", "bucket", "database", "precision", "durability"}
	rowsParameters     = []string{"mode", "key", "create", "durability", "delimiter", "null"}
	profilesParameters = []string{"debug", "gc", "seconds"}
)

// endpoints returns the routes that run statements, write rows or show stored data.
func (s *Server) endpoints() []endpoint {
	return []endpoint{
		{"POST /api/v1/sql", session.Reader, writeError, s.sql, sqlParameters},
		{"GET /api/v1/sql", session.Reader, writeError, s.sql, append([]string{"q"}, sqlParameters...)},
		{"POST /api/v1/tables/{database}/{table}/rows", session.Writer, writeError, s.rows, rowsParameters},
		{"POST /api/v1/write/msgpack", session.Writer, writeError, s.arcMsgpack, arcWrite},
		{"POST /api/v1/write/line-protocol", session.Writer, writeInfluxError, s.lineProtocol, influxWrite},
		{"POST /write", session.Writer, writeInfluxError, s.lineProtocol, influxWrite},
		{"POST /api/v2/write", session.Writer, writeInfluxError, s.lineProtocol, influxWrite},
		{"GET /query", session.Reader, writeInfluxError, s.influxQuery, influxQuery},
		{"POST /query", session.Reader, writeInfluxError, s.influxQuery, influxQuery},
		{"POST /api/v1/backup", session.Admin, writeError, s.backup, nil},
		{"GET /api/v1/status", session.Reader, writeError, s.status, nil},
		{"GET /metrics", session.Reader, writeError, plain(s.metrics.Handler().ServeHTTP), nil},
		{"GET /debug/pprof/", session.Admin, writeError, plain(pprof.Index), profilesParameters},
		{"GET /debug/pprof/profile", session.Admin, writeError, plain(pprof.Profile), profilesParameters},
		{"GET /debug/pprof/trace", session.Admin, writeError, plain(pprof.Trace), profilesParameters},
	}
}

// Handler returns the HTTP handler of the whole server.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	packed := compress()
	for _, e := range s.endpoints() {
		h := s.guard(e)
		if strings.HasSuffix(e.pattern, " /api/v1/sql") {
			h = packed(h)
		}
		mux.Handle(e.pattern, h)
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /healthz": s.health, "GET /readyz": s.ready, "GET /ping": s.ping, "HEAD /ping": s.ping, "GET /health": s.influxHealth, "GET /{$}": s.landing,
	} {
		mux.Handle(pattern, publicRoute(pattern, h))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { notFound(mux, w, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer abortOnPanic(w, r)
		w.Header().Set(requestIDHeader, s.requestID(r))
		setIsolationHeaders(w.Header())
		mux.ServeHTTP(w, r)
	})
}

// publicRoute returns the handler of a route that needs no token. It must show nothing about stored
// data.
func publicRoute(pattern string, h http.HandlerFunc) http.Handler {
	e := endpoint{pattern: pattern}
	if strings.HasSuffix(pattern, " /ping") {
		e.parameters = []string{"verbose", "wait_for_leader"} // InfluxDB clients send these
	}
	known := e.known()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := known.check(r.URL.RawQuery); err != nil {
			writeError(w, err)
			return
		}
		h(w, r)
	})
}

// sqlHint is the hint for a client that sends SQL to the path /, as clients of ClickHouse do.
const sqlHint = "SQL goes to /api/v1/sql: as the body of a POST, or GET /api/v1/sql?q=..."

// notFound answers requests that match no route, because the path is unknown or does not support
// the method. For OPTIONS it answers with the list of the path's methods.
func notFound(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		asked := r.Clone(r.Context())
		asked.Method = method
		if _, pattern := mux.Handler(asked); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		writeError(w, base.Errorf(base.NotFound, "there is no %s", r.URL.Path).WithHint("docs/API.md lists the paths"))
		return
	}
	w.Header().Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	err := base.Errorf(base.Invalid, "%s takes no %s", r.URL.Path, r.Method).WithHint("it takes %s", strings.Join(allowed, " and "))
	if r.URL.Path == "/" {
		err = err.WithHint(sqlHint)
	}
	writeJSON(w, http.StatusMethodNotAllowed, newProblem(err))
}
