package scoter

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"time"
)

// scPack collects the values of one column as MessagePack, for a request to a Scoter server.
type scPack []byte

// scPackNull appends the value that the pointer v points to, or nil if v is nil. The function put
// appends a value that is not nil.
func scPackNull[T any](p *scPack, v *T, put func(*scPack, T)) {
	if v == nil {
		p.null()
		return
	}
	put(p, *v)
}

func (p *scPack) null() { *p = append(*p, 0xc0) }

func scPackBool(p *scPack, v bool) {
	if v {
		*p = append(*p, 0xc3)
	} else {
		*p = append(*p, 0xc2)
	}
}

// scPackInt appends an integer in as few bytes as possible.
func scPackInt[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](p *scPack, v T) {
	n := int64(v)
	switch {
	case v > 0 && n < 0:
		*p = binary.BigEndian.AppendUint64(append(*p, 0xcf), uint64(v))
	case n >= -32 && n < 128:
		*p = append(*p, byte(n))
	case n == int64(int16(n)):
		*p = binary.BigEndian.AppendUint16(append(*p, 0xd1), uint16(n))
	case n == int64(int32(n)):
		*p = binary.BigEndian.AppendUint32(append(*p, 0xd2), uint32(n))
	default:
		*p = binary.BigEndian.AppendUint64(append(*p, 0xd3), uint64(n))
	}
}

// scPackFloat appends a floating-point number as a float64, which represents every float32 exactly.
func scPackFloat[T ~float32 | ~float64](p *scPack, v T) {
	*p = binary.BigEndian.AppendUint64(append(*p, 0xcb), math.Float64bits(float64(v)))
}

// scPackText appends a text. Decimals, labels of enums and times with an offset are texts, too.
func scPackText[T ~string](p *scPack, v T) {
	switch n := len(v); {
	case n < 32:
		*p = append(*p, 0xa0|byte(n))
	case n < 1<<16:
		*p = append(*p, 0xda, byte(n>>8), byte(n))
	default:
		*p = binary.BigEndian.AppendUint32(append(*p, 0xdb), uint32(n))
	}
	*p = append(*p, v...)
}

func scPackJSON(p *scPack, v json.RawMessage) {
	if v == nil {
		p.null()
		return
	}
	scPackText(p, string(v))
}

func scPackBig(p *scPack, v *big.Int) {
	if v == nil {
		p.null()
		return
	}
	scPackText(p, v.String())
}

func scPackBlob(p *scPack, v []byte) {
	if v == nil {
		p.null()
		return
	}
	if n := len(v); n < 256 {
		*p = append(*p, 0xc4, byte(n))
	} else {
		*p = binary.BigEndian.AppendUint32(append(*p, 0xc6), uint32(n))
	}
	*p = append(*p, v...)
}

func scPackUUID(p *scPack, v UUID) { *p = append(append(*p, 0xc4, 16), v[:]...) }

// moment appends a timestamp in as few bytes as possible.
func (p *scPack) moment(seconds int64, nanos int) {
	switch {
	case seconds>>34 != 0:
		*p = binary.BigEndian.AppendUint32(append(*p, 0xc7, 12, 0xff), uint32(nanos))
		*p = binary.BigEndian.AppendUint64(*p, uint64(seconds))
	case nanos == 0 && seconds < 1<<32:
		*p = binary.BigEndian.AppendUint32(append(*p, 0xd6, 0xff), uint32(seconds))
	default:
		*p = binary.BigEndian.AppendUint64(append(*p, 0xd7, 0xff), uint64(nanos)<<34|uint64(seconds))
	}
}

// scPackTime appends a timestamp. A timestamp without a time zone is taken as UTC.
func scPackTime(p *scPack, v time.Time) { p.moment(v.Unix(), v.Nanosecond()) }

// scPackDay appends a date: the day that v shows in its own zone.
func scPackDay(p *scPack, v time.Time) {
	p.moment(time.Date(v.Year(), v.Month(), v.Day(), 0, 0, 0, 0, time.UTC).Unix(), 0)
}

func scPackClock(p *scPack, v time.Duration) { scPackText(p, scClockText(v)) }

func scPackInterval(p *scPack, v Interval) {
	text, _ := scPGText(v)
	scPackText(p, text)
}

// header appends the number of values in a list, or of pairs in a map. The arguments short and long
// are the type codes for a small and for a large number of values.
func (p *scPack) header(short, long byte, n int) {
	if n < 16 {
		*p = append(*p, short|byte(n))
		return
	}
	*p = binary.BigEndian.AppendUint32(append(*p, long), uint32(n))
}

func scPackList[T any](p *scPack, list []T, put func(*scPack, T)) {
	if list == nil {
		p.null()
		return
	}
	p.header(0x90, 0xdd, len(list))
	for _, v := range list {
		put(p, v)
	}
}

func scPackMap[K comparable, V any](p *scPack, m map[K]V, key func(*scPack, K), value func(*scPack, V)) {
	if m == nil {
		p.null()
		return
	}
	p.header(0x80, 0xdf, len(m))
	for k, v := range m {
		key(p, k)
		value(p, v)
	}
}

// scPackAny appends a value whose type is known only at run time.
func scPackAny(p *scPack, v any) {
	switch v := v.(type) {
	case bool:
		scPackBool(p, v)
	case int:
		scPackInt(p, int64(v))
	case int64:
		scPackInt(p, v)
	case uint64:
		scPackInt(p, v)
	case float64:
		scPackFloat(p, v)
	case []byte:
		scPackBlob(p, v)
	default:
		if text, ok := scPGText(v); ok {
			scPackText(p, text)
		} else {
			p.null()
		}
	}
}

// scPackColumns returns the body of a request with the given columns, each with the same number of
// rows.
func scPackColumns(names []string, columns []scPack, rows int) []byte {
	size := 32
	for i, c := range columns {
		size += len(names[i]) + len(c) + 16
	}
	body := make(scPack, 0, size)
	body.header(0x80, 0xdf, 1)
	scPackText(&body, "columns")
	body.header(0x80, 0xdf, len(names))
	for i, c := range columns {
		scPackText(&body, names[i])
		body.header(0x90, 0xdd, rows)
		body = append(body, c...)
	}
	return body
}
