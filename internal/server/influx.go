package server

import (
	"fmt"
	"net/http"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// influxQuery answers the InfluxQL queries that clients of InfluxDB 1 send before they write:
// CREATE DATABASE (also by GET) and SHOW DATABASES. Reading data needs SQL.
func (s *Server) influxQuery(w http.ResponseWriter, r *http.Request, who caller) error {
	in := newBodyReader(w, r)
	defer in.done()
	r.Body = http.MaxBytesReader(w, in, smallBody)
	if err := r.ParseForm(); err != nil {
		if base.KindOf(err) == base.Timeout {
			return err
		}
		return base.Errorf(base.Invalid, "the request's form: %w", err)
	}
	if err := (endpoint{pattern: "the form of /query", parameters: influxQuery}).known().only(r.Form); err != nil {
		return err
	}
	text := r.Form.Get("q")
	if text == "" {
		return base.Errorf(base.Invalid, `missing required parameter "q"`)
	}
	statements, err := sqltoken.Statements(text)
	if err != nil {
		return err
	}
	results := make([]influxResult, len(statements))
	for i, st := range statements {
		results[i].ID = i
		switch {
		case st.Starts("SHOW", "DATABASES"):
			series := influxSeries{Name: "databases", Columns: []string{"name"}}
			for _, name := range s.store.Databases() {
				series.Values = append(series.Values, []string{name})
			}
			results[i].Series = []influxSeries{series}
		case st.Starts("CREATE", "DATABASE") && newDatabase(st) != "":
			if who.role < session.Writer {
				return base.Errorf(base.Forbidden, "CREATE DATABASE needs the role writer")
			}
			if r.Method == http.MethodHead {
				return base.Errorf(base.Forbidden, "a HEAD request must not change data: CREATE DATABASE needs POST or GET")
			}
			name := newDatabase(st)
			if r.Method != http.MethodPost { // influxdb-java sends it with GET
				results[i].Messages = []influxMessage{{"warning", fmt.Sprintf("deprecated use of 'CREATE DATABASE %s' in a read only context, please use a POST request instead", name)}}
			}
			if err := schema.CheckReserved(name, ""); err != nil {
				return err
			}
			if err := s.store.CreateDatabase(r.Context(), name, true); err != nil {
				return err
			}
		default:
			return base.Errorf(base.Invalid, "InfluxQL is not supported: %s", text).WithHint("send SQL to /api/v1/sql")
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"results": results})
	return nil
}

// newDatabase returns the name in CREATE DATABASE [IF NOT EXISTS] name, or "" for any other
// statement. It ignores retention clauses behind the name. IF NOT EXISTS makes no difference,
// because in InfluxDB creating an existing database is never an error.
func newDatabase(st sqltoken.Statement) string {
	at := 2
	if st.Starts("CREATE", "DATABASE", "IF", "NOT", "EXISTS") {
		at = 5
	}
	if at >= len(st.Tokens) || !st.Tokens[at].IsName() {
		return ""
	}
	return st.Tokens[at].Name()
}

// influxResult is the result of one statement in the JSON format of InfluxDB 1.
type influxResult struct {
	ID     int            `json:"statement_id"`
	Series []influxSeries `json:"series,omitempty"`

	Messages []influxMessage `json:"messages,omitempty"`
}

type influxMessage struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

type influxSeries struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Values  [][]string `json:"values"`
}

// influxVersion is the version of InfluxDB that the server reports to InfluxDB clients.
const influxVersion = "1.8.10"

func (s *Server) ping(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Influxdb-Version", influxVersion)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) influxHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"name": "scoter", "status": "pass", "message": "ready for queries and writes", "version": influxVersion})
}
