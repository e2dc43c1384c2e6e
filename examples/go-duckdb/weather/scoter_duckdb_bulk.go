//go:build cgo

package weather

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// scDuckBulk describes a bulk operation on a table.
type scDuckBulk[T any] struct {
	name, schema, table string
	// stage, create, dedupe, apply and drop are set when a temporary table is
	// filled and then applied. An insert has one too, for a table of which it
	// does not write all columns, and for the application's transaction: what
	// was appended to the table itself could not be taken back there. direct
	// says that the table may be appended to.
	stage, create, dedupe, apply, drop string
	direct                             bool
	// values are those of a row in the driver's classes.
	values func(T) []any
	// columns are the same, written into the engine's vectors.
	columns []scDuckColumn[T]
}

// scDuckColumn is a column that is written into a vector.
type scDuckColumn[T any] struct {
	name string
	// kind is what the column's type must be written from, "" if it is not.
	kind          string
	required, key bool
	set           func(v *scVec, at int, r *T)
}

// DuckDBRoute is a way for the rows of a bulk operation, where it is not left to
// their types.
type DuckDBRoute string

const (
	// DuckDBVectors is to write into the engine's vectors, which not every type
	// is.
	DuckDBVectors DuckDBRoute = "vectors"
	// DuckDBAppender is the driver's appender.
	DuckDBAppender DuckDBRoute = "appender"
)

var errScDuckConn = errors.New("a bulk operation needs a *sql.DB or *sql.Conn: use Transaction instead of a *sql.Tx")

// scDuckWrite runs a bulk operation in one transaction.
func scDuckWrite[T any](ctx context.Context, rt *scRuntime, b scDuckBulk[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		err := rt.transaction(ctx, func(tx *scRuntime) (err error) {
			conn, ok := tx.db.(scConn)
			if !ok {
				return errScDuckConn
			}
			w := &scDuckWriter[T]{bulk: b, route: DuckDBRoute(rt.route)}
			if b.direct && tx != rt && !tx.joined {
				n, err = w.append(ctx, conn, b.schema, b.table, rows)
				return err
			}
			n, err = w.staged(ctx, tx, func() error {
				_, err := w.append(ctx, conn, "", b.stage, rows)
				return err
			})
			return err
		})
		return n, err
	})
	return n, err
}

// scDuckWriter is one bulk operation under way.
type scDuckWriter[T any] struct {
	bulk   scDuckBulk[T]
	route  DuckDBRoute
	heap   scHeap
	vecs   []*scVec
	number int64
	// held are the rows that the engine has not checked yet, and batches those that
	// come as Arrow.
	held    []T
	batches scDuckBatches
	// keys are those of the rows if it matters that one comes twice.
	keys *scKeySet
	key  []byte
}

// scDuckBatches are rows in columns of Arrow.
type scDuckBatches interface {
	count() int
	// text is a value as the engine's errors have it.
	text(row, column int) string
}

// staged applies a temporary table that fill writes.
func (w *scDuckWriter[T]) staged(ctx context.Context, tx *scRuntime, fill func() error) (n int64, err error) {
	b := w.bulk
	if _, err := tx.db.ExecContext(ctx, b.create); err != nil {
		return 0, err
	}
	done := false
	defer func() {
		if !done {
			// The application's transaction goes on without it, unless the engine has ended it.
			tx.db.ExecContext(context.WithoutCancel(ctx), b.drop)
		}
	}()
	if b.dedupe != "" && w.batches == nil {
		w.keys = newScKeySet()
	}
	if err := fill(); err != nil {
		return 0, err
	}
	if b.dedupe != "" && (w.keys == nil || w.keys.repeated) {
		if _, err := tx.db.ExecContext(ctx, b.dedupe); err != nil {
			return 0, err
		}
	}
	result, err := tx.db.ExecContext(ctx, b.apply)
	if err != nil {
		return 0, w.refused(err.Error())
	}
	if n, err = result.RowsAffected(); err != nil {
		return 0, err
	}
	_, err = tx.db.ExecContext(ctx, b.drop)
	done = err == nil
	return n, err
}

// scDuckPortion is how many rows the engine is given to check at a time.
const scDuckPortion = 30 * 2048

func (w *scDuckWriter[T]) append(ctx context.Context, conn scConn, schema, table string, rows iter.Seq2[T, error]) (n int64, err error) {
	err = conn.Raw(func(c any) error {
		switch w.route {
		case "", DuckDBVectors:
			handle, ok := scDuckHandle(c)
			if ok {
				ok, err = w.appendVectors(ctx, handle, schema, table, rows)
			}
			if ok {
				return err
			}
			if w.route != "" {
				return fmt.Errorf("%s: route %s: a column's type is not written so", w.bulk.name, w.route)
			}
		case DuckDBAppender:
		default:
			return fmt.Errorf("%s: there is no route %q", w.bulk.name, string(w.route))
		}
		w.keys = nil
		return w.appendRows(ctx, c.(driver.Conn), schema, table, rows)
	})
	return w.number, err
}

// scDuckHandle is the engine's own connection inside of the driver's, if the
// driver has it where this one does.
func scDuckHandle(c any) (conn mapping.Connection, ok bool) {
	r := reflect.ValueOf(c)
	if r.Kind() != reflect.Pointer {
		return conn, false
	}
	handle := r.Elem().FieldByName("conn")
	if !handle.IsValid() || handle.Type() != reflect.TypeFor[mapping.Connection]() {
		return conn, false
	}
	conn.Ptr = handle.FieldByName("Ptr").UnsafePointer()
	return conn, true
}

// appendVectors writes rows into the engine's vectors; false if a column has a
// type that is not written so.
func (w *scDuckWriter[T]) appendVectors(ctx context.Context, conn mapping.Connection, schema, table string, rows iter.Seq2[T, error]) (ok bool, err error) {
	var appender mapping.Appender
	if mapping.AppenderCreateExt(conn, "", schema, table, &appender) == mapping.StateError {
		err = fmt.Errorf("%s: %s", w.bulk.name, mapping.AppenderError(appender))
		mapping.AppenderDestroy(&appender)
		return true, err
	}
	finished := false
	defer func() {
		if !finished {
			// What the engine was not told to write is not written.
			mapping.AppenderClear(appender)
		}
		mapping.AppenderDestroy(&appender)
		w.heap.pin.Unpin()
	}()
	types := make([]mapping.LogicalType, mapping.AppenderColumnCount(appender))
	defer func() {
		for i := range types {
			mapping.DestroyLogicalType(&types[i])
		}
	}()
	for i := range types {
		types[i] = mapping.AppenderColumnType(appender, mapping.IdxT(i))
	}
	if len(types) != len(w.bulk.columns) {
		return false, nil
	}
	for i, c := range w.bulk.columns {
		if of, ok := scDuckCasts[mapping.GetTypeId(types[i])]; ok && c.kind == of.kind {
			mapping.DestroyLogicalType(&types[i])
			types[i] = mapping.CreateLogicalType(of.written)
		}
	}
	for i, c := range w.bulk.columns {
		v := newScVec(types[i], c.kind, &w.heap)
		if v == nil {
			return false, nil
		}
		w.vecs = append(w.vecs, v)
		if c.key && !scDuckExact(v.kind) {
			w.keys = nil
		}
	}
	chunk := mapping.CreateDataChunk(types)
	defer mapping.DestroyDataChunk(&chunk)
	if err := w.fill(ctx, appender, chunk, rows); err != nil {
		return true, err
	}
	finished = true
	return true, nil
}

// scDuckExact reports whether equal values of a type are equal in memory; texts
// are not if they have a collation.
func scDuckExact(kind mapping.Type) bool {
	switch kind {
	case mapping.TypeFloat, mapping.TypeDouble, mapping.TypeVarchar, mapping.TypeInterval, mapping.TypeList, mapping.TypeArray, mapping.TypeStruct, mapping.TypeMap,
		mapping.TypeBlob:
		return false
	}
	return true
}

func (w *scDuckWriter[T]) fill(ctx context.Context, appender mapping.Appender, chunk mapping.DataChunk, rows iter.Seq2[T, error]) error {
	size, at := int(mapping.VectorSize()), 0
	reach := func() {
		mapping.DataChunkReset(chunk)
		for i, v := range w.vecs {
			v.reach(mapping.DataChunkGetVector(chunk, mapping.IdxT(i)))
		}
		w.heap.reset()
		at = 0
	}
	send := func() error {
		if err := ctx.Err(); at == 0 || err != nil {
			return err
		}
		for _, v := range w.vecs {
			v.finish()
		}
		mapping.DataChunkSetSize(chunk, mapping.IdxT(at))
		if mapping.AppendDataChunk(appender, chunk) == mapping.StateError {
			return w.refused(mapping.AppenderError(appender))
		}
		reach()
		return nil
	}
	flush := func() error {
		if mapping.AppenderFlush(appender) == mapping.StateError {
			return w.refused(mapping.AppenderError(appender))
		}
		return nil
	}
	reach()
	var row T // one place for all rows: what is written points to it
	for r, err := range rows {
		if err != nil {
			return err
		}
		row = r
		if err := w.set(at, &row); err != nil {
			return err
		}
		w.held = append(w.held, row)
		if at++; at < size {
			continue
		}
		if err := send(); err != nil {
			return err
		}
		if len(w.held) == scDuckPortion {
			if err := flush(); err != nil {
				return err
			}
			w.held = w.held[:0]
		}
	}
	// The last ones stay held: a temporary table of them may yet be refused.
	if err := send(); err != nil {
		return err
	}
	return flush()
}

func (w *scDuckWriter[T]) set(at int, row *T) error {
	w.number++
	for i, c := range w.bulk.columns {
		v := w.vecs[i]
		c.set(v, at, row)
		if w.heap.err != nil {
			return &RowError{w.bulk.name, w.number, c.name, w.heap.err}
		}
		if c.required && v.null == at {
			return &RowError{w.bulk.name, w.number, c.name, errScNull}
		}
	}
	if w.keys == nil {
		return nil
	}
	w.key = w.key[:0]
	for i, c := range w.bulk.columns {
		if c.key {
			w.key = w.vecs[i].appendKey(w.key, at)
		}
	}
	w.keys.add(w.key)
	return nil
}

// appendKey appends the bytes of a value of a fixed size.
func (v *scVec) appendKey(key []byte, at int) []byte {
	if v.null == at {
		return append(key, 0)
	}
	size := 8
	kind := v.kind
	if kind == mapping.TypeDecimal || kind == mapping.TypeEnum {
		kind = v.small
	}
	switch kind {
	case mapping.TypeBoolean, mapping.TypeTinyInt, mapping.TypeUTinyInt:
		size = 1
	case mapping.TypeSmallInt, mapping.TypeUSmallInt:
		size = 2
	case mapping.TypeInteger, mapping.TypeUInteger, mapping.TypeDate:
		size = 4
	case mapping.TypeHugeInt, mapping.TypeUHugeInt, mapping.TypeUUID:
		size = 16
	}
	return append(append(key, 1), unsafe.Slice((*byte)(unsafe.Add(v.data, size*at)), size)...)
}

// appendRows writes rows by the driver's appender.
func (w *scDuckWriter[T]) appendRows(ctx context.Context, c driver.Conn, schema, table string, rows iter.Seq2[T, error]) (err error) {
	appender, err := duckdb.NewAppenderFromConn(c, schema, table)
	if err != nil {
		return fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, appender.Clear())
		}
		if closed := appender.Close(); err == nil && closed != nil {
			err = w.refused(closed.Error())
		}
	}()
	for row, err := range rows {
		if err != nil {
			return err
		}
		if w.number++; w.number%2048 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		raw := w.bulk.values(row)
		args := make([]driver.Value, len(raw))
		for i, v := range raw {
			if args[i] = v; v == nil && w.bulk.columns[i].required {
				return &RowError{w.bulk.name, w.number, w.bulk.columns[i].name, errScNull}
			}
		}
		if err := appender.AppendRow(args...); err != nil {
			return &RowError{w.bulk.name, w.number, "", err}
		}
		if w.held = append(w.held, row); len(w.held) == scDuckPortion {
			if err := appender.Flush(); err != nil {
				return w.refused(err.Error())
			}
			w.held = w.held[:0]
		}
	}
	return ctx.Err()
}

var scDuckDuplicate = regexp.MustCompile(`(?s)[Dd]uplicate key "(.*)"`)

// refused is the engine's error, with the row if it is about a key: the last
// one that has it, as one that comes twice is refused the second time.
func (w *scDuckWriter[T]) refused(message string) error {
	key := scDuckDuplicate.FindStringSubmatch(message)
	if key == nil {
		return fmt.Errorf("%s: %s", w.bulk.name, message)
	}
	held := len(w.held)
	if w.batches != nil {
		held = w.batches.count()
	}
	for i := held - 1; i >= 0; i-- {
		text := func(column int) string { return w.batches.text(i, column) }
		if w.batches == nil {
			values := w.bulk.values(w.held[i])
			text = func(column int) string { return scDuckText(values[column], w.bulk.columns[column].kind) }
		}
		if w.hasKey(text, key[1]) {
			return &RowError{w.bulk.name, w.number - int64(held) + int64(i) + 1, "", errors.New(message)}
		}
	}
	return fmt.Errorf("%s: %s", w.bulk.name, message)
}

// hasKey reports whether a row, whose columns' values are text, has the key of an
// error: `a: 1, b: x`, or `1, x` if it came twice.
func (w *scDuckWriter[T]) hasKey(text func(column int) string, key string) bool {
	var texts []string
	for i, c := range w.bulk.columns {
		if c.key {
			texts = append(texts, text(i))
		}
	}
	if strings.Join(texts, ", ") == key {
		return true
	}
	for key != "" {
		found := false
		for i, c := range w.bulk.columns {
			rest, ok := strings.CutPrefix(key, c.name+": ")
			if !ok {
				continue
			}
			if rest, ok = strings.CutPrefix(rest, text(i)); ok && (rest == "" || strings.HasPrefix(rest, ", ")) {
				key, found = strings.TrimPrefix(rest, ", "), true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// scDuckText is a value of a key as the engine's errors have it.
func scDuckText(v any, kind string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case duckdb.UUID:
		return v.String()
	case duckdb.Decimal:
		return scDecimalText(v)
	case time.Time:
		if kind == "date" {
			return v.UTC().Format("2006-01-02")
		}
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v)
}
