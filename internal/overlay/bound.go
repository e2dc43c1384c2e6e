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

// Bound is a condition that every row of a result meets: the column compared with any one of
// the values. It serves to leave out parts whose statistics exclude it; the query keeps
// its own condition.
type Bound struct {
	Column   base.ColumnID
	Operator Operator
	Values   []schema.Value // more than one only with Equal (IN)
}
