// The runtime of the generated code.

package weather

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// ErrNoRows is returned by a method for one row when there is none.
var ErrNoRows = sql.ErrNoRows

// Observer sees every operation; a nil one costs nothing.
type Observer interface {
	// Start is called before an operation. The function it returns is called
	// once at the end with the number of rows, -1 if unknown, and the error.
	Start(ctx context.Context, operation string) func(rows int64, err error)
}

// Migration is one schema change, run once per database and project.
type Migration struct {
	ID         string
	Checksum   string
	Statements []string
}

// MigrateOptions change how migrations are applied.
type MigrateOptions struct {
	// DryRun runs the pending migrations and then rolls them back.
	DryRun bool
}

// Decimal is an exact decimal number as its digits: "-12.50".
type Decimal string

// UUID is a UUID in its 16 bytes.
type UUID [16]byte

// NewUUID returns a random UUID (version 4).
func NewUUID() UUID {
	var u UUID
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return u
}

// ParseUUID reads the usual form with hyphens, or without.
func ParseUUID(s string) (u UUID, err error) {
	plain := strings.ReplaceAll(s, "-", "")
	if n, err := hex.Decode(u[:], []byte(plain)); err != nil || n != len(u) {
		return UUID{}, fmt.Errorf("not a UUID: %q", s)
	}
	return u, nil
}

// String is the usual form with hyphens.
func (u UUID) String() string {
	s := hex.EncodeToString(u[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// Interval is a length of time in three parts that do not convert into each
// other.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// RowsOf makes the source of a bulk operation from rows in memory.
func RowsOf[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Appender collects rows and writes them in portions of their own
// transactions. Close writes the last.
type Appender[T any] struct {
	write func(context.Context, iter.Seq2[T, error]) (int64, error)
	rows  []T
}

// scPortion is how many rows an Appender collects.
const scPortion = 20480

// Append adds a row.
func (a *Appender[T]) Append(ctx context.Context, rows ...T) error {
	a.rows = append(a.rows, rows...)
	if len(a.rows) < scPortion {
		return nil
	}
	return a.Flush(ctx)
}

// Flush writes what is waiting.
func (a *Appender[T]) Flush(ctx context.Context) error {
	rows := a.rows
	a.rows = nil
	_, err := a.write(ctx, RowsOf(rows...))
	return err
}

// Close writes what is waiting.
func (a *Appender[T]) Close(ctx context.Context) error { return a.Flush(ctx) }

// scBulk describes a bulk operation on a table.
type scBulk[T any] struct {
	name, schema, table string
	// row is the statement of one row (SQLite), copy the COPY (PostgreSQL).
	row, copy string
	// stage, create, dedupe, apply and drop are set when a temporary table is
	// filled and then applied.
	stage, create, dedupe, apply, drop string
	values                             func(T) []any
}

// scObserve runs an operation under an observer.
func scObserve(ctx context.Context, o Observer, name string, run func() (int64, error)) error {
	if o == nil {
		_, err := run()
		return err
	}
	end := o.Start(ctx, name)
	n, err := run()
	if end != nil {
		if err != nil {
			n = -1
		}
		end(n, err)
	}
	return err
}

// scObserved tells an observer of a stream, which may end early.
func scObserved[T any](ctx context.Context, o Observer, name string, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	if o == nil {
		return rows
	}
	return func(yield func(T, error) bool) {
		var n int64
		var failure error
		end := o.Start(ctx, name)
		defer func() {
			if end != nil {
				end(n, failure)
			}
		}()
		for row, err := range rows {
			if failure = err; err == nil {
				n++
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// scPending returns the migrations that are not applied yet. applied has the
// recorded checksums, "" where none was recorded.
func scPending(project string, all []Migration, applied map[string]string) ([]Migration, error) {
	var todo []Migration
	for _, m := range all {
		sum, done := applied[m.ID]
		switch {
		case !done:
			todo = append(todo, m)
		case sum != "" && sum != m.Checksum:
			return nil, fmt.Errorf("migration %s of %s was changed after it had been applied", m.ID, project)
		}
	}
	return todo, nil
}

const (
	scCreateMigrations = "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
		"applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))"
	scAddChecksum = "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT"
)

// scDecoder reads the columns of one row in order. It keeps the first error.
type scDecoder struct {
	raw []any
	at  int
	err error
}

func (d *scDecoder) next() any {
	d.at++
	return d.raw[d.at-1]
}

// scGet reads a column that is not NULL, or whose type has a nil of its own.
func scGet[T any](d *scDecoder, read func(any) (T, error)) T {
	var zero T
	raw := d.next()
	if raw == nil || d.err != nil {
		return zero
	}
	v, err := read(raw)
	if err != nil {
		d.err = fmt.Errorf("column %d: %w", d.at, err)
	}
	return v
}

// scNull reads a column that may be NULL.
func scNull[T any](d *scDecoder, read func(any) (T, error)) *T {
	raw := d.next()
	if raw == nil || d.err != nil {
		return nil
	}
	v, err := read(raw)
	if err != nil {
		d.err = fmt.Errorf("column %d: %w", d.at, err)
	}
	return &v
}

func scBad[T any](raw any) (T, error) {
	var zero T
	return zero, fmt.Errorf("a %T cannot be read as %T: %.40v", raw, zero, raw)
}

func scAny(raw any) (any, error) { return raw, nil }

func scBool(raw any) (bool, error) {
	switch v := raw.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case float64:
		return v != 0, nil
	case string:
		return strings.HasPrefix(v, "t"), nil
	}
	return scBad[bool](raw)
}

// scInt reads any of Go's whole numbers and refuses what does not fit.
func scInt[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](raw any) (T, error) {
	switch v := raw.(type) {
	case T:
		return v, nil
	case int64:
		if t := T(v); int64(t) == v && (t < 0) == (v < 0) {
			return t, nil
		}
	case float64:
		if t := T(v); float64(t) == v {
			return t, nil
		}
	case string:
		b, err := scBig(v)
		if err != nil {
			return 0, err
		}
		if b.IsInt64() {
			return scInt[T](b.Int64())
		}
		if b.IsUint64() {
			if t := T(b.Uint64()); t > 0 && uint64(t) == b.Uint64() {
				return t, nil
			}
		}
	default:
		if r := reflect.ValueOf(raw); r.CanInt() {
			return scInt[T](r.Int())
		} else if r.CanUint() {
			return scInt[T](strconv.FormatUint(r.Uint(), 10))
		} else if b, ok := raw.(*big.Int); ok {
			return scInt[T](b.String())
		}
	}
	return scBad[T](raw)
}

func scBig(raw any) (*big.Int, error) {
	switch v := raw.(type) {
	case *big.Int:
		return v, nil
	case int64:
		return big.NewInt(v), nil
	case uint64:
		return new(big.Int).SetUint64(v), nil
	case string:
		if b, ok := new(big.Int).SetString(v, 10); ok {
			return b, nil
		}
	}
	return scBad[*big.Int](raw)
}

func scFloat32(raw any) (float32, error) {
	if v, ok := raw.(float32); ok {
		return v, nil
	}
	v, err := scFloat64(raw)
	return float32(v), err
}

func scFloat64(raw any) (float64, error) {
	switch v := raw.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	case int64:
		return float64(v), nil
	case string:
		return strconv.ParseFloat(v, 64)
	}
	return scBad[float64](raw)
}

func scText(raw any) (string, error) { return scString[string](raw) }

// scString reads text, also as a named type of it: an enum, a decimal.
func scString[T ~string](raw any) (T, error) {
	switch v := raw.(type) {
	case string:
		return T(v), nil
	case []byte:
		return T(v), nil
	case time.Time:
		return T(v.Format(time.RFC3339Nano)), nil
	}
	return T(fmt.Sprint(raw)), nil
}

func scDecimal(raw any) (Decimal, error) {
	if v, ok := raw.(float64); ok {
		return Decimal(strconv.FormatFloat(v, 'f', -1, 64)), nil
	}
	return scString[Decimal](raw)
}

func scBlob(raw any) ([]byte, error) {
	switch v := raw.(type) {
	case []byte:
		return append([]byte{}, v...), nil
	case string:
		if strings.HasPrefix(v, `\x`) {
			return hex.DecodeString(v[2:])
		}
		return []byte(v), nil
	}
	return scBad[[]byte](raw)
}

func scJSON(raw any) (json.RawMessage, error) {
	switch v := raw.(type) {
	case string:
		return json.RawMessage(v), nil
	case []byte:
		return append(json.RawMessage{}, v...), nil
	}
	// A driver has parsed it.
	return json.Marshal(raw)
}

func scUUID(raw any) (UUID, error) {
	switch v := raw.(type) {
	case string:
		return ParseUUID(v)
	case []byte:
		if len(v) == 16 {
			return UUID(v), nil
		}
		return ParseUUID(string(v))
	}
	return scBad[UUID](raw)
}

// scMoments are the forms of a moment in text, with and without a zone.
var scMoments = []string{"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07:00:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"}

// scTime reads a day, a day and time, or an instant, always in UTC. SQLite's
// other forms are Unix seconds and Julian days.
func scTime(raw any) (time.Time, error) {
	switch v := raw.(type) {
	case time.Time:
		return v.UTC(), nil
	case int64:
		return time.Unix(v, 0).UTC(), nil
	case float64:
		return time.UnixMilli(int64((v-2440587.5)*86400000 + 0.5)).UTC(), nil
	case string:
		text := v
		if len(v) > 10 && v[10] == 'T' {
			text = v[:10] + " " + v[11:]
		}
		for _, layout := range scMoments {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), nil
			}
		}
	}
	return scBad[time.Time](raw)
}

// scClock reads a time of day as the time since midnight.
func scClock(raw any) (time.Duration, error) {
	switch v := raw.(type) {
	case time.Duration:
		return v, nil
	case time.Time:
		return time.Duration(v.Hour())*time.Hour + time.Duration(v.Minute())*time.Minute + time.Duration(v.Second())*time.Second + time.Duration(v.Nanosecond()), nil
	case string:
		for _, layout := range []string{"15:04:05.999999999", "15:04"} {
			if t, err := time.Parse(layout, v); err == nil {
				return scClock(t)
			}
		}
	case int64, float64:
		t, err := scTime(v)
		if err != nil {
			return 0, err
		}
		return scClock(t)
	}
	return scBad[time.Duration](raw)
}

// scZoned reads a time of day with an offset as text.
func scZoned(raw any) (string, error) {
	if v, ok := raw.(time.Time); ok {
		return v.Format("15:04:05.999999999Z07:00"), nil
	}
	return scText(raw)
}

// scInterval reads PostgreSQL's `1 year 2 mons -3 days 04:05:06.7`.
func scInterval(raw any) (i Interval, err error) {
	if v, ok := raw.(Interval); ok {
		return v, nil
	}
	text, ok := raw.(string)
	if !ok {
		return scBad[Interval](raw)
	}
	words := strings.Fields(text)
	for at := 0; at < len(words); at++ {
		if !strings.Contains(words[at], ":") {
			n, err := strconv.ParseInt(words[at], 10, 32)
			if err != nil || at+1 == len(words) {
				return scBad[Interval](raw)
			}
			at++
			switch {
			case strings.HasPrefix(words[at], "year"):
				i.Months += 12 * int32(n)
			case strings.HasPrefix(words[at], "mon"):
				i.Months += int32(n)
			default:
				i.Days += int32(n)
			}
			continue
		}
		clock := strings.TrimLeft(words[at], "+-")
		parts := strings.Split(clock, ":")
		fraction := ""
		if len(parts) == 3 {
			parts[2], fraction, _ = strings.Cut(parts[2], ".")
		}
		for n, unit := range []int64{3600e6, 60e6, 1e6} {
			if n >= len(parts) {
				break
			}
			v, err := strconv.ParseInt(parts[n], 10, 64)
			if err != nil {
				return scBad[Interval](raw)
			}
			i.Micros += v * unit
		}
		v, err := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
		if err != nil {
			return scBad[Interval](raw)
		}
		if i.Micros += v; words[at][0] == '-' {
			i.Micros = -i.Micros
		}
	}
	return i, nil
}

// scList reads a list whose elements are not NULL or have a nil of their own.
func scList[T any](read func(any) (T, error)) func(any) ([]T, error) {
	return func(raw any) ([]T, error) {
		items, err := scItems(raw)
		list := make([]T, len(items))
		for i, item := range items {
			if item == nil || err != nil {
				continue
			}
			list[i], err = read(item)
		}
		return list, err
	}
}

// scListNull reads a list whose elements may be NULL.
func scListNull[T any](read func(any) (T, error)) func(any) ([]*T, error) {
	return func(raw any) ([]*T, error) {
		items, err := scItems(raw)
		list := make([]*T, len(items))
		for i, item := range items {
			if item == nil || err != nil {
				continue
			}
			var v T
			v, err = read(item)
			list[i] = &v
		}
		return list, err
	}
}

func scItems(raw any) ([]any, error) {
	switch v := raw.(type) {
	case []any:
		return v, nil
	case string:
		return scParseArray(v)
	}
	if r := reflect.ValueOf(raw); r.Kind() == reflect.Slice {
		items := make([]any, r.Len())
		for i := range items {
			items[i] = r.Index(i).Interface()
		}
		return items, nil
	}
	return scBad[[]any](raw)
}

// scPairs is a map of a database in its order.
type scPairs [][2]any

// scPairsOf makes pairs of what JSON has for a map: an object, or a list of key
// and value where the keys are no text.
func scPairsOf(raw any) (scPairs, bool) {
	switch v := raw.(type) {
	case scPairs:
		return v, true
	case map[string]any:
		pairs := make(scPairs, 0, len(v))
		for k, e := range v {
			pairs = append(pairs, [2]any{k, e})
		}
		return pairs, true
	case []any:
		pairs := make(scPairs, 0, len(v))
		for _, e := range v {
			entry, ok := e.(map[string]any)
			if !ok {
				return nil, false
			}
			pairs = append(pairs, [2]any{entry["key"], entry["value"]})
		}
		return pairs, true
	}
	return nil, false
}

// scMap reads a map whose values are not NULL or have a nil of their own.
func scMap[K comparable, V any](key func(any) (K, error), value func(any) (V, error)) func(any) (map[K]V, error) {
	return func(raw any) (map[K]V, error) {
		pairs, ok := scPairsOf(raw)
		if !ok {
			return scBad[map[K]V](raw)
		}
		m := make(map[K]V, len(pairs))
		for _, p := range pairs {
			k, err := key(p[0])
			if err != nil {
				return nil, err
			}
			var v V
			if p[1] != nil {
				if v, err = value(p[1]); err != nil {
					return nil, err
				}
			}
			m[k] = v
		}
		return m, nil
	}
}

// scPointer reads into a pointer, for values of a map that may be NULL.
func scPointer[T any](read func(any) (T, error)) func(any) (*T, error) {
	return func(raw any) (*T, error) {
		v, err := read(raw)
		return &v, err
	}
}

// scStruct is a struct of the generated code.
type scStruct interface {
	// scFields are the names and values in order.
	scFields() (names []string, values []any)
}

// scFieldsOf is a decoder over the fields of a nested value.
func scFieldsOf(raw any, names ...string) (*scDecoder, error) {
	switch v := raw.(type) {
	case map[string]any:
		d := &scDecoder{}
		for _, n := range names {
			d.raw = append(d.raw, v[n])
		}
		return d, nil
	case string:
		fields, err := scParseFields(v)
		if err == nil && len(fields) == len(names) {
			return &scDecoder{raw: fields}, nil
		}
	}
	return scBad[*scDecoder](raw)
}
