// Package server speaks HTTP: a handler reads a request, calls the engine or the
// session, and writes the answer. It decides nothing about data.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/system"
)

// Store is what the handlers that write rows need of the engine.
type Store interface {
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error)
	Reserve(ctx context.Context, bytes int64) (release func(), err error)
	CreateDatabase(ctx context.Context, name string, ifNotExists bool) error
	Lookup(database, schema, name string) (schema.Table, error)
	Status() engine.Status
}

// Server answers HTTP requests.
type Server struct {
	settings config.Server
	store    Store
	executor *session.Executor
	queries  *system.Queries
	tokens   tokens
	log      *slog.Logger
	metrics  *serverMetrics
	started  time.Time
}

// New returns a server.
func New(settings config.Server, store Store, executor *session.Executor, queries *system.Queries, log *slog.Logger) *Server {
	return &Server{
		settings: settings, store: store, executor: executor, queries: queries,
		tokens: newTokens(settings.Tokens), log: log, metrics: newMetrics(), started: time.Now(),
	}
}

// Handler returns the routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, least session.Role, h handler) {
		mux.Handle(pattern, s.guard(pattern, least, writeError, h))
	}
	influx := func(pattern string, h handler) {
		mux.Handle(pattern, s.guard(pattern, session.Writer, writeInfluxError, h))
	}

	handle("POST /api/v1/sql", session.Reader, s.sql)
	handle("GET /api/v1/sql", session.Reader, s.sql)
	handle("POST /api/v1/tables/{database}/{table}/rows", session.Writer, s.rows)
	handle("POST /api/v1/write/msgpack", session.Writer, s.arcMsgpack)
	influx("POST /api/v1/write/line-protocol", s.lineProtocol)
	influx("POST /write", s.lineProtocol)
	influx("POST /api/v2/write", s.lineProtocol)
	influx("POST /query", s.influxQuery)

	handle("GET /api/v1/status", session.Reader, s.status)
	handle("GET /metrics", session.Reader, s.serveMetrics)
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /ping", s.ping)
	mux.HandleFunc("HEAD /ping", s.ping)
	mux.HandleFunc("GET /health", s.influxHealth)
	mux.HandleFunc("GET /{$}", s.landing)

	handle("GET /debug/pprof/", session.Admin, plain(pprof.Index))
	handle("GET /debug/pprof/profile", session.Admin, plain(pprof.Profile))
	handle("GET /debug/pprof/trace", session.Admin, plain(pprof.Trace))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, base.Errorf(base.NotFound, "there is no %s %s", r.Method, r.URL.Path).WithHint("docs/API.md lists the paths"))
	})
	return mux
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
	observe := s.metrics.route(route)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		who, err := s.tokens.identify(r)
		if err == nil && who.role < least {
			err = base.Errorf(base.Forbidden, "this needs the role %s; %s has the role %s", roleName(least), who.name, roleName(who.role))
		}
		if err == nil {
			err = h(w, r, who)
		}
		if err != nil {
			if kind := base.KindOf(err); kind == base.Internal || kind == base.Corrupt {
				s.log.Error("request failed", "route", route, "error", err)
			}
			answer(w, err)
		}
		observe(time.Since(started), err)
	})
}
