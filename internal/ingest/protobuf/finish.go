package protobuf

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/intern"
)

// Finish returns the rows of all messages since the last call of Finish as a batch. The caller
// releases the batch.
func (d *Decoder) Finish() arrow.RecordBatch {
	batch, _ := d.FinishWithMessages()
	return batch
}

// FinishWithMessages returns the rows as Finish does, and for each row the number of the message
// that it comes from. Messages are counted from 0 in the order of Append. If no field fans out
// (becomes several rows per message), it returns nil in place of the numbers: row i is from message
// i.
func (d *Decoder) FinishWithMessages() (arrow.RecordBatch, []int32) {
	f := &finisher{validity: make(map[*column]validity), poison: d.plan.options.PoisonMemory}
	for _, l := range d.levels {
		if l.room == 0 {
			for _, c := range l.columns {
				c.reserve(0) // even without rows, there is one offset
				c.extend(0)
			}
		}
		l.trim()
	}
	from := d.parents()
	fields := make([]arrow.Field, len(d.outputs))
	arrays := make([]arrow.Array, len(d.outputs))
	for i, o := range d.outputs {
		if parent, ok := from[o.level]; ok {
			o = f.repeated(o, parent)
		}
		data := f.array(o, d.Rows())
		arrays[i] = array.MakeFromData(data)
		data.Release()
		fields[i] = arrow.Field{Name: o.name, Type: arrays[i].DataType(), Nullable: true}
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(d.Rows()))
	for _, a := range arrays {
		a.Release()
	}
	messages := from[d.top]
	for _, c := range f.gathered {
		c.reset()
	}
	d.Reset()
	return batch, messages
}

// finisher converts the columns of a decoder to Arrow arrays.
type finisher struct {
	// validity maps a column that has validity bits to the bitmap made of them. All fields of a
	// struct share one bitmap.
	validity map[*column]validity
	// gathered are the columns whose values were repeated for each element of a list (see
	// column.gathered).
	gathered []*column
	poison   bool
}

// validity is the validity bitmap of an Arrow array. It is absent if no row is NULL.
type validity struct {
	bitmap *memory.Buffer
	nulls  int
}

func (f *finisher) valid(o *output, rows int) validity {
	c := o.col
	if c == nil || c.present == nil {
		return validity{}
	}
	if v, ok := f.validity[c.present]; ok {
		return v
	}
	v := validity{}
	bits := c.present.valid[:(rows+7)/8]
	if v.nulls = rows - bitutil.CountSetBits(bits, 0, rows); v.nulls > 0 {
		v.bitmap = give(&c.present.memory.valid, bits)
	}
	f.validity[c.present] = v
	return v
}

// array returns the rows of o, a column of the batch or a part of one, as an Arrow array. The
// caller releases it.
func (f *finisher) array(o *output, rows int) arrow.ArrayData {
	v := f.valid(o, rows)
	c := o.col
	flat := func(t arrow.DataType, values *memory.Buffer) arrow.ArrayData {
		return array.NewData(t, rows, []*memory.Buffer{v.bitmap, values}, nil, v.nulls, 0)
	}
	switch o.shape {
	case shapeStruct:
		return f.structure(o, v, rows)
	case shapeList, shapeMap:
		return f.list(o, v, rows)
	}
	switch c.store {
	case storeBits:
		return flat(o.typ, give(&c.memory.fixed, c.bits[:(rows+7)/8]))
	case store32:
		return flat(o.typ, give(&c.memory.fixed, c.w32[:rows]))
	case store64:
		return flat(o.typ, give(&c.memory.fixed, c.w64[:rows]))
	case storeTime:
		t := arrow.DataType(ingest.TimestampUS)
		if c.toNanoseconds(rows) {
			t = ingest.TimestampNS
		}
		return flat(t, give(&c.memory.fixed, c.w64[:rows]))
	case storeEmpty:
		there := make([]byte, (rows+7)/8)
		bitutil.SetBitsTo(there, 0, int64(rows), true)
		return flat(o.typ, memory.NewBufferBytes(there))
	case storeDict:
		if !c.plain && c.dict.Len() > max(rows/2, 1) {
			c.turnPlain(rows)
		}
		if !c.plain {
			return c.dictionary(v, rows)
		}
	case storeEnum:
		c.enumDictionary()
		if c.nested {
			c.turnPlain(rows)
			break
		}
		return c.dictionary(v, rows)
	}
	return c.text(o.typ, v, rows)
}

// text returns a column of text or bytes as an array of type t.
func (c *column) text(t arrow.DataType, v validity, rows int) arrow.ArrayData {
	if c.next <= rows {
		c.fill(rows, int32(len(c.data)))
	}
	buffers := []*memory.Buffer{v.bitmap, give(&c.memory.offsets, c.offsets[:rows+1]), give(&c.memory.data, c.data)}
	return array.NewData(t, rows, buffers, nil, v.nulls, 0)
}

// enumDictionary makes the dictionary of an enum column from the names of the enum's values.
func (c *column) enumDictionary() {
	c.dict = intern.Table{}
	for i := range c.enum.numbers {
		c.dict.Add([]byte(c.enum.name(uint32(i))))
	}
}

// dictionary returns a text column as a dictionary array. Its dictionary has only the values that
// occur in rows. If all rows are NULL, it returns a plain utf8 array.
func (c *column) dictionary(v validity, rows int) arrow.ArrayData {
	if c.implicit || c.rewrote {
		c.compact(rows)
	}
	if c.dict.Len() == 0 {
		c.offsets = extend(reserve(&c.memory.offsets, c.offsets, rows+1), rows+1)
		c.next = rows + 1
		return c.text(arrow.BinaryTypes.String, v, rows)
	}
	values := c.dict.Texts()
	defer values.Release()
	indices := give(&c.memory.fixed, c.w32[:rows])
	return array.NewDataWithDictionary(ingest.TextDictionary, rows, []*memory.Buffer{v.bitmap, indices}, v.nulls, 0, values)
}

// compact removes the values that occur in no row from the column's dictionary.
func (c *column) compact(rows int) {
	used := make([]bool, c.dict.Len())
	missing := len(used)
	for i, index := range c.w32[:rows] {
		if missing == 0 {
			return
		}
		if int(index) < len(used) && !used[index] && c.isPresent(i) {
			used[index] = true
			missing--
		}
	}
	if missing == 0 {
		return
	}
	var next intern.Table
	number := make([]uint32, len(used))
	for i, u := range used {
		if u {
			number[i] = next.Add(c.dict.Value(uint32(i)))
		}
	}
	for i, index := range c.w32[:rows] {
		if int(index) < len(number) {
			c.w32[i] = number[index]
		}
	}
	c.dict = next
}

// isPresent reports whether the value in the given row is not NULL.
func (c *column) isPresent(row int) bool {
	return c.present == nil || bitutil.BitIsSet(c.present.valid, row)
}

// toNanoseconds converts a column of times from microseconds to nanoseconds if a row needs it, and
// reports whether it did. The method Append has checked that the values fit.
func (c *column) toNanoseconds(rows int) bool {
	if !c.needsNanoseconds(rows) {
		return false
	}
	for i := range c.w64[:rows] {
		c.w64[i] = uint64(int64(c.w64[i])*1000 + int64(c.time.nanos[i]))
	}
	return true
}

// needsNanoseconds reports whether a row has nanoseconds below the microsecond. It checks all rows,
// because the field time.fine is not exact: a message that was refused may have set it.
func (c *column) needsNanoseconds(rows int) bool {
	return c.time.fine && slices.ContainsFunc(c.time.nanos[:rows], func(n uint16) bool { return n != 0 })
}

func (f *finisher) structure(o *output, v validity, rows int) arrow.ArrayData {
	fields := make([]arrow.Field, len(o.fields))
	children := make([]arrow.ArrayData, len(o.fields))
	for i, field := range o.fields {
		children[i] = f.array(field, rows)
		fields[i] = arrow.Field{Name: field.name, Type: children[i].DataType(), Nullable: true}
	}
	defer releaseAll(children)
	return array.NewData(arrow.StructOf(fields...), rows, []*memory.Buffer{v.bitmap}, children, v.nulls, 0)
}

func (f *finisher) list(o *output, v validity, rows int) arrow.ArrayData {
	c := o.col
	n := c.child.rows
	if c.next <= rows {
		c.fill(rows, int32(n))
	}
	buffers := []*memory.Buffer{v.bitmap, give(&c.memory.offsets, c.offsets[:rows+1])}
	children := make([]arrow.ArrayData, len(o.fields))
	for i, field := range o.fields {
		children[i] = f.array(field, n)
	}
	defer releaseAll(children)
	if o.shape == shapeList {
		return array.NewData(arrow.ListOf(children[0].DataType()), rows, buffers, children, v.nulls, 0)
	}
	t := arrow.MapOf(children[0].DataType(), children[1].DataType())
	entries := array.NewData(t.Elem(), n, []*memory.Buffer{nil}, children, 0, 0)
	defer entries.Release()
	return array.NewData(t, rows, buffers, []arrow.ArrayData{entries}, v.nulls, 0)
}

func releaseAll(data []arrow.ArrayData) {
	for _, d := range data {
		d.Release()
	}
}
