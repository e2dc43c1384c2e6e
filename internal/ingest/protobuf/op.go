package protobuf

// action says how to decode the value of a field.
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
	// doMessage decodes a nested message. Its fields belong to the same row as the message around
	// it.
	doMessage
	doTimestamp
	doDuration
	// doWrapper decodes a wrapper message, such as google.protobuf.Int64Value. The column has the
	// value of its only field.
	doWrapper
	doEmpty // doEmpty decodes a message without fields.
	// doRaw stores a message as its bytes. It is for messages that are nested too deeply, or too
	// often in themselves, to become columns.
	doRaw
	// doGroup decodes a protobuf group. The op in the field elem says how to decode its content.
	doGroup
	// doList decodes each value of a list. The op in the field elem says how to decode one value.
	// Each value becomes a new row of the level (sequence of rows) that has the list's elements.
	doList
	doMessageList // doMessageList does what doList does, for messages.
	doTextList    // doTextList does what doList does, for text.
	// doPacked decodes packed numbers. The op in the field elem says how to decode one number.
	doPacked
	// doMap decodes a map as a list of entries. Of several entries with the same key, the last one
	// wins.
	doMap
	// doIndexed decodes only one element of a repeated field. The op in the field elem says how to
	// decode it.
	doIndexed
	doIndexedPacked
	doSeveral // doSeveral decodes the same value several times, for several columns.
	// doSkip skips the value. It is for a member of a oneof that has no column: setting this member
	// must still clear the other members.
	doSkip
)

const (
	flagPresent = 1 << iota // flagPresent says that the column has a validity bitmap.
	flagOneof
)

// op says what to do with the value of a field in a message: how to decode it, and where to write
// it. There is one op for each tag (field number and wire type).
type op struct {
	tag    uint32 // tag is the field number and the wire type of the field.
	action action
	flags  uint8
	col    *column
	sub    *message
	elem   *op
	oneof  *oneof
	// owned is for a field that is a member of a oneof. It has the columns to clear when another
	// member of the oneof is set. These columns belong to the same level (sequence of rows).
	owned  []*column
	index  int   // index is for doIndexed: the number of the element to decode.
	either []*op // either is for doSeveral. Each op in it says how to decode the value once.
	name   string
}

// message has an op for each field of a message type, at one place of the plan. An op says how to
// decode a value of the field, and where to store it. The op for a value is looked up by the
// value's tag. Guessing that fields come in the same order as in the last message was not faster
// when measured: the CPU's branch prediction does better.
type message struct {
	// byTag has the ops (how to decode a field, and where to store it) of small tags. The index is
	// the tag.
	byTag []*op
	rest  map[uint32]*op
	ops   int
}

// These limits say which tags are in message.byTag, so that this table stays small. A tag is in the
// table if its field number is below smallNumber. In a message with many fields the bound is
// higher: sparse times the number of fields, but at most largeNumber.
const (
	smallNumber = 128
	sparse      = 8
	largeNumber = 2048
)

// oneof remembers which member of a protobuf oneof was set last, and in which row.
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

// mark records that the given row has a value for the field that op o (how to decode a field) is
// for.
func (o *op) mark(row int) {
	if o.flags&flagPresent != 0 {
		o.col.valid[row>>3] |= 1 << (row & 7)
	}
	if o.flags&flagOneof != 0 {
		o.enter(row)
	}
}

// enter records that the given row has a value for the field that op o (how to decode a field) is
// for. The field is a member of a oneof. If the last call was for another member or another row,
// enter calls become, which clears a value of another member in the row.
func (o *op) enter(row int) {
	if o.oneof.row != row || o.oneof.member != o {
		o.become(row)
	}
}

// become does what enter does if the last call was for another member of the oneof, or for another
// row. If the row has a value for another member, become clears that value. It then records that
// the row has a value for the member that op o (how to decode a field) is for.
func (o *op) become(row int) {
	if x := o.oneof; x.row == row && x.member != nil {
		for _, c := range x.member.owned {
			c.truncate(row, row+1)
		}
	}
	o.oneof.row, o.oneof.member = row, o
}
