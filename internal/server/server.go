// Package server speaks HTTP: a handler reads a request, calls the engine or the
// session, and writes the answer. It decides nothing about data.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/metrics"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spool"
	"github.com/scoterdb/scoter/internal/system"
)

// Store is what the handlers need of the engine.
type Store interface {
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error)
	CreateDatabase(ctx context.Context, name string, ifNotExists bool) error
	Databases() []string
	Lookup(database, schema, name string) (schema.Table, error)
	LookupView(database, schema, name string) (catalog.View, error)
	Status() engine.Status
	Image(ctx context.Context) (*engine.Image, error)
}

// Server answers HTTP requests.
type Server struct {
	settings config.Server
	store    Store
	executor *session.Executor
	queries  *system.Queries
	tokens   tokens
	browsers browsers
	failures func() int64 // of DuckDB
	log      *slog.Logger
	metrics  *metrics.Metrics
	returned atomic.Int64 // rows of results
	gate     *gate        // of requests with rows
	// Those of statements: a query that takes long keeps nobody from writing.
	statements *gate
	results    *spool.Space
	started    time.Time
	requests   atomic.Uint64 // so far
}

// New returns a server, which adds its own metrics to m. failures counts the times that DuckDB failed and another one took its place.
func New(settings config.Server, store Store, executor *session.Executor, queries *system.Queries, m *metrics.Metrics, failures func() int64, log *slog.Logger) *Server {
	failing := func() error { return store.Status().FlushFailing }
	s := &Server{
		settings: settings, store: store, executor: executor, queries: queries, failures: failures,
		tokens: newTokens(settings.Tokens), browsers: newBrowsers(settings), log: log, metrics: m, started: time.Now(),
		gate:       newGate(int64(settings.RequestMemory()), failing),
		statements: newGate(int64(settings.RequestMemory()), func() error { return nil }),
		results:    spool.NewSpace(filepath.Join(settings.Dir, "tmp"), int64(settings.ResultSpace)),
	}
	s.watchGates()
	return s
}

// Handler returns the routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	packed := compress()
	handle := func(pattern string, least session.Role, h handler) {
		mux.Handle(pattern, s.guard(pattern, least, writeError, h))
	}
	influx := func(pattern string, h handler) {
		mux.Handle(pattern, s.guard(pattern, session.Writer, writeInfluxError, h))
	}

	mux.Handle("POST /api/v1/sql", packed(s.guard("POST /api/v1/sql", session.Reader, writeError, s.sql)))
	mux.Handle("GET /api/v1/sql", packed(s.guard("GET /api/v1/sql", session.Reader, writeError, s.sql)))
	handle("POST /api/v1/tables/{database}/{table}/rows", session.Writer, s.rows)
	handle("POST /api/v1/write/msgpack", session.Writer, s.arcMsgpack)
	influx("POST /api/v1/write/line-protocol", s.lineProtocol)
	influx("POST /write", s.lineProtocol)
	influx("POST /api/v2/write", s.lineProtocol)
	mux.Handle("GET /query", s.guard("GET /query", session.Reader, writeInfluxError, s.influxQuery))
	mux.Handle("POST /query", s.guard("POST /query", session.Reader, writeInfluxError, s.influxQuery))

	handle("POST /api/v1/backup", session.Admin, s.backup)
	handle("GET /api/v1/status", session.Reader, s.status)
	handle("GET /metrics", session.Reader, plain(s.metrics.Handler().ServeHTTP))
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /ping", s.ping)
	mux.HandleFunc("HEAD /ping", s.ping)
	mux.HandleFunc("GET /health", s.influxHealth)
	mux.HandleFunc("GET /{$}", s.landing)

	handle("GET /debug/pprof/", session.Admin, plain(pprof.Index))
	handle("GET /debug/pprof/profile", session.Admin, plain(pprof.Profile))
	handle("GET /debug/pprof/trace", session.Admin, plain(pprof.Trace))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { missing(mux, w, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer cutOff(w, r)
		w.Header().Set(requestIDHeader, s.requestID(r))
		mux.ServeHTTP(w, r)
	})
}

// missing answers what no route takes: an unknown path, or a known one with a method that it
// does not have. OPTIONS tells the methods.
func missing(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
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
	writeJSON(w, http.StatusMethodNotAllowed, newProblem(err))
}

// handler answers a request or returns the error to answer with. One that has begun its answer
// reports errors itself.
type handler func(w http.ResponseWriter, r *http.Request, who caller) error

func plain(f http.HandlerFunc) handler {
	return func(w http.ResponseWriter, r *http.Request, _ caller) error {
		f(w, r)
		return nil
	}
}

// guard lets a handler run for callers of at least a role, and turns its error into an answer.
func (s *Server) guard(route string, least session.Role, answer func(http.ResponseWriter, error), h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := w.Header().Get(requestIDHeader)
		var who caller
		err := s.browsers.check(r)
		if err == nil {
			err = checkQuery(r.URL.RawQuery)
		}
		if err == nil {
			who, err = s.tokens.identify(r)
		}
		if err == nil && who.role < least {
			err = base.Errorf(base.Forbidden, "this needs the role %s; %s has the role %s", roleName(least), who.name, roleName(who.role)).
				WithHint("scoter token NAME --role %s makes a token for it", roleName(least))
		}
		if err == nil {
			err = h(w, r, who)
		}
		// What nobody read of the body is taken from the connection.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		if reason := new(base.Error); base.KindOf(err) == base.Canceled && errors.As(context.Cause(r.Context()), &reason) {
			err = base.Wrap(reason, "%v", err) // the server, not the client, ended the request
		}
		if err != nil {
			if kind := base.KindOf(err); kind == base.Internal || kind == base.Corrupt || kind == base.Unknown {
				s.log.Error("request failed", "request_id", id, "route", route, "error", err)
			}
			answer(w, s.shown(err))
		}
		elapsed := time.Since(started)
		s.metrics.Request(route, elapsed, err)
		if s.log.Enabled(r.Context(), slog.LevelDebug) {
			s.log.Debug("request", "request_id", id, "route", route, "path", r.URL.Path, "user", who.name, "elapsed_ms", milliseconds(elapsed), "error", err)
		}
	})
}

// checkQuery refuses a query of a URL of which URL.Query would leave something out.
func checkQuery(query string) error {
	_, err := url.ParseQuery(query)
	if err == nil {
		return nil
	}
	return base.Errorf(base.Invalid, "the URL's query: %w", err).WithHint("write %%3B for a semicolon, %%25 for a percent sign and %%26 for an ampersand")
}

// requestIDHeader names a request in the logs of client and server.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds what a client may have logged.
const maxRequestID = 128

// requestID returns the client's name for its request, or a new one: when the server
// started, and which request since then it is.
func (s *Server) requestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	printable := func(c rune) bool { return c > ' ' && c < 0x7f }
	if id != "" && len(id) <= maxRequestID && strings.IndexFunc(id, func(c rune) bool { return !printable(c) }) < 0 {
		return id
	}
	return strconv.FormatInt(s.started.UnixMilli(), 36) + "-" + strconv.FormatUint(s.requests.Add(1), 36)
}
