// Package server speaks HTTP: a handler reads a request, calls the engine or the
// session, and writes the answer. It decides nothing about data.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
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
	Share(ctx context.Context, o engine.AppendOptions, tables ...base.TableID) (release func(), err error)
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
	gate     *gate // of requests with rows
	// Those of statements: a query that takes long keeps nobody from writing.
	statements *gate
	results    *spool.Space
	started    time.Time
	requests   atomic.Uint64 // so far
}

// New returns a server, which adds its own metrics to m. failures counts the times that DuckDB
// failed and another one took its place.
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

// guard lets a handler run for callers of at least a role, and turns its error into an answer.
func (s *Server) guard(e endpoint) http.Handler {
	known := e.known()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := w.Header().Get(requestIDHeader)
		var who caller
		err := s.browsers.check(r)
		if err == nil {
			err = known.check(r.URL.RawQuery)
		}
		if err == nil {
			who, err = s.tokens.identify(r)
		}
		if err == nil && who.role < e.least {
			err = base.Errorf(base.Forbidden, "this needs the role %s; %s has the role %s", roleName(e.least), who.name, roleName(who.role)).
				WithHint("scoter token NAME --role %s makes a token for it", roleName(e.least))
		}
		if err == nil {
			err = e.handler(w, r, who)
		}
		// What nobody read of the body is taken from the connection.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		if reason := new(base.Error); base.KindOf(err) == base.Canceled && errors.As(context.Cause(r.Context()), &reason) {
			err = base.Wrap(reason, "%v", err) // the server, not the client, ended the request
		}
		if err != nil {
			if kind := base.KindOf(err); kind == base.Internal || kind == base.Corrupt || kind == base.Unknown {
				s.log.Error("request failed", "request_id", id, "route", e.pattern, "error", err)
			}
			e.answer(w, s.shown(err))
		}
		elapsed := time.Since(started)
		s.metrics.Request(e.pattern, elapsed, err)
		if s.log.Enabled(r.Context(), slog.LevelDebug) {
			s.log.Debug("request", "request_id", id, "route", e.pattern, "path", r.URL.Path, "user", who.name, "elapsed_ms", milliseconds(elapsed), "error", err)
		}
	})
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
