package server

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/schema"
)

// lineProtocol accepts a write request of InfluxDB 1 or 2, in line protocol. As in InfluxDB, valid
// lines are stored even if other lines are invalid. Then the response is a 400 that lists the
// invalid lines.
func (s *Server) lineProtocol(w http.ResponseWriter, r *http.Request, _ caller) error {
	precision, err := ingest.ParsePrecision(r.URL.Query().Get("precision"))
	if err != nil {
		return err
	}
	o, err := appendOptions(r)
	if err != nil {
		return err
	}
	b, err := s.readBody(w, r, s.gate, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	o.Waits = b.waits
	options := lineprotocol.Options{Now: time.Now(), Precision: precision}
	decoded, err := s.decodeLines(r, b.bytes, options)
	if err != nil {
		return err
	}
	defer func() { ingest.Release(decoded.Rows) }()
	identify(&o, r, b.bytes)
	p := unparsed(decoded)
	lines, err := s.linesOf(r, decoded.Rows, p)
	if err != nil {
		return err
	}
	if err := b.decoded(r.Context(), batchesOf(decoded.Rows)...); err != nil {
		return err
	}
	if err := s.storeLines(r, lines, o, p); err != nil {
		return err
	}
	return p.answer(w)
}

// decodeLines decodes the lines of a request. If lines disagree about a field's type, the types of
// the existing tables decide which lines are valid.
func (s *Server) decodeLines(r *http.Request, body []byte, o lineprotocol.Options) (lineprotocol.Result, error) {
	decoded, err := lineprotocol.Decode(body, o)
	if err != nil {
		return decoded, err
	}
	if !slices.ContainsFunc(decoded.Errors, func(e lineprotocol.LineError) bool { return e.Conflict }) {
		return decoded, nil
	}
	// The type in the table is the right one, not the type in the first line.
	err = s.decodeAsStored(r, body, o, &decoded)
	return decoded, err
}

// decodeAsStored decodes the lines again. In front of the lines of each measurement it adds a line
// with the types of its table. Then the lines with other types are rejected.
func (s *Server) decodeAsStored(r *http.Request, body []byte, o lineprotocol.Options, decoded *lineprotocol.Result) error {
	var typed bytes.Buffer
	var measurements []string
	for _, rows := range decoded.Rows {
		t, err := s.store.Lookup(s.database(r), engine.DefaultSchema, rows.Table)
		if err != nil {
			continue // the table does not exist yet, so it has no types
		}
		if line := typedLine(t, rows); line != "" {
			typed.WriteString(line)
			measurements = append(measurements, rows.Table)
		}
	}
	n := len(measurements)
	if n == 0 {
		return nil
	}
	typed.Write(body)
	again, err := lineprotocol.Decode(typed.Bytes(), o)
	if err != nil {
		return err
	}
	// An added line was rejected, because the table's name cannot be written in line protocol. It
	// left no row.
	for len(again.Errors) > 0 && again.Errors[0].Line <= n {
		measurements[again.Errors[0].Line-1] = ""
		again.Errors = again.Errors[1:]
		again.Rejected--
	}
	for i := range again.Errors {
		again.Errors[i].Line -= n
	}
	kept := lineprotocol.Result{Rejected: again.Rejected, Errors: again.Errors}
	for i, rows := range again.Rows {
		lines, mine := again.Lines[i], 0
		if slices.Contains(measurements, rows.Table) {
			whole := rows.Batch
			rows.Batch = whole.NewSlice(1, whole.NumRows())
			whole.Release()
			mine = 1
		}
		if rows.Batch.NumRows() == 0 {
			rows.Batch.Release()
			continue
		}
		kept.Rows, kept.Lines = append(kept.Rows, rows), append(kept.Lines, lines.Without(mine, n))
	}
	ingest.Release(decoded.Rows)
	*decoded = kept
	return nil
}

// typedLine returns a line in line protocol whose fields have the types of a table's columns. It
// has the fields of some rows. It returns "" if line protocol has none of these types.
func typedLine(t schema.Table, rows ingest.Rows) string {
	var fields []string
	for i, f := range rows.Batch.Schema().Fields() {
		at := t.ColumnIndex(f.Name)
		if at < 0 || f.Name == "time" || slices.Contains(rows.Tags, i) {
			continue
		}
		if value, ok := typedValues[t.Columns[at].Type.Kind]; ok {
			fields = append(fields, fieldName.Replace(f.Name)+"="+value)
		}
	}
	if len(fields) == 0 || strings.ContainsAny(rows.Table+strings.Join(fields, ""), "\n\r") {
		return ""
	}
	return measurementName.Replace(rows.Table) + " " + strings.Join(fields, ",") + " 0\n"
}

// fieldName and measurementName escape names for line protocol.
var (
	fieldName       = strings.NewReplacer(",", `\,`, " ", `\ `, "=", `\=`)
	measurementName = strings.NewReplacer(",", `\,`, " ", `\ `)
)

// typedValues has, for each type of a column, a field value of that type in line protocol.
var typedValues = map[schema.Kind]string{
	schema.Boolean: "t", schema.BigInt: "0i", schema.UBigInt: "0u", schema.Double: "0", schema.Varchar: `""`,
}
