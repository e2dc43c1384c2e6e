package arrowipc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/cut"
)

// Pieces cuts the Arrow batches of a file into pieces, each of which fits in a request (see package
// cut). Each piece is an Arrow stream.
type Pieces struct {
	f     func(cut.Piece) error
	first int64
}

// NewPieces returns a Pieces that calls f with each piece, an Arrow stream with some of the rows.
func NewPieces(f func(cut.Piece) error) *Pieces { return &Pieces{f: f} }

// Rows returns the number of rows in all pieces with which f was called so far.
func (b *Pieces) Rows() int64 { return b.first }

// Add cuts a batch into pieces (Arrow streams that each fit in a request), and calls f with each of
// them. A batch without rows becomes one piece. The argument read is the share of the file that has
// been read at the end of the batch, from 0 to 1. Errors are the errors of f and base.Invalid.
func (b *Pieces) Add(rec arrow.RecordBatch, read float64) error {
	rows := rec.NumRows()
	n := min(batch.Bytes(rec)/cut.Target+1, max(rows, 1))
	for i := range n {
		from, to := i*rows/n, (i+1)*rows/n
		body, err := encodeStream(rec, from, to)
		if err != nil {
			return err
		}
		if err := b.f(cut.Piece{Body: body, First: b.first, Rows: to - from, Read: read}); err != nil {
			return err
		}
		b.first += to - from
	}
	return nil
}

// encodeStream encodes the rows i of a batch for which from <= i < to, as an Arrow IPC stream.
func encodeStream(rec arrow.RecordBatch, from, to int64) ([]byte, error) {
	rows := rec.NewSlice(from, to)
	defer rows.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()))
	if err := errors.Join(w.Write(rows), w.Close()); err != nil {
		return nil, base.Errorf(base.Invalid, "Arrow IPC: %w", err)
	}
	return out.Bytes(), nil
}

// fileMagic is the start of an Arrow file. A stream starts with other bytes.
var fileMagic = []byte("ARROW1\x00\x00")

// eachPiece is the cut.Cutter of Arrow: it cuts a file into pieces, which fit in one request each,
// and calls f with them. For an uncompressed Arrow file, it finds the batches by the file's footer.
// It reads a compressed file or an Arrow stream from start to end.
func eachPiece(file *cut.File, _ cut.Options, f func(cut.Piece) error) (err error) {
	defer func() {
		if p := ingest.Recovered(recover(), "Arrow IPC"); p != nil {
			err = p
		}
	}()
	in, err := file.Decompressed()
	if err != nil {
		return err
	}
	defer in.Close()
	out := NewPieces(f)
	r := bufio.NewReader(in)
	head, _ := r.Peek(len(fileMagic))
	isFile := bytes.Equal(head, fileMagic)
	var schema *arrow.Schema
	if isFile && readsAt(file.File, make([]byte, len(fileMagic))) {
		schema, err = out.ofFile(file.File)
	} else {
		schema, err = out.ofStream(r, isFile, file)
	}
	if err != nil || out.first > 0 {
		return err
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	empty := builder.NewRecordBatch()
	defer empty.Release()
	return out.Add(empty, 1)
}

// ofFile calls Add with each batch of an Arrow file that has rows. It returns the file's schema.
func (b *Pieces) ofFile(file *os.File) (*arrow.Schema, error) {
	r, err := ipc.NewFileReader(file)
	if err != nil {
		return nil, invalidArrow(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		if err != nil {
			return nil, invalidArrow(err)
		}
		if rec.NumRows() > 0 {
			err = b.Add(rec, float64(i+1)/float64(r.NumRecords()))
		}
		rec.Release()
		if err != nil {
			return nil, err
		}
	}
	return r.Schema(), nil
}

// ofStream calls Add with each batch of an Arrow stream that has rows. It returns the stream's
// schema. If isFile is true, the input is an Arrow file, which contains a stream after its magic
// bytes. Such a file is complete if it ends with the magic bytes, too.
func (b *Pieces) ofStream(r *bufio.Reader, isFile bool, file *cut.File) (*arrow.Schema, error) {
	if isFile {
		_, _ = r.Discard(len(fileMagic))
	}
	stream, err := ipc.NewReader(r)
	if err != nil {
		return nil, invalidArrow(err)
	}
	defer stream.Release()
	for {
		rec, err := stream.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, invalidArrow(err)
		}
		if rec.NumRows() == 0 {
			continue
		}
		if err := b.Add(rec, file.Share()); err != nil {
			return nil, err
		}
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if isFile != bytes.HasSuffix(rest, magic) || !isFile && len(rest) > 0 {
		return nil, base.Errorf(base.Invalid, "Arrow IPC: the file does not end as it should")
	}
	return stream.Schema(), nil
}

// readsAt reports whether the bytes on disk begin with fileMagic, the first bytes of an Arrow file.
// If they do, the caller can read the Arrow file at any offset. Otherwise the file was compressed
// as a whole, such as with gzip, or it cannot be read at an offset. The argument head is a buffer
// with the size of fileMagic.
func readsAt(file io.ReaderAt, head []byte) bool {
	_, err := file.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, fileMagic)
}

func invalidArrow(err error) error { return base.Errorf(base.Invalid, "Arrow IPC: %w", err) }
