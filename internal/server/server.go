// Package server implements the HTTP API. A handler reads a request, calls the engine or the
// session, and writes the response. All decisions about data are made in other packages.
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
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/metrics"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spool"
	"github.com/scoterdb/scoter/internal/system"
)

// Store is the part of the engine that the handlers need.
type Store interface {
	Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error)
	CreateDatabase(ctx context.Context, name string, ifNotExists bool) error
	Databases() []string
	Lookup(database, schema, name string) (schema.Table, error)
	LookupView(database, schema, name string) (catalog.View, error)
	ShareTables(ctx context.Context, beforeWait engine.BeforeLockWait, tables ...base.TableID) (release func(), err error)
	Status() engine.Status
	Image(ctx context.Context) (*engine.Image, error)
}

// Server answers HTTP requests.
type Server struct {
	settings  config.Server
	store     Store
	executor  *session.Executor
	queries   *system.Queries
	tokens    tokens
	crossSite crossSiteCheck
	failures  func() int64 // returns the number of failures of DuckDB
	log       *slog.Logger
	metrics   *metrics.Metrics
	budget    *budget // limits the memory of requests with rows
	// statementBudget limits the memory of SQL texts. It is separate from the field budget, so that
	// requests with rows do not wait for a long query.
	statementBudget *budget
	memory          *ledger.Ledger
	results         *spool.Space
	started         time.Time
	requests        atomic.Uint64 // number of requests so far
}

// New returns a server, and adds the server's metrics to m. Requests reserve their memory in the
// accounts of memory. The function failures returns how often DuckDB has failed and was replaced by
// a new instance.
func New(settings config.Server, memory *ledger.Ledger, store Store, executor *session.Executor, queries *system.Queries, m *metrics.Metrics, failures func() int64, log *slog.Logger) *Server {
	failing := func() error { return store.Status().FlushFailing }
	s := &Server{
		settings: settings, store: store, executor: executor, queries: queries, failures: failures,
		tokens: newTokens(settings.Tokens), crossSite: newCrossSiteCheck(settings), log: log, metrics: m, started: time.Now(),
		budget:          &budget{memory: memory.Bodies, locked: memory.Locked, waiting: budgetWait, failing: failing},
		statementBudget: &budget{memory: memory.Texts, waiting: budgetWait, failing: func() error { return nil }},
		memory:          memory,
		results:         spool.NewSpace(filepath.Join(settings.Dir, "tmp"), int64(settings.ResultSpace)),
	}
	s.watchBudgets()
	return s
}

// guard returns an HTTP handler for an endpoint. It checks the caller's role, and turns an error of
// the endpoint into a response.
func (s *Server) guard(e endpoint) http.Handler {
	known := e.known()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := w.Header().Get(requestIDHeader)
		var who caller
		err := s.crossSite.check(r)
		if err == nil {
			err = known.check(r.URL.RawQuery)
		}
		if err == nil {
			who, err = s.tokens.identify(r)
		}
		if err == nil && who.role < e.least {
			err = base.Errorf(base.Forbidden, "this needs the role %s; %s has the role %s", roleName(e.least), who.name, roleName(who.role)).
				WithHint("scoter token NAME --role %s creates a token for it", roleName(e.least))
		}
		if err == nil {
			err = e.handler(w, r, who)
		}
		// After the handler, net/http reads the rest of the request's body from the connection.
		// This deadline limits the time for it.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(idleTimeout))
		if reason := new(base.Error); base.KindOf(err) == base.Canceled && errors.As(context.Cause(r.Context()), &reason) {
			// The server itself ended the request, and the cause of the context is its reason. So
			// the client gets this reason, and not an error that says that the client canceled the
			// request.
			err = base.Wrap(reason, "%v", err)
		}
		if err != nil {
			if kind := base.KindOf(err); kind == base.Internal || kind == base.Corrupt || kind == base.Unknown {
				s.log.Error("request failed", "request_id", id, "route", e.pattern, "error", err)
			}
			e.answer(w, s.redacted(err))
		}
		elapsed := time.Since(started)
		s.metrics.Request(e.pattern, elapsed, err)
		if s.log.Enabled(r.Context(), slog.LevelDebug) {
			s.log.Debug("request", "request_id", id, "route", e.pattern, "path", r.URL.Path, "user", who.name, "elapsed_ms", milliseconds(elapsed), "error", err)
		}
	})
}

// requestIDHeader is the header with an id that identifies a request in the logs of client and
// server.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the maximum length of a client's request id, since ids are logged.
const maxRequestID = 128

// requestID returns the id that the client sent with its request. If the client sent none, it makes
// an id from the server's start time and the number of the request.
func (s *Server) requestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	printable := func(c rune) bool { return c > ' ' && c < 0x7f }
	if id != "" && len(id) <= maxRequestID && strings.IndexFunc(id, func(c rune) bool { return !printable(c) }) < 0 {
		return id
	}
	return strconv.FormatInt(s.started.UnixMilli(), 36) + "-" + strconv.FormatUint(s.requests.Add(1), 36)
}
