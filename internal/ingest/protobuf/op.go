package protobuf

// action says how to decode a field's value.
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
	doMessage // sub-message: its fields belong to the same row
	doTimestamp
	doDuration
	doWrapper     // message with one field, which is the column's value
	doEmpty       // message without fields
	doRaw         // message stored as its bytes
	doGroup       // apply elem to the group's content
	doList        // apply elem to each value, in a new row of the child level
	doMessageList // doList of messages
	doTextList    // doList of text
	doPacked      // apply elem to each of the packed values
	doMap         // doList of entries; the last entry of a key wins
	doIndexed     // apply elem to one element of a repeated field
	doIndexedPacked
	doSeveral // apply several ops to the same value
	doSkip    // nothing: a member of a oneof without a column
)

const (
	flagPresent = 1 << iota // the column has a validity bitmap
	flagOneof
)

// op says what to do with the values of one tag: how to decode them and where to write them.
type op struct {
	tag    uint32 // field number and wire type
	action action
	flags  uint8
	col    *column
	sub    *message
	elem   *op
	oneof  *oneof
	owned  []*column // members of a oneof: columns of the same level to clear
	index  int       // doIndexed: the number of the element
	either []*op     // doSeveral
	name   string
}

// message is the reader of a message type at one place of the plan. It looks up a tag for every
// field. Guessing that fields come in the same order as last time was not faster when measured: the
// CPU's branch prediction does better.
type message struct {
	byTag []*op // small tags, by tag
	rest  map[uint32]*op
	ops   int
}

// A tag is in message.byTag if its field number is below smallNumber, or below both largeNumber and
// sparse times the number of fields. This keeps the tables small.
const (
	smallNumber = 128
	sparse      = 8
	largeNumber = 2048
)

// oneof remembers the member that was set last, and its row.
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

// mark records that o's field is present in row.
func (o *op) mark(row int) {
	if o.flags&flagPresent != 0 {
		o.col.valid[row>>3] |= 1 << (row & 7)
	}
	if o.flags&flagOneof != 0 {
		o.enter(row)
	}
}

// enter makes o the set member of its oneof in row.
func (o *op) enter(row int) {
	if o.oneof.row != row || o.oneof.member != o {
		o.become(row)
	}
}

// become makes o the set member of its oneof in row, and clears the value of the member that was
// set before.
func (o *op) become(row int) {
	if x := o.oneof; x.row == row && x.member != nil {
		for _, c := range x.member.owned {
			c.truncate(row, row+1)
		}
	}
	o.oneof.row, o.oneof.member = row, o
}
