package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/lineprotocol"
	"github.com/scoterdb/scoter/internal/schema"
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
	b, err := s.readBody(w, r, s.gate)
	if err != nil {
		return err
	}
	defer b.Close()
	options := lineprotocol.Options{Now: time.Now(), Precision: precision}
	decoded, err := lineprotocol.Decode(b.bytes, options)
	if err != nil {
		return err
	}
	defer func() { ingest.Release(decoded.Rows) }()
	identify(&o, r, b.bytes)
	conflict := func(e lineprotocol.LineError) bool { return e.Conflict }
	if slices.ContainsFunc(decoded.Errors, conflict) {
		// Which of two types is right is for the table to say, not for the first line.
		if err := s.decodeAsStored(r, b.bytes, options, &decoded); err != nil {
			return err
		}
	}
	tables, err := s.tables(r, decoded.Rows)
	if err != nil {
		return err
	}
	for i := range tables {
		tables[i].Sparse = true // no field is NULL
	}
	if err := b.decoded(r.Context(), batchesOf(decoded.Rows)...); err != nil {
		return err
	}
	p := unparsed(decoded)
	counts, err := s.append(r, tables, o)
	switch {
	case base.KindOf(err) == base.Invalid && err != nil:
		p.stored = true
		err = s.appendWhatFits(r, tables, o, p)
	case err == nil && o.IdempotencyKey != "":
		// Counts that are not those of the rows are the first request's, of which some did not fit. They may do so now.
		if n, ok := s.rowsFor(tables); ok && n != counts.Rows() {
			p.repeated(n + p.dropped - counts.Rows())
		}
	}
	if err != nil {
		return err
	}
	return p.answer(w)
}

// rowsFor is how many rows there are for tables without a primary key; ok is false if one of them has a key: of such counts say something else.
func (s *Server) rowsFor(tables []engine.TableRows) (n int64, ok bool) {
	for _, t := range tables {
		if s.keyed(t.Table) {
			return 0, false
		}
		n += t.Batches[0].NumRows()
	}
	return n, true
}

// keyed reports whether a table has a primary key.
func (s *Server) keyed(name engine.TableName) bool {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	return err == nil && len(t.PrimaryKey) > 0
}

// decodeAsStored decodes once more, as if each measurement had begun with a line of the types
// that its table has, so that lines of another type are the ones rejected.
func (s *Server) decodeAsStored(r *http.Request, body []byte, o lineprotocol.Options, decoded *lineprotocol.Result) error {
	var typed bytes.Buffer
	var measurements []string
	for _, rows := range decoded.Rows {
		t, err := s.store.Lookup(s.database(r), engine.DefaultSchema, rows.Table)
		if err != nil {
			continue // it has no types yet
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
	// A line of ours that was rejected, for a name that cannot be written, left no row.
	for len(again.Errors) > 0 && again.Errors[0].Line <= n {
		measurements[again.Errors[0].Line-1] = ""
		again.Errors = again.Errors[1:]
		again.Rejected--
	}
	for i := range again.Errors {
		again.Errors[i].Line -= n
	}
	for i := range again.Rows {
		rows := &again.Rows[i]
		if slices.Contains(measurements, rows.Table) {
			whole := rows.Batch
			rows.Batch = whole.NewSlice(1, whole.NumRows())
			whole.Release()
		}
	}
	again.Rows = slices.DeleteFunc(again.Rows, func(rows ingest.Rows) bool {
		if rows.Batch.NumRows() > 0 {
			return false
		}
		rows.Batch.Release()
		return true
	})
	ingest.Release(decoded.Rows)
	*decoded = again
	return nil
}

// typedLine writes a line with the fields of some rows in the types of their table; nothing if
// there are none whose type a line can tell.
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

// fieldName and measurementName escape names for a line.
var (
	fieldName       = strings.NewReplacer(",", `\,`, " ", `\ `, "=", `\=`)
	measurementName = strings.NewReplacer(",", `\,`, " ", `\ `)
)

// typedValues are values of fields by the type of their column.
var typedValues = map[schema.Kind]string{
	schema.Boolean: "t", schema.BigInt: "0i", schema.UBigInt: "0u", schema.Double: "0", schema.Varchar: `""`,
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

// repeated is for a request that was made before, under its key, of which so many lines were dropped then.
func (p *partial) repeated(dropped int64) {
	p.reasons, p.dropped, p.stored = []string{"this request was made before: some lines were not taken then"}, max(0, dropped), true
}

// answer says that all was stored, or is the error for the client, in InfluxDB's words: clients read them.
func (p *partial) answer(w http.ResponseWriter) error {
	text := strings.Join(p.reasons, "\n")
	switch {
	case p.dropped == 0:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case !p.stored:
		return base.Errorf(base.Invalid, "unable to parse: %s", text)
	}
	return base.Errorf(base.Invalid, "partial write: %s dropped=%d", text, p.dropped)
}

// appendWhatFits is for lines of which some contradict their tables: it stores the others, and enters which it dropped. What a repetition
// would add once more goes in at once, under the request's key, behind all that it would not: then nothing is doubled whatever fails.
func (s *Server) appendWhatFits(r *http.Request, tables []engine.TableRows, o engine.AppendOptions, p *partial) error {
	var fitting []engine.TableRows
	for i, t := range tables {
		if s.keyed(t.Table) {
			if err := p.eachPiece(r.Context(), t, strconv.Itoa(i), s.upsertPiece(r, o)); err != nil {
				return err
			}
			continue
		}
		var pieces []arrow.RecordBatch
		defer func() {
			for _, rec := range pieces {
				rec.Release()
			}
		}()
		err := p.eachPiece(r.Context(), t, "", func(t engine.TableRows, _ string) error {
			err := s.executor.Fits(r.Context(), []engine.TableRows{t}, engine.AppendOptions{Create: o.Create})
			if err == nil {
				t.Batches[0].Retain()
				pieces = append(pieces, t.Batches[0])
			}
			return err
		})
		if err != nil {
			return err
		}
		if len(pieces) == 0 {
			continue
		}
		whole, err := batch.Concat(pieces)
		if err != nil {
			return err
		}
		defer whole.Release()
		t.Batches = []arrow.RecordBatch{whole}
		fitting = append(fitting, t)
	}
	if len(fitting) == 0 {
		return nil
	}
	_, err := s.append(r, fitting, o)
	return err
}

// upsertPiece returns what stores rows of a table with a primary key. A repetition of them changes nothing, but that it could come behind
// a later change: so each piece of a request with a key has one of its own.
func (s *Server) upsertPiece(r *http.Request, o engine.AppendOptions) func(engine.TableRows, string) error {
	return func(t engine.TableRows, piece string) error {
		with := o
		if o.IdempotencyKey != "" {
			hash := sha256.Sum256([]byte(o.IdempotencyKey + "/" + piece))
			with.IdempotencyKey = fmt.Sprintf("lines-%x", hash)
		}
		_, err := s.append(r, []engine.TableRows{t}, with)
		return err
	}
}

// eachPiece cuts rows that do not fit in two until what does not fit is single rows, which are dropped. A request that is
// repeated is cut in the same way, and its pieces have the same names.
func (p *partial) eachPiece(ctx context.Context, t engine.TableRows, piece string, fit func(t engine.TableRows, piece string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rec := t.Batches[0]
	n := rec.NumRows()
	switch err := fit(t, piece); {
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
		err := p.eachPiece(ctx, half, fmt.Sprintf("%s.%d", piece, i), fit)
		half.Batches[0].Release()
		if err != nil {
			return err
		}
	}
	return nil
}
