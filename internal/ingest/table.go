package ingest

import (
	"math"
	"strconv"

	"github.com/scoterdb/scoter/internal/base"
)

func itoa(n int) string { return strconv.Itoa(n) }

// columns is an ordered set of columns: found by a guessed position first, which
// holds whenever rows name their columns in the same order, then by name.
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

// Table grows the rows of one table, a column at a time or a row at a time.
type Table struct {
	Name   string
	rows   int
	shared shared
	set    columns
}

// Padding is how many NULLs a request may still imply by leaving columns out of rows, in all of its tables.
type Padding struct{ left int }

// NewPadding returns what one request may imply.
func NewPadding() *Padding { return &Padding{maxPadding} }

// NewTable returns an empty table of a request.
func NewTable(name string, padding *Padding) *Table {
	return &Table{Name: name, shared: shared{padding: padding}}
}

// Rows returns how many rows there are: the number of the row to set next.
func (t *Table) Rows() int { return t.rows }

// Grow adds n rows; columns that are not set in them are NULL there.
func (t *Table) Grow(n int) error {
	if n > math.MaxInt32-t.rows {
		return base.Errorf(base.TooLarge, "table %q: more than %d rows", t.Name, math.MaxInt32)
	}
	t.rows += n
	return nil
}

// Column returns the column of that name; created, with only NULLs, if it is new.
// position is a guess: the column's place among this row's columns.
func (t *Table) Column(position int, name []byte) (*Column, error) {
	return t.set.get(position, name, "", &t.shared)
}

// Lookup is Column without creating one: nil if there is none.
func (t *Table) Lookup(position int, name []byte) *Column { return t.set.find(position, name) }

// Columns returns the columns in the order in which they were first named.
func (t *Table) Columns() []*Column { return t.set.list }
