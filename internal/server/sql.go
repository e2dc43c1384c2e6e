package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/mutate"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spool"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// sql runs statements and streams the last one's answer.
func (s *Server) sql(w http.ResponseWriter, r *http.Request, who caller) (err error) {
	started := time.Now()
	defer func() { s.metrics.Query(time.Since(started), err) }()
	text, done, err := s.statementBody(w, r)
	if err != nil {
		return err
	}
	o := engine.AppendOptions{IdempotencyKey: r.Header.Get("Idempotency-Key")}
	identify(&o, r, text)
	req, err := s.parseSQL(r, text)
	done() // the request has copies
	if err != nil {
		return err
	}
	format, err := encode.ParseFormat(r.Header.Get("Accept"), req.Format)
	if err != nil {
		return err
	}
	args, err := parseParams(req.Params)
	if err != nil {
		return err
	}
	timeout := s.settings.QueryTimeout
	if t := time.Duration(req.TimeoutMS) * time.Millisecond; t > 0 && t < timeout {
		timeout = t
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	ctx = duck.AskedBy(ctx, client(r, who), req.SQL)
	ctx, ended := s.queries.Begin(ctx, req.SQL, req.Database, who.name)
	defer ended()
	defer func() { s.logSlow(w.Header().Get(requestIDHeader), who, &req, time.Since(started)) }()

	role := who.role
	if r.Method != http.MethodPost {
		role = min(role, session.Reader) // a link must not change anything; routes for GET take HEAD too
	}
	answer, err := s.executor.Execute(ctx, session.Request{SQL: req.SQL, Args: args, Database: req.Database, Role: role, Options: o})
	if err != nil {
		return err
	}
	defer answer.Close()
	if answer.Rows == nil {
		w.Header().Set("Scoter-Statement", answer.Verb)
		writeJSON(w, http.StatusOK, struct {
			mutate.Counts
			Elapsed float64 `json:"elapsed_ms"`
		}{answer.Counts, milliseconds(time.Since(started))})
		return nil
	}
	return s.stream(ctx, w, answer, format, encode.Options{
		MaxRows:  req.MaxRows,
		Elapsed:  func() time.Duration { return time.Since(started) },
		RowsRead: func() int64 { return answer.Stats.RowsRead },
	})
}

// client tells clients apart: by their address and their token.
func client(r *http.Request, who caller) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr) // without one, tokens alone
	return host + " " + who.name
}

// smallBody is up to where a statement's body takes no memory of requests under way. As many of these as there may be connections, which
// send them slowly, take little.
const smallBody = 8 << 10

// statementBody reads the body of a request to run SQL. Large ones take memory of requests under way until done is called; small
// ones none, so that no query waits for who writes.
func (s *Server) statementBody(w http.ResponseWriter, r *http.Request) (text []byte, done func(), err error) {
	done = func() {}
	if r.Method != http.MethodPost {
		return nil, done, nil
	}
	if r.ContentLength <= smallBody && r.Header.Get("Content-Encoding") == "" {
		in := newIncoming(w, r)
		text, err = io.ReadAll(io.LimitReader(in, smallBody+1))
		in.done()
		if err != nil {
			return nil, done, brokenOff(len(text), err)
		}
		if len(text) <= smallBody && !ingest.Compressed(text) {
			return text, done, nil
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), r.Body), r.Body}
	}
	b, err := s.readBody(w, r, s.statements, nil)
	if err != nil {
		return nil, done, err
	}
	return b.bytes, b.Close, nil
}

// maxLogged is how much of a statement is logged.
const maxLogged = 1000

// logSlow logs a query that took longer than it should.
func (s *Server) logSlow(id string, who caller, req *sqlRequest, elapsed time.Duration) {
	if limit := s.settings.SlowQuery; limit > 0 && elapsed >= limit {
		s.log.Warn("slow query", "request_id", id, "user", who.name, "database", req.Database, "elapsed_ms", milliseconds(elapsed),
			"sql", loggable(req.SQL))
	}
}

// loggable is a statement as logs may have it.
func loggable(sql string) string {
	sql = sqltoken.Redact(sql)
	return strings.ToValidUTF8(sql[:min(len(sql), maxLogged)], "")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// farewell is how long after its time a query's client has to take what tells it so.
const farewell = 3 * time.Second

// A client that takes nothing of a result for slowReader holds up its query no longer: the rest goes to a file. After resultPause
// the connection is cut.
const (
	slowReader  = time.Second / 2
	resultPause = time.Minute
)

// stream writes a result. The first batch is awaited before the header, and the first bytes are buffered, so that an error
// until then has a status of its own; a later one ends the answer in a way that the client sees. A change is made by now: nothing ends its
// result but its client.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, answer *session.Answer, format encode.Format, opts encode.Options) error {
	client := &patient{Writer: w, connection: http.NewResponseController(w), pause: resultPause}
	defer client.done()
	if deadline, ok := ctx.Deadline(); ok {
		client.until = deadline.Add(farewell)
	}
	if answer.Changes {
		ctx = context.WithoutCancel(ctx)
	}
	out := spool.NewWriter(client, s.results, slowReader, answer)
	src := &peeked{Rows: answer.Rows, full: out.Full, shown: s.shown}
	if err := src.peek(ctx); err != nil {
		return instead(w, answer, opts, s.shown(err))
	}
	defer src.drop()
	w.Header().Set("Content-Type", format.ContentType())
	if answer.Changes {
		w.Header().Set("Scoter-Inserted", strconv.FormatInt(answer.Counts.Inserted, 10))
		w.Header().Set("Scoter-Updated", strconv.FormatInt(answer.Counts.Updated, 10))
		w.Header().Set("Scoter-Deleted", strconv.FormatInt(answer.Counts.Deleted, 10))
	}
	stats, err := encode.Write(ctx, out, format, src, opts)
	s.metrics.Returned(stats.Rows)
	src.drop()
	answer.Close() // what is left to send needs neither connection nor snapshot
	if sent := out.Finish(); err == nil {
		err = sent
	}
	if err != nil && stats.Bytes == 0 {
		return instead(w, answer, opts, err)
	}
	if err != nil {
		s.log.Warn("result broken off", "request_id", w.Header().Get(requestIDHeader), "rows", stats.Rows, "error", err)
		// What says why, in formats that can, goes out before the connection is cut: a client that looks at nothing else sees that.
		_ = client.connection.Flush() // a client that is gone needs neither
		s.metrics.BrokenOff(err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// instead answers with the error that there is in place of a result. That of a change stands beside the counts of an answer with status 200:
// the change is made, and who takes it for failed makes it again.
func instead(w http.ResponseWriter, answer *session.Answer, opts encode.Options, err error) error {
	if !answer.Changes {
		return err
	}
	w.Header().Set("Scoter-Statement", answer.Verb)
	writeJSON(w, http.StatusOK, struct {
		mutate.Counts
		Elapsed float64 `json:"elapsed_ms"`
		problem
	}{answer.Counts, milliseconds(opts.Elapsed()), newProblem(err)})
	return nil
}

// peeked is rows whose first batch was fetched already.
type peeked struct {
	mutate.Rows
	full  func() error // why there should be no more
	shown func(error) error
	first arrow.RecordBatch
	err   error
}

func (p *peeked) peek(ctx context.Context) error {
	p.first, p.err = p.Rows.Next(ctx)
	if errors.Is(p.err, io.EOF) {
		return nil
	}
	return p.err
}

func (p *peeked) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if rec := p.first; rec != nil {
		p.first = nil
		return rec, nil
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := p.full(); err != nil {
		return nil, err
	}
	rec, err := p.Rows.Next(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.shown(err)
	}
	return rec, err
}

func (p *peeked) drop() {
	if p.first != nil {
		p.first.Release()
		p.first = nil
	}
}
