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

// scDuckBulk describes a bulk operation on a table of DuckDB.
type scDuckBulk[T any] struct {
	name, schema, table string
	// stage is the name of a temporary table into which the rows are written. These statements run
	// in this order: create creates it, dedupe removes rows with repeated keys, apply changes the
	// target table, and drop drops the temporary table.
	//
	// An insert uses the temporary table in two cases: it does not write all columns of the target
	// table, or the application has a transaction open. In such a transaction, rows that were
	// appended to the target table could not be taken back. direct says that rows may be appended
	// to the target table itself.
	stage, create, dedupe, apply, drop string
	direct                             bool
	// values returns the values of a row, converted to the driver's Go types.
	values func(T) []any
	// columns has one element for each column of a row, with the function that writes the column's
	// value into a vector of DuckDB.
	columns []scDuckColumn[T]
}

// scDuckColumn is a column whose values are written into a vector of DuckDB (an array of values).
type scDuckColumn[T any] struct {
	name string
	// kind is the kind of value from which the vector is written. It is "" if the column's type
	// cannot be written into a vector.
	kind          string
	required, key bool
	set           func(v *scVec, at int, r *T)
}

// DuckDBRoute is one of the ways in which a bulk operation can write rows. If the user chooses
// none, the types of the columns decide.
type DuckDBRoute string

const (
	// DuckDBVectors means that rows are written into DuckDB's vectors. Not every type of column
	// allows it.
	DuckDBVectors DuckDBRoute = "vectors"
	// DuckDBAppender means that rows are written with the driver's appender.
	DuckDBAppender DuckDBRoute = "appender"
)

var errScDuckConn = errors.New("a bulk operation needs a *sql.DB or *sql.Conn: use Transaction instead of a *sql.Tx")

// scDuckWrite runs a bulk operation in one transaction, and returns the number of changed rows.
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

// scDuckWriter is a bulk operation that is running.
type scDuckWriter[T any] struct {
	bulk   scDuckBulk[T]
	route  DuckDBRoute
	heap   scHeap
	vecs   []*scVec
	number int64
	// held has the rows that were passed to DuckDB and not checked by it yet. If the rows are
	// record batches, the field batches has them instead.
	held    []T
	batches scDuckBatches
	// keys finds out whether a key occurs twice. It is nil in two cases: repeated keys do not
	// matter, or they cannot be found out. In the second case, the statement dedupe always runs.
	keys *scKeySet
	key  []byte
}

// scDuckBatches are rows in Arrow record batches.
type scDuckBatches interface {
	count() int
	// text returns a value as it is written in DuckDB's error messages.
	text(row, column int) string
}

// staged creates the temporary table, calls fill to write the rows into it, and then changes the
// target table. It returns the number of changed rows.
func (w *scDuckWriter[T]) staged(ctx context.Context, tx *scRuntime, fill func() error) (n int64, err error) {
	b := w.bulk
	if _, err := tx.db.ExecContext(ctx, b.create); err != nil {
		return 0, err
	}
	done := false
	defer func() {
		if !done {
			// If the application has a transaction open, that transaction continues without the
			// temporary table. The error of this DROP does not matter: DuckDB may have ended the
			// transaction.
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

// scDuckPortion is the number of rows after which the written rows are flushed to DuckDB, which
// then checks them.
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

// scDuckHandle returns DuckDB's own connection, which the driver's connection c contains. ok is
// false if c does not have the field in which this version of the driver keeps it.
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

// appendVectors writes rows into DuckDB's vectors. It returns false, and has written nothing, if a
// column has a type that cannot be written into a vector.
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
			// Rows that were not flushed are dropped.
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

// scDuckExact reports whether values of a type are equal if and only if their bytes are. That is
// not so for texts with a collation.
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
	var row T // one variable for all rows, because vectors refer to its memory
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
	// The rows of the final portion stay in w.held, because the database may refuse a key when the
	// operation ends, and the error then has to name the row.
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

// appendKey appends the bytes of one value of the vector to key. at is the row of the value, which
// has a fixed size.
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

// appendRows writes rows with the driver's appender.
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

// refused returns an error with the message of DuckDB. If the message is about a duplicate key, the
// error names the last row with this key: if a key occurs twice, the second row is refused.
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

// hasKey reports whether a row has the key that an error message names. text returns the value of a
// column as text. The message has a key in the form `a: 1, b: x`, or `1, x` if the key occurred
// twice.
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

// scDuckText returns a value of a key as it is written in DuckDB's error messages.
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
