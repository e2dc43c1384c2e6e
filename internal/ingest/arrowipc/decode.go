// Package arrowipc decodes Arrow's IPC formats: the stream and the file (also known
// as Feather 2). Dictionaries, with deltas and replacements, and compressed buffers
// (lz4 frame, zstd) are read; big-endian data, unions, run-end encoding and list
// views are refused.
//
// Nothing in a body is trusted. Lengths and counts are checked before anything is
// allocated for them, see frames; what arrow-go makes of it goes through
// ingest.Validate before anyone looks at a value; a panic of arrow-go or flatbuffers
// on broken bytes is recovered here and is base.Invalid.
//
// A stream must end with its end-of-stream marker, as all writers put it: without,
// one cut between two batches could not be told from a complete one.
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

// DefaultLimit bounds what compressed buffers of one body decompress to, in bytes.
const DefaultLimit = 1 << 30

var magic = []byte("ARROW1")

// Decode returns the batches of a stream or a file, of natural types, without empty
// ones but at least one. limit bounds the bytes that compressed buffers decompress
// to, 0 is DefaultLimit; largest those that the rows may take in memory. Errors are base.Invalid or base.TooLarge. The caller
// releases the batches.
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
		return batches, invalid(f.p, "%d bytes behind the end of the stream", len(body)-f.p)
	}
	return batches, nil
}

// Claimed is how many bytes, but at most so many, compressed buffers say that they decompress to; what is broken, which Decode tells, claims no more.
func Claimed(body []byte, most int64) int64 {
	f := &frames{src: body, budget: most}
	f.pass()
	return min(f.inflated, most)
}

// pass reads messages up to the end, or to what is broken.
func (f *frames) pass() {
	defer func() { _ = recover() }() // as flatbuffers panics
	if isFile(f.src) && f.openFile(f.src) != nil {
		return
	}
	for {
		if _, _, err := f.next(); err != nil {
			return
		}
	}
}

// decode appends the stream's batches.
func (f *frames) decode(batches *[]arrow.RecordBatch) error {
	// frames has checked what compressed buffers claim, but arrow-go can be led to read
	// a claim from other bytes: it does not check its place in a batch's list of buffers.
	alloc := ingest.NewBoundedAllocator(2*f.budget + 1<<20) // with what arrow-go adds to align
	r, err := ipc.NewReaderFromMessageReader(f, ipc.WithAllocator(alloc))
	if err != nil {
		return f.explain(err)
	}
	defer r.Release()
	if f.bigEndian {
		return base.Errorf(base.Invalid, "Arrow IPC: big-endian data").WithHint("write it on, or convert it to, a little-endian machine")
	}
	for read := 0; ; read++ {
		batch, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && f.ended:
			if read != f.batches { // arrow-go took one for something else
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

// maxRows is how many rows the body may hold: columns of nothing but NULLs need no
// bytes, so without a bound a short one could claim any number. The narrowest other
// type, boolean, has eight values a byte.
func (f *frames) maxRows() int64 { return 8*(int64(len(f.src))+f.inflated) + 1<<20 }

// explain prefers the reason why frames refused a message over what arrow-go makes
// of that.
func (f *frames) explain(err error) error {
	if f.err != nil && !errors.Is(f.err, io.EOF) {
		return f.err
	}
	return invalid(f.p, "broken data: %v", err)
}

// empty appends a batch without rows, so that a schema without rows is one still.
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
