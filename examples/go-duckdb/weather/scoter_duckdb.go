//go:build cgo

package weather

import (
	"context"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// scFromDuck converts a value from the driver to the types of generated code. It replaces values of
// the driver's own Go types, such as duckdb.Decimal, also inside of lists, maps and structs.
func scFromDuck(v any) any {
	switch v := v.(type) {
	case duckdb.Decimal:
		return scDecimalText(v)
	case duckdb.UUID:
		return v.String()
	case duckdb.Interval:
		return Interval{Months: v.Months, Days: v.Days, Micros: v.Micros}
	case duckdb.OrderedMap:
		pairs := scPairs{}
		values := v.Values()
		for i, k := range v.Keys() {
			pairs = append(pairs, [2]any{scFromDuck(k), scFromDuck(values[i])})
		}
		return pairs
	case []any:
		for i, e := range v {
			v[i] = scFromDuck(e)
		}
	case map[string]any:
		for k, e := range v {
			v[k] = scFromDuck(e)
		}
	}
	return v
}

// scDecimalText returns a decimal as text, with the number of digits after the point that its type
// has.
func scDecimalText(d duckdb.Decimal) string {
	digits := new(big.Int).Abs(d.Value).String()
	if scale := int(d.Scale); scale > 0 {
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale-len(digits)+1) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if d.Value.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}

// scDuckStruct is implemented by the structs of generated code if it has bulk operations.
type scDuckStruct interface {
	scStruct
	// scDuck returns the values of the struct's fields, converted to the driver's Go types.
	scDuck() []any
}

// scDuck converts a value to a Go type that the driver's appender takes, such as duckdb.UUID. It is
// not for dates and decimals, because their conversion depends on the column: see scDuckDay and
// scDuckScaled.
func scDuck(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, time.Time:
		return v
	case []byte:
		if v == nil {
			return nil
		}
		return v
	case json.RawMessage:
		if v == nil {
			return nil
		}
		return v
	case UUID:
		return duckdb.UUID(v)
	case Interval:
		return duckdb.Interval{Months: v.Months, Days: v.Days, Micros: v.Micros}
	case time.Duration:
		if v < 0 || v >= scDayLength {
			// Such a value is not a time of day. It stays a Duration, because the appender refuses
			// a Duration. A time.Time would be stored, but as another time of day.
			return v
		}
		return time.Unix(0, int64(v)).UTC()
	case Decimal:
		if d, ok := scToDecimal(string(v)); ok {
			return d
		}
		return string(v)
	case *big.Int:
		if v == nil {
			return nil
		}
		return v
	case scDuckStruct:
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil
		}
		names, _ := v.scFields()
		m := make(map[string]any, len(names))
		for i, e := range v.scDuck() {
			m[names[i]] = e
		}
		return m
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return nil
		}
		return scDuck(r.Elem().Interface())
	case reflect.Slice:
		if r.IsNil() {
			return nil
		}
		items := make([]any, r.Len())
		for i := range items {
			items[i] = scDuck(r.Index(i).Interface())
		}
		return items
	case reflect.Map:
		if r.IsNil() {
			return nil
		}
		m := duckdb.Map{}
		for _, k := range r.MapKeys() {
			m[scDuck(k.Interface())] = scDuck(r.MapIndex(k).Interface())
		}
		return m
	case reflect.String:
		return r.String()
	}
	return v
}

// scDuckDay converts a date to the form that the driver takes: midnight in UTC. The date is the day
// that t shows in its own zone.
func scDuckDay(t time.Time) any { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }

// scDuckList converts a list to the Go type that the driver takes. The function write converts one
// element. scDuckList is for elements that scDuck alone cannot convert.
func scDuckList[T any](list []T, write func(T) any) any {
	if list == nil {
		return nil
	}
	items := make([]any, len(list))
	for i, v := range list {
		items[i] = write(v)
	}
	return items
}

// scDuckMap converts a map to the driver's type duckdb.Map. The functions key and value convert one
// key and one value. scDuckMap is for entries that scDuck alone cannot convert.
func scDuckMap[K comparable, V any](m map[K]V, key func(K) any, value func(V) any) any {
	if m == nil {
		return nil
	}
	entries := make(duckdb.Map, len(m))
	for k, v := range m {
		entries[key(k)] = value(v)
	}
	return entries
}

func scToDecimal(s string) (duckdb.Decimal, bool) {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "+"), ".")
	value, ok := new(big.Int).SetString(whole+fraction, 10)
	width := len(strings.TrimLeft(strings.TrimPrefix(whole, "-")+fraction, "0"))
	if !ok || len(fraction) > 38 || width > 38 {
		return duckdb.Decimal{}, false
	}
	return duckdb.Decimal{Width: uint8(max(width, len(fraction), 1)), Scale: uint8(len(fraction)), Value: value}, true
}

// scDuckBig converts the digits of a BIGNUM (DuckDB's integer of any size) to a *big.Int, which the
// driver takes.
func scDuckBig(v Decimal) any {
	if n, ok := new(big.Int).SetString(string(v), 10); ok {
		return n
	}
	return string(v) // not a number: the appender refuses it
}

// scDuckScaled converts a decimal to the driver's type duckdb.Decimal. width is the number of
// digits of the column's type, and scale the number of digits after the point.
func scDuckScaled(v Decimal, width, scale uint8) any {
	d, ok := scToDecimal(string(v))
	if !ok {
		return string(v)
	}
	for d.Scale < scale {
		d.Scale++
		d.Value.Mul(d.Value, big.NewInt(10))
	}
	for d.Scale > scale {
		quotient, rest := new(big.Int).QuoRem(d.Value, big.NewInt(10), new(big.Int))
		if rest.Sign() != 0 {
			// The value has more digits than the column can hold. It becomes a text, because the
			// appender refuses a text. A number would be stored, but without these digits.
			return string(v)
		}
		d.Scale--
		d.Value = quotient
	}
	d.Width = width
	return d
}

// scAttachPostgres attaches the PostgreSQL database with the connection string dsn to DuckDB.
// sqlName is the name for it, quoted as SQL.
func scAttachPostgres(ctx context.Context, db DBTX, sqlName, dsn string) error {
	_, err := db.ExecContext(ctx, "ATTACH '"+strings.ReplaceAll(dsn, "'", "''")+"' AS "+sqlName+" (TYPE postgres)")
	return err
}
