package overlay

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Operator compares a column with a constant.
type Operator uint8

const (
	Equal Operator = iota
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// Bound is a condition that every row of a query's result meets: comparing the column with at least
// one of the values gives true. It is used to leave out parts by their statistics. The query itself
// still checks its whole condition.
type Bound struct {
	Column   base.ColumnID
	Operator Operator
	Values   []schema.Value // more than one only if Operator is Equal (column IN (...))
}
