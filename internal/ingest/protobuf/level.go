package protobuf

// level is a sequence of rows that several columns share. The rows are either the messages, or the
// elements of one repeated field.
type level struct {
	rows int
	// cap is the number of rows that can be written, because fixed-width buffers are cleared for
	// them.
	cap  int
	room int // room is the number of rows for which the columns have memory.
	// hint is the number of rows for which memory is allocated first. It is estimated from the last
	// batch.
	hint  int
	limit int // limit is the maximum number of rows in a batch.
	// mark is the number of rows that the level (sequence of rows) had before the message that is
	// being decoded.
	mark    int
	columns []*column
	// bits is the number of bits that a row takes in the fixed-width buffers of all columns of the
	// level (sequence of rows).
	bits int
}

func (l *level) truncate(row int) {
	for _, c := range l.columns {
		c.truncate(row, l.rows)
	}
	l.rows = row
}

func (l *level) add(c *column) *column {
	c.level = l
	c.keys.row = -1
	l.columns = append(l.columns, c)
	l.bits += c.width()
	return c
}

// openRows is the number of rows that are cleared at a time. It is small, so that the cleared
// memory is still in the CPU cache when it is written.
const openRows = 512

// open clears rows, up to at least the given number. Their memory is allocated already.
func (l *level) open(rows int) {
	l.cap = min(max(rows, l.cap+openRows), l.room)
	for _, c := range l.columns {
		c.extend(l.cap)
	}
}

// trim shrinks the buffers of the columns of the level (sequence of rows) if they are far larger
// than the rows need. Finish calls it because a batch may live long.
func (l *level) trim() {
	const slack = 4
	if l.room < 1024 || l.rows*slack > l.room {
		return
	}
	for _, c := range l.columns {
		c.trim(l.rows)
	}
	l.cap, l.room = l.rows, l.rows
}

// reset drops all rows. It remembers their number, from which the next batch's memory is estimated.
func (l *level) reset() {
	l.hint = l.rows + l.rows/32
	for _, c := range l.columns {
		c.hint = len(c.data) + len(c.data)/32
		c.reset()
	}
	l.rows, l.cap, l.room, l.mark = 0, 0, 0, 0
}

// grow makes at least the given number of rows usable (see open). If there is no memory for these
// rows, it doubles the memory, as far as the batch's limit allows. It returns false if the limit
// does not allow this number of rows.
func (d *Decoder) grow(l *level, rows int) bool {
	if rows > l.room && !d.reserve(l, rows) {
		return false
	}
	l.open(rows)
	return true
}

// reserve allocates memory for at least the given number of rows. It returns false if the batch's
// limit does not allow this number of rows.
func (d *Decoder) reserve(l *level, rows int) bool {
	if rows > l.limit {
		return d.full()
	}
	want := min(max(2*l.room, l.hint, 64, rows), l.limit)
	if d.reserved+int64(want-l.room)*int64(l.bits) > d.plan.budget {
		want = min(max(rows, l.room+l.room/16), l.limit)
		if d.reserved+int64(want-l.room)*int64(l.bits) > d.plan.budget {
			return d.full()
		}
	}
	d.reserved += int64(want-l.room) * int64(l.bits)
	for _, c := range l.columns {
		c.reserve(want)
	}
	l.room = want
	return true
}

// full sets d.code to codeFull, because the batch has no room for the message. It always returns
// false, so that callers can end with "return d.full()".
func (d *Decoder) full() bool {
	d.code = codeFull
	return false
}

// bytes returns how many bytes of memory the rows of the level (sequence of rows) use.
func (l *level) bytes() int64 {
	n := int64(l.rows) * int64(l.bits) / 8
	for _, c := range l.columns {
		n += int64(len(c.data) + c.dict.Bytes())
	}
	return n
}

// beginElement adds one element to the list in the given row of column c. It returns the number of
// the element's row in the level (sequence of rows) that has the list's elements. It returns false
// if the batch has no room for the element.
func (c *column) beginElement(d *Decoder, row int) (int, bool) {
	child := c.child
	r := child.rows
	if r == child.cap && !d.grow(child, r+1) {
		return 0, false
	}
	child.rows = r + 1
	if c.next <= row {
		c.fill(row, int32(r))
	}
	return r, true
}

// beginRun adds n elements to the list in the given row of column c. It returns the number of the
// first element's row in the level (sequence of rows) that has the list's elements. It returns
// false if the batch has no room for the elements.
func (c *column) beginRun(d *Decoder, row, n int) (int, bool) {
	child := c.child
	r := child.rows
	if n > child.cap-r && !d.grow(child, r+n) {
		return 0, false
	}
	child.rows = r + n
	if c.next <= row {
		c.fill(row, int32(r))
	}
	return r, true
}
