package engine

import (
	"encoding/binary"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// The payload of a log frame is one append or commit. It begins with a header that is written at
// commit. Then come the rows, which were encoded before. Numbers are unsigned varints, unless
// stated otherwise.
//
//	format       byte, 3; format 2 counts all rows as inserted, and format 1 also lacks sections
//	key          length and bytes of the idempotency key; empty if none
//	hash         length and bytes of the hash of the request's body
//	counts       rows inserted, updated and deleted, for the answer to a repetition
//	expires      time when the key expires, in microseconds since 1970; 0 without a key
//	tables       count, then for each: table id, schema version, id of the memtable,
//	             number of batches
//	sections     count, then for each: tag, length, bytes; what else the request does, see below
//	batches      in the tables' order, each: length (uint32, little-endian),
//	             then an Arrow IPC stream of one batch;
//	             then the same with the values of the changes' patches
//
// Each batch is an Arrow stream of its own and so repeats the schema, which takes a few hundred
// bytes. In return, batches may differ in which columns are dictionaries, and a batch can be
// decoded without the batches before it.
const frameFormat = 3

// Tags of the sections in a log frame. A reader must fail if it does not know a tag, because every
// section affects the data.
const (
	sectionProgress = 1 // section with the Kafka offsets of a source, see Progress.encode
	sectionChanges  = 2 // section with deletions and patches, see changeSet.encode
	// sectionExpressions is a section with the expression updates (UPDATEs that are stored as SQL)
	// of the tables in sectionChanges. sectionChanges must come before it. See
	// changeSet.encodeExpressions.
	sectionExpressions = 3
)

// frameTable describes the rows of one table in a log frame. It is an element of "tables" in the
// frame's header.
type frameTable struct {
	id       base.TableID
	version  uint32
	memtable base.RowsetID
	batches  int
}

// frame is the decoded payload of a log frame.
type frame struct {
	key     string
	hash    []byte
	counts  Counts
	expires time.Time
	tables  []frameTable
	body    []byte

	progress *Progress // Kafka offsets of a source; nil if the frame has none
	changes  []frameChange
}

func encodeFrameHeader(r *request, memtable func(base.TableID) base.RowsetID) []byte {
	b := make([]byte, 0, 64)
	b = append(b, frameFormat)
	key, hash, expires := "", []byte(nil), uint64(0)
	if r.idempotency != nil {
		key, hash, expires = r.idempotency.key, r.idempotency.hash, uint64(r.idempotency.expires.UnixMicro())
	}
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	b = append(binary.AppendUvarint(b, uint64(len(hash))), hash...)
	for _, n := range []int64{r.counts.Inserted, r.counts.Updated, r.counts.Deleted} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendUvarint(b, expires)
	b = binary.AppendUvarint(b, uint64(len(r.tables)))
	for _, t := range r.tables {
		b = binary.AppendUvarint(b, uint64(t.id))
		b = binary.AppendUvarint(b, uint64(t.version))
		b = binary.AppendUvarint(b, uint64(memtable(t.id)))
		b = binary.AppendUvarint(b, uint64(len(t.rows)))
	}
	return append(b, r.sections()...)
}

// sections returns the number of sections of a request's frame, followed by the encoded sections.
// They are encoded once. Usually that is before the committer gets the request, because the bitmaps
// of a change may be large.
func (r *request) sections() []byte {
	if r.encoded == nil {
		r.encoded = encodeSections(r)
	}
	return r.encoded
}

func encodeSections(r *request) []byte {
	b := []byte{0}
	if r.progress != nil {
		b[0]++
		b = appendSection(b, sectionProgress, r.progress.encode())
	}
	if r.changes != nil {
		b[0]++
		b = appendSection(b, sectionChanges, r.changes.encode())
		if content := r.changes.encodeExpressions(); content != nil {
			b[0]++
			b = appendSection(b, sectionExpressions, content)
		}
	}
	return b
}

func appendSection(b []byte, tag uint64, content []byte) []byte {
	b = binary.AppendUvarint(b, tag)
	b = binary.AppendUvarint(b, uint64(len(content)))
	return append(b, content...)
}

// frameReader reads the payload of a log frame whose checksum was verified. If the payload ends
// early or is invalid, it sets the field bad. The caller then returns a Corrupt error.
type frameReader struct {
	rest []byte
	bad  bool
}

func (r *frameReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *frameReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func decodeFrame(payload []byte) (frame, error) {
	r := frameReader{rest: payload}
	format := r.bytes(1)
	if r.bad || format[0] < 1 || format[0] > frameFormat {
		return frame{}, base.Errorf(base.Corrupt, "log frame of an unknown format: expected 1 to %d, found %v", frameFormat, format)
	}
	f := frame{key: string(r.bytes(r.uvarint()))}
	f.hash = r.bytes(r.uvarint())
	f.counts.Inserted = int64(r.uvarint())
	if format[0] >= 3 {
		f.counts.Updated, f.counts.Deleted = int64(r.uvarint()), int64(r.uvarint())
	}
	f.expires = time.UnixMicro(int64(r.uvarint())).UTC()
	n := r.uvarint()
	if n > uint64(len(r.rest)) { // each table takes at least one byte, so this number is invalid
		r.bad = true
	}
	for range n {
		if r.bad {
			break
		}
		f.tables = append(f.tables, frameTable{
			id: base.TableID(r.uvarint()), version: uint32(r.uvarint()),
			memtable: base.RowsetID(r.uvarint()), batches: int(r.uvarint()),
		})
	}
	if format[0] >= 2 {
		if err := f.readSections(&r); err != nil {
			return frame{}, err
		}
	}
	if r.bad {
		return frame{}, base.Errorf(base.Corrupt, "log frame header ends early, in %d bytes", len(payload))
	}
	f.body = r.rest
	return f, nil
}

func (f *frame) readSections(r *frameReader) (err error) {
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		tag := r.uvarint()
		content := frameReader{rest: r.bytes(r.uvarint())}
		switch {
		case r.bad:
			return nil // the caller checks r.bad and reports it
		case tag == sectionProgress:
			f.progress = readProgress(&content)
		case tag == sectionChanges:
			f.changes = readChanges(&content)
		case tag == sectionExpressions:
			readExpressions(&content, f.changes)
		default:
			return base.Errorf(base.Corrupt, "log frame with a section of the unknown tag %d", tag)
		}
		if content.bad || len(content.rest) > 0 {
			return base.Errorf(base.Corrupt, "log frame: section %d does not fit its length", tag)
		}
	}
	return nil
}

// eachStream calls the function visit for each encoded batch of the frame, and then reads the
// values of the frame's patches.
func (f *frame) eachStream(visit func(t frameTable, stream []byte) error) error {
	r := frameReader{rest: f.body}
	for _, t := range f.tables {
		for range t.batches {
			stream, err := r.stream(t.id)
			if err != nil {
				return err
			}
			if err := visit(t, stream); err != nil {
				return err
			}
		}
	}
	if err := f.values(&r); err != nil {
		return err
	}
	if len(r.rest) > 0 {
		return base.Errorf(base.Corrupt, "log frame: %d bytes after the last batch", len(r.rest))
	}
	return nil
}

// stream reads an encoded batch: its length, and that number of bytes. table is for the error
// message.
func (r *frameReader) stream(table base.TableID) ([]byte, error) {
	length := r.bytes(4)
	if r.bad {
		return nil, base.Errorf(base.Corrupt, "log frame: a batch of table %d is missing", table)
	}
	stream := r.bytes(uint64(binary.LittleEndian.Uint32(length)))
	if r.bad {
		return nil, base.Errorf(base.Corrupt, "log frame: a batch of table %d ends early", table)
	}
	return stream, nil
}
