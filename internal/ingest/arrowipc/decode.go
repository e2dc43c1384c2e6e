// Package arrowipc decodes Arrow's IPC formats: the stream, and the file (also known as Feather 2).
// It supports dictionaries, with deltas and replacements, and compressed buffers (lz4 frame, zstd).
// It refuses big-endian data, unions, run-end encoding and list views.
//
// Nothing in a body is trusted:
//   - Lengths and counts are checked before memory is allocated for them (see the type frames).
//   - The batches that arrow-go returns are checked by ingest.Validate before their values are
//     read.
//   - Panics of arrow-go or flatbuffers on broken bytes are recovered and become base.Invalid
//     errors.
//
// A stream must end with its end-of-stream marker, which all writers send. Otherwise a stream that
// was cut between two batches would look complete.
package arrowipc

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// DefaultLimit is the default limit for the total size in bytes of a body's compressed buffers
// after they are decompressed.
const DefaultLimit = 1 << 30

var magic = []byte("ARROW1")

// Decode returns the batches of an Arrow stream or file, with their columns in the types that
// decoders return (see ingest.Natural). It leaves out empty batches, but returns at least one
// batch. limit is the maximum number of bytes to which the compressed buffers may decompress; 0
// means DefaultLimit. largest is the maximum number of bytes that the rows may take in memory.
// Errors are base.Invalid or base.TooLarge. The caller releases the batches.
func Decode(body []byte, limit, largest int64) (batches []arrow.RecordBatch, err error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	defer func() {
		if p := ingest.Recovered(recover(), "Arrow IPC"); p != nil {
			err = p
		}
		if err != nil {
			for _, b := range batches {
				b.Release()
			}
			batches = nil
		}
	}()
	f := &frames{src: body, budget: limit, natural: ingest.NewBudget(largest)}
	if isFile(body) {
		if err := f.openFile(body); err != nil {
			return nil, err
		}
		err := f.decode(&batches)
		return batches, err
	}
	if err := f.decode(&batches); err != nil {
		return batches, err
	}
	if f.p != len(body) {
		return batches, invalid(f.p, "%d bytes after the end of the stream", len(body)-f.p)
	}
	return batches, nil
}

// Claimed returns the number of bytes to which the body's compressed buffers decompress, according
// to the sizes stored in the body. If there are more than the argument most, it returns that
// argument. It stops at broken data without an error, because Decode reports that.
func Claimed(body []byte, most int64) int64 {
	f := &frames{src: body, budget: most}
	f.pass()
	return min(f.inflated, most)
}

// pass reads all messages of a body without decoding them, up to the end or up to broken data.
func (f *frames) pass() {
	defer func() { _ = recover() }() // flatbuffers panics on broken data
	if isFile(f.src) && f.openFile(f.src) != nil {
		return
	}
	for {
		if _, _, err := f.next(); err != nil {
			return
		}
	}
}

// decode decodes the body and appends its batches to the given slice.
func (f *frames) decode(batches *[]arrow.RecordBatch) error {
	// The sizes that compressed buffers claim are checked already. But arrow-go does not check its
	// position in a batch's list of buffers, so broken data can make it read a size from other
	// bytes. The allocator bounds that. Its limit is larger than the budget because arrow-go aligns
	// memory.
	alloc := ingest.NewBoundedAllocator(2*f.budget + 1<<20)
	r, err := ipc.NewReaderFromMessageReader(f, ipc.WithAllocator(alloc))
	if err != nil {
		return f.explain(err)
	}
	defer r.Release()
	if f.bigEndian {
		return base.Errorf(base.Invalid, "Arrow IPC: big-endian data").WithHint("write it on a little-endian machine, or convert it to little-endian")
	}
	for read := 0; ; read++ {
		batch, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && f.ended:
			if read != f.batches { // arrow-go skipped a batch as something else
				return invalid(f.p, "%d batches of which %d can be read", f.batches, read)
			}
			if len(*batches) == 0 {
				return f.empty(r.Schema(), batches)
			}
			return nil
		case err != nil:
			return f.explain(err)
		}
		if batch.NumRows() == 0 && batch.NumCols() > 0 {
			continue
		}
		if f.rows += batch.NumRows(); f.rows > f.maxRows() {
			return base.Errorf(base.TooLarge, "Arrow IPC: %d rows in a body of %d bytes", f.rows, len(f.src))
		}
		natural, err := ingest.Natural(batch, f.natural)
		if err != nil {
			return base.Wrap(err, "Arrow IPC: batch %d", f.batches)
		}
		*batches = append(*batches, natural)
	}
}

// maxRows returns the maximum number of rows that the body can have. Columns of only NULLs need no
// bytes, so without a limit a short body could claim any number of rows. The narrowest other type
// is boolean, with eight values per byte.
func (f *frames) maxRows() int64 { return 8*(int64(len(f.src))+f.inflated) + 1<<20 }

// explain returns the error with which f refused a message, if f refused one. Otherwise it returns
// an error with the text of err, the error of arrow-go.
func (f *frames) explain(err error) error {
	if f.err != nil && !errors.Is(f.err, io.EOF) {
		return f.err
	}
	return invalid(f.p, "broken data: %v", err)
}

// empty appends a batch without rows to the given slice, so that a body without rows keeps its
// schema.
func (f *frames) empty(schema *arrow.Schema, batches *[]arrow.RecordBatch) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	batch := b.NewRecordBatch()
	defer batch.Release()
	natural, err := ingest.Natural(batch, f.natural)
	if err != nil {
		return base.Wrap(err, "Arrow IPC")
	}
	*batches = append(*batches, natural)
	return nil
}
