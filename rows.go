package scoter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// Rows is a result being read: row by row with Next and Scan, or batch by batch with
// NextBatch, not both.
type Rows struct {
	ctx     context.Context
	answer  *session.Answer
	changed Changed
	batch   arrow.RecordBatch
	row     int
	err     error
}

func newRows(ctx context.Context, answer *session.Answer) *Rows {
	c := answer.Counts
	return &Rows{ctx: ctx, answer: answer, changed: Changed{c.Inserted, c.Updated, c.Deleted}}
}

// Schema returns the columns; it has none for a statement without a result.
func (r *Rows) Schema() *arrow.Schema {
	if r.answer.Rows == nil {
		return arrow.NewSchema(nil, nil)
	}
	return r.answer.Rows.Schema()
}

// NextBatch returns the next Arrow batch, which the caller releases, or io.EOF.
func (r *Rows) NextBatch() (arrow.RecordBatch, error) {
	if r.answer.Rows == nil {
		return nil, io.EOF
	}
	return r.answer.Rows.Next(r.ctx)
}

// Next moves to the next row. It returns false at the end and after an error, which
// Close returns.
func (r *Rows) Next() bool {
	r.row++
	for r.batch == nil || r.row >= int(r.batch.NumRows()) {
		if r.batch != nil {
			r.batch.Release()
			r.batch = nil
		}
		batch, err := r.NextBatch()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			return false
		}
		r.batch, r.row = batch, 0
	}
	return true
}

// Scan copies the current row's values: into *bool, *string, *[]byte, *time.Time, pointers to
// numbers (an overflow is an error), *any, and pointers to those for columns that may be NULL.
func (r *Rows) Scan(dest ...any) error {
	if r.batch == nil {
		return base.Errorf(base.Invalid, "Scan without a row: call Next first")
	}
	if len(dest) != int(r.batch.NumCols()) {
		return base.Errorf(base.Invalid, "the row has %d columns, %d places were given", r.batch.NumCols(), len(dest))
	}
	for i, d := range dest {
		if err := assign(d, value(r.batch.Column(i), r.row)); err != nil {
			return base.Wrap(err, "column %q", r.batch.ColumnName(i))
		}
	}
	return nil
}

// Close ends the query. It returns the error that ended the rows early, if any.
func (r *Rows) Close() error {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
	r.answer.Close()
	return r.err
}

// value returns a value as Go has it: nil, bool, int64, uint64, float64, string, []byte, time.Time,
// and text for every other type.
func value(a arrow.Array, i int) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return uint64(a.Value(i))
	case *array.Uint16:
		return uint64(a.Value(i))
	case *array.Uint32:
		return uint64(a.Value(i))
	case *array.Uint64:
		return a.Value(i)
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.Binary:
		return append([]byte(nil), a.Value(i)...)
	case *array.Date32:
		return a.Value(i).ToTime()
	case *array.Timestamp:
		return a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit)
	}
	return strings.Clone(a.ValueStr(i)) // the array's memory is DuckDB's
}

func assign(dest, v any) error {
	switch d := dest.(type) {
	case *any:
		*d = v
		return nil
	case *string:
		switch v := v.(type) {
		case string:
			*d = v
			return nil
		case nil:
		default:
			*d = fmt.Sprint(v)
			return nil
		}
	case *time.Time:
		if t, ok := v.(time.Time); ok {
			*d = t
			return nil
		}
	}
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return base.Errorf(base.Invalid, "a %T is no place for a value", dest)
	}
	to = to.Elem()
	if to.Kind() == reflect.Pointer {
		if v == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), v)
	}
	if v == nil {
		return base.Errorf(base.Invalid, "NULL does not fit into a %s", to.Type()).WithHint("scan into a pointer to a pointer")
	}
	from := reflect.ValueOf(v)
	if !fits(from, to) {
		return base.Errorf(base.Invalid, "%v does not fit into a %s", v, to.Type())
	}
	to.Set(from.Convert(to.Type()))
	return nil
}

// fits reports whether a value converts to a place without loss.
func fits(from, to reflect.Value) bool {
	switch {
	case from.Type().AssignableTo(to.Type()):
		return true
	case to.CanInt() && from.CanInt():
		return !to.OverflowInt(from.Int())
	case to.CanInt() && from.CanUint():
		return from.Uint() <= 1<<63-1 && !to.OverflowInt(int64(from.Uint()))
	case to.CanUint() && from.CanInt():
		return from.Int() >= 0 && !to.OverflowUint(uint64(from.Int()))
	case to.CanUint() && from.CanUint():
		return !to.OverflowUint(from.Uint())
	case to.CanFloat():
		return from.CanInt() || from.CanUint() || from.CanFloat()
	}
	return from.Kind() == to.Kind() && from.CanConvert(to.Type())
}
