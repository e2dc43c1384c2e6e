package batch

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
)

// KeyHash is a 96-bit hash of the values of a key. It is used in place of the key: two different
// keys of a table have the same hash with a probability of 2^-96, which is less than that of an
// undetected bit flip in memory. This holds for any choice of keys, because the hash has a random
// seed. So hashes of different processes cannot be compared.
type KeyHash struct {
	High uint64
	Low  uint32
}

var keySeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// noKey is the hash of rows with a NULL in the key. Such rows must not match any row.
var noKey = KeyHash{rand.Uint64(), rand.Uint32()}

// KeyHashes returns for each row the hash of its values in the given columns. The columns must have
// the same length, and storage types that can be sorted. Values that are equal in DuckDB have equal
// hashes. If a row has a NULL, its hash matches no key.
func KeyHashes(columns []arrow.Array) ([]KeyHash, error) {
	if len(columns) == 0 {
		return nil, base.Errorf(base.Internal, "a key without columns")
	}
	rows := columns[0].Len()
	nullable := slices.DeleteFunc(slices.Clone(columns), func(c arrow.Array) bool { return c.NullN() == 0 })
	if words := keyWords(columns); words != nil {
		return hashWords(words, rows, nullable), nil
	}
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
		if isNull(nullable, row) {
			out[row] = noKey
			continue
		}
		out[row] = KeyHash{maphash.Bytes(keySeeds[0], key), uint32(maphash.Bytes(keySeeds[1], key))}
	}
	return out, nil
}

func isNull(nullable []arrow.Array, row int) bool {
	return slices.ContainsFunc(nullable, func(c arrow.Array) bool { return c.IsNull(row) })
}

// keyFactors are the random factors of the multilinear hash that makes 32 of the 96 bits of a
// KeyHash. For each 64-bit word of a key there are two factors. With such factors, these 32 bits of
// two different keys are equal with a probability of 2^-32.
var keyFactors = func() (out [2 * maxKeyWords]uint64) {
	for i := range out {
		out[i] = rand.Uint64()
	}
	return out
}()

// maxKeyWords is the maximum number of 64-bit words of a key that is hashed word by word.
const maxKeyWords = 16

// keyWords returns the values of key columns as 64-bit words, if all columns have a fixed width.
// For other keys it returns nil.
func keyWords(columns []arrow.Array) [][]uint64 {
	var words [][]uint64
	for _, c := range columns {
		dt := c.DataType()
		if ext, ok := dt.(arrow.ExtensionType); ok {
			dt = ext.StorageType()
		}
		chunk := []arrow.Array{c}
		switch dt.ID() {
		case arrow.STRING, arrow.BINARY, arrow.DICTIONARY:
			return nil
		case arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128:
			high, low := wideValues(make([]uint64, 0, c.Len()), make([]uint64, 0, c.Len()), chunk, dt)
			words = append(words, high, low)
		default:
			words = append(words, orderedValues(make([]uint64, 0, c.Len()), chunk, dt))
		}
		if len(words[len(words)-1]) < c.Len() {
			return nil
		}
	}
	if len(words) > maxKeyWords {
		return nil
	}
	return words
}

// hashWords returns the hash of each row's words. The argument words has one slice for each word of
// the key, and nullable has the columns in which there are NULLs. Building the indexes of keys
// spends most of its time in this function.
func hashWords(words [][]uint64, rows int, nullable []arrow.Array) []KeyHash {
	out := make([]KeyHash, rows)
	key := make([]byte, 8*len(words))
	for row := range out {
		sum := uint64(0)
		for i, column := range words {
			w := column[row]
			binary.LittleEndian.PutUint64(key[8*i:], w)
			sum += keyFactors[2*i]*(w>>32) + keyFactors[2*i+1]*(w&math.MaxUint32)
		}
		out[row] = KeyHash{maphash.Bytes(keySeeds[0], key), uint32(sum >> 32)}
	}
	if len(nullable) > 0 {
		for row := range out {
			if isNull(nullable, row) {
				out[row] = noKey
			}
		}
	}
	return out
}

// keyAppender returns a function that appends the value in a row of the column c to the bytes of a
// key. Different values give different bytes.
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
		if high, low := wideValues(make([]uint64, 0, c.Len()), make([]uint64, 0, c.Len()), chunk, dt); high != nil {
			return func(to []byte, row int) []byte {
				return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, high[row]), low[row])
			}, nil
		}
	}
	if values := orderedValues(make([]uint64, 0, c.Len()), chunk, dt); values != nil || c.Len() == 0 {
		return func(to []byte, row int) []byte { return binary.LittleEndian.AppendUint64(to, values[row]) }, nil
	}
	return nil, base.Errorf(base.Internal, "type %s cannot be part of a key", dt)
}
