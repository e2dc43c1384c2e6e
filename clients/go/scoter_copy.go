package scoter

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// scCopy collects the bytes of rows in the binary form of PostgreSQL's COPY. Each value consists of
// its length and then the bytes that the server's receive function for the value's type reads. NULL
// is the length -1.
type scCopy struct {
	buf []byte
	// err is the error of the first value that has no binary form.
	err error
	// array is the state of the array that is being written.
	array scCopyArray
}

// scPut is a function that appends the value v to o in binary form. t is the type of the value on
// the server.
type scPut[T any] func(o *scCopy, t *scServed, v T)

// scServed is what the server's catalog says about a type.
type scServed struct {
	oid      uint32
	receive  string
	elem     uint32 // elem is the OID of an array type's element type.
	base     uint32 // base is the OID of the type on which a domain is based.
	relation uint32 // relation is the OID of a composite type's relation.
	// item is the type of an array's elements, and fields are the types of a composite type's
	// fields. They are set if they are needed to write a value.
	item   *scServed
	fields []*scServed
}

// scReceives lists, for each kind of value, the server's receive functions that can read the bytes
// that generated code writes for it. A column's type is supported if its receive function is in the
// list.
var scReceives = map[string][]string{
	"bool": {"boolrecv"}, "int16": {"int2recv"}, "int32": {"int4recv"}, "int64": {"int8recv"}, "uint32": {"oidrecv"}, "float32": {"float4recv"},
	"float64": {"float8recv"}, "decimal": {"numeric_recv"}, "text": {"textrecv", "varcharrecv", "bpcharrecv", "json_recv", "jsonb_recv", "xml_recv"},
	"blob": {"bytearecv"}, "uuid": {"uuid_recv"}, "date": {"date_recv"}, "time": {"time_recv"}, "timestamp": {"timestamp_recv"},
	"timestamptz": {"timestamptz_recv"}, "interval": {"interval_recv"}, "enum": {"enum_recv"},
}

// scCanonical reports whether equal values of a type always have equal bytes. Then two keys can be
// compared by their bytes. receive is the type's receive function.
func scCanonical(receive string) bool {
	switch receive {
	case "boolrecv", "int2recv", "int4recv", "int8recv", "oidrecv", "uuid_recv", "date_recv", "time_recv", "timestamp_recv", "timestamptz_recv",
		"bytearecv", "textrecv", "varcharrecv", "enum_recv":
		return true
	}
	return false
}

func (o *scCopy) int16(v int16) { o.buf = binary.BigEndian.AppendUint16(o.buf, uint16(v)) }
func (o *scCopy) int32(v int32) { o.buf = binary.BigEndian.AppendUint32(o.buf, uint32(v)) }
func (o *scCopy) int64(v int64) { o.buf = binary.BigEndian.AppendUint64(o.buf, uint64(v)) }
func (o *scCopy) null()         { o.int32(-1) }

// open appends a placeholder for the length of a value and returns the position after it. close
// replaces the placeholder by the length.
func (o *scCopy) open() int {
	o.int32(0)
	return len(o.buf)
}

func (o *scCopy) close(start int) {
	binary.BigEndian.PutUint32(o.buf[start-4:], uint32(len(o.buf)-start))
}

func (o *scCopy) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}

// scPutNull appends the value that the pointer v points to, or NULL if v is nil. The function put
// appends a value that is not NULL.
func scPutNull[T any](o *scCopy, t *scServed, v *T, put scPut[T]) {
	if v == nil {
		o.null()
		return
	}
	put(o, t, *v)
}

func scPutBool(o *scCopy, _ *scServed, v bool) {
	o.int32(1)
	if v {
		o.buf = append(o.buf, 1)
	} else {
		o.buf = append(o.buf, 0)
	}
}

func scPutInt16(o *scCopy, _ *scServed, v int16) { o.int32(2); o.int16(v) }
func scPutInt32(o *scCopy, _ *scServed, v int32) { o.int32(4); o.int32(v) }
func scPutInt64(o *scCopy, _ *scServed, v int64) { o.int32(8); o.int64(v) }

func scPutUint32(o *scCopy, _ *scServed, v uint32) { o.int32(4); o.int32(int32(v)) }

func scPutFloat32(o *scCopy, _ *scServed, v float32) { o.int32(4); o.int32(int32(math.Float32bits(v))) }
func scPutFloat64(o *scCopy, _ *scServed, v float64) { o.int32(8); o.int64(int64(math.Float64bits(v))) }

// scPutText appends a text, or a label of an enum.
func scPutText[T ~string](o *scCopy, t *scServed, v T) {
	start := o.open()
	if t != nil && t.receive == "jsonb_recv" {
		o.buf = append(o.buf, 1) // the version number in the format of jsonb
	}
	o.buf = append(o.buf, v...)
	o.close(start)
}

func scPutJSON(o *scCopy, t *scServed, v json.RawMessage) {
	if v == nil {
		o.null()
		return
	}
	scPutText(o, t, string(v))
}

func scPutBlob(o *scCopy, _ *scServed, v []byte) {
	if v == nil {
		o.null()
		return
	}
	o.int32(int32(len(v)))
	o.buf = append(o.buf, v...)
}

func scPutUUID(o *scCopy, _ *scServed, v UUID) {
	o.int32(16)
	o.buf = append(o.buf, v[:]...)
}

// scEpoch is 2000-01-01, from which PostgreSQL counts times, as seconds since 1970.
const scEpoch = 946684800

// scRounded returns a part of a second in microseconds. It rounds nanos, the nanoseconds, as the
// server does when it reads them as text.
func scRounded(nanos int64) int64 {
	if nanos%1000 == 0 {
		return nanos / 1000
	}
	return int64(math.RoundToEven(float64(nanos) / 1e9 * 1e6))
}

func (o *scCopy) moment(seconds int64, nanos int) {
	seconds -= scEpoch
	if seconds > math.MaxInt64/1_000_000-1 || seconds < math.MinInt64/1_000_000+1 {
		o.fail("is too far from 1970")
		return
	}
	o.int32(8)
	o.int64(seconds*1e6 + scRounded(int64(nanos)))
}

func scPutTimestampTZ(o *scCopy, _ *scServed, v time.Time) { o.moment(v.Unix(), v.Nanosecond()) }

// scPutTimestamp appends a timestamp without a time zone: the date and time that v shows in its own
// zone.
func scPutTimestamp(o *scCopy, _ *scServed, v time.Time) {
	_, offset := v.Zone()
	o.moment(v.Unix()+int64(offset), v.Nanosecond())
}

func scPutDate(o *scCopy, _ *scServed, v time.Time) {
	_, offset := v.Zone()
	seconds := v.Unix() + int64(offset) - scEpoch
	days := seconds / 86400
	if seconds%86400 < 0 {
		days--
	}
	if days != int64(int32(days)) {
		o.fail("is too far from 1970")
		return
	}
	o.int32(4)
	o.int32(int32(days))
}

func scPutTime(o *scCopy, _ *scServed, v time.Duration) {
	o.int32(8)
	o.int64(int64(v/time.Second)*1e6 + scRounded(int64(v%time.Second)))
}

func scPutInterval(o *scCopy, _ *scServed, v Interval) {
	o.int32(16)
	o.int64(v.Micros)
	o.int32(v.Days)
	o.int32(v.Months)
}

var errScRagged = errors.New("its lists do not have the same lengths")

// scCopyArray is the state of an array that is being written: where the lengths of its dimensions
// are stored in the buffer, how many dimensions it has, and which of them is being written.
type scCopyArray struct {
	dims, depth, level int
	// sized says that the lengths of the array's inner dimensions are known.
	sized bool
}

// scPutArray appends a list as an array with the given number of dimensions (depth). The function
// put appends one element. If there is more than one dimension, the elements are lists, and the
// caller passes scPutItems as this function.
func scPutArray[T any](o *scCopy, t *scServed, depth int, list []T, put scPut[T]) {
	if list == nil {
		o.null()
		return
	}
	outer := o.array
	start := o.open()
	o.int32(int32(depth))
	o.int32(0)
	o.int32(int32(t.elem))
	o.array = scCopyArray{dims: len(o.buf), depth: depth}
	for range depth {
		o.int32(-1)
		o.int32(1) // the index of the first element
	}
	scPutItems(o, t.item, list, put)
	empty := false
	for at := o.array.dims; at < o.array.dims+8*depth; at += 8 {
		// PostgreSQL has no arrays with an empty dimension, so such an array is written as the
		// empty array.
		empty = empty || int32(binary.BigEndian.Uint32(o.buf[at:])) <= 0
	}
	if empty {
		o.buf = o.buf[:start]
		o.int32(0)
		o.int32(0)
		o.int32(int32(t.elem))
	}
	o.close(start)
	o.array = outer
}

// scPutItems appends the elements of one dimension of an array.
func scPutItems[T any](o *scCopy, t *scServed, list []T, put scPut[T]) {
	at := o.array.dims + 8*o.array.level
	switch known := int32(binary.BigEndian.Uint32(o.buf[at:])); {
	case known == -1:
		binary.BigEndian.PutUint32(o.buf[at:], uint32(len(list)))
	case known != int32(len(list)):
		o.fail("%w", errScRagged)
		return
	}
	o.array.level++
	for _, v := range list {
		put(o, t, v)
	}
	o.array.level--
}

// field begins field i of a composite value of type t. It returns the type of the field.
func (o *scCopy) field(t *scServed, i int) *scServed {
	o.int32(int32(t.fields[i].oid))
	return t.fields[i]
}
