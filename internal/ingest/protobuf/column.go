package protobuf

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/intern"
)

// store says which buffers a column has.
type store uint8

const (
	storeNone  store = iota // presence alone: structs, and messages that projections pass through
	storeBits               // bool
	store32                 // 4 bytes a row
	store64                 // 8 bytes a row
	storeTime               // 8 bytes a row: microseconds, and what is below them
	storeText               // utf8: offsets and data
	storeBytes              // binary: offsets and data
	storeDict               // utf8: index into a dictionary, until that does not pay
	storeEnum               // index of the enumerator
	storeList               // offsets into the child level
	storeEmpty              // a message without fields: present or not
	storeCount              // no output: counts a repeated field's elements in a row
)

// column holds one column's values of one level, rows 0 to level.rows-1, in
// Arrow's layout. Fixed-width buffers are as long as the level's rows may get without asking it, and zero
// where nothing was written, so a field that is absent costs nothing: its bit of
// presence stays zero, or its value is the zero that implicit presence means.
// Offsets are filled when a later row is written.
type column struct {
	// next is one more than the last row written, for the stores that write rows in
	// ascending order: offsets[next:] are not filled yet.
	next    int
	offsets []int32
	data    []byte
	child   *level // storeList: level of the elements

	w64   []uint64
	w32   []uint32
	valid []byte
	bits  []byte

	store    store
	optional bool    // has a validity bitmap
	plain    bool    // storeDict: the dictionary did not pay, the rows are in data
	implicit bool    // storeDict, storeEnum: index 0 is the value of absent fields
	rewrote  bool    // storeDict, storeEnum: a value may be in the dictionary that no row has
	nested   bool    // storeEnum inside lists and structs: becomes utf8 in the end
	present  *column // has the effective validity: this column, a message around it, or nil
	level    *level  // that the column's rows are of
	hint     int     // bytes of data that the last batch needed

	dict  intern.Table
	enum  *enumerators
	time  moment
	keys  mapKeys
	count int // storeCount: elements seen in row next-1

	gathered *column // its rows, repeated for the elements that a projection fans out; nil until there are some

	// memory is where the buffers come from; fixed is that of w64, w32 and bits, of which a column has one.
	memory struct{ valid, fixed, offsets, data slot }
}

func newColumn(s store, poison bool) *column {
	c := &column{store: s}
	for _, each := range []*slot{&c.memory.valid, &c.memory.fixed, &c.memory.offsets, &c.memory.data} {
		each.poison = poison
	}
	return c
}

// width returns the bits that a row takes in fixed-width buffers.
func (c *column) width() int {
	n := 0
	if c.optional {
		n++
	}
	switch c.store {
	case storeBits:
		n++
	case store32, storeText, storeBytes, storeList, storeEnum:
		n += 32
	case storeDict:
		n += 64 // an index, an offset when it turns plain
	case store64:
		n += 64
	case storeTime:
		n += 80
	}
	return n
}

// reserve makes room for rows, which extend opens.
func (c *column) reserve(rows int) {
	if c.optional {
		c.valid = reserve(&c.memory.valid, c.valid, (rows+7)/8)
	}
	switch c.store {
	case storeBits:
		c.bits = reserve(&c.memory.fixed, c.bits, (rows+7)/8)
	case store32, storeEnum:
		c.w32 = reserve(&c.memory.fixed, c.w32, rows)
	case store64, storeTime:
		c.w64 = reserve(&c.memory.fixed, c.w64, rows)
	case storeText, storeBytes:
		c.data = reserve(&c.memory.data, c.data, c.hint)
		c.offsets = reserve(&c.memory.offsets, c.offsets, rows+1)
	case storeList:
		c.offsets = reserve(&c.memory.offsets, c.offsets, rows+1)
	case storeDict:
		if c.plain {
			c.offsets = reserve(&c.memory.offsets, c.offsets, rows+1)
		} else {
			c.w32 = reserve(&c.memory.fixed, c.w32, rows)
		}
	}
}

// extend opens rows that there is room for: their values are zero.
func (c *column) extend(rows int) {
	if c.optional {
		c.valid = extend(c.valid, (rows+7)/8)
	}
	switch c.store {
	case storeBits:
		c.bits = extend(c.bits, (rows+7)/8)
	case store32, storeEnum:
		c.w32 = extend(c.w32, rows)
	case store64:
		c.w64 = extend(c.w64, rows)
	case storeTime:
		c.w64 = extend(c.w64, rows)
		if n := len(c.time.nanos); n > 0 && n < rows {
			c.time.nanos = append(c.time.nanos, make([]uint16, rows-n)...)
		}
	case storeText, storeBytes, storeList:
		c.offsets = c.offsets[:rows+1]
	case storeDict:
		if c.plain {
			c.offsets = c.offsets[:rows+1]
		} else {
			c.w32 = extend(c.w32, rows)
		}
	}
}

// trim gives back memory that was reserved for far more rows than there are.
func (c *column) trim(rows int) {
	c.valid = trim(&c.memory.valid, c.valid, (rows+7)/8)
	c.bits = trim(&c.memory.fixed, c.bits, (rows+7)/8)
	c.w32 = trim(&c.memory.fixed, c.w32, rows)
	c.w64 = trim(&c.memory.fixed, c.w64, rows)
	c.offsets = trim(&c.memory.offsets, c.offsets, rows+1)
	c.data = trim(&c.memory.data, c.data, len(c.data))
}

// reset forgets all rows.
func (c *column) reset() {
	leave(&c.memory.valid, c.valid)
	switch {
	case c.w64 != nil:
		leave(&c.memory.fixed, c.w64)
	case c.w32 != nil:
		leave(&c.memory.fixed, c.w32)
	default:
		leave(&c.memory.fixed, c.bits)
	}
	leave(&c.memory.offsets, c.offsets)
	leave(&c.memory.data, c.data)
	c.valid, c.w64, c.w32, c.bits, c.offsets, c.data = nil, nil, nil, nil, nil, nil
	c.next, c.count = 0, 0
	c.plain, c.rewrote = false, false
	c.dict = intern.Table{}
	c.time = moment{}
	c.keys.row = -1
	if c.enum != nil {
		c.enum.reset()
	}
	c.reserveDefault()
}

// reserveDefault gives index 0 to the value of absent fields.
func (c *column) reserveDefault() {
	if !c.implicit {
		return
	}
	switch c.store {
	case storeDict:
		c.dict.Index(nil)
	case storeEnum:
		c.enum.index(c.enum.absent)
	}
}

// fill sets the offsets up to row's: the rows before are empty.
func (c *column) fill(row int, at int32) {
	offsets := c.offsets[:row+1]
	for i := c.next; i < len(offsets); i++ {
		offsets[i] = at
	}
	c.next = row + 1
}

// openText starts row's value; what it held before is replaced.
func (c *column) openText(row int) {
	if c.next <= row {
		c.fill(row, int32(len(c.data)))
		return
	}
	c.data = c.data[:c.offsets[row]]
}

// setBytes sets row to a copy of v.
func (c *column) setBytes(row int, v []byte) {
	c.openText(row)
	c.appendData(v)
}

// appendData adds v to the data.
func (c *column) appendData(v []byte) {
	if n := len(c.data) + len(v); n > cap(c.data) {
		c.data = reserve(&c.memory.data, c.data, max(n, cap(c.data)+cap(c.data)/2, leastText))
	}
	c.data = append(c.data, v...)
}

const (
	shortText = 192  // bytes; the size up to which text is copied without a call
	leastText = 1024 // bytes that a column of text reserves at least
)

// highBits are set in words of bytes that are not all ASCII.
const highBits = 0x8080808080808080

// setText sets row to a copy of v, or reports that v is not UTF-8.
func (c *column) setText(row int, v []byte) bool {
	if c.next == row && row < len(c.offsets) {
		c.offsets[row], c.next = int32(len(c.data)), row+1
	} else {
		c.openText(row)
	}
	n, at := len(v), len(c.data)
	if n > shortText || cap(c.data)-at < shortText {
		c.appendData(v)
		return ingest.ValidText(v)
	}
	// Words of v, the last of which may overlap the one before: copied and looked at
	// in one go, without a call.
	to := c.data[at : at+shortText]
	var all uint64
	switch {
	case n >= 8:
		all = binary.LittleEndian.Uint64(v[n-8:])
		binary.LittleEndian.PutUint64(to[n-8:n], all)
		from := v
		for len(from) > 16 && len(to) > 16 {
			w, z := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
			binary.LittleEndian.PutUint64(to, w)
			binary.LittleEndian.PutUint64(to[8:], z)
			all |= w | z
			from, to = from[16:], to[16:]
		}
		if len(from) > 8 && len(to) > 8 {
			w := binary.LittleEndian.Uint64(from)
			binary.LittleEndian.PutUint64(to, w)
			all |= w
		}
	case n >= 4:
		w, z := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[n-4:])
		binary.LittleEndian.PutUint32(to, w)
		binary.LittleEndian.PutUint32(to[n-4:n], z)
		all = uint64(w | z)
	case n > 0:
		x, y, z := v[0], v[n>>1], v[n-1]
		to[0], to[n>>1], to[n-1] = x, y, z
		all = uint64(x | y | z)
	}
	c.data = c.data[:at+n]
	return all&highBits == 0 || utf8.Valid(v)
}

// setDict sets row to v, or reports that v is not UTF-8.
func (c *column) setDict(row int, v []byte) bool {
	if c.plain {
		return c.setText(row, v)
	}
	index, ok := c.dict.Find(v)
	if !ok {
		if !ingest.ValidText(v) {
			return false
		}
		if !mayGrow(&c.dict, row) {
			c.turnPlain(row)
			return c.setText(row, v)
		}
		index = c.dict.Add(v)
	}
	if c.next > row {
		c.rewrote = true // the value it replaces may be nobody else's
	}
	c.w32[row] = index
	c.next = row + 1
	return true
}

// turnPlain rewrites the rows before row as offsets and data. A value that row
// itself held is dropped: it is about to be replaced.
func (c *column) turnPlain(row int) {
	size := 0
	for i := range row {
		if c.thereAt(i) {
			size += len(c.dict.Value(c.w32[i]))
		}
	}
	room := size
	if row < c.level.rows { // more are to come
		room = max(size+size/8, c.hint)
	}
	c.data = reserve(&c.memory.data, c.data, room)
	c.offsets = reserve(&c.memory.offsets, c.offsets, c.level.room+1)[:c.level.cap+1]
	for i := range row {
		c.offsets[i] = int32(len(c.data))
		if c.thereAt(i) {
			c.data = append(c.data, c.dict.Value(c.w32[i])...)
		}
	}
	c.next = row
	leave(&c.memory.fixed, c.w32)
	c.plain, c.w32, c.dict = true, nil, intern.Table{}
}

// textFrom returns the bytes of text in the rows from row on.
func (c *column) textFrom(row int) int64 {
	switch {
	case c.store == storeDict && !c.plain:
		n := int64(0)
		for i := row; i < c.next; i++ {
			if c.thereAt(i) {
				n += int64(len(c.dict.Value(c.w32[i])))
			}
		}
		return n
	case c.store == storeText, c.store == storeBytes, c.store == storeDict:
		if c.next > row {
			return int64(len(c.data)) - int64(c.offsets[row])
		}
	}
	return 0
}

// truncate makes the rows from row on as if they had never been written; end is
// one more than the last that may have been.
func (c *column) truncate(row, end int) {
	if c.optional {
		bitutil.SetBitsTo(c.valid, int64(row), int64(end-row), false)
	}
	if row == 0 {
		c.time.fine, c.time.far = false, false
	}
	if c.time.invalid != nil {
		c.time.invalid = slices.DeleteFunc(c.time.invalid, func(r int) bool { return r >= row })
	}
	switch c.store {
	case storeBits:
		bitutil.SetBitsTo(c.bits, int64(row), int64(end-row), false)
	case store32:
		clear(c.w32[row:end])
	case storeEnum:
		clear(c.w32[row:end])
		c.rewrote = true
	case store64:
		clear(c.w64[row:end])
	case storeTime:
		clear(c.w64[row:end])
		if c.time.nanos != nil {
			clear(c.time.nanos[row:end])
		}
	case storeDict:
		if !c.plain {
			clear(c.w32[row:end])
			c.rewrote = true
		} else if c.next > row {
			c.data = c.data[:c.offsets[row]]
		}
	case storeText, storeBytes:
		if c.next > row {
			c.data = c.data[:c.offsets[row]]
		}
	case storeList:
		if c.next > row {
			c.child.truncate(int(c.offsets[row]))
		}
		c.keys.row = -1
	}
	c.next = min(c.next, row)
	c.count = 0
}
