package server

import (
	"net/http"
	"time"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// lineProtocol handles a write request in line protocol, as clients of InfluxDB 1 and 2 send it. As
// in InfluxDB, valid lines are stored even if other lines are invalid. If there are invalid lines,
// the response has the status 400 and lists them.
func (s *Server) lineProtocol(w http.ResponseWriter, r *http.Request, _ caller) error {
	precision, err := ingest.ParsePrecision(r.URL.Query().Get("precision"))
	if err != nil {
		return err
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, s.budget, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	o.BeforeLockWait = b.beginTableWait
	decoded, err := lineprotocol.Format.DecodeTables(b.bytes, wire.TableOptions{Now: time.Now(), Precision: precision, Types: func(table string) []schema.Field {
		return s.columnTypes(engine.TableName{Database: s.database(r), Schema: engine.DefaultSchema, Name: table})
	}})
	if err != nil {
		return err
	}
	defer func() { ingest.Release(decoded.Rows) }()
	identify(&o, r, b.bytes)
	p := rejectedLines(decoded)
	lines, err := s.pointsOf(r, decoded.Rows, p)
	if err != nil {
		return err
	}
	if err := b.reserveDecoded(r.Context(), batchesOf(decoded.Rows)...); err != nil {
		return err
	}
	if err := s.storePoints(r, lines, o, p); err != nil {
		return err
	}
	return p.answer(w)
}
