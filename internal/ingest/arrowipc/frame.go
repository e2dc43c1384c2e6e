package arrowipc

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// frames splits an Arrow stream or file into messages, which arrow-go's reader decodes. It replaces
// arrow-go's own message reader. That one allocates whatever length a message claims, and accepts a
// stream that is cut between the two halves of a message as complete. frames checks every length
// and count before memory is allocated for it.
type frames struct {
	src    []byte
	p      int
	budget int64 // budget is the number of bytes to which compressed buffers may decompress.
	// inflated is the sum of the decompressed sizes that buffers have claimed so far.
	inflated int64
	rows     int64
	// natural limits the memory for converting batches to the types that decoders return.
	natural *ingest.Budget
	ended   bool // ended says that the end-of-stream marker was read.
	// err is the reason why the last call of Message failed, if the body is at fault.
	err     error
	batches int

	// The following fields are used for files only: the messages that are still to be returned (see
	// openFile).
	file   bool
	schema []byte
	blocks []block
	// dictionaries is the number of messages with dictionaries. Their positions are the first
	// elements of blocks.
	dictionaries int

	bigEndian bool // bigEndian is set if the schema says that the data is big-endian.

	// views is the number of variadic buffer counts that a batch must have: one for each column of
	// a view type. dictionaryViews has the same number for the dictionaries of each id. arrow-go
	// reads this number of counts without checking that they exist.
	views           int
	dictionaryViews map[int64]int
}

func invalid(at int, format string, args ...any) error {
	return base.Errorf(base.Invalid, "Arrow IPC: "+format, args...).At(at + 1)
}

// Retain and Release implement the interface ipc.MessageReader. They do nothing, because Go's
// garbage collector frees all memory of frames.
func (f *frames) Retain()  {}
func (f *frames) Release() {}

// Message returns the next message, or io.EOF after the last one.
func (f *frames) Message() (*ipc.Message, error) {
	if f.err != nil {
		return nil, f.err
	}
	var m *ipc.Message
	m, f.err = f.message()
	return m, f.err
}

func (f *frames) message() (*ipc.Message, error) {
	meta, body, err := f.next()
	if err != nil {
		return nil, err
	}
	// A batch must own its memory, so the message is copied. The copy is also aligned.
	own := memory.NewResizableBuffer(memory.DefaultAllocator)
	own.Resize(len(body))
	copy(own.Bytes(), body)
	m := ipc.NewMessage(memory.NewBufferBytes(meta), own)
	own.Release()
	return m, nil
}

// continuation is the word that precedes the size of a message. Streams that were written before
// Arrow 0.15 do not have it.
const continuation = 0xffffffff

// next checks the next message and returns its metadata and its body as slices of src, the input.
// It returns io.EOF after the last message.
func (f *frames) next() (meta, body []byte, err error) {
	if f.file {
		return f.nextOfFile()
	}
	start := f.p
	head, ok := f.take(4)
	if !ok {
		return nil, nil, invalid(start, "the stream ends without its end-of-stream marker")
	}
	size := binary.LittleEndian.Uint32(head)
	if size == continuation {
		if head, ok = f.take(4); !ok {
			return nil, nil, invalid(start, "the stream ends in the middle of a message")
		}
		size = binary.LittleEndian.Uint32(head)
	}
	if size == 0 {
		f.ended = true
		return nil, nil, io.EOF
	}
	if meta, ok = f.take(int64(size)); !ok {
		return nil, nil, invalid(start, "the stream ends in the middle of a message of %d bytes", size)
	}
	bodySize, err := f.check(meta, start)
	if err != nil {
		return nil, nil, err
	}
	if body, ok = f.take(bodySize); !ok {
		return nil, nil, invalid(start, "the stream ends in the middle of a message's body of %d bytes", bodySize)
	}
	if err := f.checkBuffers(meta, body, start); err != nil {
		return nil, nil, err
	}
	return meta, body, nil
}

func (f *frames) take(n int64) ([]byte, bool) {
	if n < 0 || n > int64(len(f.src)-f.p) {
		return nil, false
	}
	b := f.src[f.p : f.p+int(n)]
	f.p += int(n)
	return b, true
}

// These are the positions of the fields that this package reads in Arrow's flatbuffers: offsets
// into the vtables of tables, in the order of the fields in Message.fbs, Schema.fbs and File.fbs.
const (
	messageHeaderType, messageHeader, messageBodyLength, messageMetadata = 6, 8, 10, 12
	schemaEndianness, schemaFields, schemaMetadata, schemaFeatures       = 4, 6, 8, 10
	fieldName, fieldTypeType, fieldType                                  = 4, 8, 10
	fieldDictionary, fieldChildren, fieldMetadata                        = 12, 14, 16
	timestampZone                                                        = 6
	pairKey, pairValue                                                   = 4, 6
	batchNodes, batchBuffers, batchCompression, batchVariadic            = 6, 8, 10, 12
	dictionaryID, dictionaryData                                         = 4, 6
	encodingID                                                           = 4
	footerVersion, footerSchema, footerDictionaries, footerBatches       = 4, 6, 8, 10

	headerSchema, headerDictionary, headerBatch = 1, 2, 3
	typeTimestamp, typeUnion                    = 10, 14
	typeBinaryView, typeTextView                = 23, 24
)

// check checks the metadata of a message and returns the size of the message's body. The argument
// at is the position of the metadata in the input, in bytes. check panics if the metadata is a
// broken flatbuffer, and Decode recovers from that.
func (f *frames) check(meta []byte, at int) (int64, error) {
	if len(meta) < 8 {
		return 0, invalid(at, "a message of %d bytes", len(meta))
	}
	m := root(meta)
	header, ok := child(m, messageHeader)
	if !ok {
		return 0, invalid(at, "a message without a header")
	}
	s := newSchemaCheck(meta, at)
	// messages with batches may have metadata, too
	if err := s.metadata(m, messageMetadata); err != nil {
		return 0, err
	}
	switch m.GetByteSlot(messageHeaderType, 0) {
	case headerSchema:
		f.bigEndian = header.GetInt16Slot(schemaEndianness, 0) != 0
		if err := s.schema(header); err != nil {
			return 0, err
		}
		f.views, f.dictionaryViews = s.views, s.dictionaryViews
	case headerDictionary, headerBatch:
	default:
		return 0, invalid(at, "a message of type %d", m.GetByteSlot(messageHeaderType, 0))
	}
	return m.GetInt64Slot(messageBodyLength, 0), nil
}

func root(b []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// child returns the flatbuffers table in a field of t, and whether there is one. slot is the
// field's offset in the vtable of t (flatbuffers' index of fields).
func child(t flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := t.Offset(slot)
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(flatbuffers.UOffsetT(o) + t.Pos)}, true
}

// vectorLen returns the number of elements of the flatbuffers vector in a field of t. slot is the
// field's offset in the vtable of t (flatbuffers' index of fields), and size is the size of an
// element in bytes. It returns -1 if the buffer is too short for the elements.
func vectorLen(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int) int {
	o := t.Offset(slot)
	if o == 0 {
		return 0
	}
	n := t.VectorLen(flatbuffers.UOffsetT(o))
	if n < 0 || n > (len(t.Bytes)-int(t.Vector(flatbuffers.UOffsetT(o))))/size {
		return -1
	}
	return n
}

// element returns table i of the vector of tables in a field of t. slot is the field's offset in
// the vtable of t (flatbuffers' index of fields).
func element(t flatbuffers.Table, slot flatbuffers.VOffsetT, i int) flatbuffers.Table {
	at := t.Vector(flatbuffers.UOffsetT(t.Offset(slot))) + flatbuffers.UOffsetT(4*i)
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
}

// vector returns the bytes of the flatbuffers vector in a field of t, which has n elements of size
// bytes each. slot is the field's offset in the vtable of t (flatbuffers' index of fields).
func vector(t flatbuffers.Table, slot flatbuffers.VOffsetT, n, size int) []byte {
	if n == 0 {
		return nil
	}
	at := int(t.Vector(flatbuffers.UOffsetT(t.Offset(slot))))
	return t.Bytes[at : at+n*size]
}

// checkBuffers checks that the buffers of a batch are within the message's body. It also adds up
// the decompressed sizes that compressed buffers claim.
func (f *frames) checkBuffers(meta, body []byte, at int) error {
	m := root(meta)
	batch, _ := child(m, messageHeader)
	switch m.GetByteSlot(messageHeaderType, 0) {
	case headerSchema:
		return nil
	case headerDictionary:
		data, ok := child(batch, dictionaryData)
		if !ok {
			return invalid(at, "a dictionary without data")
		}
		views, ok := f.dictionaryViews[batch.GetInt64Slot(dictionaryID, 0)]
		if !ok || vectorLen(data, batchVariadic, 8) < views {
			return invalid(at, "a broken dictionary")
		}
		batch = data
	default:
		f.batches++
		if vectorLen(batch, batchVariadic, 8) < f.views {
			return invalid(at, "a batch with broken buffer counts")
		}
	}
	n := vectorLen(batch, batchBuffers, 16)
	if n < 0 || vectorLen(batch, batchNodes, 16) < 0 || vectorLen(batch, batchVariadic, 8) < 0 {
		return invalid(at, "a batch with broken buffers")
	}
	if nodes := vectorLen(batch, batchVariadic, 8); nodes > 0 {
		total, counts := int64(0), vector(batch, batchVariadic, nodes, 8)
		for i := range nodes {
			count := int64(binary.LittleEndian.Uint64(counts[8*i:]))
			if count < 0 || count > int64(n) || total+count > int64(n) {
				return invalid(at, "a batch with broken buffer counts")
			}
			total += count
		}
	}
	compression, compressed := child(batch, batchCompression)
	buffers := vector(batch, batchBuffers, n, 16)
	for i := range n {
		offset := int64(binary.LittleEndian.Uint64(buffers[16*i:]))
		length := int64(binary.LittleEndian.Uint64(buffers[16*i+8:]))
		if offset < 0 || length < 0 || offset > int64(len(body)) || length > int64(len(body))-offset {
			return invalid(at, "a buffer of %d bytes at %d in a body of %d", length, offset, len(body))
		}
		if compressed && length > 0 {
			const codecSlot = 4
			if err := f.checkCompressed(body[offset:offset+length], compression.GetByteSlot(codecSlot, 0), at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *frames) checkCompressed(b []byte, codec byte, at int) error {
	const (
		codecZstd = 1
		// written in place of the decompressed size, in front of a buffer that is not compressed
		plain = -1
		// maxWindow is the zstd window, in bytes, that every decoder supports. A larger window is
		// allowed only if the buffer is at least as large when it is decompressed.
		maxWindow = 8 << 20
	)
	if len(b) < 8 || codec > codecZstd {
		return invalid(at, "a compressed buffer of %d bytes, codec %d", len(b), codec)
	}
	size := int64(binary.LittleEndian.Uint64(b))
	if size == plain {
		return nil
	}
	if size < 0 || size > math.MaxInt32*8 {
		return invalid(at, "a compressed buffer that claims %d bytes", size)
	}
	if f.inflated += size; f.inflated > f.budget {
		return base.Errorf(base.TooLarge, "Arrow IPC: compressed buffers decompress to more than the limit").WithHint("send the rows in several requests")
	}
	if codec == codecZstd {
		var h zstd.Header
		if err := h.Decode(b[8:]); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || h.WindowSize > uint64(max(size, maxWindow)) {
			return invalid(at, "a broken zstd buffer")
		}
	}
	return nil
}
