package ingesttest

import "encoding/binary"

// ProtobufHeader encodes the header in front of a Protobuf message, with the id of a schema and the
// path to a message type in it, as Confluent's serializers do.
func ProtobufHeader(id int, path ...int) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(id))
	if len(path) == 1 && path[0] == 0 {
		return append(b, 0)
	}
	b = binary.AppendVarint(b, int64(len(path)))
	for _, n := range path {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}
