//go:build cgo

package weather

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// scVec is a vector of DuckDB: the values of one column for some rows, in DuckDB's own memory.
// Generated code writes into this memory.
type scVec struct {
	vec  mapping.Vector
	kind mapping.Type
	data unsafe.Pointer
	// valid is the bitmap of values that are not NULL. It is nil as long as no value is NULL.
	valid unsafe.Pointer
	// null is the number of the row that was last set to NULL, or -1. With it, the writer detects a
	// NULL in a column that must not have one, and in a key.
	null int
	// items are the vectors inside of this vector, such as the vector of a list's elements. The
	// fields used and room are set for a list: the number of its elements, and the number of
	// elements for which there is memory. The field length is set for an array: the number of
	// elements per row.
	items      []*scVec
	used, room int
	length     int
	// width and scale are the number of digits of a decimal type, and how many of them are after
	// the point. small is the integer type in which DuckDB stores the decimals, or the labels of an
	// enum. labels maps each label of an enum to its number.
	width, scale int
	small        mapping.Type
	labels       map[string]uint32
	heap         *scHeap
}

// scSet is a function that writes the value x into the vector v. The argument at is the number of
// the row.
type scSet[T any] = func(v *scVec, at int, x T)

// scDuckKinds lists, for each kind of value, the DuckDB types whose vectors can be written from it.
var scDuckKinds = map[string][]mapping.Type{
	"bool": {mapping.TypeBoolean}, "int8": {mapping.TypeTinyInt}, "int16": {mapping.TypeSmallInt}, "int32": {mapping.TypeInteger},
	"int64": {mapping.TypeBigInt}, "int128": {mapping.TypeHugeInt}, "uint8": {mapping.TypeUTinyInt}, "uint16": {mapping.TypeUSmallInt},
	"uint32": {mapping.TypeUInteger}, "uint64": {mapping.TypeUBigInt}, "uint128": {mapping.TypeUHugeInt}, "float32": {mapping.TypeFloat},
	"float64": {mapping.TypeDouble}, "decimal": {mapping.TypeDecimal}, "text": {mapping.TypeVarchar}, "blob": {mapping.TypeBlob}, "uuid": {mapping.TypeUUID},
	"date": {mapping.TypeDate}, "time": {mapping.TypeTime}, "timetz": {mapping.TypeTimeTZ}, "timestamp": {mapping.TypeTimestamp, mapping.TypeTimestampS, mapping.TypeTimestampMS, mapping.TypeTimestampNS},
	"timestamptz": {mapping.TypeTimestampTZ}, "interval": {mapping.TypeInterval}, "enum": {mapping.TypeEnum},
}

// scDuckCasts has the DuckDB types whose vectors cannot be written. For each it says which type is
// written instead, and from which kind of value. DuckDB casts the written values to the type.
var scDuckCasts = map[mapping.Type]struct {
	kind    string
	written mapping.Type
}{
	mapping.TypeBit: {"text", mapping.TypeVarchar}, mapping.TypeBigNum: {"text", mapping.TypeVarchar},
}

// newScVec returns a vector for type t that is written from values of a kind, or nil if that is not
// possible. A kind is a key of scDuckKinds, or one of these forms that contain other kinds:
// `[]item` for a list or array, `(a,b)` for a struct, and `map(key,value)`. heap stores long texts.
func newScVec(t mapping.LogicalType, kind string, heap *scHeap) *scVec {
	v := &scVec{kind: mapping.GetTypeId(t), heap: heap}
	inside := func(of mapping.LogicalType, kind string) bool {
		defer mapping.DestroyLogicalType(&of)
		item := newScVec(of, kind, heap)
		v.items = append(v.items, item)
		return item != nil
	}
	switch {
	case strings.HasPrefix(kind, "[]") && v.kind == mapping.TypeList:
		if !inside(mapping.ListTypeChildType(t), kind[2:]) {
			return nil
		}
	case strings.HasPrefix(kind, "[]") && v.kind == mapping.TypeArray:
		v.length = int(mapping.ArrayTypeArraySize(t))
		if !inside(mapping.ArrayTypeChildType(t), kind[2:]) {
			return nil
		}
	case strings.HasPrefix(kind, "map(") && v.kind == mapping.TypeMap:
		// DuckDB stores a map as a list of structs.
		kinds := scKinds(kind[4 : len(kind)-1])
		entry := &scVec{kind: mapping.TypeStruct, heap: heap}
		if !inside(mapping.MapTypeKeyType(t), kinds[0]) || !inside(mapping.MapTypeValueType(t), kinds[1]) {
			return nil
		}
		entry.items, v.items = v.items, []*scVec{entry}
	case strings.HasPrefix(kind, "(") && v.kind == mapping.TypeStruct:
		kinds := scKinds(kind[1 : len(kind)-1])
		if int(mapping.StructTypeChildCount(t)) != len(kinds) {
			return nil
		}
		for i, k := range kinds {
			if !inside(mapping.StructTypeChildType(t, mapping.IdxT(i)), k) {
				return nil
			}
		}
	default:
		fits := false
		for _, of := range scDuckKinds[kind] {
			fits = fits || of == v.kind
		}
		if !fits {
			return nil
		}
	}
	switch v.kind {
	case mapping.TypeDecimal:
		v.width, v.scale, v.small = int(mapping.DecimalWidth(t)), int(mapping.DecimalScale(t)), mapping.DecimalInternalType(t)
	case mapping.TypeEnum:
		v.small, v.labels = mapping.EnumInternalType(t), map[string]uint32{}
		for i := range mapping.EnumDictionarySize(t) {
			v.labels[mapping.EnumDictionaryValue(t, mapping.IdxT(i))] = i
		}
	}
	return v
}

// reach gets the memory of DuckDB's vector vec, which has no values yet.
func (v *scVec) reach(vec mapping.Vector) {
	v.vec, v.valid, v.null, v.used, v.room = vec, nil, -1, 0, int(mapping.VectorSize())
	switch v.kind {
	case mapping.TypeStruct:
		for i, item := range v.items {
			item.reach(mapping.StructVectorGetChild(vec, mapping.IdxT(i)))
		}
	case mapping.TypeArray:
		v.items[0].reach(mapping.ArrayVectorGetChild(vec))
	case mapping.TypeList, mapping.TypeMap:
		v.data = mapping.VectorGetData(vec)
		v.items[0].reach(mapping.ListVectorGetChild(vec))
	default:
		v.data = mapping.VectorGetData(vec)
	}
}

// The method again is called after DuckDB has moved its vector vec to larger memory. It updates the
// scVec to that memory.
func (v *scVec) again(vec mapping.Vector) {
	v.vec = vec
	switch v.kind {
	case mapping.TypeStruct:
		for i, item := range v.items {
			item.again(mapping.StructVectorGetChild(vec, mapping.IdxT(i)))
		}
	case mapping.TypeArray:
		v.items[0].again(mapping.ArrayVectorGetChild(vec))
	default:
		v.data = mapping.VectorGetData(vec)
	}
	if v.valid != nil {
		v.valid = mapping.VectorGetValidity(vec)
	}
}

// finish sets the number of elements in the lists of the vector.
func (v *scVec) finish() {
	if v.kind == mapping.TypeList || v.kind == mapping.TypeMap {
		mapping.ListVectorSetSize(v.vec, mapping.IdxT(v.used))
	}
	for _, item := range v.items {
		item.finish()
	}
}

// setNull sets the value in one row to NULL, and also the values inside of it. at is the number of
// the row.
func (v *scVec) setNull(at int) {
	if v.valid == nil {
		mapping.VectorEnsureValidityWritable(v.vec)
		v.valid = mapping.VectorGetValidity(v.vec)
	}
	*(*uint64)(unsafe.Add(v.valid, 8*(at/64))) &^= 1 << (at % 64)
	v.null = at
	switch v.kind {
	case mapping.TypeStruct:
		for _, item := range v.items {
			item.setNull(at)
		}
	case mapping.TypeArray:
		for i := range v.length {
			v.items[0].setNull(at*v.length + i)
		}
	case mapping.TypeList, mapping.TypeMap:
		*(*[2]uint64)(unsafe.Add(v.data, 16*at)) = [2]uint64{uint64(v.used), 0}
	}
}

func scSetNull[T any](v *scVec, at int, x *T, set scSet[T]) {
	if x == nil {
		v.setNull(at)
		return
	}
	set(v, at, *x)
}

// scSetFixed writes a value that has the same form in the memory of Go and of DuckDB.
func scSetFixed[T bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](v *scVec, at int, x T) {
	*(*T)(unsafe.Add(v.data, uintptr(at)*unsafe.Sizeof(x))) = x
}

func scSetText[T ~string](v *scVec, at int, x T) {
	if !utf8.ValidString(string(x)) {
		v.heap.fail("is not UTF-8: %.40q", string(x))
		return
	}
	v.heap.put(unsafe.Add(v.data, 16*at), string(x))
}

func scSetBlob(v *scVec, at int, x []byte) {
	if x == nil {
		v.setNull(at)
		return
	}
	v.heap.put(unsafe.Add(v.data, 16*at), unsafe.String(unsafe.SliceData(x), len(x)))
}

func scSetJSON(v *scVec, at int, x json.RawMessage) {
	if x == nil {
		v.setNull(at)
		return
	}
	scSetText(v, at, string(x))
}

func scSetEnum[T ~string](v *scVec, at int, x T) {
	n, ok := v.labels[string(x)]
	switch {
	case !ok:
		v.heap.fail("%.40q is not a label of the enum", string(x))
	case v.small == mapping.TypeUTinyInt:
		scSetFixed(v, at, uint8(n))
	case v.small == mapping.TypeUSmallInt:
		scSetFixed(v, at, uint16(n))
	default:
		scSetFixed(v, at, n)
	}
}

func scSetUUID(v *scVec, at int, x UUID) {
	var hi, lo uint64
	for i := range 8 {
		hi, lo = hi<<8|uint64(x[i]), lo<<8|uint64(x[8+i])
	}
	// The first bit is inverted: DuckDB compares a UUID as a number with a sign.
	*(*[2]uint64)(unsafe.Add(v.data, 16*at)) = [2]uint64{lo, hi ^ 1<<63}
}

// scSetBig writes a HUGEINT or UHUGEINT, DuckDB's integers of 128 bits.
func scSetBig(v *scVec, at int, x *big.Int) {
	if x == nil {
		v.setNull(at)
		return
	}
	bits := x.BitLen()
	if bits == 128 && x.Sign() < 0 && x.TrailingZeroBits() == 127 {
		bits = 127 // -2^127 is a HUGEINT, although 2^127 is not
	}
	if v.kind == mapping.TypeUHugeInt && (x.Sign() < 0 || bits > 128) || v.kind != mapping.TypeUHugeInt && bits > 127 {
		v.heap.fail("%s has more than 128 bits", x)
		return
	}
	two := x
	if x.Sign() < 0 {
		two = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	lo := new(big.Int).And(two, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	*(*[2]uint64)(unsafe.Add(v.data, 16*at)) = [2]uint64{lo, new(big.Int).Rsh(two, 64).Uint64()}
}

func scSetDecimal(v *scVec, at int, x Decimal) {
	sign, digits := int64(1), strings.TrimPrefix(string(x), "+")
	if strings.HasPrefix(digits, "-") {
		sign, digits = -1, digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	if len(fraction) > v.scale {
		if strings.Trim(fraction[v.scale:], "0") != "" {
			v.heap.fail("%.60s has more than %d digits after the point", string(x), v.scale)
			return
		}
		fraction = fraction[:v.scale]
	}
	if digits == "" || digits == "." {
		v.heap.fail("%.60q is no decimal", string(x))
		return
	}
	if len(whole) > v.width-v.scale {
		v.heap.fail("%.60s does not fit DECIMAL(%d,%d)", string(x), v.width, v.scale)
		return
	}
	if v.width > 18 {
		n, ok := new(big.Int).SetString("0"+whole+fraction+strings.Repeat("0", v.scale-len(fraction)), 10)
		if !ok {
			v.heap.fail("%.60q is no decimal", string(x))
			return
		}
		if sign < 0 {
			n.Neg(n)
		}
		scSetBig(v, at, n)
		return
	}
	n, err := int64(0), error(nil)
	if whole+fraction != "" {
		n, err = strconv.ParseInt(whole+fraction, 10, 64)
	}
	if err != nil || n < 0 {
		v.heap.fail("%.60q is no decimal", string(x))
		return
	}
	for range v.scale - len(fraction) {
		n *= 10
	}
	switch n *= sign; v.small {
	case mapping.TypeSmallInt:
		scSetFixed(v, at, int16(n))
	case mapping.TypeInteger:
		scSetFixed(v, at, int32(n))
	default:
		scSetFixed(v, at, n)
	}
}

// scSetDate writes a date: the day that x shows in its own zone.
func scSetDate(v *scVec, at int, x time.Time) {
	_, offset := x.Zone()
	seconds := x.Unix() + int64(offset)
	days := seconds / 86400
	if seconds%86400 < 0 {
		days--
	}
	if days != int64(int32(days)) {
		v.heap.fail("is too far from 1970")
		return
	}
	scSetFixed(v, at, int32(days))
}

func scSetTime(v *scVec, at int, x time.Duration) {
	if x < 0 || x > 24*time.Hour {
		v.heap.fail("%s is not a time of day", x)
		return
	}
	scSetFixed(v, at, x.Microseconds())
}

// scSetTimeTZ writes a time of day with an offset from UTC, such as 12:34:56.5+05:45.
func scSetTimeTZ(v *scVec, at int, x string) {
	for _, layout := range []string{"15:04:05Z07:00", "15:04:05Z07", "15:04:05Z07:00:00"} {
		t, err := time.Parse(layout, x)
		if err != nil {
			continue
		}
		// DuckDB stores how many seconds the offset is below this maximum
		const largest = 16*3600 - 1
		_, offset := t.Zone()
		micros := int64(t.Hour()*3600+t.Minute()*60+t.Second())*1e6 + int64(t.Nanosecond()/1e3)
		scSetFixed(v, at, micros<<24|int64(largest-offset))
		return
	}
	v.heap.fail("%.60q is no time with an offset", x)
}

// scSetTimestamp writes a timestamp in the time unit of the column.
func scSetTimestamp(v *scVec, at int, x time.Time) {
	if year := x.Year(); v.kind == mapping.TypeTimestampNS && (year < 1678 || year > 2261) || year < -290000 || year > 290000 {
		v.heap.fail("is too far from 1970")
		return
	}
	switch v.kind {
	case mapping.TypeTimestampS:
		scSetFixed(v, at, x.Unix())
	case mapping.TypeTimestampMS:
		scSetFixed(v, at, x.UnixMilli())
	case mapping.TypeTimestampNS:
		scSetFixed(v, at, x.UnixNano())
	default:
		scSetFixed(v, at, x.UnixMicro())
	}
}

func scSetInterval(v *scVec, at int, x Interval) {
	*(*Interval)(unsafe.Add(v.data, 16*at)) = x
}

// scSetList writes a value of the type LIST or ARRAY. The function set writes one element.
func scSetList[T any](v *scVec, at int, list []T, set scSet[T]) {
	if list == nil {
		v.setNull(at)
		return
	}
	from := at * v.length
	if v.kind == mapping.TypeArray {
		if len(list) != v.length {
			v.heap.fail("has %d elements, not %d", len(list), v.length)
			return
		}
	} else {
		from = v.extend(at, len(list))
	}
	for i, x := range list {
		set(v.items[0], from+i, x)
	}
}

// extend adds count elements to the list in row number at. It makes room for them, and returns the
// position of the first one.
func (v *scVec) extend(at, count int) (from int) {
	from = v.used
	v.used += count
	*(*[2]uint64)(unsafe.Add(v.data, 16*at)) = [2]uint64{uint64(from), uint64(count)}
	if v.used > v.room {
		v.room = max(2*v.room, v.used)
		mapping.ListVectorReserve(v.vec, mapping.IdxT(v.room))
		v.items[0].again(mapping.ListVectorGetChild(v.vec))
	}
	return from
}

func scSetMap[K comparable, V any](v *scVec, at int, m map[K]V, key scSet[K], value scSet[V]) {
	if m == nil {
		v.setNull(at)
		return
	}
	entry, to := v.items[0], v.extend(at, len(m))
	for k, x := range m {
		key(entry.items[0], to, k)
		value(entry.items[1], to, x)
		to++
	}
}

// scHeap stores the bytes of long texts until DuckDB has copied them.
type scHeap struct {
	pin     runtime.Pinner
	blocks  [][]byte
	current int
	used    int
	err     error
}

// scHeapBlock is the number of bytes that scHeap allocates at a time.
const scHeapBlock = 256 << 10

func (h *scHeap) fail(format string, args ...any) {
	if h.err == nil {
		h.err = fmt.Errorf(format, args...)
	}
}

// put writes a text into a vector in DuckDB's form. That is its length, and either its bytes if it
// is short, or the address of its bytes in the heap.
func (h *scHeap) put(to unsafe.Pointer, text string) {
	if uint64(len(text)) > math.MaxUint32 {
		h.fail("has more than 4 GB")
		return
	}
	*(*[2]uint64)(to) = [2]uint64{}
	*(*uint32)(to) = uint32(len(text))
	if len(text) <= 12 {
		copy((*[16]byte)(to)[4:], text)
		return
	}
	copy((*[16]byte)(to)[4:8], text)
	*(*uintptr)(unsafe.Add(to, 8)) = uintptr(h.keep(text))
}

// keep copies a text into memory that the garbage collector does not move or free. It returns the
// address.
func (h *scHeap) keep(text string) unsafe.Pointer {
	for h.current < len(h.blocks) && h.used+len(text) > len(h.blocks[h.current]) {
		h.current, h.used = h.current+1, 0
	}
	if h.current == len(h.blocks) {
		block := make([]byte, max(scHeapBlock, len(text)))
		h.pin.Pin(&block[0])
		h.blocks = append(h.blocks, block)
	}
	block := h.blocks[h.current]
	copy(block[h.used:], text)
	at := unsafe.Pointer(&block[h.used])
	h.used += len(text)
	return at
}

// reset drops all texts, so that their memory can be used again.
func (h *scHeap) reset() { h.current, h.used = 0, 0 }
