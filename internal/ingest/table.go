package ingest

import (
	"math"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
)

func itoa(n int) string { return strconv.Itoa(n) }

// columns is an ordered set of columns. Its method find first tries a guessed position, and then
// the name. The guess is right if rows list their columns in the same order.
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

// Table builds the rows of one table of a request, column by column or row by row.
type Table struct {
	Name   string
	rows   int
	shared shared
	set    columns
}

// Padding is the number of NULLs that a request may still add by leaving columns out of rows. All
// tables of the request share it.
type Padding struct{ left int }

// NewPadding returns the number of NULLs that one request may add by leaving columns out of rows.
func NewPadding() *Padding { return &Padding{maxPadding} }

// NewTable returns a table without rows. All tables of a request must get the same padding, which
// limits the NULLs that the request may add.
func NewTable(name string, padding *Padding) *Table {
	return &Table{Name: name, shared: shared{padding: padding}}
}

// Rows returns the number of rows of the table, which is also the number of the next row to set.
func (t *Table) Rows() int { return t.rows }

// Grow adds n rows to the table. Columns that are not set in these rows are NULL there.
func (t *Table) Grow(n int) error {
	if n > math.MaxInt32-t.rows {
		return base.Errorf(base.TooLarge, "table %q: more than %d rows", t.Name, math.MaxInt32)
	}
	t.rows += n
	return nil
}

// Column returns the column with the given name. If there is none, it creates one with only NULLs.
// position is the column's place among the columns of the current row. It is only a hint, which
// makes the search faster.
func (t *Table) Column(position int, name []byte) (*Column, error) {
	return t.set.get(position, name, "", &t.shared)
}

// Lookup returns the column with the given name, or nil if there is none. position is a hint, as
// for Column.
func (t *Table) Lookup(position int, name []byte) *Column { return t.set.find(position, name) }

// Columns returns the columns of the table, in the order in which rows first had them.
func (t *Table) Columns() []*Column { return t.set.list }
