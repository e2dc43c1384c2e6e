package protobuf

// level is a sequence of rows: the messages, or the elements of one repeated field.
type level struct {
	rows    int
	cap     int // rows that the columns' fixed-width buffers are cleared for
	room    int // rows that they have memory for
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

// openRows is how many rows at a time are cleared: so few that they are still in the processor's cache when they
// are written.
const openRows = 512

// open clears rows up to at least the given number, which there is room for.
func (l *level) open(rows int) {
	l.cap = min(max(rows, l.cap+openRows), l.room)
	for _, c := range l.columns {
		c.extend(l.cap)
	}
}

// trim gives back memory that was reserved for far more rows than came, before the
// buffers go into a batch that may live long.
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

// reset forgets all rows, and remembers how many there were.
func (l *level) reset() {
	l.hint = l.rows + l.rows/32
	for _, c := range l.columns {
		c.hint = len(c.data) + len(c.data)/32
		c.reset()
	}
	l.rows, l.cap, l.room, l.mark = 0, 0, 0, 0
}

// grow opens at least rows. Where memory lacks it takes twice what it had, if the batch's limit
// allows it. It reports false if that does not even allow rows.
func (d *Decoder) grow(l *level, rows int) bool {
	if rows > l.room && !d.reserve(l, rows) {
		return false
	}
	l.open(rows)
	return true
}

// reserve gives l memory for at least rows.
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

// full notes why the message cannot be taken.
func (d *Decoder) full() bool {
	d.code = codeFull
	return false
}

// bytes returns the memory that the level's rows use.
func (l *level) bytes() int64 {
	n := int64(l.rows) * int64(l.bits) / 8
	for _, c := range l.columns {
		n += int64(len(c.data) + c.dict.Bytes())
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
