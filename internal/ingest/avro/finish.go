package avro

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/ingest"
)

// arrowFields returns the Arrow fields for those fields of n that have a column.
func (n *node) arrowFields() []arrow.Field {
	var fields []arrow.Field
	for _, f := range n.fields {
		if f.action != doNull {
			fields = append(fields, arrow.Field{Name: f.name, Type: f.arrowType(), Nullable: true})
		}
	}
	return fields
}

func (n *node) arrowType() arrow.DataType {
	switch n.action {
	case doRecord, doUnion:
		return arrow.StructOf(n.arrowFields()...)
	case doList:
		return arrow.ListOf(n.fields[0].arrowType())
	case doMap:
		return arrow.MapOf(arrow.BinaryTypes.String, n.fields[1].arrowType())
	}
	return n.typ
}

// Finish returns the rows of all messages since the last call of Finish as a batch. The caller
// releases the batch.
func (d *Decoder) Finish() arrow.RecordBatch {
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, f := range d.root.fields {
		if f.action == doNull {
			continue
		}
		data := f.array()
		column := array.MakeFromData(data)
		data.Release()
		defer column.Release()
		fields = append(fields, arrow.Field{Name: f.name, Type: column.DataType(), Nullable: true})
		arrays = append(arrays, column)
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(d.root.rows))
	d.Reset()
	return batch
}

// array returns, as an Arrow array, the rows that node n (the decoder of one Avro type) has
// collected. The caller releases it.
func (n *node) array() arrow.ArrayData {
	var valid *memory.Buffer
	nulls := 0
	if n.bitmap {
		if nulls = n.rows - bitutil.CountSetBits(n.valid, 0, n.rows); nulls > 0 {
			valid = memory.NewBufferBytes(n.valid)
		}
	}
	flat := func(values ...[]byte) arrow.ArrayData {
		buffers := []*memory.Buffer{valid}
		for _, v := range values {
			buffers = append(buffers, memory.NewBufferBytes(v))
		}
		return array.NewData(n.typ, n.rows, buffers, nil, nulls, 0)
	}
	switch n.action {
	case doBool, doEmpty:
		return flat(n.bits)
	case doInt, doFloat:
		return flat(arrow.Uint32Traits.CastToBytes(n.w32))
	case doString, doBytes, doFixed, doName:
		return flat(arrow.Int32Traits.CastToBytes(n.offsets), n.data)
	case doSymbol:
		return n.dictionary(valid, nulls)
	case doRecord, doUnion:
		fields := n.arrowFields()
		var children []arrow.ArrayData
		for _, f := range n.fields {
			if f.action != doNull {
				children = append(children, f.array())
			}
		}
		defer releaseAll(children)
		return array.NewData(arrow.StructOf(fields...), n.rows, []*memory.Buffer{valid}, children, nulls, 0)
	case doList, doMap:
		return n.list(valid, nulls)
	}
	return flat(arrow.Uint64Traits.CastToBytes(n.w64))
}

func (n *node) list(valid *memory.Buffer, nulls int) arrow.ArrayData {
	buffers := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(n.offsets))}
	var children []arrow.ArrayData
	for _, f := range n.fields {
		children = append(children, f.array())
	}
	defer releaseAll(children)
	if n.action == doList {
		return array.NewData(n.arrowType(), n.rows, buffers, children, nulls, 0)
	}
	t := n.arrowType().(*arrow.MapType)
	entries := array.NewData(t.Elem(), n.fields[0].rows, []*memory.Buffer{nil}, children, 0, 0)
	defer entries.Release()
	return array.NewData(t, n.rows, buffers, []arrow.ArrayData{entries}, nulls, 0)
}

func releaseAll(data []arrow.ArrayData) {
	for _, d := range data {
		d.Release()
	}
}

// dictionary returns the rows of an enum column as a dictionary array. Its dictionary has only the
// symbols that occur in rows. If all rows are NULL, it returns a plain utf8 array. valid is the
// validity bitmap, and nulls the number of NULLs.
func (n *node) dictionary(valid *memory.Buffer, nulls int) arrow.ArrayData {
	const unseen = ^uint32(0)
	number := make([]uint32, len(n.symbols))
	for i := range number {
		number[i] = unseen
	}
	offsets := []int32{0}
	var data []byte
	for row, symbol := range n.w32 {
		if valid != nil && !bitutil.BitIsSet(n.valid, row) {
			continue
		}
		if number[symbol] == unseen {
			number[symbol] = uint32(len(offsets) - 1)
			data = append(data, n.symbols[symbol]...)
			offsets = append(offsets, int32(len(data)))
		}
		n.w32[row] = number[symbol]
	}
	if len(offsets) == 1 {
		return array.NewData(n.typ, n.rows, []*memory.Buffer{valid, memory.NewBufferBytes(make([]byte, 4*(n.rows+1))), memory.NewBufferBytes(nil)}, nil, nulls, 0)
	}
	values := array.NewData(n.typ, len(offsets)-1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(data)}, nil, 0, 0)
	defer values.Release()
	indices := memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(n.w32))
	return array.NewDataWithDictionary(ingest.TextDictionary, n.rows, []*memory.Buffer{valid, indices}, nulls, 0, values)
}
