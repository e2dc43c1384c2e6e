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

// Bound is a condition that every row of a result meets: the column compared with any one of the
// values. It is used to prune parts by their statistics. The query still has its own condition.
type Bound struct {
	Column   base.ColumnID
	Operator Operator
	Values   []schema.Value // more than one value only with Equal (IN)
}
