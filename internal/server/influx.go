package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// lineProtocol takes InfluxDB's line protocol, for its versions 1 and 2. Good lines are
// stored even if others are bad, as InfluxDB does: the answer is then a 400 that names those.
func (s *Server) lineProtocol(w http.ResponseWriter, r *http.Request, _ caller) error {
	precision, err := ingest.ParsePrecision(r.URL.Query().Get("precision"))
	if err != nil {
		return err
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(r)
	if err != nil {
		return err
	}
	defer b.Close()
	decoded, err := lineprotocol.Decode(b.bytes, lineprotocol.Options{Now: time.Now(), Precision: precision})
	if err != nil {
		return err
	}
	defer ingest.Release(decoded.Rows)
	identify(&o, b.bytes)
	if len(decoded.Rows) > 0 {
		if _, err := s.appendDecoded(r, s.database(r), decoded.Rows, o); err != nil {
			return err
		}
	}
	if decoded.Rejected > 0 {
		return rejected(decoded)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// rejected says which lines were not taken, in InfluxDB's words.
func rejected(d lineprotocol.Result) error {
	var reasons []string
	conflict := false
	for _, e := range d.Errors {
		reasons = append(reasons, fmt.Sprintf("line %d: %s", e.Line, e.Reason))
		conflict = conflict || e.Conflict
	}
	text := strings.Join(reasons, "\n")
	if len(d.Rows) == 0 && !conflict {
		return base.Errorf(base.Invalid, "unable to parse: %s", text)
	}
	return base.Errorf(base.Invalid, "partial write: %s dropped=%d", text, d.Rejected)
}

// influxQuery answers the one query that writing clients of InfluxDB 1 send: CREATE
// DATABASE. Reading goes through SQL.
func (s *Server) influxQuery(w http.ResponseWriter, r *http.Request, _ caller) error {
	text := r.FormValue("q")
	statements, err := sqltoken.Statements(text)
	if err != nil {
		return err
	}
	for _, st := range statements {
		if !st.Starts("CREATE", "DATABASE") || len(st.Tokens) < 3 || !st.Tokens[2].IsName() {
			return base.Errorf(base.Invalid, "InfluxQL is not supported: %s", text).WithHint("send SQL to /api/v1/sql")
		}
		if err := s.store.CreateDatabase(r.Context(), st.Tokens[2].Name(), true); err != nil {
			return err
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"results": []any{map[string]int{"statement_id": 0}}})
	return nil
}

// influxVersion is the version whose behaviour clients are told to expect.
const influxVersion = "1.8.10"

func (s *Server) ping(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Influxdb-Version", influxVersion)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) influxHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"name": "scoter", "status": "pass", "message": "ready for queries and writes", "version": influxVersion})
}
