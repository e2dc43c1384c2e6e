// Package framing decodes the header with which a message refers to its schema in a schema
// registry. Confluent's serializers write such headers. The package also reads the options of the
// clause FORMAT that say where the schemas of messages are.
package framing

import (
	"encoding/binary"

	"github.com/scoterdb/scoter/internal/base"
)

// A message refers to its schema by a header: a zero byte, followed by the schema's id in 4 bytes,
// big-endian. In Protobuf, the path to the message type follows: the length n of the path, and n
// numbers, all as zigzag varints. The first number is the position of a message type in the file.
// Each further number is the position of a type that is nested in the previous one. The path [0],
// which means the first type, is encoded as a single zero byte.
//
// https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
const (
	// HeaderSize is the size in bytes of the header before a message: a zero byte and the schema's
	// id. The path to the message type, which follows in Protobuf, is not included.
	HeaderSize = 5
	// maxPath is the maximum length of the path to a message type, that is, how deep the type may
	// be nested.
	maxPath = 64
)

// Cut splits an Avro or JSON message that begins with a registry's header into the id of its schema
// and the encoded value. Errors are base.Invalid.
func Cut(msg []byte) (id uint32, value []byte, err error) {
	switch {
	case len(msg) < HeaderSize:
		return 0, nil, base.Errorf(base.Invalid, "a message of %d bytes is too short for the schema registry's header", len(msg))
	case msg[0] != 0:
		return 0, nil, base.Errorf(base.Invalid, "the message begins with byte %#02x, not 0 as the schema registry's header does", msg[0])
	}
	return binary.BigEndian.Uint32(msg[1:]), msg[HeaderSize:], nil
}

// CutProtobuf splits a Protobuf message that begins with a registry's header into the header and
// the encoded value. Both share the memory of msg. Messages with the same header have the same
// type, so the header can be used as the key of a cache. Errors are base.Invalid.
func CutProtobuf(msg []byte) (header, value []byte, err error) {
	if _, _, err := Cut(msg); err != nil {
		return nil, nil, err
	}
	if len(msg) > HeaderSize && msg[HeaderSize] == 0 {
		return msg[:HeaderSize+1], msg[HeaderSize+1:], nil
	}
	_, n, err := ReadPath(msg[HeaderSize:])
	if err != nil {
		return nil, nil, err
	}
	return msg[:HeaderSize+n], msg[HeaderSize+n:], nil
}

// ReadPath decodes the path to a message type at the beginning of b. It also returns the size of
// the encoded path in bytes. Errors are base.Invalid.
func ReadPath(b []byte) (path []int, size int, err error) {
	next := func() (int, error) {
		v, n := binary.Varint(b[size:])
		if n <= 0 || v < 0 || v > 1<<16 {
			return 0, base.Errorf(base.Invalid, "the schema registry's header has no valid path to a message type")
		}
		size += n
		return int(v), nil
	}
	n, err := next()
	if err != nil {
		return nil, 0, err
	}
	if n == 0 {
		return []int{0}, size, nil
	}
	if n > maxPath {
		return nil, 0, base.Errorf(base.Invalid, "the schema registry's header has a path of %d message types, more than %d", n, maxPath)
	}
	path = make([]int, n)
	for i := range path {
		if path[i], err = next(); err != nil {
			return nil, 0, err
		}
	}
	return path, size, nil
}
