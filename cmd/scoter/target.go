package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/session"
)

// where is the database that a command works on: a directory, opened in this process, or
// a server.
type where struct {
	Dir      string `help:"Data directory to open in this process." type:"path" xor:"where"`
	URL      string `help:"Server." default:"http://127.0.0.1:7287" env:"SCOTER_URL" xor:"where"`
	Token    string `help:"Token for the server." env:"SCOTER_TOKEN"`
	Database string `help:"Database of names that name none." default:"default" env:"SCOTER_DATABASE"`
}

// target is an open one.
type target interface {
	// sql runs statements and writes the last one's result.
	sql(ctx context.Context, w io.Writer, text string, format encode.Format) error
	// load adds batches from next to a table until io.EOF.
	load(ctx context.Context, table string, next func() (arrow.RecordBatch, error)) error
	close() error
}

func (w *where) open() (target, error) {
	if w.Dir == "" {
		return &remote{url: strings.TrimSuffix(w.URL, "/"), token: w.Token, database: w.Database}, nil
	}
	s := config.Default()
	s.Dir, s.Database = w.Dir, w.Database
	a, err := app.Open(s, true, newLogger("warn", os.Stderr))
	if err != nil {
		return nil, err
	}
	return &embedded{a, w.Database}, nil
}

type embedded struct {
	app      *app.App
	database string
}

func (e *embedded) close() error { return e.app.Close() }

func (e *embedded) sql(ctx context.Context, w io.Writer, text string, format encode.Format) error {
	started := time.Now()
	answer, err := e.app.Executor.Execute(ctx, session.Request{SQL: text, Database: e.database, Role: session.Admin})
	if err != nil {
		return err
	}
	defer answer.Close()
	if answer.Rows == nil {
		c := answer.Counts
		_, err := fmt.Fprintf(w, "%s: %d inserted, %d updated, %d deleted\n", answer.Verb, c.Inserted, c.Updated, c.Deleted)
		return err
	}
	_, err = encode.Write(ctx, w, format, answer.Rows, encode.Options{
		Elapsed:  func() time.Duration { return time.Since(started) },
		RowsRead: func() int64 { return answer.Stats.RowsRead },
	})
	return err
}

// load adds all rows in one edit.
func (e *embedded) load(ctx context.Context, table string, next func() (arrow.RecordBatch, error)) error {
	name, err := engineName(e.database, table)
	if err != nil {
		return err
	}
	for {
		rec, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = e.app.Engine.Append(ctx, []engine.TableRows{{Table: name, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{Create: true})
		rec.Release()
		if err != nil {
			return err
		}
	}
}

func engineName(database, table string) (engine.TableName, error) {
	parts := strings.Split(table, ".")
	switch len(parts) {
	case 1:
		return engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: parts[0]}, nil
	case 2:
		return engine.TableName{Database: database, Schema: parts[0], Name: parts[1]}, nil
	case 3:
		return engine.TableName{Database: parts[0], Schema: parts[1], Name: parts[2]}, nil
	}
	return engine.TableName{}, base.Errorf(base.Invalid, "%q is no table name", table)
}

type remote struct{ url, token, database string }

func (r *remote) close() error { return nil }

func (r *remote) post(ctx context.Context, path string, query url.Values, contentType string, body io.Reader, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path+"?"+query.Encode(), body)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "%w", err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Content-Type", contentType)
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "%w", err).WithHint("start a server with scoter serve, or name a data directory with --dir")
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, remoteError(resp)
	}
	return resp, nil
}

// remoteError reads the server's error.
func remoteError(resp *http.Response) error {
	var p struct {
		Error struct{ Kind, Message, Hint string }
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if json.Unmarshal(text, &p) != nil || p.Error.Message == "" {
		return base.Errorf(base.Unavailable, "%s: %s", resp.Status, bytes.TrimSpace(text))
	}
	e := base.Errorf(base.KindNamed(p.Error.Kind), "%s", p.Error.Message)
	if p.Error.Hint != "" {
		e = e.WithHint("%s", p.Error.Hint)
	}
	return e
}

func (r *remote) sql(ctx context.Context, w io.Writer, text string, format encode.Format) error {
	resp, err := r.post(ctx, "/api/v1/sql", url.Values{"database": {r.database}, "format": {format.String()}}, "text/plain", strings.NewReader(text), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return err
}

// load sends the rows in requests of the server's own pace; each is repeated if it fails for
// a reason that passes, and applied once all the same.
func (r *remote) load(ctx context.Context, table string, next func() (arrow.RecordBatch, error)) error {
	run := fmt.Sprintf("load-%d-%d", os.Getpid(), time.Now().UnixNano())
	name, err := engineName(r.database, table)
	if err != nil {
		return err
	}
	path := "/api/v1/tables/" + url.PathEscape(name.Database) + "/" + url.PathEscape(name.Schema+"."+name.Name) + "/rows"
	for n := 0; ; n++ {
		rec, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var body bytes.Buffer
		_, err = encode.Write(ctx, &body, encode.Arrow, &single{rec}, encode.Options{})
		if err != nil {
			return err
		}
		header := http.Header{"Idempotency-Key": {fmt.Sprintf("%s-%d", run, n)}}
		if err := r.send(ctx, path, body.Bytes(), header); err != nil {
			return err
		}
	}
}

const sendAttempts = 10

func (r *remote) send(ctx context.Context, path string, body []byte, header http.Header) error {
	for attempt := 1; ; attempt++ {
		resp, err := r.post(ctx, path, nil, "application/vnd.apache.arrow.stream", bytes.NewReader(body), header)
		if err == nil {
			return resp.Body.Close()
		}
		if !base.KindOf(err).Retryable() || attempt == sendAttempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * 500 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// single is a result of one batch.
type single struct{ rec arrow.RecordBatch }

func (s *single) Schema() *arrow.Schema { return s.rec.Schema() }

func (s *single) Next(context.Context) (arrow.RecordBatch, error) {
	if s.rec == nil {
		return nil, io.EOF
	}
	rec := s.rec
	s.rec = nil
	return rec, nil
}
