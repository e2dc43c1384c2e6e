package overlay

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Operator is a comparison of a column with a constant.
type Operator uint8

const (
	Equal Operator = iota
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// Bound is a condition that every row of a query's result meets: the comparison of the column with
// at least one of the values is true. It is used to leave out parts by their statistics. The query
// itself still checks its whole condition.
type Bound struct {
	Column   base.ColumnID
	Operator Operator
	// Values are the values to compare with; more than one only if Operator is Equal (column IN
	// (...)).
	Values []schema.Value
}
