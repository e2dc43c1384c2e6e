package protobuf

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/intern"
)

// store says in which buffers a column stores its values.
type store uint8

const (
	// Only whether a row is present: for structs, and for messages that contain columns of a
	// projection.
	storeNone  store = iota
	storeBits        // bool
	store32          // 4 bytes a row
	store64          // 8 bytes a row
	storeTime        // 8 bytes a row for microseconds, and 2 for the nanoseconds below them
	storeText        // utf8: offsets and data
	storeBytes       // binary: offsets and data
	storeDict        // utf8: index into a dictionary, until a dictionary no longer pays off
	storeEnum        // index of the enumerator
	storeList        // offsets into the child level
	storeEmpty       // a message without fields: true if it is present
	storeCount       // no output: counts a repeated field's elements in a row
)

// column holds the values of one column of one level, rows 0 to level.rows-1, in Arrow's layout.
//
// Fixed-width buffers are cleared for level.cap rows, and are zero where nothing was written. So an
// absent field costs nothing: its presence bit stays zero, or its value stays the zero that
// implicit presence stands for. Offsets are filled when a later row is written.
type column struct {
	// next is one more than the last row written, for stores that write rows in ascending order.
	// offsets[next:] are not filled yet.
	next    int
	offsets []int32
	data    []byte
	child   *level // storeList: level of the elements

	w64   []uint64
	w32   []uint32
	valid []byte
	bits  []byte

	store    store
	optional bool // has a validity bitmap
	plain    bool // storeDict: the dictionary did not pay off, the rows are in data
	implicit bool // storeDict, storeEnum: index 0 is the value of absent fields
	rewrote  bool // storeDict, storeEnum: the dictionary may contain a value that no row has
	nested   bool // storeEnum inside lists and structs: becomes utf8 in Finish
	// present is the column that has the validity of this one: the column itself, or the column of
	// a message that contains it. It is nil if all rows are valid.
	present *column
	level   *level // the level that the column belongs to
	hint    int    // bytes of data that the last batch needed

	dict  intern.Table
	enum  *enumerators
	time  moment
	keys  mapKeys
	count int // storeCount: elements seen in row next-1

	// gathered holds the column's rows, repeated for the elements that a projection turns into
	// rows. It is nil until a batch needs it.
	gathered *column

	// memory has the slots of the buffers. fixed is the slot of w64, w32 or bits: a column uses
	// only one of them.
	memory struct{ valid, fixed, offsets, data slot }
}

func newColumn(s store, poison bool) *column {
	c := &column{store: s}
	for _, each := range []*slot{&c.memory.valid, &c.memory.fixed, &c.memory.offsets, &c.memory.data} {
		each.poison = poison
	}
	return c
}

// width returns the number of bits that a row takes in fixed-width buffers.
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
		n += 64 // an index, and an offset for when it turns plain
	case store64:
		n += 64
	case storeTime:
		n += 80
	}
	return n
}

// reserve allocates memory for rows. extend makes them usable.
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

// extend makes rows usable that reserve has allocated. Their values are zero.
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

// trim shrinks buffers that were reserved for far more rows than there are.
func (c *column) trim(rows int) {
	c.valid = trim(&c.memory.valid, c.valid, (rows+7)/8)
	c.bits = trim(&c.memory.fixed, c.bits, (rows+7)/8)
	c.w32 = trim(&c.memory.fixed, c.w32, rows)
	c.w64 = trim(&c.memory.fixed, c.w64, rows)
	c.offsets = trim(&c.memory.offsets, c.offsets, rows+1)
	c.data = trim(&c.memory.data, c.data, len(c.data))
}

// reset drops all rows.
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

// reserveDefault assigns index 0 to the value of absent fields.
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

// fill sets the offsets up to and including row's. The rows before row are empty.
func (c *column) fill(row int, at int32) {
	offsets := c.offsets[:row+1]
	for i := c.next; i < len(offsets); i++ {
		offsets[i] = at
	}
	c.next = row + 1
}

// openText starts the value of row, and drops the value that row had before.
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

// appendData appends v to the data.
func (c *column) appendData(v []byte) {
	if n := len(c.data) + len(v); n > cap(c.data) {
		c.data = reserve(&c.memory.data, c.data, max(n, cap(c.data)+cap(c.data)/2, leastText))
	}
	c.data = append(c.data, v...)
}

const (
	shortText = 192  // bytes; text of at most this size is copied without a call
	leastText = 1024 // the least bytes that a text column reserves
)

// A word of eight bytes is ASCII if it has none of the highBits.
const highBits = 0x8080808080808080

// setText sets row to a copy of v, and reports whether v is valid UTF-8.
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
	// Copy v in words and check them in the same loop, without a call. The last word may overlap
	// the one before.
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

// setDict sets row to v, and reports whether v is valid UTF-8.
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
		c.rewrote = true // perhaps no other row has the value that this replaces
	}
	c.w32[row] = index
	c.next = row + 1
	return true
}

// turnPlain rewrites the rows before row as offsets and data. The value of row itself is dropped,
// because the caller replaces it.
func (c *column) turnPlain(row int) {
	size := 0
	for i := range row {
		if c.isPresent(i) {
			size += len(c.dict.Value(c.w32[i]))
		}
	}
	room := size
	if row < c.level.rows { // more rows may follow
		room = max(size+size/8, c.hint)
	}
	c.data = reserve(&c.memory.data, c.data, room)
	c.offsets = reserve(&c.memory.offsets, c.offsets, c.level.room+1)[:c.level.cap+1]
	for i := range row {
		c.offsets[i] = int32(len(c.data))
		if c.isPresent(i) {
			c.data = append(c.data, c.dict.Value(c.w32[i])...)
		}
	}
	c.next = row
	leave(&c.memory.fixed, c.w32)
	c.plain, c.w32, c.dict = true, nil, intern.Table{}
}

// textFrom returns the number of bytes of text in the rows from row on.
func (c *column) textFrom(row int) int64 {
	switch {
	case c.store == storeDict && !c.plain:
		n := int64(0)
		for i := row; i < c.next; i++ {
			if c.isPresent(i) {
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

// truncate clears the rows from row on, as if they had never been written. end is one more than the
// last row that may have been written.
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
