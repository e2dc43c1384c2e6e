package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
)

// remote runs commands on a server, over HTTP.
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
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "%w", err).WithHint("start a server with scoter serve, or name a data directory with --dir")
	}
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, remoteError(resp)
	}
	return resp, nil
}

// problem is the JSON form of an error in a server's response. It is empty if there is no error.
type problem struct {
	Error struct {
		Kind, Message, Hint string
		Position            int
	}
}

// err returns the error in a server's response, or nil if it has none.
func (p problem) err() error {
	if p.Error.Message == "" {
		return nil
	}
	e := base.Errorf(base.KindNamed(p.Error.Kind), "%s", p.Error.Message).At(p.Error.Position)
	if p.Error.Hint != "" {
		e = e.WithHint("%s", p.Error.Hint)
	}
	return e
}

// remoteError returns the error in a server's response with an error status.
func remoteError(resp *http.Response) error {
	var p problem
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if json.Unmarshal(text, &p) != nil || p.Error.Message == "" {
		return base.Errorf(base.Unavailable, "%s: %s", resp.Status, bytes.TrimSpace(text))
	}
	return p.err()
}

func (r *remote) sql(ctx context.Context, w io.Writer, text string, format encode.Format) (result bool, err error) {
	resp, err := r.post(ctx, "/api/v1/sql", url.Values{"database": {r.database}, "format": {format.String()}}, "text/plain", strings.NewReader(text), nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if verb := resp.Header.Get("Scoter-Statement"); verb != "" {
		var done struct {
			engine.Counts
			// problem is set if the statement was committed, but its result failed.
			problem
		}
		if err := json.NewDecoder(resp.Body).Decode(&done); err != nil {
			return false, base.Errorf(base.Unavailable, "the server's answer: %w", err)
		}
		printCounts(verb, done.Counts)
		return false, done.err()
	}
	var end lastBytes
	if _, err = io.Copy(io.MultiWriter(w, &end), resp.Body); err != nil {
		return true, brokenOff(ctx, format, end, err)
	}
	return true, nil
}

// lastBytes is a writer that retains only the last bytes that are written to it.
type lastBytes []byte

func (b *lastBytes) Write(p []byte) (int, error) {
	const unchanged = 64 << 10
	*b = append(*b, p...)
	*b = (*b)[max(0, len(*b)-unchanged):]
	return len(p), nil
}

// reasons has for each format the bytes with which the error at the end of an incomplete result
// begins. Formats that are not in it cannot express an error there.
var reasons = map[encode.Format]string{encode.JSON: "],\n\"error\":", encode.NDJSON: `{"$error":`, encode.MessagePack: "\x81\xa5error"}

// brokenOff returns the error for an incomplete result: the error that the server wrote at the end
// of the result, or else err, the error of reading the result. The argument end has the last bytes
// of the result.
func brokenOff(ctx context.Context, format encode.Format, end []byte, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var p problem
	reason, says := reasons[format]
	if i := bytes.LastIndex(end, []byte(reason)); says && i >= 0 {
		text := end[i+len(reason):]
		if format == encode.MessagePack {
			var m map[string]string
			if msgpack.Unmarshal(text, &m) == nil {
				p.Error.Kind, p.Error.Message, p.Error.Hint = m["kind"], m["message"], m["hint"]
			}
		} else {
			// If the error is incomplete too, it is ignored.
			_ = json.Unmarshal(bytes.TrimSuffix(text, []byte("}\n")), &p.Error)
		}
	}
	if said := p.err(); said != nil {
		return base.Wrap(said, "the result ends early")
	}
	return base.Errorf(base.Unavailable, "the result is incomplete: %w", err)
}

func (r *remote) backup(ctx context.Context, w io.Writer) error {
	resp, err := r.post(ctx, "/api/v1/backup", nil, "text/plain", nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return base.Wrap(err, "the backup ends early; the server's log says why")
}

// load sends rows in a request. If the request fails with a temporary error, load repeats it. The
// server applies the rows only once.
func (r *remote) load(ctx context.Context, rows loadedRows) (replayed bool, err error) {
	name := rows.table
	path := "/api/v1/tables/" + url.PathEscape(name.Database) + "/" + url.PathEscape(name.Schema+"."+name.Name) + "/rows"
	query := url.Values{"mode": {rows.mode.String()}}
	if len(rows.key) > 0 {
		query.Set("key", strings.Join(rows.key, ","))
	}
	if rows.delimiter != 0 {
		query.Set("delimiter", string(rune(rows.delimiter)))
	}
	if rows.null != "" {
		query.Set("null", rows.null)
	}
	return r.send(ctx, path, query, rows.format.MediaTypes[0], rows.Body, http.Header{"Idempotency-Key": {rows.once}})
}

const sendAttempts = 10

func (r *remote) send(ctx context.Context, path string, query url.Values, contentType string, body []byte, header http.Header) (replayed bool, err error) {
	for attempt := 1; ; attempt++ {
		resp, err := r.post(ctx, path, query, contentType, bytes.NewReader(body), header)
		if err == nil {
			return resp.Header.Get("Idempotent-Replayed") == "true", resp.Body.Close()
		}
		// The request can be repeated, although the server may have applied the rows: it has an
		// idempotency key.
		kind := base.KindOf(err)
		if !kind.Retryable() && kind != base.Unknown || attempt == sendAttempts {
			return false, err
		}
		select {
		case <-time.After(time.Duration(attempt) * 500 * time.Millisecond):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
