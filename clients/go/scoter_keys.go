package scoter

import "hash/maphash"

// scKeySet finds out whether a key may occur twice. It stores only a hash of 8 bytes for each key,
// so two different keys with the same hash are taken for the same key.
type scKeySet struct {
	seed maphash.Seed
	// seen is a hash table with open addressing. An element is a hash, or 0 if it is free.
	seen     []uint64
	count    int
	repeated bool
}

func newScKeySet() *scKeySet { return &scKeySet{seed: maphash.MakeSeed(), seen: make([]uint64, 1024)} }

func (k *scKeySet) add(key []byte) {
	if k.repeated {
		return
	}
	if k.repeated = !k.put(max(maphash.Bytes(k.seed, key), 1)); k.repeated {
		k.seen = nil
		return
	}
	if k.count++; k.count <= len(k.seen)/4*3 {
		return
	}
	smaller := k.seen
	k.seen = make([]uint64, 2*len(smaller))
	for _, hash := range smaller {
		if hash != 0 {
			k.put(hash)
		}
	}
}

func (k *scKeySet) put(hash uint64) bool {
	mask := uint64(len(k.seen) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch k.seen[at] {
		case 0:
			k.seen[at] = hash
			return true
		case hash:
			return false
		}
	}
}

// scKinds splits a list of kinds, such as `a,(b,c)`, at the commas outside of parentheses.
func scKinds(list string) (kinds []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				kinds, from = append(kinds, list[from:i]), i+1
			}
		}
	}
	return append(kinds, list[from:])
}
