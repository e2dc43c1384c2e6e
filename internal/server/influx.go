package server

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/session"
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
	b, err := s.readBody(w, r)
	if err != nil {
		return err
	}
	defer b.Close()
	decoded, err := lineprotocol.Decode(b.bytes, lineprotocol.Options{Now: time.Now(), Precision: precision})
	if err != nil {
		return err
	}
	defer ingest.Release(decoded.Rows)
	identify(&o, r, b.bytes)
	if err := b.decoded(r.Context(), batchesOf(decoded.Rows)...); err != nil {
		return err
	}
	tables, err := s.tables(r, decoded.Rows)
	if err != nil {
		return err
	}
	if _, err := s.append(r, tables, o); err != nil {
		if base.KindOf(err) != base.Invalid {
			return err
		}
		return s.appendWhatFits(r, tables, o, decoded)
	}
	if decoded.Rejected > 0 {
		return unparsed(decoded).answer()
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// partial is a write of which some rows were not taken.
type partial struct {
	reasons []string // at most lineprotocol.MaxErrors
	dropped int64
	stored  bool // or contradicts what is stored: the client wrote well-formed lines
}

// unparsed says which lines were not taken.
func unparsed(d lineprotocol.Result) *partial {
	p := &partial{dropped: int64(d.Rejected), stored: len(d.Rows) > 0}
	for _, e := range d.Errors {
		p.reasons = append(p.reasons, fmt.Sprintf("line %d: %s", e.Line, e.Reason))
		p.stored = p.stored || e.Conflict
	}
	return p
}

// answer is the error for the client, in InfluxDB's words: clients read them.
func (p *partial) answer() error {
	text := strings.Join(p.reasons, "\n")
	if !p.stored {
		return base.Errorf(base.Invalid, "unable to parse: %s", text)
	}
	return base.Errorf(base.Invalid, "partial write: %s dropped=%d", text, p.dropped)
}

// appendWhatFits is for lines of which some contradict their tables: it stores the others,
// and answers with an error that says why those were dropped.
func (s *Server) appendWhatFits(r *http.Request, tables []engine.TableRows, o engine.AppendOptions, decoded lineprotocol.Result) error {
	p := unparsed(decoded)
	p.stored = true
	for i, t := range tables {
		if err := s.appendHalves(r, t, o, fmt.Sprintf("%d", i), p); err != nil {
			return err
		}
	}
	return p.answer()
}

// appendHalves cuts a batch that does not fit in two until what does not fit is single rows.
// A request that is repeated under its key goes the same way: each piece has a key of its own.
func (s *Server) appendHalves(r *http.Request, t engine.TableRows, o engine.AppendOptions, piece string, p *partial) error {
	if err := r.Context().Err(); err != nil {
		return err
	}
	rec, with := t.Batches[0], o
	if o.IdempotencyKey != "" {
		hash := sha256.Sum256([]byte(o.IdempotencyKey + "/" + piece))
		with.IdempotencyKey = fmt.Sprintf("lines-%x", hash)
	}
	_, err := s.append(r, []engine.TableRows{t}, with)
	n := rec.NumRows()
	switch {
	case err == nil:
		return nil
	case base.KindOf(err) != base.Invalid:
		return err
	case n == 1:
		p.dropped++
		if len(p.reasons) < lineprotocol.MaxErrors {
			p.reasons = append(p.reasons, "field type conflict: "+err.Error())
		}
		return nil
	}
	for i, cut := range [][2]int64{{0, n / 2}, {n / 2, n}} {
		half := t
		half.Batches = []arrow.RecordBatch{rec.NewSlice(cut[0], cut[1])}
		err := s.appendHalves(r, half, o, fmt.Sprintf("%s.%d", piece, i), p)
		half.Batches[0].Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// influxQuery answers the queries that writing clients of InfluxDB 1 send before they
// write: CREATE DATABASE and SHOW DATABASES. Reading goes through SQL.
func (s *Server) influxQuery(w http.ResponseWriter, r *http.Request, who caller) error {
	text := r.FormValue("q")
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
		case st.Starts("CREATE", "DATABASE") && len(st.Tokens) >= 3 && st.Tokens[2].IsName():
			if who.role < session.Writer || r.Method != http.MethodPost {
				return base.Errorf(base.Forbidden, "CREATE DATABASE needs POST and the role writer")
			}
			if err := s.store.CreateDatabase(r.Context(), st.Tokens[2].Name(), true); err != nil {
				return err
			}
		default:
			return base.Errorf(base.Invalid, "InfluxQL is not supported: %s", text).WithHint("send SQL to /api/v1/sql")
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"results": results})
	return nil
}

// influxResult is the answer to one statement, as InfluxDB 1 writes it.
type influxResult struct {
	ID     int            `json:"statement_id"`
	Series []influxSeries `json:"series,omitempty"`
}

type influxSeries struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Values  [][]string `json:"values"`
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
