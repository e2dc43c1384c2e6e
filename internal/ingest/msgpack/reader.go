package msgpack

import (
	"encoding/binary"
	"math"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// These are the type bytes of MessagePack values. Types whose names begin with fix have ranges of
// type bytes. The functions that decode such types test for the whole range.
const (
	codeNil      = 0xc0
	codeFalse    = 0xc2
	codeTrue     = 0xc3
	codeBin8     = 0xc4
	codeBin16    = 0xc5
	codeBin32    = 0xc6
	codeExt8     = 0xc7
	codeExt16    = 0xc8
	codeExt32    = 0xc9
	codeFloat32  = 0xca
	codeFloat64  = 0xcb
	codeUint8    = 0xcc
	codeUint16   = 0xcd
	codeUint32   = 0xce
	codeUint64   = 0xcf
	codeInt8     = 0xd0
	codeInt16    = 0xd1
	codeInt32    = 0xd2
	codeInt64    = 0xd3
	codeFixExt1  = 0xd4
	codeFixExt16 = 0xd8
	codeStr8     = 0xd9
	codeStr16    = 0xda
	codeStr32    = 0xdb
	codeArray16  = 0xdc
	codeArray32  = 0xdd
	codeMap16    = 0xde
	codeMap32    = 0xdf
)

// extTimestamp is the number of the extension type that MessagePack reserves for timestamps.
const extTimestamp = -1

func isInt(code byte) bool {
	return code < 0x80 || code >= 0xe0 || code >= codeUint8 && code <= codeInt64
}
func isString(code byte) bool {
	return code >= 0xa0 && code < 0xc0 || code >= codeStr8 && code <= codeStr32
}
func isArray(code byte) bool {
	return code >= 0x90 && code < 0xa0 || code == codeArray16 || code == codeArray32
}
func isMap(code byte) bool {
	return code >= 0x80 && code < 0x90 || code == codeMap16 || code == codeMap32
}

// typeName returns the name of the type of a value with the type byte code, for error messages.
func typeName(code byte) string {
	switch {
	case code == codeNil:
		return "nil"
	case code == codeFalse || code == codeTrue:
		return "a boolean"
	case isInt(code):
		return "an integer"
	case code == codeFloat32 || code == codeFloat64:
		return "a floating-point number"
	case isString(code):
		return "a string"
	case code >= codeBin8 && code <= codeBin32:
		return "binary"
	case isArray(code):
		return "an array"
	case isMap(code):
		return "a map"
	}
	return "an extension"
}

// reader decodes the MessagePack values of a body. Each method reads one value or part and leaves
// the position p after it, or returns an error.
type reader struct {
	src   []byte
	p     int
	depth int
}

func (r *reader) errorf(format string, args ...any) error {
	return base.Errorf(base.Invalid, "msgpack: "+format, args...).At(r.p + 1)
}

func (r *reader) truncated() error {
	return base.Errorf(base.Invalid, "msgpack: the body ends in the middle of a value, at byte %d", len(r.src)).At(len(r.src))
}

// code returns the type byte of the next value. It does not consume the byte.
func (r *reader) code() (byte, error) {
	if r.p >= len(r.src) {
		return 0, r.truncated()
	}
	return r.src[r.p], nil
}

// take consumes the next n bytes and returns them.
func (r *reader) take(n int) ([]byte, error) {
	if n < 0 || n > len(r.src)-r.p {
		return nil, r.truncated()
	}
	b := r.src[r.p : r.p+n]
	r.p += n
	return b, nil
}

// length reads a length, which is a big-endian integer. The argument size is the number of its
// bytes: 1, 2 or 4.
func (r *reader) length(size int) (int, error) {
	b, err := r.take(size)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n, nil
}

// enter and leave count how deeply values are nested. enter returns an error if the depth exceeds
// the limit. Each call of enter needs a call of leave.
func (r *reader) enter() error {
	if r.depth++; r.depth > ingest.MaxNesting {
		return base.Errorf(base.TooLarge, "msgpack: values are nested deeper than %d", ingest.MaxNesting).At(r.p + 1)
	}
	return nil
}

func (r *reader) leave() { r.depth-- }

// arrayHeader reads the header of an array and returns the number of its values. It returns an
// error if the rest of the body is too short for that number of values.
func (r *reader) arrayHeader() (int, error) {
	code, err := r.code()
	if err != nil {
		return 0, err
	}
	n := 0
	switch {
	case code >= 0x90 && code < 0xa0:
		r.p++
		n = int(code & 15)
	case code == codeArray16 || code == codeArray32:
		r.p++
		n, err = r.length(2 << (code - codeArray16))
	default:
		return 0, r.errorf("%s where an array is expected", typeName(code))
	}
	if err == nil && n > len(r.src)-r.p {
		err = r.truncated()
	}
	return n, err
}

// mapHeader reads the header of a map and returns the number of its pairs. It returns an error if
// the rest of the body is too short for that number of pairs.
func (r *reader) mapHeader() (int, error) {
	code, err := r.code()
	if err != nil {
		return 0, err
	}
	n := 0
	switch {
	case code >= 0x80 && code < 0x90:
		r.p++
		n = int(code & 15)
	case code == codeMap16 || code == codeMap32:
		r.p++
		n, err = r.length(2 << (code - codeMap16))
	default:
		return 0, r.errorf("%s where a map is expected", typeName(code))
	}
	if err == nil && n > (len(r.src)-r.p)/2 {
		err = r.truncated()
	}
	return n, err
}

// str reads a MessagePack string and returns its bytes.
func (r *reader) str() ([]byte, error) {
	code, err := r.code()
	if err != nil {
		return nil, err
	}
	n := 0
	switch {
	case code >= 0xa0 && code < 0xc0:
		r.p++
		n = int(code & 31)
	case code >= codeStr8 && code <= codeStr32:
		r.p++
		if n, err = r.length(1 << (code - codeStr8)); err != nil {
			return nil, err
		}
	default:
		return nil, r.errorf("%s where a string is expected", typeName(code))
	}
	return r.take(n)
}

// integer reads an integer and returns it as v. If the integer is above the range of int64, the
// result big is its value. Otherwise that result is 0.
func (r *reader) integer() (v int64, big uint64, err error) {
	code, err := r.code()
	if err != nil {
		return 0, 0, err
	}
	r.p++
	switch {
	case code < 0x80:
		return int64(code), 0, nil
	case code >= 0xe0:
		return int64(int8(code)), 0, nil
	}
	// The type bytes of signed and of unsigned integers are each in the order of the sizes 1, 2, 4
	// and 8.
	size := 1 << (code & 3)
	b, err := r.take(size)
	if err != nil {
		return 0, 0, err
	}
	switch code {
	case codeUint8:
		v = int64(b[0])
	case codeInt8:
		v = int64(int8(b[0]))
	case codeUint16:
		v = int64(binary.BigEndian.Uint16(b))
	case codeInt16:
		v = int64(int16(binary.BigEndian.Uint16(b)))
	case codeUint32:
		v = int64(binary.BigEndian.Uint32(b))
	case codeInt32:
		v = int64(int32(binary.BigEndian.Uint32(b)))
	case codeInt64:
		v = int64(binary.BigEndian.Uint64(b))
	case codeUint64:
		if u := binary.BigEndian.Uint64(b); u > math.MaxInt64 {
			big = u
		} else {
			v = int64(u)
		}
	}
	return v, big, nil
}

// extension reads the header of an extension value. It returns the extension's type and the size of
// its content in bytes.
func (r *reader) extension() (kind int8, size int, err error) {
	code := r.src[r.p]
	r.p++
	switch {
	case code >= codeFixExt1 && code <= codeFixExt16:
		size = 1 << (code - codeFixExt1)
	case code >= codeExt8 && code <= codeExt32:
		if size, err = r.length(1 << (code - codeExt8)); err != nil {
			return 0, 0, err
		}
	default:
		r.p--
		return 0, 0, r.errorf("byte 0x%02x begins no value", code)
	}
	b, err := r.take(1)
	if err != nil {
		return 0, 0, err
	}
	return int8(b[0]), size, nil
}

// floatAt decodes a float32 or float64. b begins with the type byte of the value.
func floatAt(b []byte) float64 {
	if b[0] == codeFloat32 {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b[1:])))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b[1:]))
}

// skip skips the next value, of any type, with the values inside of it.
func (r *reader) skip() error {
	// left is the number of values that are still to be skipped. A list or map adds its values to
	// left, so nesting needs no stack.
	for left := 1; left > 0; left-- {
		code, err := r.code()
		if err != nil {
			return err
		}
		n := 0
		switch {
		case code < 0x80 || code >= 0xe0 || code == codeNil || code == codeFalse || code == codeTrue:
			r.p++
		case isString(code):
			_, err = r.str()
		case isArray(code):
			n, err = r.arrayHeader()
			left += n
		case isMap(code):
			n, err = r.mapHeader()
			left += 2 * n
		case code == codeFloat32:
			r.p++
			_, err = r.take(4)
		case code == codeFloat64:
			r.p++
			_, err = r.take(8)
		case code >= codeUint8 && code <= codeInt64:
			_, _, err = r.integer()
		case code >= codeBin8 && code <= codeBin32:
			_, err = r.bin()
		default:
			if _, n, err = r.extension(); err == nil {
				_, err = r.take(n)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bin reads a value of MessagePack's type bin (bytes) and returns the bytes. The next value must
// have that type.
func (r *reader) bin() ([]byte, error) {
	code := r.src[r.p]
	r.p++
	n, err := r.length(1 << (code - codeBin8))
	if err != nil {
		return nil, err
	}
	return r.take(n)
}
