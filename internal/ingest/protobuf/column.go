package protobuf

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/intern"
)

// store says in which kind of buffers a column stores its values.
type store uint8

const (
	// storeNone stores no values, only whether they are present. It is for structs, and for
	// messages of which only some fields are selected.
	storeNone store = iota
	storeBits       // storeBits is for booleans: one bit per row.
	store32         // store32 is for values of 4 bytes.
	store64         // store64 is for values of 8 bytes.
	// storeTime is for times: 8 bytes per row for the microseconds, and 2 bytes for the remaining
	// nanoseconds (0 to 999).
	storeTime
	storeText  // storeText is for text, as offsets and data.
	storeBytes // storeBytes is for bytes, as offsets and data.
	// storeDict is for text, as an index into a dictionary. If there are too many distinct values,
	// the dictionary is given up.
	storeDict
	// storeEnum is for an enum, as an index into the field enum, which has the enum values that
	// occur.
	storeEnum
	storeList // storeList is for a list, as offsets into the rows of its elements.
	// storeEmpty is for a message without fields. The value is true if the message is present.
	storeEmpty
	storeCount // storeCount makes no column. It counts the elements of a repeated field in a row.
)

// column holds the values of one column of one level (a sequence of rows) in Arrow's layout.
//
// Fixed-width buffers are cleared in advance, for level.cap rows, and are zero where nothing was
// written. So a field that a message does not have costs nothing: its presence bit stays zero, or
// its value stays zero, which is the default of a field with implicit presence. Offsets are filled
// when a later row is written.
type column struct {
	// next is one more than the last row that was written. It is used in stores (kinds of buffers)
	// whose rows must be written in ascending order. offsets[next:] are not filled yet.
	next    int
	offsets []int32
	data    []byte
	// child is the level (sequence of rows) that has the elements of a list, for storeList.
	child *level

	w64   []uint64
	w32   []uint32
	valid []byte
	bits  []byte

	store    store
	optional bool // optional says that the column has a validity bitmap.
	// plain says that a column of text (storeDict) has given up its dictionary. The text of the
	// rows is then in the fields offsets and data.
	plain bool
	// implicit says that index 0 of a dictionary or enum is the value of absent fields.
	implicit bool
	// rewrote says that a value of the column was replaced or removed. So the dictionary may have a
	// value that no row has.
	rewrote bool
	// nested says that an enum column is inside of a list or struct. Finish converts it to utf8
	// then.
	nested bool
	// present is the column that has the validity of this column's rows: this column itself, or
	// that of a message around it. It is nil if no row is NULL.
	present *column
	level   *level // level is the sequence of rows to which this column belongs.
	// hint is the number of bytes of data in the last batch. Memory for as many bytes is reserved
	// for the next batch.
	hint int

	dict intern.Table
	enum *enumerators
	time moment
	keys mapKeys
	// count is used only in columns of kind storeCount, which count the elements of a repeated
	// field. It is the number of elements so far in row next-1.
	count int

	// gathered is the copy of this column that a batch has if the elements of a list become rows (a
	// selected path has []). The copy repeats the value of each message for each of these rows. It
	// is nil until a batch needs it.
	gathered *column

	// memory has a slot for each buffer of the column, which manages the memory of that buffer.
	// fixed is for the buffer of fixed-width values: w64, w32 or bits, of which a column uses only
	// one.
	memory struct{ valid, fixed, offsets, data slot }
}

func newColumn(s store, poison bool) *column {
	c := &column{store: s}
	for _, each := range []*slot{&c.memory.valid, &c.memory.fixed, &c.memory.offsets, &c.memory.data} {
		each.poison = poison
	}
	return c
}

// width returns the number of bits that a row takes in the column's fixed-width buffers.
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
		n += 64 // an index, and an offset in case the dictionary is given up
	case store64:
		n += 64
	case storeTime:
		n += 80
	}
	return n
}

// reserve allocates memory for the given number of rows. The method extend makes the rows usable.
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

// extend makes rows usable, up to the given number. Their memory was allocated by the method
// reserve. Their values are zero.
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

// trim shrinks the buffers if they are far larger than the given number of rows needs.
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

// reserveDefault gives index 0 of the dictionary to the default value, which absent fields have.
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

// fill sets the offsets of the rows after the last written one, up to and including the given row,
// to the argument at. So the given row begins at that offset, and the rows that were skipped before
// it are empty.
func (c *column) fill(row int, at int32) {
	offsets := c.offsets[:row+1]
	for i := c.next; i < len(offsets); i++ {
		offsets[i] = at
	}
	c.next = row + 1
}

// openText begins the text of the given row. If the row has a text already, that text is dropped.
func (c *column) openText(row int) {
	if c.next <= row {
		c.fill(row, int32(len(c.data)))
		return
	}
	c.data = c.data[:c.offsets[row]]
}

// setBytes sets the value in the given row to a copy of v.
func (c *column) setBytes(row int, v []byte) {
	c.openText(row)
	c.appendData(v)
}

// appendData appends the bytes v to the column's data.
func (c *column) appendData(v []byte) {
	if n := len(c.data) + len(v); n > cap(c.data) {
		c.data = reserve(&c.memory.data, c.data, max(n, cap(c.data)+cap(c.data)/2, leastText))
	}
	c.data = append(c.data, v...)
}

const (
	// shortText is the size in bytes up to which a text is copied without a function call.
	shortText = 192
	leastText = 1024 // leastText is the minimum number of bytes that a text column reserves.
)

// highBits are the high bits of eight bytes. If none of them is set in a word, its bytes are ASCII.
const highBits = 0x8080808080808080

// setText sets the value in the given row to a copy of the text v. It returns false if v is not
// valid UTF-8.
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
	// v is copied eight bytes at a time and checked for ASCII in the same loop, without a function
	// call. The last eight bytes may overlap those before them.
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

// setDict sets the value in the given row to the text v, with an index into the dictionary. It
// returns false if v is not valid UTF-8.
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
		c.rewrote = true // the value that is replaced may be in no other row
	}
	c.w32[row] = index
	c.next = row + 1
	return true
}

// turnPlain gives up the dictionary. It writes all rows before the given row as offsets and data,
// and drops the value of the given row, because the caller replaces it.
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

// textFrom returns the number of bytes of text in the given row and all later rows.
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

// truncate clears the given row and all later rows, as if they had never been written. end is one
// more than the last row that may have been written.
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
