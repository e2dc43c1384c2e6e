package encode

import (
	"cmp"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
)

const (
	// maxBatchRows is the number of rows from which gathered rows are written as one batch.
	maxBatchRows = 65_536
	// maxBatchBytes is the number of bytes from which gathered rows are written as one batch, even
	// if they are fewer than maxBatchRows.
	maxBatchBytes = 4 << 20
)

// arrowEncoder writes an Arrow IPC stream. It gathers DuckDB's chunks of 2,048 rows into larger
// batches, because these compress better, and each batch and column has a cost for clients. The
// dictionaries of gathered batches are unified. If a later batch has another dictionary, it
// replaces the earlier one in the stream.
type arrowEncoder struct {
	out      *out
	sink     *arrowSink
	convert  converted
	writer   *ipc.Writer
	maxRows  int
	pending  []arrow.RecordBatch // the gathered batches, retained
	rows     int
	bytes    int64
	gathered bool // batches can be gathered: no column has a union, which cannot be concatenated
}

// arrowSink receives the output of the IPC writer and passes it to out. If discard is set, it drops
// the output.
type arrowSink struct {
	out     *out
	discard bool
}

func (s *arrowSink) Write(p []byte) (int, error) {
	if s.discard {
		return len(p), nil
	}
	return s.out.Write(p)
}

func newArrowEncoder(schema *arrow.Schema, o *out, opt Options) (*arrowEncoder, error) {
	c, err := newConverted(schema, target{})
	if err != nil {
		return nil, err
	}
	e := &arrowEncoder{out: o, sink: &arrowSink{out: o}, convert: c, maxRows: cmp.Or(opt.batchRows, maxBatchRows), gathered: true}
	for _, f := range c.schema.Fields() {
		e.gathered = e.gathered && !hasUnion(f.Type)
	}
	e.writer = ipc.NewWriter(e.sink, ipc.WithSchema(c.schema))
	return e, nil
}

// hasUnion reports whether a type contains a union, which array.Concatenate does not support.
func hasUnion(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case arrow.UnionType:
		return true
	case arrow.ExtensionType:
		return hasUnion(dt.StorageType())
	case *arrow.DictionaryType:
		return hasUnion(dt.ValueType)
	case arrow.NestedType:
		for _, f := range dt.Fields() {
			if hasUnion(f.Type) {
				return true
			}
		}
	}
	return false
}

func (e *arrowEncoder) begin() error { return nil }

func (e *arrowEncoder) batch(rec arrow.RecordBatch) error {
	rec, err := e.convert.batch(rec)
	if err != nil {
		return err
	}
	defer rec.Release()
	rows := int(rec.NumRows())
	if !e.gathered || rows >= e.maxRows {
		if err := e.flushPending(); err != nil {
			return err
		}
		return e.write(rec)
	}
	bytes := batchSize(rec)
	if e.rows+rows > e.maxRows || e.bytes+bytes > maxBatchBytes {
		if err := e.flushPending(); err != nil {
			return err
		}
	}
	rec.Retain()
	e.pending = append(e.pending, rec)
	e.rows += rows
	e.bytes += bytes
	return nil
}

// batchSize returns the number of bytes of the arrays of a batch. If an array is a slice, it counts
// the whole array behind it.
func batchSize(rec arrow.RecordBatch) int64 {
	var n int64
	for _, column := range rec.Columns() {
		n += dataSize(column.Data())
	}
	return n
}

// dataSize returns the number of bytes of an array. If the array is a slice, it counts the whole
// array behind it.
func dataSize(data arrow.ArrayData) int64 {
	var n int64
	for _, buffer := range data.Buffers() {
		if buffer != nil {
			n += int64(buffer.Len())
		}
	}
	for _, child := range data.Children() {
		n += dataSize(child)
	}
	if dict, ok := data.(*array.Data); ok && data.DataType().ID() == arrow.DICTIONARY {
		n += dataSize(dict.Dictionary())
	}
	return n
}

// flushPending writes the gathered rows as one batch.
func (e *arrowEncoder) flushPending() error {
	defer e.dropPending()
	switch len(e.pending) {
	case 0:
		return nil
	case 1:
		return e.write(e.pending[0])
	}
	columns := make([]arrow.Array, e.convert.schema.NumFields())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	pieces := make([]arrow.Array, len(e.pending))
	for j := range columns {
		for i, rec := range e.pending {
			pieces[i] = rec.Column(j)
		}
		var err error
		if columns[j], err = array.Concatenate(pieces, memory.DefaultAllocator); err != nil {
			// Dictionaries cannot be unified if they have too many values for the index type, or if
			// their values are nested. Such a result is valid, so its batches are written one by
			// one.
			return e.writePending()
		}
	}
	rec := array.NewRecordBatch(e.convert.schema, columns, int64(e.rows))
	defer rec.Release()
	return e.write(rec)
}

func (e *arrowEncoder) writePending() error {
	for _, rec := range e.pending {
		if err := e.write(rec); err != nil {
			return err
		}
	}
	return nil
}

func (e *arrowEncoder) write(rec arrow.RecordBatch) error {
	if err := e.writer.Write(rec); err != nil {
		if e.out.err != nil {
			return e.out.err
		}
		return base.Wrap(err, "write Arrow batch")
	}
	return nil
}

func (e *arrowEncoder) end(tail) error {
	if err := e.flushPending(); err != nil {
		return err
	}
	if err := e.writer.Close(); err != nil {
		if e.out.err != nil {
			return e.out.err
		}
		return base.Wrap(err, "close Arrow stream")
	}
	return nil
}

// fail does nothing: without the end-of-stream marker, a client notices that the stream is
// incomplete.
func (e *arrowEncoder) fail(error) {}

func (e *arrowEncoder) release() {
	e.dropPending()
	// The writer's Close releases the dictionaries that were written last. After a failure it must
	// not write the end of the stream.
	e.sink.discard = true
	_ = e.writer.Close()
}

func (e *arrowEncoder) dropPending() {
	for _, rec := range e.pending {
		rec.Release()
	}
	e.pending, e.rows, e.bytes = e.pending[:0], 0, 0
}
