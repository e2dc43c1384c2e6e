package part

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/scoterdb/scoter/internal/intern"
)

// column is one column of one row group. It has either one array for each batch (chunks) or one
// dictionary of the values in use, with an index for each row. It has a dictionary if some array is
// dictionary-encoded.
type column struct {
	chunks []*shredder // the arrays, one for each batch; nil if dictionary is set
	// dictionary is the distinct values that rows use, in the order in which they first appear.
	dictionary *array.String
	// indices[i] is the index that the value of row i has in dictionary; NULL if the row is NULL
	indices *array.Int32
}

func isDictionary(a arrow.Array) bool {
	t, ok := a.DataType().(*arrow.DictionaryType)
	return ok && t.IndexType.ID() == arrow.UINT32 && t.ValueType.ID() == arrow.STRING
}

// newColumn returns a column that is made of consecutive arrays. The arrays must stay valid while
// the column is used.
func newColumn(chunks []arrow.Array) column {
	if slices.ContainsFunc(chunks, isDictionary) {
		// If only some arrays have a dictionary, all of them get one common dictionary. An array
		// without a dictionary only shows that values did not repeat enough in its own batch.
		return unify(chunks)
	}
	c := column{chunks: make([]*shredder, len(chunks))}
	for i, a := range chunks {
		c.chunks[i] = &shredder{column: a}
	}
	return c
}

func (c column) release() {
	for _, s := range c.chunks {
		s.release()
	}
	if c.dictionary != nil {
		c.dictionary.Release()
		c.indices.Release()
	}
}

// unify returns a column with one dictionary for all chunks. The dictionary has exactly the values
// that rows of the chunks use.
func unify(chunks []arrow.Array) column {
	const unseen = -1
	total := 0
	for _, c := range chunks {
		total += c.Len()
	}
	var values intern.Table
	indices := make([]int32, 0, total)
	var valid []bool // which rows are not NULL; nil while there is no NULL
	null := func() {
		if valid == nil {
			valid = slices.Repeat([]bool{true}, total)
		}
		valid[len(indices)] = false
		indices = append(indices, 0)
	}
	for _, c := range chunks {
		if text, ok := c.(*array.String); ok {
			for i := range text.Len() {
				if text.IsNull(i) {
					null()
				} else {
					indices = append(indices, int32(values.IndexText(text.Value(i))))
				}
			}
			continue
		}
		d := c.(*array.Dictionary)
		dict := d.Dictionary().(*array.String)
		codes := d.Indices().(*array.Uint32)
		mapped := slices.Repeat([]int32{unseen}, dict.Len())
		// A row is also NULL if its dictionary entry is NULL.
		checkNulls := d.NullN() > 0 || dict.NullN() > 0
		for i, code := range codes.Uint32Values() {
			if checkNulls && (codes.IsNull(i) || dict.IsNull(int(code))) {
				null()
				continue
			}
			at := mapped[code]
			if at == unseen {
				at = int32(values.IndexText(dict.Value(int(code))))
				mapped[code] = at
			}
			indices = append(indices, at)
		}
	}
	builder := array.NewInt32Builder(memory.DefaultAllocator)
	defer builder.Release()
	builder.AppendValues(indices, valid)
	texts := values.Texts()
	defer texts.Release()
	return column{dictionary: array.NewStringData(texts), indices: builder.NewInt32Array()}
}

// leaf returns the data of one leaf (a Parquet column without children), which the caller releases.
// Leaves must be requested in their order in the file. The argument how says whether the file
// should have a dictionary. If it should, and the dictionary saves enough space, leaf also returns
// the dictionary. Then the returned data are indices of the dictionary instead of values.
func (c column) leaf(descr *pqschema.Column, leaf leafPath, how storage) (shreds, dictionary) {
	if c.dictionary != nil {
		return c.text(leaf, how)
	}
	all := make(shreds, len(c.chunks))
	for i, s := range c.chunks {
		all[i] = s.leaf(leaf)
	}
	if !how.dictionary {
		return all, dictionary{}
	}
	return all, distinctValues(descr, all)
}

// text does the work of the method leaf for a column that has a dictionary.
func (c column) text(leaf leafPath, how storage) (shreds, dictionary) {
	s := shredFlat(c.indices, leaf.nullable)
	c.indices.Retain()
	if how.dictionary && c.repeats() {
		return shreds{s}, dictionary{page: appendTexts(nil, c.dictionary, selectAll(c.dictionary)), values: c.dictionary.Len()}
	}
	codes := c.indices.Int32Values()
	positions := make([]int32, s.present.len())
	for i := range positions {
		positions[i] = codes[s.present.at(i)]
	}
	s.values, s.present = c.dictionary, selection{positions: positions}
	c.dictionary.Retain()
	c.indices.Release()
	return shreds{s}, dictionary{}
}

// shreds are the data of one leaf (a Parquet column without children), in consecutive pieces.
type shreds []shredded

func (all shreds) release() {
	for _, s := range all {
		if s.values != nil {
			s.values.Release()
		}
	}
}

// The method present returns the number of values, without NULLs, in all pieces together.
func (all shreds) present() (n int) {
	for _, s := range all {
		n += s.present.len()
	}
	return n
}

// repeats says whether a dictionary saves enough space in the file, because the values of the
// column repeat often enough.
func (c column) repeats() bool {
	n := c.dictionary.Len()
	return n > 0 && 2*n <= c.indices.Len() && len(c.dictionary.ValueBytes())+4*n <= maxDictionaryBytes
}
