package protobuf

import "github.com/apache/arrow-go/v18/arrow/bitutil"

// parents returns, for each level above that of the batch's rows, to which of its
// rows every row of the batch belongs.
func (d *Decoder) parents() map[*level][]int32 {
	if len(d.chain) == 1 {
		return nil
	}
	parents := make(map[*level][]int32, len(d.chain)-1)
	var rows []int32 // of the level below, for every row of the batch; nil: the same
	for i := len(d.chain) - 1; i > 0; i-- {
		above, list, n := d.chain[i-1].level, d.chain[i].list, d.chain[i].level.rows
		if list.next <= above.rows {
			list.fill(above.rows, int32(n))
		}
		of := make([]int32, n)
		for row := range above.rows {
			for e := list.offsets[row]; e < list.offsets[row+1]; e++ {
				of[e] = int32(row)
			}
		}
		if rows != nil {
			composed := make([]int32, len(rows))
			for i, row := range rows {
				composed[i] = of[row]
			}
			of = composed
		}
		parents[above], rows = of, of
	}
	return parents
}

// repeated returns a flat output whose row i is o's row parent[i].
func (f *finisher) repeated(o *output, parent []int32) *output {
	c := o.col
	n := len(parent)
	out := &column{store: c.store, plain: c.plain, implicit: c.implicit, rewrote: true, nested: c.nested,
		level: &level{cap: n}, enum: c.enum, dict: c.dict, time: moment{fine: c.time.fine}}
	if c.present != nil {
		p, ok := f.present[c.present]
		if !ok {
			p = &column{valid: gatherBits(c.present.valid, parent)}
			f.present[c.present] = p
		}
		out.present = p
	}
	switch {
	case c.store == storeBits:
		out.bits = gatherBits(c.bits, parent)
	case c.store == store64, c.store == storeTime:
		out.w64 = gather(c.w64, parent)
		if c.time.fine {
			out.time.nanos = gather(c.time.nanos, parent)
		}
	case c.store == store32, c.store == storeEnum, c.store == storeDict && !c.plain:
		out.w32 = gather(c.w32, parent)
	case c.store == storeText, c.store == storeBytes, c.store == storeDict:
		c.fill(max(o.level.rows, c.next-1), int32(len(c.data)))
		out.offsets = make([]int32, n+1)
		size := 0
		for i, row := range parent {
			size += int(c.offsets[row+1] - c.offsets[row])
			out.offsets[i+1] = int32(size)
		}
		out.data = make([]byte, 0, size)
		for _, row := range parent {
			out.data = append(out.data, c.data[c.offsets[row]:c.offsets[row+1]]...)
		}
		out.next = n + 1
	}
	return &output{name: o.name, typ: o.typ, col: out, level: out.level}
}

func gather[T uint16 | uint32 | uint64](values []T, rows []int32) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = values[row]
	}
	return out
}

func gatherBits(bits []byte, rows []int32) []byte {
	out := make([]byte, (len(rows)+7)/8)
	for i, row := range rows {
		if bitutil.BitIsSet(bits, int(row)) {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}
