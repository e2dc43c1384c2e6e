package ingest

import (
	"math"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
)

func itoa(n int) string { return strconv.Itoa(n) }

// columns is an ordered set of columns. find first tries a guessed position, which is right
// whenever rows list their columns in the same order, and then the name.
type columns struct {
	list   []*Column
	names  []string
	byName map[string]int
}

func (s *columns) find(position int, name []byte) *Column {
	if position < len(s.list) && s.names[position] == string(name) {
		return s.list[position]
	}
	if i, ok := s.byName[string(name)]; ok {
		return s.list[i]
	}
	return nil
}

func (s *columns) get(position int, name []byte, prefix string, in *shared) (*Column, error) {
	if c := s.find(position, name); c != nil {
		return c, nil
	}
	own := string(name)
	if err := CheckName("column", own); err != nil {
		return nil, err
	}
	c, err := newColumn(prefix+own, in)
	if err != nil {
		return nil, err
	}
	c.nested = prefix != ""
	if s.byName == nil {
		s.byName = make(map[string]int)
	}
	s.byName[own] = len(s.list)
	s.list = append(s.list, c)
	s.names = append(s.names, own)
	return c, nil
}

func newColumn(name string, in *shared) (*Column, error) {
	if in.columns++; in.columns > MaxColumns {
		return nil, base.Errorf(base.TooLarge, "more than %d columns", MaxColumns)
	}
	return &Column{name: name, shared: in}, nil
}

// Table builds the rows of one table, column by column or row by row.
type Table struct {
	Name   string
	rows   int
	shared shared
	set    columns
}

// Padding is the number of NULLs that a request may still imply by leaving columns out of rows. All
// tables of the request share it.
type Padding struct{ left int }

// NewPadding returns the padding for one request.
func NewPadding() *Padding { return &Padding{maxPadding} }

// NewTable returns an empty table. All tables of a request are created with the same padding.
func NewTable(name string, padding *Padding) *Table {
	return &Table{Name: name, shared: shared{padding: padding}}
}

// Rows returns the number of rows, which is also the number of the next row to set.
func (t *Table) Rows() int { return t.rows }

// Grow adds n rows. Columns that are not set in these rows are NULL.
func (t *Table) Grow(n int) error {
	if n > math.MaxInt32-t.rows {
		return base.Errorf(base.TooLarge, "table %q: more than %d rows", t.Name, math.MaxInt32)
	}
	t.rows += n
	return nil
}

// Column returns the column of the given name. If the column is new, it is created with only NULLs.
// position is a hint that makes the search faster: the column's place among the columns of this
// row.
func (t *Table) Column(position int, name []byte) (*Column, error) {
	return t.set.get(position, name, "", &t.shared)
}

// Lookup is Column, but returns nil if the column does not exist.
func (t *Table) Lookup(position int, name []byte) *Column { return t.set.find(position, name) }

// Columns returns the columns in the order in which rows first named them.
func (t *Table) Columns() []*Column { return t.set.list }
