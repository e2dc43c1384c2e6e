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
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spool"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// sql runs the statements of a request, and streams the result of the last one.
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
	done() // everything that is needed from the body has been copied
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
	ctx = duck.WithRequester(ctx, client(r, who), req.SQL)
	ctx, ended := s.queries.Begin(ctx, req.SQL, req.Database, who.name)
	defer ended()
	defer func() { s.logSlow(w.Header().Get(requestIDHeader), who, &req, time.Since(started)) }()

	role := who.role
	if r.Method != http.MethodPost {
		// A GET request may only read, because a browser sends one when a user follows a link.
		// Routes for GET also accept HEAD.
		role = min(role, session.Reader)
	}
	answer, err := s.executor.Execute(ctx, session.Request{SQL: req.SQL, Args: args, Database: req.Database, Role: role, Options: o})
	if err != nil {
		return err
	}
	defer answer.Close()
	if answer.Rows == nil {
		w.Header().Set("Scoter-Statement", answer.Verb)
		writeJSON(w, http.StatusOK, struct {
			engine.Counts
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

// client returns an identifier of a client: its address and the name of its token.
func client(r *http.Request, who caller) string {
	// Without an address, only the token identifies the client.
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host + " " + who.name
}

// smallBody is the size in bytes up to which a body with SQL reserves no memory of the budget. Even
// if every connection sends such a body slowly, together they take little memory.
const smallBody = 8 << 10

// statementBody reads the body of a request to run SQL. For a body above smallBody it reserves
// memory of the budget, until the returned function done is called. For a smaller body it reserves
// none, so that short queries do not wait for other requests.
func (s *Server) statementBody(w http.ResponseWriter, r *http.Request) (text []byte, done func(), err error) {
	done = func() {}
	if r.Method != http.MethodPost {
		return nil, done, nil
	}
	if r.ContentLength <= smallBody && r.Header.Get("Content-Encoding") == "" {
		in := newBodyReader(w, r)
		text, err = io.ReadAll(io.LimitReader(in, smallBody+1))
		in.done()
		if err != nil {
			return nil, done, errBodyEnded(len(text), err)
		}
		if len(text) <= smallBody && !ingest.Compressed(text) {
			return text, done, nil
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), r.Body), r.Body}
	}
	b, err := s.readBody(w, r, s.statementBudget, nil)
	if err != nil {
		return nil, done, err
	}
	return b.bytes, b.Close, nil
}

// maxLogged is the number of bytes of a statement that are logged.
const maxLogged = 1000

// logSlow logs a query that took longer than the setting slow_query.
func (s *Server) logSlow(id string, who caller, req *sqlRequest, elapsed time.Duration) {
	if limit := s.settings.SlowQuery; limit > 0 && elapsed >= limit {
		s.log.Warn("slow query", "request_id", id, "user", who.name, "database", req.Database, "elapsed_ms", milliseconds(elapsed),
			"sql", loggable(req.SQL))
	}
}

// loggable returns a statement in the form in which it is logged: without secrets, in valid UTF-8,
// and with at most maxLogged bytes.
func loggable(sql string) string {
	sql = sqltoken.Redact(sql)
	return strings.ToValidUTF8(sql[:min(len(sql), maxLogged)], "")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// errorGrace is the time that remains to send the error to a client after its query's deadline has
// passed.
const errorGrace = 3 * time.Second

// Limits for clients that read a result slowly. If a client receives nothing for slowReader, the
// rest of the result is spooled to a file, and the query continues. If it receives nothing for
// resultPause, the connection is cut.
const (
	slowReader  = time.Second / 2
	resultPause = time.Minute
)

// stream writes a result to the client. It waits for the first batch before it writes the header,
// and buffers the first bytes. If an error occurs before these bytes are sent, the response has the
// error's HTTP status. A later error ends the response in a way that the client can detect.
//
// The deadline for queries does not apply to the result of a statement that changes rows, because
// the change has already been made. Only the client can end such a response.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, answer *session.Answer, format encode.Format, opts encode.Options) error {
	client := &deadlineWriter{Writer: w, connection: http.NewResponseController(w), idleTimeout: resultPause}
	defer client.done()
	if deadline, ok := ctx.Deadline(); ok {
		client.until = deadline.Add(errorGrace)
	}
	if answer.Changes {
		ctx = context.WithoutCancel(ctx)
	}
	out := spool.NewWriter(client, s.results, slowReader, answer)
	src := &bufferedRows{Rows: answer.Rows, full: out.Full, shown: s.redacted}
	if err := src.peek(ctx); err != nil {
		return answerWithError(w, answer, opts, s.redacted(err))
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
	answer.Close() // sending the rest needs neither DuckDB's connection nor the snapshot
	if sent := out.Finish(); err == nil {
		err = sent
	}
	if err != nil && stats.Bytes == 0 {
		return answerWithError(w, answer, opts, err)
	}
	if err != nil {
		s.log.Warn("result failed before its end", "request_id", w.Header().Get(requestIDHeader), "rows", stats.Rows, "error", err)
		// Formats that can express an error have written it. The connection is cut too, for clients
		// that do not look for the error. Flush sends the buffered bytes before that.
		_ = client.connection.Flush() // it fails if the client has disconnected
		s.metrics.BrokenOff(err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// answerWithError answers with an error in place of a result. If the statement changed rows, the
// response has status 200, with the counts and the error. With another status the client would
// assume that the change failed, and repeat it.
func answerWithError(w http.ResponseWriter, answer *session.Answer, opts encode.Options, err error) error {
	if !answer.Changes {
		return err
	}
	w.Header().Set("Scoter-Statement", answer.Verb)
	writeJSON(w, http.StatusOK, struct {
		engine.Counts
		Elapsed float64 `json:"elapsed_ms"`
		problem
	}{answer.Counts, milliseconds(opts.Elapsed()), newProblem(err)})
	return nil
}

// bufferedRows is a query's result whose first batch has already been read.
type bufferedRows struct {
	sqlquery.Rows
	// full waits until the query may compute more rows. It returns an error if the result must end
	// early.
	full  func() error
	shown func(error) error
	first arrow.RecordBatch
	err   error
}

func (p *bufferedRows) peek(ctx context.Context) error {
	p.first, p.err = p.Rows.Next(ctx)
	if errors.Is(p.err, io.EOF) {
		return nil
	}
	return p.err
}

func (p *bufferedRows) Next(ctx context.Context) (arrow.RecordBatch, error) {
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

func (p *bufferedRows) drop() {
	if p.first != nil {
		p.first.Release()
		p.first = nil
	}
}
