package protobuf

// level is a sequence of rows: either the messages, or the elements of one repeated field.
type level struct {
	rows    int
	cap     int // number of rows for which the columns' fixed-width buffers are cleared
	room    int // number of rows for which the columns have memory
	hint    int // capacity to start with, from the size of the last batch
	limit   int // the most rows that a batch can hold
	mark    int // number of rows before the message that is being read
	columns []*column
	bits    int // bits of fixed-width buffers per row
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

// openRows is the number of rows that are cleared at a time. It is small, so that they are still in
// the CPU cache when they are written.
const openRows = 512

// open clears rows up to at least the given number. Memory for them is already reserved.
func (l *level) open(rows int) {
	l.cap = min(max(rows, l.cap+openRows), l.room)
	for _, c := range l.columns {
		c.extend(l.cap)
	}
}

// trim shrinks buffers that were reserved for far more rows than there are. Finish calls it because
// a batch may live long.
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

// reset drops all rows, and remembers how many there were as a hint for the next batch.
func (l *level) reset() {
	l.hint = l.rows + l.rows/32
	for _, c := range l.columns {
		c.hint = len(c.data) + len(c.data)/32
		c.reset()
	}
	l.rows, l.cap, l.room, l.mark = 0, 0, 0, 0
}

// grow opens at least the given number of rows. If there is no memory for them, it doubles the
// memory as far as the batch's limit allows. It returns false if the limit does not allow the rows.
func (d *Decoder) grow(l *level, rows int) bool {
	if rows > l.room && !d.reserve(l, rows) {
		return false
	}
	l.open(rows)
	return true
}

// reserve allocates memory for at least the given number of rows. It returns false if the limit
// does not allow them.
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

// full records that the batch is full, and returns false.
func (d *Decoder) full() bool {
	d.code = codeFull
	return false
}

// bytes returns the bytes of memory that the level's rows use.
func (l *level) bytes() int64 {
	n := int64(l.rows) * int64(l.bits) / 8
	for _, c := range l.columns {
		n += int64(len(c.data) + c.dict.Bytes())
	}
	return n
}

// beginElement adds a row to the elements of row and returns its number. It returns false if the
// batch has no room for it.
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

// beginRun adds n rows to the elements of row and returns the number of the first. It returns false
// if the batch has no room for them.
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
