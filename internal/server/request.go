package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// sqlRequest is the JSON body of POST /api/v1/sql.
type sqlRequest struct {
	SQL       string          `json:"sql"`
	Params    json.RawMessage `json:"params"`
	Database  string          `json:"database"`
	TimeoutMS int64           `json:"timeout_ms"`
	MaxRows   int64           `json:"max_rows"`
	Format    string          `json:"format"`
}

// parseSQL parses a request to run SQL. text is its body.
func (s *Server) parseSQL(r *http.Request, text []byte) (sqlRequest, error) {
	q := r.URL.Query()
	req := sqlRequest{SQL: q.Get("q"), Database: q.Get("database"), Format: q.Get("format")}
	var err error
	for name, field := range map[string]*int64{"timeout_ms": &req.TimeoutMS, "max_rows": &req.MaxRows} {
		if v := q.Get(name); v != "" {
			if *field, err = strconv.ParseInt(v, 10, 64); err != nil || *field < 0 {
				return req, base.Errorf(base.Invalid, "%s: %q is not a count", name, v)
			}
		}
	}
	if r.Method == http.MethodPost {
		mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if mediaType == "application/json" {
			if err := checkJSON(text); err != nil {
				return req, err
			}
			if err := json.Unmarshal(text, &req); err != nil {
				return req, noRequest(err)
			}
		} else {
			req.SQL = string(text)
		}
	}
	if req.TimeoutMS < 0 || req.MaxRows < 0 {
		return req, base.Errorf(base.Invalid, "timeout_ms and max_rows must not be negative")
	}
	if req.Database == "" {
		req.Database = r.Header.Get("X-Arc-Database")
	}
	if req.Database == "" {
		req.Database = s.settings.Database
	}
	return req, nil
}

// requestMembers are the JSON names of the fields of sqlRequest.
var requestMembers = []string{"sql", "params", "database", "format", "timeout_ms", "max_rows"}

// checkJSON returns an error unless text is a single JSON value that encoding/json decodes without
// changing it. The check is needed because encoding/json replaces invalid UTF-8 and unpaired
// surrogates by U+FFFD, uses the last of several members of the same name, and matches names in any
// case.
func checkJSON(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	err := skipRequest(d)
	if unknown := new(base.Error); errors.As(err, &unknown) {
		return unknown
	}
	if syntax := new(jsontext.SyntacticError); errors.As(err, &syntax) {
		where := ""
		if syntax.JSONPointer != "" {
			where = " at " + ingest.Quote([]byte(syntax.JSONPointer))
		}
		return noRequest(fmt.Errorf("JSON%s: %w", where, syntax.Err)).At(int(syntax.ByteOffset) + 1)
	}
	if err != nil { // io.EOF means that the body ends early
		return noRequest(errors.New("it ends in the middle of a JSON value")).At(len(text) + 1)
	}
	if end := int(d.InputOffset()); len(bytes.Trim(text[end:], " \t\r\n")) > 0 {
		return base.Errorf(base.Invalid, "the body is more than one JSON request").At(end + 1)
	}
	return nil
}

// skipRequest reads one JSON value. If the value is an object with a member that a request must not
// have, it returns an error for the first such member. It does so only after it has read the whole
// value.
func skipRequest(d *jsontext.Decoder) error {
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var unknown error
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if member := name.String(); unknown == nil && !slices.Contains(requestMembers, member) {
			unknown = unknownMember(member, int(d.InputOffset())-len(member)-1)
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	return unknown
}

func unknownMember(name string, position int) error {
	message := fmt.Sprintf("a request has no member %q", name)
	if near := base.Nearest(name, requestMembers); near != "" {
		message += fmt.Sprintf(": did you mean %q?", near)
	}
	return base.Errorf(base.Invalid, "%s", message).At(position).WithHint("it has %s", strings.Join(requestMembers, ", "))
}

func noRequest(err error) *base.Error {
	return base.Errorf(base.Invalid, "the body is not a JSON request: %w", err).
		WithHint(`{"sql": "...", "params": [...], "database": "..."}; or send the SQL itself as text/plain`)
}

// parseParams parses the parameters of a statement: a JSON array of positional parameters, or a
// JSON object of named ones. Integers stay exact.
func parseParams(raw json.RawMessage) ([]any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, base.Errorf(base.Invalid, "params: %w", err)
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			var err error
			if v[i], err = parseParam(v[i]); err != nil {
				return nil, base.Wrap(err, "parameter %d", i+1)
			}
		}
		return v, nil
	case map[string]any:
		for name := range v {
			var err error
			if v[name], err = parseParam(v[name]); err != nil {
				return nil, base.Wrap(err, "parameter $%s", name)
			}
		}
		return []any{v}, nil
	}
	return nil, base.Errorf(base.Invalid, "params is neither an array nor an object")
}

// maxDigits is the maximum length of the text of a whole number, including its sign, that fits into
// a type of DuckDB.
const maxDigits = 40

func parseParam(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u, nil
		}
		if !strings.ContainsAny(v.String(), ".eE") {
			if len(v) <= maxDigits { // longer numbers are not parsed, because that takes long
				if i, ok := new(big.Int).SetString(v.String(), 10); ok {
					return i, nil
				}
			}
			return nil, base.Errorf(base.Invalid, "a whole number of %d digits is out of the range of HUGEINT", len(v)).WithHint("send it as text")
		}
		f, err := v.Float64()
		if err != nil {
			return nil, base.Errorf(base.Invalid, "%.50s is out of the range of DOUBLE", v).WithHint("send it as text")
		}
		return f, nil
	case []any, map[string]any:
		return nil, base.Errorf(base.Invalid, "arrays and objects cannot be parameters").
			WithHint("send JSON text and convert it: from_json($1, '[\"BIGINT\"]')")
	}
	return v, nil
}
