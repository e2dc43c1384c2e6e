package protobuf

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// parents is for plans in which elements of repeated fields become rows of the batch. Such a batch
// is made of several levels (sequences of rows), and its rows are those of the last level. For
// every other level, parents returns a slice with an element for each row of the batch: the number
// of the level's row that contains the batch's row. It returns nil if each message becomes one row.
func (d *Decoder) parents() map[*level][]int32 {
	if len(d.chain) == 1 {
		return nil
	}
	parents := make(map[*level][]int32, len(d.chain)-1)
	// rows has, for every row of the batch, the row of level i (sequence of rows) that contains it.
	// It is nil for the last level, whose rows are the rows of the batch.
	var rows []int32
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

// repeated returns a copy of output o (a column of the batch) in which rows are repeated, because a
// repeated field becomes several rows per message. Row i of the copy is row parent[i] of o. o must
// have a flat type.
func (f *finisher) repeated(o *output, parent []int32) *output {
	c := o.col
	n := len(parent)
	out := f.gather(c)
	out.plain, out.implicit, out.rewrote, out.nested = c.plain, c.implicit, true, c.nested
	out.level = &level{cap: n, room: n}
	out.enum, out.dict, out.time = c.enum, c.dict, moment{fine: c.time.fine}
	if p := c.present; p != nil {
		out.present = f.gather(p)
		if out.present.valid == nil {
			out.present.valid = gatherBits(&out.present.memory.valid, p.valid, parent)
		}
	}
	fixed := &out.memory.fixed
	switch {
	case c.store == storeBits:
		out.bits = gatherBits(fixed, c.bits, parent)
	case c.store == store64, c.store == storeTime:
		out.w64 = gather(fixed, c.w64, parent)
		if c.time.fine {
			out.time.nanos = make([]uint16, n)
			for i, row := range parent {
				out.time.nanos[i] = c.time.nanos[row]
			}
		}
	case c.store == store32, c.store == storeEnum, c.store == storeDict && !c.plain:
		out.w32 = gather(fixed, c.w32, parent)
	case c.store == storeText, c.store == storeBytes, c.store == storeDict:
		c.fill(max(o.level.rows, c.next-1), int32(len(c.data)))
		out.offsets = reserve(&out.memory.offsets, out.offsets, n+1)[:n+1]
		out.offsets[0] = 0
		size := 0
		for i, row := range parent {
			size += int(c.offsets[row+1] - c.offsets[row])
			out.offsets[i+1] = int32(size)
		}
		out.data = reserve(&out.memory.data, out.data, size)
		for _, row := range parent {
			out.data = append(out.data, c.data[c.offsets[row]:c.offsets[row+1]]...)
		}
		out.next = n + 1
	}
	return &output{name: o.name, typ: o.typ, col: out, level: out.level}
}

// gather returns the column to which the caller copies the rows of column c. In the copy each row
// is repeated for all rows of the batch that come from it.
func (f *finisher) gather(c *column) *column {
	if c.gathered == nil {
		c.gathered = newColumn(c.store, f.poison)
	}
	if !slices.Contains(f.gathered, c.gathered) {
		f.gathered = append(f.gathered, c.gathered)
	}
	return c.gathered
}

func gather[T uint32 | uint64](s *slot, values []T, rows []int32) []T {
	out := reserve[T](s, nil, len(rows))[:len(rows)]
	for i, row := range rows {
		out[i] = values[row]
	}
	return out
}

func gatherBits(s *slot, bits []byte, rows []int32) []byte {
	out := extend(reserve[byte](s, nil, (len(rows)+7)/8), (len(rows)+7)/8)
	for i, row := range rows {
		if bitutil.BitIsSet(bits, int(row)) {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}
