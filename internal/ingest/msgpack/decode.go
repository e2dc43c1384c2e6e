// Package msgpack decodes rows in MessagePack. It reads the MessagePack write format of Arc (a
// database server whose write formats Scoter accepts), and plain maps for Scoter's table API.
// Values are copied directly from the body into Arrow buffers.
//
// A body in Arc's format has items, each with the rows of one table. An item has one of these
// forms:
//
//	{"m": table, "columns": {name: [values]...}, "tag_keys": [names]}
//	{"m": table, "t": time, "h": host, "fields": {name: value...} | "f": [values],
//	 "tags": {name: value...}}
//
// The body is a single item, an array of items, a map {"batch": [items]}, or a sequence of these.
//
// "tag_keys", "t", "h" and "tags" are optional. Names follow Arc: a table named by the integer 7 is
// "measurement_7", a host 7 is "host_7", and the values under "f" are the columns field_0, field_1
// and so on. Tags become text, whatever their type. Any other key in an item is an error, because
// ignoring it would lose data. All items of one table become one batch with the columns of all of
// them.
//
// The column "time" has timestamps. See ingest.Column.ToTime for how the unit of integers is found.
// Rows without a time, or with nil, get Options.Now.
//
// Types, in addition to the rules of package ingest:
//   - bin is binary, the timestamp extension a timestamp, an array a list, and a map a struct
//   - float32 becomes float64
//
// In the table API, the types of the table's columns matter, too:
//   - For a MAP column, a map is the list of its entries, with keys of any type.
//   - For a JSON column, numbers, arrays and maps become JSON text.
//   - A column of more than 64 bits (HUGEINT, UHUGEINT, DECIMAL) accepts both numbers and text.
package msgpack

import (
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// Options are the options of Decode.
type Options struct {
	Now time.Time // Now is the time of rows that have no time.
	// Precision is the unit of times that are integers. Auto finds the unit from their size.
	Precision ingest.Precision
}

// Decode returns the rows of a body in the MessagePack format of Arc. The result has one Rows per
// table, in the order in which the tables first appear in the body. Errors are base.TooLarge or
// base.Invalid. If the format is broken, the error has the position in bytes.
func Decode(body []byte, opts Options) ([]ingest.Rows, error) {
	d := decoder{reader: reader{src: body}, opts: opts, padding: ingest.NewPadding()}
	for d.p < len(body) {
		if err := d.items(); err != nil {
			return nil, err
		}
	}
	rows := make([]ingest.Rows, 0, len(d.tables))
	for _, t := range d.tables {
		if t.Rows() == 0 {
			continue
		}
		r, err := d.finish(t)
		if err != nil {
			ingest.Release(rows)
			return nil, base.Wrap(err, "table %q", t.Name)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

type decoder struct {
	reader
	opts Options
	// types has the fields whose values cannot be decoded from MessagePack alone, with their types.
	types   []schema.Field
	tables  []*table
	byName  map[string]*table
	padding *ingest.Padding
	scratch [32]byte
}

// table has the rows of one table, and says which of its columns are tags in Arc's format.
type table struct {
	*ingest.Table
	tags []*ingest.Column
}

// tag records that column c is a tag. position is its place among the tags of the row. It is only a
// hint, which makes the search faster.
func (t *table) tag(position int, c *ingest.Column) {
	if position < len(t.tags) && t.tags[position] == c || slices.Contains(t.tags, c) {
		return
	}
	t.tags = append(t.tags, c)
}

// items decodes one item (a map with rows of a table) or an array of items.
func (d *decoder) items() error {
	code, err := d.code()
	if err != nil {
		return err
	}
	if !isArray(code) {
		return d.item()
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	n, err := d.arrayHeader()
	if err != nil {
		return err
	}
	for range n {
		if err := d.items(); err != nil {
			return err
		}
	}
	return nil
}

// These constants are the keys that an item may have. An item is a map with rows of a table.
const (
	partTable = iota
	partTime
	partHost
	partFields
	partList
	partTags
	partColumns
	partTagKeys
	partBatch
	parts
)

var partNames = [parts]string{"m", "t", "h", "fields", "f", "tags", "columns", "tag_keys", "batch"}

func partOf(key []byte) int {
	for i, name := range partNames {
		if string(key) == name {
			return i
		}
	}
	return -1
}

// item decodes one item, a map with rows of a table. Its keys may have any order. Values before the
// name of the table are first skipped, and decoded when the name is known.
func (d *decoder) item() error {
	n, err := d.mapHeader()
	if err != nil {
		return err
	}
	var t *table
	// later[i] is the start, plus 1, of the value of key i if the value was skipped, and otherwise
	// 0.
	var later [parts]int
	var seen [parts]bool
	for range n {
		key, err := d.str()
		if err != nil {
			return err
		}
		part := partOf(key)
		switch {
		case part < 0:
			return d.errorf("unknown key %s: use m, columns, tag_keys, t, h, fields, f, tags or batch", ingest.Quote(key))
		case seen[part]:
			return d.errorf("key %q is given twice", key)
		}
		seen[part] = true
		switch {
		case part == partTable:
			t, err = d.table()
		case part == partBatch && n == 1:
			return d.batch()
		case t == nil || part == partTagKeys:
			later[part] = d.p + 1
			err = d.skip()
		default:
			err = d.part(t, part)
		}
		if err != nil {
			return err
		}
	}
	if err := d.checkParts(seen); err != nil {
		return err
	}
	end := d.p
	for part, at := range later {
		if at == 0 {
			continue
		}
		d.p = at - 1
		if err := d.part(t, part); err != nil {
			return err
		}
	}
	d.p = end
	if seen[partColumns] {
		return nil // the method columns has already added the rows
	}
	return t.Grow(1)
}

func (d *decoder) checkParts(seen [parts]bool) error {
	row := seen[partTime] || seen[partHost] || seen[partFields] || seen[partList] || seen[partTags]
	switch {
	case seen[partBatch]:
		return d.errorf(`an item with "batch" must have no other keys`)
	case !seen[partTable]:
		return d.errorf(`an item has no "m", the table's name`)
	case seen[partColumns] && row:
		return d.errorf(`an item has "columns" and parts of a single row`)
	case seen[partTagKeys] && !seen[partColumns]:
		return d.errorf(`an item has "tag_keys" but no "columns"`)
	case seen[partFields] && seen[partList]:
		return d.errorf(`an item has both "fields" and "f"`)
	case !seen[partColumns] && !seen[partFields] && !seen[partList]:
		return d.errorf(`an item has none of "columns", "fields" and "f"`)
	}
	return nil
}

// batch decodes the array of items under the key "batch".
func (d *decoder) batch() error {
	code, err := d.code()
	if err == nil && !isArray(code) {
		err = d.errorf(`%s under "batch" where an array is expected`, typeName(code))
	}
	if err != nil {
		return err
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.items()
}

// table decodes the name of a table, and returns the table with this name.
func (d *decoder) table() (*table, error) {
	name, err := d.name("measurement_")
	if err != nil {
		return nil, err
	}
	if last := len(d.tables) - 1; last >= 0 && d.tables[last].Name == string(name) {
		return d.tables[last], nil
	}
	if t := d.byName[string(name)]; t != nil {
		return t, nil
	}
	if err := ingest.CheckName("table", string(name)); err != nil {
		return nil, err
	}
	t := &table{Table: ingest.NewTable(string(name), d.padding)}
	if d.byName == nil {
		d.byName = make(map[string]*table)
	}
	d.byName[t.Name] = t
	d.tables = append(d.tables, t)
	return t, nil
}

// name decodes a name, which is a string or an integer. An integer becomes the text prefix followed
// by its digits.
func (d *decoder) name(prefix string) ([]byte, error) {
	code, err := d.code()
	if err != nil || !isInt(code) {
		if err != nil {
			return nil, err
		}
		return d.str()
	}
	text, _, err := d.text(d.scratch[:0])
	return append([]byte(prefix), text...), err
}

// part decodes the next value of an item (a map with rows of a table) into the table t. The
// argument part says which key of the item the value belongs to.
func (d *decoder) part(t *table, part int) error {
	switch part {
	case partColumns:
		return d.columns(t)
	case partTagKeys:
		return d.tagKeys(t)
	case partTags:
		return d.tags(t)
	case partTime:
		c, err := t.Column(0, []byte(ingest.TimeColumn))
		if err != nil {
			return err
		}
		return d.value(c, t.Rows(), nil)
	case partHost:
		return d.host(t)
	case partFields:
		return d.row(t)
	}
	return d.fieldList(t)
}

// finish converts the times of the table to timestamps, and returns the table's rows.
func (d *decoder) finish(t *table) (ingest.Rows, error) {
	c, err := t.Column(0, []byte(ingest.TimeColumn))
	if err != nil {
		return ingest.Rows{}, err
	}
	if err := c.ToTime(d.opts.Precision); err != nil {
		return ingest.Rows{}, err
	}
	if err := c.FillTime(t.Rows(), d.opts.Now); err != nil {
		return ingest.Rows{}, err
	}
	batch, err := t.Finish(nil)
	if err != nil {
		return ingest.Rows{}, err
	}
	return ingest.Rows{Table: t.Name, Batch: batch, Tags: t.tagIndices()}, nil
}

// tagIndices returns the positions of the tags among the table's columns, in ascending order.
func (t *table) tagIndices() []int {
	var at []int
	for i, c := range t.Columns() {
		if slices.Contains(t.tags, c) {
			at = append(at, i)
		}
	}
	return at
}
