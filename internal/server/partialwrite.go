package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// tablePoints has points (rows) of one measurement in a write request in line protocol. The field
// Numbers has the index of each point among all decoded points of the measurement. Numbers is nil
// if tablePoints has all of them.
type tablePoints struct {
	engine.TableRows     // the points, in one batch
	decoded          int // index of the measurement among the decoded tables
}

// numbered returns t with the field Numbers set: the index of each point among all decoded points
// of the measurement.
func (t tablePoints) numbered() tablePoints {
	if t.Numbers == nil {
		numbers := make([]int32, t.Batches[0].NumRows())
		for i := range numbers {
			numbers[i] = int32(i)
		}
		t.Numbers = [][]int32{numbers}
	}
	return t
}

// slice returns the points of t with the indexes i for which from <= i < to. The field Numbers of t
// must be set. The caller releases the batch of the result.
func (t tablePoints) slice(from, to int64) tablePoints {
	t.Batches = []arrow.RecordBatch{t.Batches[0].NewSlice(from, to)}
	t.Numbers = [][]int32{t.Numbers[0][from:to]}
	return t
}

// rowsOf converts the points of several measurements to the form that the engine takes.
func rowsOf(tables []tablePoints) []engine.TableRows {
	rows := make([]engine.TableRows, len(tables))
	for i, t := range tables {
		rows[i] = t.TableRows
	}
	return rows
}

// partialWrite records which lines of a write request in line protocol were not stored, and why.
type partialWrite struct {
	// reasons has lines that were not stored, and why: at most wire.MaxErrors lines that do not
	// parse, and at most wire.MaxErrors lines that were refused for other reasons.
	reasons []lineReason
	refused int
	dropped int64
	// stored is true if some lines were stored, or are well-formed and only contradict stored rows.
	// It decides the wording of the error in the response.
	stored bool
	lines  []wire.Lines // for each decoded table, the line numbers of its rows
}

// lineReason is the reason why a line was not stored.
type lineReason struct {
	line int // number of the line, from 1; 0 if the reason is not about a single line
	text string
}

// rejectedLines returns a partialWrite that has the lines which the decoder could not parse.
func rejectedLines(d wire.Tables) *partialWrite {
	p := &partialWrite{dropped: int64(d.Rejected), stored: len(d.Rows) > 0, lines: d.Lines}
	for _, e := range d.Errors {
		p.reasons = append(p.reasons, lineReason{e.Line, e.Reason})
		p.stored = p.stored || e.Conflict
	}
	return p
}

// replayed is called if a request repeats an earlier request with the same idempotency key. The
// argument dropped is the number of lines that the earlier request did not store. The response
// reports it.
func (p *partialWrite) replayed(dropped int64) {
	p.reasons, p.dropped, p.stored = []lineReason{{0, "this request is a repetition: some of its lines were refused the first time"}}, max(0, dropped), true
}

// answer writes the response to a write request if all lines were stored. Otherwise it returns the
// error for the client. The error has InfluxDB's wording, because clients parse it.
func (p *partialWrite) answer(w http.ResponseWriter) error {
	slices.SortStableFunc(p.reasons, func(a, b lineReason) int { return cmp.Compare(a.line, b.line) })
	reasons := make([]string, len(p.reasons))
	for i, why := range p.reasons {
		reasons[i] = why.text
		if why.line > 0 {
			reasons[i] = fmt.Sprintf("line %d: %s", why.line, why.text)
		}
	}
	text := strings.Join(reasons, "\n")
	switch {
	case p.dropped == 0:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case !p.stored:
		return base.Errorf(base.Invalid, "unable to parse: %s", text)
	}
	return base.Errorf(base.Invalid, "partial write: %s dropped=%d", text, p.dropped)
}

// drop notes that the points in t are not stored. The argument why is the reason.
func (p *partialWrite) drop(t tablePoints, why string) {
	t = t.numbered()
	p.stored = true
	p.dropped += int64(len(t.Numbers[0]))
	for _, row := range t.Numbers[0] {
		if p.refused++; p.refused > wire.MaxErrors {
			break
		}
		p.reasons = append(p.reasons, lineReason{p.lines[t.decoded].Of(int(row)), why})
	}
}

// pointsOf converts decoded points to one tablePoints for each table. It refuses points that cannot
// be stored in any case: points for a view, and points with a field that has the name of the column
// in which the nanoseconds of other points are stored.
func (s *Server) pointsOf(r *http.Request, decoded []ingest.Rows, p *partialWrite) (tables []tablePoints, err error) {
	database := s.database(r)
	if err := ingest.CheckName("database", database); err != nil {
		return nil, err
	}
	for i := range decoded {
		rows := &decoded[i]
		name := engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: rows.Table}
		// A NULL in a batch of points means that the point does not have the field.
		t := tablePoints{engine.TableRows{Table: name, Batches: []arrow.RecordBatch{rows.Batch}, Tags: tagNames(*rows), NullMeansMissing: true, TypedFormat: true}, i}
		if _, err := s.store.LookupView(name.Database, name.Schema, name.Name); err == nil {
			p.drop(t, fmt.Sprintf("%q is a view", name.Name))
			continue
		}
		rec, numbers, err := s.dropNanosFields(name, rows.Batch)
		if err != nil {
			return nil, err
		}
		if numbers != nil {
			bad := t
			bad.Numbers = [][]int32{numbers.refused}
			p.drop(bad, fmt.Sprintf("input field %q on measurement %q: Scoter stores the nanoseconds of the times of other points under that name", nanosColumn, rows.Table))
			rows.Batch.Release()
			rows.Batch, t.Numbers = rec, [][]int32{numbers.accepted}
			if rec.NumRows() == 0 {
				continue
			}
		}
		exact, err := s.splitTime(name, rows.Batch)
		if err != nil {
			return nil, err
		}
		if exact != nil {
			rows.Batch.Release()
			rows.Batch = exact
		}
		t.Batches = []arrow.RecordBatch{rows.Batch}
		tables = append(tables, t)
	}
	return tables, nil
}

// storePoints stores the points of a write request, and records in p the points that it drops. It
// first stores points of tables with a primary key that cannot be one edit together, in pieces (see
// storePiece). To store a piece again has no effect. It stores all other points last, in one commit
// with the request's idempotency key. So even if the request fails in between and the client
// repeats it, no point is stored twice.
func (s *Server) storePoints(r *http.Request, tables []tablePoints, o engine.AppendOptions, p *partialWrite) error {
	var whole []tablePoints
	for i, t := range tables {
		pieces, release, err := s.executor.Pieces(r.Context(), t.TableRows, o)
		defer release()
		if err != nil && base.KindOf(err) != base.Invalid {
			return err
		}
		if err != nil || len(pieces) == 0 {
			whole = append(whole, t)
			continue
		}
		for n, piece := range pieces {
			for i, row := range piece.Numbers[0] {
				if t.Numbers != nil {
					piece.Numbers[0][i] = t.Numbers[0][row]
				}
			}
			if err := p.bisect(r.Context(), tablePoints{piece, t.decoded}, fmt.Sprintf("piece %d.%d", i, n), s.storePiece(r, o)); err != nil {
				return err
			}
		}
	}
	if len(whole) == 0 {
		return nil
	}
	counts, err := s.executor.Append(r.Context(), rowsOf(whole), o)
	switch {
	case err != nil && base.KindOf(err) == base.Invalid:
		p.stored = true
		return s.appendValid(r, whole, o, p)
	case err == nil && o.IdempotencyKey != "":
		// If the counts differ from the number of points, this request repeats an earlier request,
		// and these are the counts of the earlier one. That request dropped some points. They may
		// fit into the table now, but they are not stored.
		if n, ok := s.rowsFor(whole); ok && n != counts.Rows() {
			p.replayed(n + p.dropped - counts.Rows())
		}
	}
	return err
}

// rowsFor returns how many rows are inserted if the points are stored. ok is false if one of the
// tables has a primary key, because the number then also depends on existing rows.
func (s *Server) rowsFor(tables []tablePoints) (n int64, ok bool) {
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

// appendValid is called if some points contradict the types of their tables. It drops these
// points, which it records in p, and stores the others.
func (s *Server) appendValid(r *http.Request, tables []tablePoints, o engine.AppendOptions, p *partialWrite) error {
	var fitting []engine.TableRows
	for i, t := range tables {
		if s.keyed(t.Table) {
			if err := p.bisect(r.Context(), t, strconv.Itoa(i), s.storePiece(r, o)); err != nil {
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
		err := p.bisect(r.Context(), t, "", func(t engine.TableRows, _ string) error {
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
		rows := t.TableRows
		rows.Batches, rows.Numbers = pieces, nil
		fitting = append(fitting, rows)
	}
	if len(fitting) == 0 {
		return nil
	}
	_, err := s.executor.Append(r.Context(), fitting, o)
	return err
}

// storePiece returns a function that stores some of a request's points (a piece) in a table with a
// primary key. Storing a piece again has no effect, unless the same rows were changed in between.
// To exclude that case too, each piece gets its own idempotency key, if the request has one.
func (s *Server) storePiece(r *http.Request, o engine.AppendOptions) func(engine.TableRows, string) error {
	return func(t engine.TableRows, piece string) error {
		with := o
		if o.IdempotencyKey != "" {
			hash := sha256.Sum256([]byte(o.IdempotencyKey + "/" + piece))
			with.IdempotencyKey = fmt.Sprintf("lines-%x", hash)
		}
		_, err := s.executor.Append(r.Context(), []engine.TableRows{t}, with)
		return err
	}
}

// bisect stores points by calling the function fit, and drops single points that contradict the
// types of their table. If fit returns an Invalid error, bisect splits the points in two and tries
// both halves, down to single points. The argument piece is a name for these points, which bisect
// passes to fit. The halves get longer names. A repeated request is split in the same way, so its
// pieces have the same names.
func (p *partialWrite) bisect(ctx context.Context, t tablePoints, piece string, fit func(t engine.TableRows, piece string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t = t.numbered()
	n := t.Batches[0].NumRows()
	rows := t.TableRows
	// Leave out the columns that none of these points has, so that they are not added to the table.
	rows.Batches = []arrow.RecordBatch{withValues(t.Batches[0])}
	switch err := fit(rows, piece); {
	case err == nil:
		return nil
	case base.KindOf(err) != base.Invalid:
		return err
	case n == 1:
		p.drop(t, "field type conflict: "+err.Error())
		return nil
	}
	for i, cut := range [][2]int64{{0, n / 2}, {n / 2, n}} {
		half := t.slice(cut[0], cut[1])
		err := p.bisect(ctx, half, fmt.Sprintf("%s.%d", piece, i), fit)
		half.Batches[0].Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// withValues returns the points without the columns that are NULL in all of them. The result need
// not be released, because its memory is garbage-collected.
func withValues(rec arrow.RecordBatch) arrow.RecordBatch {
	var fields []arrow.Field
	var columns []arrow.Array
	for i, f := range rec.Schema().Fields() {
		if c := rec.Column(i); c.NullN() < c.Len() {
			fields, columns = append(fields, f), append(columns, c)
		}
	}
	if len(fields) == int(rec.NumCols()) {
		return rec
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}
