package protobuf

import "slices"

// level is a sequence of rows: the messages, or the elements of one repeated field.
type level struct {
	rows    int
	cap     int // rows that the columns' fixed-width buffers have room for
	hint    int // capacity to start with: what the last batch needed
	limit   int // rows that a batch can hold
	mark    int // rows before the message being read
	columns []*column
	bits    int // of fixed-width buffers per row
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

// resize gives the level's columns room for rows.
func (l *level) resize(rows int) {
	for _, c := range l.columns {
		c.resize(rows)
	}
	l.cap = rows
}

// trim gives back memory that was reserved for far more rows than came, before the
// buffers go into a batch that may live long.
func (l *level) trim() {
	const slack = 4
	if l.cap < 1024 || l.rows*slack > l.cap {
		return
	}
	for _, c := range l.columns {
		c.valid = slices.Clone(c.valid[:min(len(c.valid), (l.rows+7)/8)])
		c.bits = slices.Clone(c.bits[:min(len(c.bits), (l.rows+7)/8)])
		c.w32 = slices.Clone(c.w32[:min(len(c.w32), l.rows)])
		c.w64 = slices.Clone(c.w64[:min(len(c.w64), l.rows)])
		c.offsets = slices.Clone(c.offsets[:min(len(c.offsets), l.rows+1)])
		c.data = slices.Clone(c.data)
	}
	l.cap = l.rows
}

// reset forgets all rows, and remembers how many there were.
func (l *level) reset() {
	l.hint = l.rows + l.rows/32
	for _, c := range l.columns {
		c.hint = len(c.data) + len(c.data)/32
		c.reset()
	}
	l.rows, l.cap, l.mark = 0, 0, 0
}

// grow gives l room for at least rows, twice what it had if the batch's memory
// allows it. It reports false if it does not even allow rows.
func (d *Decoder) grow(l *level, rows int) bool {
	if rows > l.limit {
		return d.full()
	}
	want := min(max(2*l.cap, l.hint, 64, rows), l.limit)
	if d.reserved+int64(want-l.cap)*int64(l.bits) > d.plan.budget {
		want = min(max(rows, l.cap+l.cap/16), l.limit)
		if d.reserved+int64(want-l.cap)*int64(l.bits) > d.plan.budget {
			return d.full()
		}
	}
	d.reserved += int64(want-l.cap) * int64(l.bits)
	l.resize(want)
	return true
}

// full notes why the message cannot be taken.
func (d *Decoder) full() bool {
	d.code = codeFull
	return false
}

// bytes returns the memory that the level's rows use.
func (l *level) bytes() int64 {
	n := int64(l.rows) * int64(l.bits) / 8
	for _, c := range l.columns {
		n += int64(len(c.data) + len(c.dict.data))
	}
	return n
}

// beginElement adds a row to the elements of row and returns its number; false if
// the batch has no room for it.
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

// beginRun adds n rows to the elements of row and returns the first's number.
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
