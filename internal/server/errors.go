package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// retryAfterSeconds is the value of the header Retry-After if the server is out of memory or disk
// space. A flush takes about this time.
const retryAfterSeconds = "1"

// problem is the JSON body of the response to a failed request.
type problem struct {
	Error problemBody `json:"error"`
}

type problemBody struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Position int    `json:"position,omitempty"`
}

func newProblem(err error) problem {
	p := problem{problemBody{Kind: base.KindOf(err).String(), Message: err.Error()}}
	if e := new(base.Error); errors.As(err, &e) {
		p.Error.Hint, p.Error.Position = e.Hint, e.Position
	}
	return p
}

// redacted returns an error in the form that clients may see: paths in it are relative to the data
// directory.
func (s *Server) redacted(err error) error {
	message := base.WithoutFolder(err.Error(), s.settings.Dir)
	hint, position := "", 0
	if e := new(base.Error); errors.As(err, &e) {
		hint, position = e.Hint, e.Position
	}
	if without := base.WithoutFolder(hint, s.settings.Dir); message != err.Error() || without != hint {
		return base.Errorf(base.KindOf(err), "%s", message).WithHint("%s", without).At(position)
	}
	return err
}

func writeError(w http.ResponseWriter, err error) {
	writeProblem(w, err, newProblem(err))
}

// maxErrorHeader is the maximum length in bytes of an error message in a response header, as in
// InfluxDB. Some proxies reject a response whose header has several kilobytes, and the client would
// then send rows again that were stored.
const maxErrorHeader = 1024

// writeInfluxError writes an error in the formats of InfluxDB 1 and 2 together. Clients of version
// 1 read "error", clients of version 2 "code" and "message".
func writeInfluxError(w http.ResponseWriter, err error) {
	code := "internal error"
	switch kind := base.KindOf(err); {
	case kind == base.Unauthenticated:
		code = "unauthorized"
	case kind == base.Forbidden:
		code = "forbidden"
	case kind == base.NotFound:
		code = "not found"
	case kind == base.TooLarge:
		code = "request too large"
	case kind.Retryable():
		code = "unavailable"
	case kind.HTTPStatus() < 500:
		code = "invalid"
	}
	message := err.Error()
	if e := new(base.Error); errors.As(err, &e) && e.Hint != "" {
		message += " (" + e.Hint + ")" // InfluxDB's formats have no field for a hint
	}
	text := singleLine(message)
	w.Header().Set("X-Influxdb-Error", strings.ToValidUTF8(text[:min(len(text), maxErrorHeader)], ""))
	writeProblem(w, err, map[string]string{"error": message, "code": code, "message": message})
}

func writeProblem(w http.ResponseWriter, err error, body any) {
	kind := base.KindOf(err)
	w.Header().Set("Content-Type", "application/json")
	if kind.Retryable() {
		w.Header().Set("Retry-After", retryAfterSeconds)
	}
	if kind == base.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="scoter"`)
	}
	writeJSON(w, kind.HTTPStatus(), body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // a message may quote SQL: a < b
	// Encode fails if the client has disconnected. There is nothing to do then.
	_ = e.Encode(body)
}

func singleLine(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' {
			b[i] = ' '
		}
	}
	return string(b)
}
