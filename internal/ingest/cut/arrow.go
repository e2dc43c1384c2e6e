package cut

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
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/parquet"
)

// batches cuts Arrow batches into pieces.
type batches struct {
	f     func(Piece) error
	first int64
}

// add calls f with the pieces of a batch. A batch without rows makes one piece. read is the share
// of the file that has been read at the end of the batch.
func (b *batches) add(rec arrow.RecordBatch, read float64) error {
	rows := rec.NumRows()
	n := min(batch.Bytes(rec)/target+1, max(rows, 1))
	for i := range n {
		from, to := i*rows/n, (i+1)*rows/n
		body, err := stream(rec, from, to)
		if err != nil {
			return err
		}
		if err := b.f(Piece{Format: format.Arrow, Body: body, First: b.first, Rows: to - from, Read: read}); err != nil {
			return err
		}
		b.first += to - from
	}
	return nil
}

// stream returns the rows [from, to) as an Arrow IPC stream.
func stream(rec arrow.RecordBatch, from, to int64) ([]byte, error) {
	rows := rec.NewSlice(from, to)
	defer rows.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()))
	if err := errors.Join(w.Write(rows), w.Close()); err != nil {
		return nil, base.Errorf(base.Invalid, "Arrow IPC: %w", err)
	}
	return out.Bytes(), nil
}

// parquetRows is the most rows of a Parquet file that are in memory at once. It is fewer if they
// are wide.
const parquetRows = parquet.MaxBatchRows

func parquetPieces(file *os.File, size int64, f func(Piece) error) error {
	out := batches{f: f}
	return parquet.Each(file, size, parquet.Bounds{Rows: parquetRows, Bytes: 8 * target}, func(rec arrow.RecordBatch, total int64) error {
		return out.add(rec, float64(out.first+rec.NumRows())/float64(max(total, 1)))
	})
}

// arrowMagic is the start of an Arrow file. A stream starts with other bytes.
var arrowMagic = []byte("ARROW1\x00\x00")

// arrowPieces cuts an Arrow file or stream. It reads an uncompressed file by its footer, and
// everything else as a stream.
func arrowPieces(file *os.File, in io.Reader, counted *counter, f func(Piece) error) (err error) {
	defer func() {
		if p := ingest.Recovered(recover(), "Arrow IPC"); p != nil {
			err = p
		}
	}()
	out := &batches{f: f}
	r := bufio.NewReader(in)
	head, _ := r.Peek(len(arrowMagic))
	isFile := bytes.Equal(head, arrowMagic)
	var schema *arrow.Schema
	if isFile && readsAt(file, make([]byte, len(arrowMagic))) {
		schema, err = out.ofFile(file)
	} else {
		schema, err = out.ofStream(r, isFile, counted)
	}
	if err != nil || out.first > 0 {
		return err
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	empty := builder.NewRecordBatch()
	defer empty.Release()
	return out.add(empty, 1)
}

func (b *batches) ofFile(file *os.File) (*arrow.Schema, error) {
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
			err = b.add(rec, float64(i+1)/float64(r.NumRecords()))
		}
		rec.Release()
		if err != nil {
			return nil, err
		}
	}
	return r.Schema(), nil
}

// ofStream reads a stream, or the stream inside of a file. A complete file has its magic word again
// at the end.
func (b *batches) ofStream(r *bufio.Reader, isFile bool, counted *counter) (*arrow.Schema, error) {
	if isFile {
		_, _ = r.Discard(len(arrowMagic))
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
		if err := b.add(rec, counted.share()); err != nil {
			return nil, err
		}
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if isFile != bytes.HasSuffix(rest, arrowMagic[:6]) || !isFile && len(rest) > 0 {
		return nil, base.Errorf(base.Invalid, "Arrow IPC: the file does not end as it should")
	}
	return stream.Schema(), nil
}

// readsAt reports whether the file on disk, before any decompression, starts like an Arrow file.
// head must be as long as arrowMagic.
func readsAt(file *os.File, head []byte) bool {
	_, err := file.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, arrowMagic)
}

func invalidArrow(err error) error { return base.Errorf(base.Invalid, "Arrow IPC: %w", err) }
