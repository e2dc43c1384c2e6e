package scoter

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// HTTPOptions are the options for a connection to a Scoter server.
type HTTPOptions struct {
	// Token is the access token that is sent with every request. If it is empty, none is sent.
	Token string
	// Database is the database to which table names without a database refer. If it is empty, it is
	// "default".
	Database string
	// Client sends the requests. If it is nil, it is http.DefaultClient.
	Client *http.Client
}

// ScoterError is the server's error for a request that it refused. No part of the request was
// applied. docs/API.md lists the values of Kind.
type ScoterError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (e *ScoterError) Error() string {
	if e.Hint != "" {
		return e.Message + " (" + e.Hint + ")"
	}
	return e.Message
}

// OpenHTTP returns a database/sql handle for the Scoter server at an address such as
// http://127.0.0.1:7287. It sends no request yet.
func OpenHTTP(address string, o HTTPOptions) *sql.DB {
	if o.Database == "" {
		o.Database = "default"
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	return sql.OpenDB(&scHTTP{strings.TrimRight(address, "/"), o})
}

// newScHTTP returns a runtime for a Scoter server, which has no transactions. Code that asks for a
// transaction runs without one.
func newScHTTP(db DBTX) *scRuntime {
	rt := newScRuntime(db, "", scNative)
	rt.open = true
	return rt
}

// scHTTP is a driver of database/sql for a Scoter server. The same type is the driver, its
// connector and its connections, because http.Client manages the real connections.
type scHTTP struct {
	address string
	options HTTPOptions
}

var errScHTTPTransaction = errors.New("there are no transactions over HTTP: every statement is one of its own")

func (h *scHTTP) Connect(context.Context) (driver.Conn, error) { return h, nil }
func (h *scHTTP) Driver() driver.Driver                        { return h }
func (h *scHTTP) Open(string) (driver.Conn, error)             { return h, nil }
func (h *scHTTP) Close() error                                 { return nil }
func (h *scHTTP) Begin() (driver.Tx, error)                    { return nil, errScHTTPTransaction }
func (h *scHTTP) Prepare(query string) (driver.Stmt, error)    { return &scHTTPStatement{h, query}, nil }

// CheckNamedValue accepts every argument. Generated code passes only values that JSON can express.
func (h *scHTTP) CheckNamedValue(*driver.NamedValue) error { return nil }

func (h *scHTTP) post(ctx context.Context, path, contentType string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	if h.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+h.options.Token)
	}
	response, err := h.options.Client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 400 {
		return response, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Error *ScoterError `json:"error"`
	}
	if json.Unmarshal(text, &answer) != nil || answer.Error == nil {
		return nil, fmt.Errorf("status %d: %.200s", response.StatusCode, text)
	}
	return nil, answer.Error
}

// run sends a statement and returns the response. Its body is one JSON object per line.
func (h *scHTTP) run(ctx context.Context, query string, args []driver.NamedValue) (*http.Response, error) {
	params := make([]any, len(args))
	for i, a := range args {
		params[i] = a.Value
	}
	return h.ask(ctx, "ndjson", query, params)
}

// ask sends a statement and returns the response. format is the result format to ask for, as in
// docs/API.md.
func (h *scHTTP) ask(ctx context.Context, format, query string, params []any) (*http.Response, error) {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"sql": query, "params": params, "database": h.options.Database})
	if err != nil {
		return nil, err
	}
	return h.post(ctx, "/api/v1/sql?format="+format, "application/json", body)
}

// scHTTPArrow runs a query and returns its result as the bytes of an Arrow IPC stream.
func scHTTPArrow(ctx context.Context, rt *scRuntime, name, query string, args []any) (io.ReadCloser, error) {
	body := &scHTTPBody{}
	if rt.observer != nil {
		body.end = rt.observer.Start(ctx, name)
	}
	err := scHTTPDo(ctx, rt.db, func(h *scHTTP) error {
		response, err := h.ask(ctx, "arrow", query, args)
		if err != nil {
			return err
		}
		body.ReadCloser = response.Body
		return nil
	})
	if err != nil {
		body.finish(err)
		return nil, err
	}
	return body, nil
}

// scHTTPBody is the body of a response that is still being received. If the server breaks it off,
// reading ends with io.ErrUnexpectedEOF.
type scHTTPBody struct {
	io.ReadCloser
	end     func(rows int64, err error)
	failure error
}

func (b *scHTTPBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.failure = err
	}
	return n, err
}

func (b *scHTTPBody) Close() error {
	err := b.ReadCloser.Close()
	b.finish(b.failure)
	return err
}

func (b *scHTTPBody) finish(err error) {
	if b.end != nil {
		b.end(-1, err)
		b.end = nil
	}
}

func (h *scHTTP) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	response, err := h.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows := &scHTTPResult{body: response.Body, decoder: json.NewDecoder(response.Body)}
	rows.decoder.UseNumber()
	// The first row of the response has the names of the columns.
	if err := rows.read(); err != nil && err != io.EOF {
		return nil, errors.Join(err, rows.Close())
	}
	return rows, nil
}

func (h *scHTTP) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	response, err := h.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return scHTTPCounts(response.Body)
}

// scHTTPCounts reads from a response how many rows the request has changed.
func scHTTPCounts(body io.Reader) (driver.RowsAffected, error) {
	var n struct{ Inserted, Updated, Deleted int64 }
	err := json.NewDecoder(body).Decode(&n)
	return driver.RowsAffected(n.Inserted + n.Updated + n.Deleted), err
}

// scHTTPStatement is a statement of database/sql. Its text is sent again with each execution.
type scHTTPStatement struct {
	*scHTTP
	query string
}

func (s *scHTTPStatement) NumInput() int                              { return -1 }
func (s *scHTTPStatement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s *scHTTPStatement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s *scHTTPStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.scHTTP.ExecContext(ctx, s.query, args)
}

func (s *scHTTPStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.scHTTP.QueryContext(ctx, s.query, args)
}

// scHTTPResult reads the rows of a response while it is being received.
type scHTTPResult struct {
	body    io.Closer
	decoder *json.Decoder
	columns []string
	row     []any
	err     error
}

func (r *scHTTPResult) Columns() []string { return r.columns }
func (r *scHTTPResult) Close() error      { return r.body.Close() }

func (r *scHTTPResult) Next(values []driver.Value) error {
	if r.err != nil {
		return r.err
	}
	for i, v := range r.row {
		values[i] = v
	}
	r.err = r.read()
	return nil
}

// read reads the next JSON object of the response. If the query fails after its result has begun,
// the server ends the response with an object whose only key is $error, and read returns that
// error.
func (r *scHTTPResult) read() error {
	first := r.columns == nil
	r.row = r.row[:0]
	if _, r.err = r.decoder.Token(); r.err != nil {
		return r.err
	}
	var name json.Token
	for r.decoder.More() {
		var v any
		var err error
		if name, err = r.decoder.Token(); err != nil {
			return scUnexpected(err)
		}
		if err := r.decoder.Decode(&v); err != nil {
			return scUnexpected(err)
		}
		if first {
			r.columns = append(r.columns, fmt.Sprint(name))
		}
		r.row = append(r.row, scFromJSON(v))
	}
	if _, err := r.decoder.Token(); err != nil {
		return scUnexpected(err)
	}
	if len(r.row) == 1 && name == "$error" {
		if e, ok := r.row[0].(map[string]any); ok {
			text := func(key string) string { s, _ := e[key].(string); return s }
			return &ScoterError{text("kind"), text("message"), text("hint")}
		}
	}
	return nil
}

// scUnexpected returns the error for a response that ends within an object.
func scUnexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// scFromJSON converts the numbers of a JSON value to text, so that no digit is lost.
func scFromJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		return string(v)
	case []any:
		for i, e := range v {
			v[i] = scFromJSON(e)
		}
	case map[string]any:
		for k, e := range v {
			v[k] = scFromJSON(e)
		}
	}
	return v
}

// scJSONBlob reads bytes from a JSON value. They are in hexadecimal, but inside of a list in
// base64.
func scJSONBlob(raw any) ([]byte, error) {
	if v, ok := raw.(string); ok && !strings.HasPrefix(v, `\x`) {
		return base64.StdEncoding.DecodeString(v)
	}
	return scBlob(raw)
}

var scDuration = regexp.MustCompile(`T|([+-]?\d+)(?:\.(\d{1,6}))?([YMWDHS])`)

// scJSONInterval reads an interval from a JSON value. It has the form that DuckDB prints, but
// inside of a list it is ISO 8601.
func scJSONInterval(raw any) (i Interval, err error) {
	text, ok := raw.(string)
	if !ok || !strings.HasPrefix(strings.TrimPrefix(text, "-"), "P") {
		return scInterval(raw)
	}
	clock := false
	for _, part := range scDuration.FindAllStringSubmatch(text, -1) {
		if part[0] == "T" {
			clock = true
			continue
		}
		n, err := strconv.ParseInt(part[1], 10, 64)
		if err != nil {
			return scBad[Interval](raw)
		}
		switch unit := part[3]; {
		case unit == "Y":
			i.Months += 12 * int32(n)
		case unit == "W":
			i.Days += 7 * int32(n)
		case unit == "D":
			i.Days += int32(n)
		case unit == "H":
			i.Micros += n * 3600e6
		case unit == "M" && clock:
			i.Micros += n * 60e6
		case unit == "M":
			i.Months += int32(n)
		default:
			fraction, err := strconv.ParseInt((part[2] + "000000")[:6], 10, 64)
			if err != nil {
				return scBad[Interval](raw)
			}
			if strings.HasPrefix(part[1], "-") {
				fraction = -fraction
			}
			i.Micros += n*1e6 + fraction
		}
	}
	return i, nil
}

// scWire converts the value of a parameter to one that JSON can express. Bytes become text that the
// statement casts.
func scWire(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64:
		return v
	case []byte:
		if v == nil {
			return nil
		}
		var text strings.Builder
		for _, c := range v {
			fmt.Fprintf(&text, `\x%02X`, c)
		}
		return text.String()
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && !r.IsNil() {
		if e := r.Elem(); e.Kind() <= reflect.Float64 || e.Kind() == reflect.String {
			return e.Interface()
		}
	}
	return scDuckDB(v)
}

// scHTTPRows describes a bulk operation on a Scoter server: its columns, and the path of the URL to
// which the rows are sent.
type scHTTPRows[T any] struct {
	name, path string
	columns    []string
	pack       func(columns []scPack, row T)
}

// scHTTPPortion is the number of bytes of rows at which a request is sent. The server applies each
// request as a whole.
const scHTTPPortion = 4 << 20

// scHTTPBulk runs a bulk operation. It sends the rows in several requests. When it returns, the
// rows are durable.
func scHTTPBulk[T any](ctx context.Context, rt *scRuntime, b scHTTPRows[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		err := scHTTPDo(ctx, rt.db, func(h *scHTTP) (err error) {
			columns, rowsIn, stored := make([]scPack, len(b.columns)), 0, 0
			defer func() {
				if err != nil && stored > 0 {
					err = fmt.Errorf("%w (rows are counted from row %d, those before it are stored)", err, stored+1)
				}
			}()
			send := func() error {
				body := scPackColumns(b.columns, columns, rowsIn)
				response, err := h.post(ctx, "/api/v1/tables/"+url.PathEscape(h.options.Database)+"/"+b.path, "application/msgpack", body)
				if err != nil {
					return err
				}
				defer response.Body.Close()
				for i := range columns {
					columns[i] = columns[i][:0]
				}
				rowsIn, stored = 0, stored+rowsIn
				changed, err := scHTTPCounts(response.Body)
				n += int64(changed)
				return err
			}
			for row, err := range rows {
				if err != nil {
					return err
				}
				b.pack(columns, row)
				rowsIn++
				size := 0
				for _, c := range columns {
					size += len(c)
				}
				if size >= scHTTPPortion {
					if err := send(); err != nil {
						return err
					}
				}
			}
			if rowsIn > 0 {
				return send()
			}
			return nil
		})
		return n, err
	})
	return n, err
}

// scHTTPDo calls the function do with the Scoter server of a database handle.
func scHTTPDo(ctx context.Context, db DBTX, do func(*scHTTP) error) error {
	var conn scConn
	switch db := db.(type) {
	case scConn:
		conn = db
	case scPool:
		own, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer own.Close()
		conn = own
	default:
		return errScHTTPTransaction
	}
	return conn.Raw(func(c any) error {
		h, ok := c.(*scHTTP)
		if !ok {
			return errors.New("the database was not opened by OpenHTTP")
		}
		return do(h)
	})
}

// scHTTPMigrate applies the migrations that were not applied yet. Each statement is a transaction
// of its own: if a statement of a migration fails, the statements before it stay applied.
func scHTTPMigrate(ctx context.Context, db DBTX, project string, migrations []Migration, o MigrateOptions) (done []string, err error) {
	if o.DryRun {
		return nil, errScHTTPTransaction
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, "+
		"applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT)"); err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1", project)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	applied := map[string]string{}
	for rows.Next() {
		var id, checksum string
		if err := rows.Scan(&id, &checksum); err != nil {
			return nil, err
		}
		applied[id] = checksum
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	pending, err := scPending(project, migrations, applied)
	if err != nil {
		return nil, err
	}
	for _, m := range pending {
		for _, statement := range m.Statements {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return done, fmt.Errorf("migration %s: %w", m.ID, err)
			}
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)", project, m.ID, m.Checksum); err != nil {
			return done, err
		}
		done = append(done, m.ID)
	}
	return done, nil
}
