package engine

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
)

// decodeBatch decodes an Arrow stream that has one batch.
func decodeBatch(stream []byte) (arrow.RecordBatch, error) {
	records, err := decodeBatches([][]byte{stream})
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// decodeBatches decodes several Arrow streams, each of which has one batch. All streams must have
// the same schema: schemaMessage must return the same bytes for all of them. The schema is decoded
// only once, since decoding it costs more than decoding a small batch. The returned batches own
// their memory.
//
// The caller must have verified the checksum of the log frames, because arrow-go panics on bytes
// that are not a stream. decodeBatches turns such a panic into a Corrupt error.
func decodeBatches(streams [][]byte) (records []arrow.RecordBatch, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Corrupt, "log frame: Arrow stream: %v", r)
		}
		if err != nil {
			for _, record := range records {
				record.Release()
			}
			records = nil
		}
	}()
	reader, err := ipc.NewReaderFromMessageReader(newStreamMessages(streams))
	if err != nil {
		return nil, base.Errorf(base.Corrupt, "log frame: Arrow stream: %w", err)
	}
	defer reader.Release()
	records = make([]arrow.RecordBatch, 0, len(streams))
	for {
		record, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return records, base.Errorf(base.Corrupt, "log frame: Arrow stream: %w", err)
		}
		// The reader drops its own reference to the batch when it reads the next one.
		record.Retain()
		records = append(records, record)
	}
	if len(records) != len(streams) {
		return records, base.Errorf(base.Corrupt, "log frame: %d batches in %d Arrow streams, expected one in each", len(records), len(streams))
	}
	return records, nil
}

// messagePrefixBytes is the number of bytes before the metadata of an Arrow message: a marker and
// the length of the metadata, four bytes each.
const messagePrefixBytes = 8

// endOfStream is the end of an Arrow stream: the marker that begins a message, and the length 0.
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// schemaMessage returns the first message of an Arrow stream, which contains the schema. Streams
// with equal first messages have the same schema.
func schemaMessage(stream []byte) []byte {
	meta, _, ok := cutMessage(stream)
	if !ok {
		return stream
	}
	return stream[:messagePrefixBytes+len(meta)]
}

// cutMessage splits an Arrow stream after the metadata of its first message. The result meta is the
// metadata. The result rest is everything after it: the message's body and all later messages. The
// result ok is false at the end of the stream, and if the bytes are not a message.
func cutMessage(stream []byte) (meta, rest []byte, ok bool) {
	if len(stream) < messagePrefixBytes || !bytes.Equal(stream[:4], endOfStream[:4]) {
		return nil, nil, false
	}
	length := uint64(binary.LittleEndian.Uint32(stream[4:]))
	if length == 0 || length > uint64(len(stream)-messagePrefixBytes) {
		return nil, nil, false
	}
	end := messagePrefixBytes + int(length)
	return stream[messagePrefixBytes:end:end], stream[end:], true
}

// streamMessages implements arrow-go's interface for reading messages. It returns the messages of
// several streams as if they were one stream. To do so it skips the schema message of every stream
// but the first.
type streamMessages struct {
	streams [][]byte // the streams that come after the current one
	rest    []byte   // unread bytes of the current stream
	message *ipc.Message
}

// newStreamMessages returns a reader of the messages of all streams. It copies the streams so that
// their buffers are aligned. Within a stream, buffers are at multiples of 8 bytes, but in a log
// frame a stream may begin at any byte.
func newStreamMessages(streams [][]byte) *streamMessages {
	total := 0
	for _, s := range streams {
		total += padTo8(len(s))
	}
	memory := make([]byte, total)
	s := &streamMessages{streams: make([][]byte, len(streams))}
	for i, stream := range streams {
		n := copy(memory, stream)
		s.streams[i], memory = memory[:n:n], memory[padTo8(n):]
	}
	s.rest, s.streams = s.streams[0], s.streams[1:]
	return s
}

func padTo8(n int) int { return (n + 7) &^ 7 }

// Message returns the next message. It is valid until the next call of Message. The slice that has
// the message's body may be longer than the body.
func (s *streamMessages) Message() (*ipc.Message, error) {
	meta, rest, ok := cutMessage(s.rest)
	for !ok {
		if len(s.rest) > 0 && !bytes.Equal(s.rest, endOfStream) {
			return nil, io.ErrUnexpectedEOF
		}
		if len(s.streams) == 0 {
			return nil, io.EOF
		}
		next := s.streams[0]
		s.streams = s.streams[1:]
		s.rest = next[len(schemaMessage(next)):]
		meta, rest, ok = cutMessage(s.rest)
	}
	s.Release()
	s.message = ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(rest))
	body := s.message.BodyLen()
	if body < 0 || body > int64(len(rest)) {
		return nil, io.ErrUnexpectedEOF
	}
	s.rest = rest[body:]
	return s.message, nil
}

// Retain does nothing, because only one reader uses the messages.
func (s *streamMessages) Retain() {}

// Release releases the current message.
func (s *streamMessages) Release() {
	if s.message != nil {
		s.message.Release()
		s.message = nil
	}
}
