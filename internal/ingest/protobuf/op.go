package protobuf

// action says what to do with a field's value.
type action uint8

const (
	doVarint64 action = iota
	doVarint32
	doZigzag64
	doZigzag32
	doBool
	doFixed32
	doFixed64
	doEnum
	doText
	doBytes
	doDict
	doMessage // sub-message: fields at the same row
	doTimestamp
	doDuration
	doWrapper     // message of one field, which is the column's value
	doEmpty       // message without fields
	doRaw         // message kept as its bytes
	doGroup       // elem with the group's content
	doList        // elem with each value, in a new row of the child level
	doMessageList // doList of messages
	doTextList    // doList of text
	doPacked      // elem with each of the packed values
	doMap         // doList of entries, of which the last of a key stays
	doIndexed     // elem with one element of a repeated field
	doIndexedPacked
	doSeveral // each of several ops with the same value
	doSkip    // nothing: a member of a oneof that no column is for
)

const (
	flagPresent = 1 << iota // the column has a validity bitmap
	flagOneof
)

// op is what a field's tag leads to: which values, read how, written where.
type op struct {
	tag    uint32 // field number and wire type
	action action
	flags  uint8
	col    *column
	sub    *message
	elem   *op
	oneof  *oneof
	owned  []*column // oneof members: columns of the same level to clear
	index  int       // doIndexed: which element
	either []*op     // doSeveral
	name   string
}

// message is how to read a message type at one place of the plan. A tag is looked up
// for every field: guessing that the same field follows as the last time measured
// no gain over it, the processor guesses better.
type message struct {
	byTag []*op // by tag, as far as tags are small
	rest  map[uint32]*op
	ops   int
}

// A tag goes into message.byTag if its field number is below smallNumber, or below
// this many times the number of fields that there are: tables stay small.
const (
	smallNumber = 128
	sparse      = 8
	largeNumber = 2048
)

// oneof remembers the member set last.
type oneof struct {
	row    int
	member *op
}

func (m *message) add(o *op) {
	m.ops++
	if n := int(o.tag >> 3); n >= smallNumber && n >= min(sparse*m.ops, largeNumber) {
		if m.rest == nil {
			m.rest = make(map[uint32]*op)
		}
		m.rest[o.tag] = o
		return
	}
	for int(o.tag) >= len(m.byTag) {
		m.byTag = append(m.byTag, nil)
	}
	m.byTag[o.tag] = o
}

func (m *message) find(tag uint64) *op {
	if tag < uint64(len(m.byTag)) {
		if o := m.byTag[tag]; o != nil || m.rest == nil {
			return o
		}
	}
	if m.rest != nil && tag < 1<<32 {
		return m.rest[uint32(tag)]
	}
	return nil
}

// mark notes that o's field is present in row, whatever its value.
func (o *op) mark(row int) {
	if o.flags&flagPresent != 0 {
		o.col.valid[row>>3] |= 1 << (row & 7)
	}
	if o.flags&flagOneof != 0 {
		o.enter(row)
	}
}

// enter makes o the member of its oneof that is set in row.
func (o *op) enter(row int) {
	if o.oneof.row != row || o.oneof.member != o {
		o.become(row)
	}
}

// become makes o the member of its oneof that is set in row, and clears what
// another one has left there.
func (o *op) become(row int) {
	if x := o.oneof; x.row == row && x.member != nil {
		for _, c := range x.member.owned {
			c.truncate(row, row+1)
		}
	}
	o.oneof.row, o.oneof.member = row, o
}
