package protobuf

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// mapKeys finds map entries that a later entry of the same map replaces, because it has the same
// key. These entries are not removed from the buffers. Instead, the message is decoded a second
// time without them. Keys are nearly always distinct, and then this costs nothing.
type mapKeys struct {
	key  *column // key is the column that has the keys of the map's entries.
	row  int     // row is the row that has the current map, or -1 if there is none.
	at   []int   // at[i] is the offset in the message at which entry i of the map begins.
	seen map[string]int
}

// manyKeys is the number of entries of a map above which duplicate keys are found with a hash
// table.
const manyKeys = 16

// entry decodes an entry of a map as a new element of the list in the given row. It returns false
// on failure.
func (d *Decoder) entry(o *op, row int, b []byte, p int) bool {
	if d.again {
		if _, found := slices.BinarySearch(d.replaced, p); found {
			return true
		}
	}
	c := o.col
	r, ok := c.beginElement(d, row)
	if !ok || !d.message(o.sub, r, b, p) {
		return false
	}
	if d.again {
		return true
	}
	if old := c.keys.record(row, r-int(c.offsets[row]), r, p); old >= 0 {
		d.replaced = append(d.replaced, old)
	}
	return true
}

// record is called for entry n of the map in the given row, after the entry was decoded. The entry
// is element r of the list of entries, and begins at byte p of the message. If an earlier entry has
// the same key, record returns the byte at which the earlier entry begins, and otherwise -1.
func (k *mapKeys) record(row, n, r, p int) int {
	if k.row != row {
		k.row, k.seen = row, nil
	}
	k.at = append(k.at[:n], p)
	first := r - n
	if n < manyKeys {
		for i := n - 1; i >= 0; i-- {
			if k.equal(first+i, r) {
				return k.at[i]
			}
		}
		return -1
	}
	if k.seen == nil {
		k.seen = make(map[string]int, 2*n)
		for i := range n {
			k.seen[string(k.bytes(first+i))] = i
		}
	}
	old := -1
	key := k.bytes(r)
	if i, ok := k.seen[string(key)]; ok {
		old = k.at[i]
	}
	k.seen[string(key)] = n
	return old
}

func (k *mapKeys) equal(i, j int) bool {
	switch c := k.key; c.store {
	case storeBits:
		return bitutil.BitIsSet(c.bits, i) == bitutil.BitIsSet(c.bits, j)
	case store32:
		return c.w32[i] == c.w32[j]
	case store64:
		return c.w64[i] == c.w64[j]
	}
	return bytes.Equal(k.bytes(i), k.bytes(j))
}

// bytes returns the key in element i of the current row, as bytes.
func (k *mapKeys) bytes(i int) []byte {
	c := k.key
	switch c.store {
	case storeDict:
		if !c.plain {
			return c.dict.Value(c.w32[i])
		}
	case storeBits:
		return []byte{c.bits[i>>3] >> (i & 7) & 1}
	case store32:
		return binary.LittleEndian.AppendUint32(nil, c.w32[i])
	case store64:
		return binary.LittleEndian.AppendUint64(nil, c.w64[i])
	}
	switch {
	case i >= c.next: // this element has no key, and neither has any later element
		return nil
	case i+1 >= c.next:
		return c.data[c.offsets[i]:]
	}
	return c.data[c.offsets[i]:c.offsets[i+1]]
}
