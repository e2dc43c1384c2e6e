package batch

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
)

// KeyHash stands for the values of a key. Two keys of one table have the same one with a probability of
// 2^-96, whatever the keys are, since the hash is seeded at random: less than that of a bit that
// flips unnoticed in memory. It means nothing in another process.
type KeyHash struct {
	High uint64
	Low  uint32
}

var keySeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// KeyHashes returns the hash of each row's values in some columns, of one length and of sortable
// storage types without NULL. Values that DuckDB holds for equal have equal hashes.
func KeyHashes(columns []arrow.Array) ([]KeyHash, error) {
	if len(columns) == 0 {
		return nil, base.Errorf(base.Internal, "a key without columns")
	}
	rows := columns[0].Len()
	appenders := make([]func(to []byte, row int) []byte, len(columns))
	for i, c := range columns {
		appender, err := keyAppender(c)
		if err != nil {
			return nil, err
		}
		appenders[i] = appender
	}
	out := make([]KeyHash, rows)
	var key []byte
	for row := range out {
		key = key[:0]
		for _, add := range appenders {
			key = add(key, row)
		}
		out[row] = KeyHash{maphash.Bytes(keySeeds[0], key), uint32(maphash.Bytes(keySeeds[1], key))}
	}
	return out, nil
}

// keyAppender returns a function that appends a row's value to a key, such that no two keys of
// different values are the same.
func keyAppender(c arrow.Array) (func(to []byte, row int) []byte, error) {
	dt := c.DataType()
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	chunk := []arrow.Array{c}
	switch dt.ID() {
	case arrow.STRING, arrow.BINARY, arrow.DICTIONARY:
		bytes, err := bytesOf(c)
		return func(to []byte, row int) []byte {
			b := bytes(row)
			return append(binary.AppendUvarint(to, uint64(len(b))), b...)
		}, err
	case arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128:
		if high, low := wideValues(chunk, c.Len(), dt); high != nil {
			return func(to []byte, row int) []byte {
				return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, high[row]), low[row])
			}, nil
		}
	}
	if values := orderedValues(chunk, c.Len(), dt); values != nil || c.Len() == 0 {
		return func(to []byte, row int) []byte { return binary.LittleEndian.AppendUint64(to, values[row]) }, nil
	}
	return nil, base.Errorf(base.Internal, "type %s cannot be part of a key", dt)
}
