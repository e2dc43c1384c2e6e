// Package msgpackrows encodes MessagePack for load generators and tests of the MessagePack
// endpoint. Each function appends one value or header to dst.
package msgpackrows

import (
	"encoding/binary"
	"math"
)

// AppendMap begins a map of n pairs.
func AppendMap(dst []byte, n int) []byte { return appendHeader(dst, n, 0x80, 0xde) }

// AppendArray begins an array of n values.
func AppendArray(dst []byte, n int) []byte { return appendHeader(dst, n, 0x90, 0xdc) }

func appendHeader(dst []byte, n int, fix, code byte) []byte {
	switch {
	case n < 16:
		return append(dst, fix|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, code), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, code+1), uint32(n))
}

// AppendNil appends nil.
func AppendNil(dst []byte) []byte { return append(dst, 0xc0) }

// AppendBool appends a boolean.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 0xc3)
	}
	return append(dst, 0xc2)
}

// AppendInt appends v in as few bytes as possible, as most encoders do.
func AppendInt(dst []byte, v int64) []byte {
	switch {
	case v >= 0:
		return AppendUint(dst, uint64(v))
	case v >= -32:
		return append(dst, byte(v))
	case v >= math.MinInt8:
		return append(dst, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd2), uint32(v))
	}
	return AppendInt64(dst, v)
}

// AppendInt64 appends v as a signed integer of eight bytes.
func AppendInt64(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
}

// AppendUint appends v in as few bytes as possible.
func AppendUint(dst []byte, v uint64) []byte {
	switch {
	case v < 128:
		return append(dst, byte(v))
	case v <= math.MaxUint8:
		return append(dst, 0xcc, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xcf), v)
}

// AppendFloat appends a float64.
func AppendFloat(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 0xcb), math.Float64bits(v))
}

// AppendFloat32 appends a float32.
func AppendFloat32(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, 0xca), math.Float32bits(v))
}

// AppendString appends a string.
func AppendString(dst []byte, v string) []byte {
	switch n := len(v); {
	case n < 32:
		dst = append(dst, 0xa0|byte(n))
	case n <= math.MaxUint8:
		dst = append(dst, 0xd9, byte(n))
	case n <= math.MaxUint16:
		dst = binary.BigEndian.AppendUint16(append(dst, 0xda), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint32(append(dst, 0xdb), uint32(n))
	}
	return append(dst, v...)
}

// AppendBinary appends bytes.
func AppendBinary(dst, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(append(dst, 0xc6), uint32(len(v))), v...)
}

// AppendTimestamp appends a time as MessagePack's timestamp extension.
func AppendTimestamp(dst []byte, seconds int64, nanos uint32) []byte {
	dst = append(dst, 0xc7, 12, 0xff)
	dst = binary.BigEndian.AppendUint32(dst, nanos)
	return binary.BigEndian.AppendUint64(dst, uint64(seconds))
}
