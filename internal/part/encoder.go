package part

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/scoterdb/scoter/internal/base"
)

// encoder collects and encodes the values of one page. arrow-go's own encoders are not used,
// because they make several calls per value, which cost more than the compression.
type encoder interface {
	// add appends the selected values to the page. The array has the storage type of the leaf (a
	// Parquet column without children).
	add(values arrow.Array, s selection) error
	// size returns the approximate encoded size of the page so far, in bytes.
	size() int
	// flush appends the encoded page to the given byte slice, returns the result, and starts the
	// next page.
	flush(to []byte) []byte
}

// plainEncoder encodes values in Parquet's encoding PLAIN.
type plainEncoder struct {
	descr *pqschema.Column
	data  []byte
	bits  []byte // the booleans that were added to the current page, one per byte
}

func (e *plainEncoder) add(values arrow.Array, s selection) (err error) {
	if e.descr.PhysicalType() == parquet.Types.Boolean {
		e.bits, err = appendBooleans(e.bits, values, s)
		return err
	}
	e.data, err = appendPlain(e.data, e.descr, values, s)
	return err
}

func (e *plainEncoder) size() int { return len(e.data) + len(e.bits)/8 }

func (e *plainEncoder) flush(to []byte) []byte {
	to = append(to, e.data...)
	for at := 0; at < len(e.bits); at += 8 {
		b := byte(0)
		for i, bit := range e.bits[at:min(at+8, len(e.bits))] {
			b |= bit << i
		}
		to = append(to, b)
	}
	e.data, e.bits = e.data[:0], e.bits[:0]
	return to
}

// deltaEncoder encodes integers in Parquet's encoding DELTA_BINARY_PACKED.
type deltaEncoder[T int32 | int64] struct {
	gather func(arrow.Array, selection) ([]T, bool)
	values []T
}

func (e *deltaEncoder[T]) add(values arrow.Array, s selection) error {
	more, ok := e.gather(values, s)
	if !ok {
		return base.Errorf(base.Internal, "%s has no deltas", values.DataType())
	}
	e.values = append(e.values, more...)
	return nil
}

func (e *deltaEncoder[T]) size() int { return 4 * len(e.values) }

func (e *deltaEncoder[T]) flush(to []byte) []byte {
	to = appendDeltas(to, e.values)
	e.values = e.values[:0]
	return to
}

// indexEncoder encodes values in Parquet's encoding RLE_DICTIONARY. The values that it gets are
// indices of a dictionary.
type indexEncoder struct {
	width   int
	indices []int32
}

func newIndexEncoder(distinct int) *indexEncoder {
	return &indexEncoder{width: max(1, bits.Len(uint(max(distinct, 1)-1)))}
}

func (e *indexEncoder) add(values arrow.Array, s selection) error {
	indices, ok := int32s(values, s)
	if !ok {
		return base.Errorf(base.Internal, "%s is not an index", values.DataType())
	}
	e.indices = append(e.indices, indices...)
	return nil
}

func (e *indexEncoder) size() int { return len(e.indices) * e.width / 8 }

func (e *indexEncoder) flush(to []byte) []byte {
	to = appendHybrid(append(to, byte(e.width)), e.indices, e.width)
	e.indices = e.indices[:0]
	return to
}

func newEncoder(s storage, descr *pqschema.Column) encoder {
	switch {
	case s.encoding != parquet.Encodings.DeltaBinaryPacked:
		return &plainEncoder{descr: descr}
	case descr.PhysicalType() == parquet.Types.Int32:
		return &deltaEncoder[int32]{gather: int32s}
	}
	return &deltaEncoder[int64]{gather: int64s}
}
