package msgpack

import (
	"fmt"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// prefix returns the table's name with a colon, for the start of an error message. It returns "" if
// the table has no name.
func (t *table) prefix() string {
	if t.Name == "" {
		return ""
	}
	return fmt.Sprintf("table %q: ", t.Name)
}

// within adds the name of the table to the error err, if the table has a name.
func (t *table) within(err error) error {
	if t.Name == "" {
		return err
	}
	return base.Wrap(err, "table %q", t.Name)
}

// columns decodes a map from column names to arrays of values, and adds the values to the table as
// new rows.
func (d *decoder) columns(t *table) error {
	n, err := d.mapHeader()
	if err != nil {
		return err
	}
	if n == 0 {
		return d.errorf(`table %q: "columns" is empty`, t.Name)
	}
	first, rows, firstName := t.Rows(), 0, ""
	for i := range n {
		name, err := d.str()
		if err != nil {
			return err
		}
		c, err := t.Column(i, name)
		if err != nil {
			return err
		}
		count, err := d.arrayHeader()
		if err != nil {
			return t.within(base.Wrap(err, "column %q", c.Name()))
		}
		if i == 0 {
			rows, firstName = count, c.Name()
		} else if count != rows {
			return d.errorf("%scolumn %q has %d values, column %q has %d", t.prefix(), c.Name(), count, firstName, rows)
		}
		if c.Rows() > first {
			return d.errorf("%scolumn %q is given twice", t.prefix(), c.Name())
		}
		if err := d.values(c, first, first+count, typeOf(d.types, name)); err != nil {
			return t.within(err)
		}
	}
	return t.Grow(rows)
}

func (d *decoder) tagKeys(t *table) error {
	n, err := d.arrayHeader()
	if err != nil {
		return err
	}
	for i := range n {
		name, err := d.str()
		if err != nil {
			return err
		}
		c := t.Lookup(i, name)
		if c == nil {
			return d.errorf("table %q: tag key %s is not a column", t.Name, ingest.Quote(name))
		}
		t.tag(i, c)
	}
	return nil
}

// row decodes the map of the fields of one row.
func (d *decoder) row(t *table) error {
	n, err := d.mapHeader()
	if err != nil {
		return err
	}
	for i := range n {
		name, err := d.str()
		if err != nil {
			return err
		}
		c, err := t.Column(i+1, name) // position i+1, because the time usually precedes the fields
		if err != nil {
			return err
		}
		if err := d.value(c, t.Rows(), typeOf(d.types, name)); err != nil {
			return t.within(err)
		}
	}
	return nil
}

func (d *decoder) fieldList(t *table) error {
	n, err := d.arrayHeader()
	if err != nil {
		return err
	}
	for i := range n {
		c, err := t.Column(i+1, strconv.AppendInt([]byte("field_"), int64(i), 10))
		if err != nil {
			return err
		}
		if err := d.value(c, t.Rows(), nil); err != nil {
			return t.within(err)
		}
	}
	return nil
}

// tags decodes the map of the tags of one row.
func (d *decoder) tags(t *table) error {
	n, err := d.mapHeader()
	if err != nil {
		return err
	}
	for i := range n {
		name, err := d.str()
		if err != nil {
			return err
		}
		guess := len(t.Columns()) - n + i // tags are usually the last columns of a table
		c, err := t.Column(max(guess, 0), name)
		if err != nil {
			return err
		}
		t.tag(i, c)
		text, ok, err := d.text(d.scratch[:0])
		switch {
		case err != nil:
			return base.Wrap(err, "table %q, tag %q", t.Name, c.Name())
		case ok:
			err = c.SetString(t.Rows(), text)
		default:
			err = c.SetNull(t.Rows())
		}
		if err != nil {
			return base.Wrap(err, "table %q", t.Name)
		}
	}
	return nil
}

// host decodes the host of one row. It is stored as a tag.
func (d *decoder) host(t *table) error {
	code, err := d.code()
	if err != nil {
		return err
	}
	if code == codeNil {
		d.p++
		return nil
	}
	name, err := d.name("host_")
	if err != nil {
		return base.Wrap(err, "table %q, host", t.Name)
	}
	c, err := t.Column(1, []byte("host"))
	if err != nil {
		return err
	}
	t.tag(0, c)
	return base.Wrap(c.SetString(t.Rows(), name), "table %q", t.Name)
}
