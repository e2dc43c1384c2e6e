package arrowipc

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// An Arrow file has messages between two magic words, and then a footer with the schema and the
// positions of the messages. The format does not define other bytes between the messages: Polars
// writes a schema there that is not a valid message of a stream.

// block is the position of a message in an Arrow file: its offset, and the sizes in bytes of its
// metadata and its body.
type block struct{ offset, meta, body int64 }

const blockBytes = 24

// isFile reports whether a body is an Arrow file. Otherwise it is an Arrow stream.
func isFile(body []byte) bool { return bytes.HasPrefix(body, magic) }

// openFile reads the footer of body, an Arrow file. After that, the method next returns the schema
// in the footer, and then the messages that the footer lists. flatbuffers may panic if the footer
// is broken.
func (f *frames) openFile(body []byte) error {
	// head is the size in bytes of the magic word at the beginning with its padding. tail is the
	// size of the footer's length and the magic word at the end.
	const head, tail = 8, 4 + 6
	if len(body) < head+tail || !bytes.HasSuffix(body, magic) {
		return invalid(len(body), "the file ends without its footer")
	}
	end := len(body) - tail
	size := int(binary.LittleEndian.Uint32(body[end:]))
	if size < 8 || size > end-head {
		return invalid(end, "a footer of %d bytes", size)
	}
	start := end - size
	footer := root(body[start:end])
	schema, ok := child(footer, footerSchema)
	if !ok {
		return invalid(start, "a footer without a schema")
	}
	dictionaries, err := blocks(footer, footerDictionaries, start)
	if err != nil {
		return err
	}
	batches, err := blocks(footer, footerBatches, start)
	if err != nil {
		return err
	}
	f.blocks = slices.Concat(dictionaries, batches)
	f.dictionaries = len(dictionaries)
	left := int64(start - head)
	// No message may be listed twice: otherwise a few bytes could become any number of rows.
	for _, b := range f.blocks {
		if b.offset < head || b.meta < 8 || b.body < 0 || b.offset > int64(start) || b.meta > left || b.body > left-b.meta || b.meta+b.body > int64(start)-b.offset {
			return invalid(start, "a footer that lists a message of %d and %d bytes at %d", b.meta, b.body, b.offset)
		}
		left -= b.meta + b.body
	}
	f.file, f.src = true, body[:start]
	f.schema = schemaMessage(schema, footer.GetInt16Slot(footerVersion, 0))
	return nil
}

// blocks reads a list of positions of messages from the footer of an Arrow file. The argument slot
// says which field of the footer has the list: it is the field's offset in the vtable (flatbuffers'
// index of fields). The argument at is the position of the footer in the file, in bytes.
func blocks(footer flatbuffers.Table, slot flatbuffers.VOffsetT, at int) ([]block, error) {
	n := vectorLen(footer, slot, blockBytes)
	if n < 0 {
		return nil, invalid(at, "a footer with broken blocks")
	}
	read := vector(footer, slot, n, blockBytes)
	all := make([]block, n)
	for i := range all {
		b := read[i*blockBytes:]
		all[i] = block{int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:]))), int64(binary.LittleEndian.Uint64(b[16:]))}
	}
	return all, nil
}

// schemaMessage returns the schema in the footer of a file as a message, like the first message of
// a stream. The message is a new table that refers to schema. A copy of all bytes of the footer,
// which contain schema, follows the table, because references in flatbuffers are relative and point
// forward.
func schemaMessage(schema flatbuffers.Table, version int16) []byte {
	const (
		vtable, table = 4, 16
		// size in bytes of the part of the message that comes before the footer's bytes, a multiple
		// of 8
		size = 40
	)
	m := make([]byte, size, size+len(schema.Bytes))
	put16 := func(at int, v uint16) { binary.LittleEndian.PutUint16(m[at:], v) }
	put32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(m[at:], v) }
	put32(0, table)
	// The first two numbers are the sizes of the vtable and of the table. The others are the
	// positions of the table's fields: version, header type, header and body length.
	for i, v := range []uint16{table - vtable, size - table - 4, 16, 18, 4, 8} {
		put16(vtable+2*i, v)
	}
	put32(table, table-vtable)
	put32(table+4, uint32(size+int(schema.Pos)-(table+4)))
	put16(table+16, uint16(version))
	m[table+18] = headerSchema
	return append(m, schema.Bytes...)
}

// nextOfFile returns the next message of a file, as the method next does for a stream.
func (f *frames) nextOfFile() (meta, body []byte, err error) {
	if meta = f.schema; meta != nil {
		f.schema = nil
		_, err := f.check(meta, len(f.src))
		return meta, nil, err
	}
	if len(f.blocks) == 0 {
		f.ended = true
		return nil, nil, io.EOF
	}
	b := f.blocks[0]
	f.blocks = f.blocks[1:]
	f.p = int(b.offset)
	head := f.src[b.offset : b.offset+b.meta]
	size, prefix := binary.LittleEndian.Uint32(head), int64(4)
	if size == continuation {
		size, prefix = binary.LittleEndian.Uint32(head[4:]), 8
	}
	if int64(size) > b.meta-prefix {
		return nil, nil, invalid(f.p, "a message of %d bytes where the footer lists one of %d", size, b.meta)
	}
	meta = head[prefix : prefix+int64(size)]
	bodySize, err := f.check(meta, f.p)
	if err != nil {
		return nil, nil, err
	}
	want := byte(headerBatch)
	if f.dictionaries > 0 {
		f.dictionaries--
		want = headerDictionary
	}
	m := root(meta)
	if is := m.GetByteSlot(messageHeaderType, 0); is != want {
		return nil, nil, invalid(f.p, "a message of type %d where the footer lists one of type %d", is, want)
	}
	if bodySize < 0 || bodySize > b.body {
		return nil, nil, invalid(f.p, "a message whose body has %d bytes where the footer lists %d", bodySize, b.body)
	}
	body = f.src[b.offset+b.meta:][:bodySize]
	if err := f.checkBuffers(meta, body, f.p); err != nil {
		return nil, nil, err
	}
	return meta, body, nil
}
