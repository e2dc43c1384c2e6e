package batch

import (
	"cmp"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

var textDictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}

// isTextDictionary reports whether dt is the type that dictionaries of text have in batches:
// dictionary<uint32, utf8>.
func isTextDictionary(dt arrow.DataType) bool {
	d, ok := dt.(*arrow.DictionaryType)
	return ok && d.IndexType.ID() == arrow.UINT32 && d.ValueType.ID() == arrow.STRING
}

// Rows returns the total number of rows of the batches.
func Rows(recs []arrow.RecordBatch) int {
	n := 0
	for _, r := range recs {
		n += int(r.NumRows())
	}
	return n
}

// Repeat returns an array with n copies of a value. The argument one is an array that has just this
// value.
func Repeat(one arrow.Array, n int) (arrow.Array, error) {
	if n == 1 {
		one.Retain()
		return one, nil
	}
	return TakeValues(one, make([]uint32, n))
}

// TakeValues returns the rows of one array with the given numbers, in that order.
func TakeValues(a arrow.Array, ordinals []uint32) (arrow.Array, error) {
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "v", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
	defer rec.Release()
	taken, err := Take([]arrow.RecordBatch{rec}, ordinals)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	taken.Column(0).Retain()
	return taken.Column(0), nil
}

// TrueRows returns the numbers of the rows in which a BOOLEAN column is true, in ascending order.
func TrueRows(a arrow.Array) []uint32 {
	values := a.(*array.Boolean)
	var out []uint32
	for i := range values.Len() {
		if values.IsValid(i) && values.Value(i) {
			out = append(out, uint32(i))
		}
	}
	return out
}

// Take returns the rows with the given global ordinals (row numbers through all batches) as one
// batch, in the order of the ordinals. An ordinal may occur several times. There must be at least
// one batch, and all must have the same table version.
//
// A text column of the result is a dictionary if it is a dictionary in every batch, or if more than
// half of the rows come from dictionaries. The dictionary has only values that rows of the result
// have.
func Take(recs []arrow.RecordBatch, ordinals []uint32) (arrow.RecordBatch, error) {
	common, err := commonSchema(recs)
	if err != nil {
		return nil, err
	}
	if start, ok := contiguous(ordinals); ok {
		if rec, ok := sliceOfOne(recs, start, len(ordinals)); ok {
			return rec, nil
		}
	}
	return takeRows(recs, common, ordinals)
}

// TakeFirst takes rows as Take does, but only those of the first ordinals. It takes at most as many
// rows as the argument most says, and fewer if their texts would not fit into one array. It also
// returns the number of rows that it took.
func TakeFirst(recs []arrow.RecordBatch, ordinals []uint32, most int) (arrow.RecordBatch, int, error) {
	for n := min(len(ordinals), most); ; n /= 2 {
		rec, err := Take(recs, ordinals[:n])
		if n < 2 || base.KindOf(err) != base.TooLarge {
			return rec, n, err
		}
	}
}

// Gather returns the rows with the given ordinals, as Take does, but always copies their memory. It
// is for rows that are needed after the batches were released.
func Gather(recs []arrow.RecordBatch, ordinals []uint32) (arrow.RecordBatch, error) {
	common, err := commonSchema(recs)
	if err != nil {
		return nil, err
	}
	return takeRows(recs, common, ordinals)
}

func takeRows(recs []arrow.RecordBatch, common *arrow.Schema, ordinals []uint32) (arrow.RecordBatch, error) {
	lengths := make([]int, len(recs))
	for i, r := range recs {
		lengths[i] = int(r.NumRows())
	}
	places, err := locate(lengths, ordinals)
	if err != nil {
		return nil, err
	}
	return gatherColumns(recs, common, places)
}

func gatherColumns(recs []arrow.RecordBatch, common *arrow.Schema, places []place) (arrow.RecordBatch, error) {
	columns, fields := make([]arrow.Array, common.NumFields()), common.Fields()
	defer releaseAll(columns)
	for i := range fields {
		var err error
		if columns[i], err = gatherColumn(&fields[i], chunksOf(recs, i), places); err != nil {
			return nil, base.Wrap(err, "column %q", fields[i].Name)
		}
	}
	metadata := common.Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, int64(len(places))), nil
}

// gatherColumn gathers the rows of one column from chunks, and returns them as an array. It sets
// the type of the Arrow field to the type of that array.
func gatherColumn(field *arrow.Field, chunks []arrow.Array, places []place) (arrow.Array, error) {
	field.Type = textType(field.Type, chunks, places)
	data, err := gather(field.Type, chunks, places)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// chunksOf returns the arrays of one column in all batches.
func chunksOf(recs []arrow.RecordBatch, column int) []arrow.Array {
	chunks := make([]arrow.Array, len(recs))
	for i, r := range recs {
		chunks[i] = r.Column(column)
	}
	return chunks
}

// textType returns the type of a column whose rows are gathered from chunks. This is the argument
// common, with one exception: if common is plain text and more than half of the rows come from
// dictionaries, it is a dictionary of text. As plain text, repeated values could take many times as
// much memory.
func textType(common arrow.DataType, chunks []arrow.Array, places []place) arrow.DataType {
	if common.ID() != arrow.STRING || !slices.ContainsFunc(chunks, isDictionary) {
		return common
	}
	coded := 0
	for _, p := range places {
		if isDictionary(chunks[p.chunk()]) {
			coded++
		}
	}
	if 2*coded > len(places) {
		return textDictionary
	}
	return common
}

func isDictionary(a arrow.Array) bool { return a.DataType().ID() == arrow.DICTIONARY }

// Plain returns a batch in which dictionaries of text are replaced by plain text.
func Plain(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	fields, columns := rec.Schema().Fields(), make([]arrow.Array, rec.NumCols())
	defer releaseAll(columns)
	for i, f := range fields {
		if !isTextDictionary(f.Type) {
			columns[i] = rec.Column(i)
			columns[i].Retain()
			continue
		}
		plain, err := decodeDictionary(rec.Column(i).(*array.Dictionary))
		if err != nil {
			return nil, base.Wrap(err, "column %q", f.Name)
		}
		fields[i].Type, columns[i] = arrow.BinaryTypes.String, plain
	}
	metadata := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, rec.NumRows()), nil
}

// decodeDictionary returns an array without a dictionary, in which each row has its value in place
// of the dictionary's index. It supports all value types that gather supports.
func decodeDictionary(d *array.Dictionary) (arrow.Array, error) {
	dictionary := d.Dictionary()
	bitmap := make([]byte, bitutil.BytesForBits(int64(d.Len())))
	places := make([]place, d.Len())
	nulls := 0
	for i := range places {
		if d.IsValid(i) {
			code := d.GetValueIndex(i)
			if code < 0 || code >= dictionary.Len() {
				return nil, base.Errorf(base.Invalid, "dictionary index %d of %d", code, dictionary.Len())
			}
			if dictionary.IsValid(code) {
				places[i] = makePlace(0, code)
				bitutil.SetBit(bitmap, i)
				continue
			}
		}
		nulls++
	}
	if nulls == len(places) {
		return array.MakeArrayOfNull(memory.DefaultAllocator, dictionary.DataType(), d.Len()), nil
	}
	values, err := gather(dictionary.DataType(), []arrow.Array{dictionary}, places)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(bitmap)}, values.Buffers()[1:]...)
	data := array.NewData(values.DataType(), values.Len(), buffers, values.Children(), nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// commonSchema returns the schema of the first batch, with one change: if a column is plain utf8
// text in any of the batches, it is plain utf8 text instead of a dictionary.
func commonSchema(recs []arrow.RecordBatch) (*arrow.Schema, error) {
	if len(recs) == 0 {
		return nil, base.Errorf(base.Internal, "no batches")
	}
	if Rows(recs) > math.MaxUint32 {
		return nil, base.Errorf(base.TooLarge, "more than 2^32 rows at once")
	}
	first := recs[0].Schema()
	fields := first.Fields()
	for _, r := range recs[1:] {
		if r.Schema() == first {
			continue
		}
		if r.Schema().NumFields() != len(fields) {
			return nil, base.Errorf(base.Internal, "batches of %d and %d columns", len(fields), r.Schema().NumFields())
		}
		for i, f := range r.Schema().Fields() {
			a, b := fields[i].Type, f.Type
			switch {
			case arrow.TypeEqual(a, b) && fields[i].Name == f.Name:
			case fields[i].Name == f.Name && isText(a) && isText(b):
				fields[i].Type = arrow.BinaryTypes.String
			default:
				return nil, base.Errorf(base.Internal, "batches differ in column %d: %s %s and %s %s", i, fields[i].Name, a, f.Name, b)
			}
		}
	}
	metadata := first.Metadata()
	return arrow.NewSchema(fields, &metadata), nil
}

func isText(dt arrow.DataType) bool { return dt.ID() == arrow.STRING || isTextDictionary(dt) }

// contiguous reports whether each ordinal is one more than the ordinal before it. It also returns
// the first ordinal.
func contiguous(ordinals []uint32) (int, bool) {
	for i := 1; i < len(ordinals); i++ {
		if ordinals[i] != ordinals[i-1]+1 {
			return 0, false
		}
	}
	if len(ordinals) == 0 {
		return 0, true
	}
	return int(ordinals[0]), true
}

// Run returns how many of the ordinals, beginning with the first, are consecutive rows of the same
// batch. Take returns such rows without copying them.
func Run(recs []arrow.RecordBatch, ordinals []uint32) int {
	if len(ordinals) == 0 {
		return 0
	}
	first := int(ordinals[0])
	for _, r := range recs {
		if rows := int(r.NumRows()); first >= rows {
			first -= rows
			continue
		} else if rest := rows - first; rest < len(ordinals) {
			ordinals = ordinals[:rest]
		}
		n := 1
		for n < len(ordinals) && ordinals[n] == ordinals[n-1]+1 {
			n++
		}
		return n
	}
	return 0
}

// sliceOfOne returns n rows, beginning with the global ordinal start, as a slice of a batch. If
// they are not all in one batch, it returns nil.
func sliceOfOne(recs []arrow.RecordBatch, start, n int) (arrow.RecordBatch, bool) {
	for _, r := range recs {
		rows := int(r.NumRows())
		if start+n <= rows {
			return r.NewSlice(int64(start), int64(start+n)), true
		}
		if start < rows {
			return nil, false
		}
		start -= rows
	}
	return nil, false
}

// Arrange returns the rows of the batches, sorted by given numbers. The argument numbers has a
// number for each row of each batch. Rows with equal numbers stay in their order. If numbers is
// empty, the order does not change. There must be at least one batch, and all must have the same
// table version. The caller releases the returned batches.
func Arrange(recs []arrow.RecordBatch, numbers [][]int32) ([]arrow.RecordBatch, error) {
	order := Order(numbers)
	if order == nil {
		for _, rec := range recs {
			rec.Retain()
		}
		return slices.Clone(recs), nil
	}
	one, err := Take(recs, order)
	if err != nil {
		return nil, err
	}
	return []arrow.RecordBatch{one}, nil
}

// Order returns the global ordinals of rows (their numbers through all batches), sorted by given
// numbers. The argument numbers has a number for each row of each batch. Rows with equal numbers
// stay in their order. If all rows are in order already, Order returns nil.
func Order(numbers [][]int32) []uint32 {
	all := slices.Concat(numbers...)
	if slices.IsSorted(all) {
		return nil
	}
	order := make([]uint32, len(all))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(all[a], all[b]) })
	return order
}

// Concat returns all rows of the batches as one batch. If there is a single batch, it returns that
// batch.
func Concat(recs []arrow.RecordBatch) (arrow.RecordBatch, error) {
	common, err := commonSchema(recs)
	if err != nil {
		return nil, err
	}
	if len(recs) == 1 {
		recs[0].Retain()
		return recs[0], nil
	}
	var places []place // positions of all rows; made only if a column has dictionaries
	columns, fields := make([]arrow.Array, common.NumFields()), common.Fields()
	defer releaseAll(columns)
	for i := range fields {
		chunks := chunksOf(recs, i)
		var err error
		if !slices.ContainsFunc(chunks, isDictionary) {
			columns[i], err = array.Concatenate(chunks, memory.DefaultAllocator)
		} else {
			if places == nil {
				for c, r := range recs {
					for row := range int(r.NumRows()) {
						places = append(places, makePlace(c, row))
					}
				}
			}
			columns[i], err = gatherColumn(&fields[i], chunks, places)
		}
		if err != nil {
			return nil, base.Wrap(err, "concatenate column %q", fields[i].Name)
		}
	}
	metadata := common.Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, int64(Rows(recs))), nil
}

// Bytes returns the size in bytes of the memory that a batch holds. It counts each buffer once and
// in full, even if the batch is a slice of it.
func Bytes(rec arrow.RecordBatch) int64 {
	seen := map[*byte]bool{}
	var total int64
	var count func(data arrow.ArrayData)
	count = func(data arrow.ArrayData) {
		for _, b := range data.Buffers() {
			if b == nil || b.Len() == 0 || seen[&b.Bytes()[0]] {
				continue
			}
			seen[&b.Bytes()[0]] = true
			total += int64(b.Len())
		}
		for _, child := range data.Children() {
			count(child)
		}
		if data.DataType().ID() == arrow.DICTIONARY && data.Dictionary() != nil {
			count(data.Dictionary())
		}
	}
	for _, c := range rec.Columns() {
		count(c.Data())
	}
	return total
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		if a != nil {
			a.Release()
		}
	}
}

// newRecord makes a batch of the table from columns, which are in the order of the table's columns.
// A text column may be a dictionary.
func newRecord(table schema.Table, columns []arrow.Array, rows int) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	for i, c := range table.Columns {
		fields[i] = c.Arrow()
		fields[i].Type = columns[i].DataType()
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// ReleaseAll releases batches.
func ReleaseAll(recs []arrow.RecordBatch) {
	for _, rec := range recs {
		rec.Release()
	}
}

// TotalBytes returns the size of all batches together, as Bytes counts it.
func TotalBytes(recs []arrow.RecordBatch) (n int64) {
	for _, rec := range recs {
		n += Bytes(rec)
	}
	return n
}
