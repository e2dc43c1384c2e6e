package write

import (
	"errors"

	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/storable"
	"github.com/scoterdb/scoter/internal/tx"
)

// Execute runs an INSERT, UPDATE, DELETE or MERGE INTO.
func (m *Writer) Execute(s *dml.Statement) (*Result, error) {
	x := &execution{Statement: s, Writer: m}
	verb := s.Reader.Statement.Verb()
	if x.Mode == dml.Expression {
		if x.Asked || verb == "UPDATE" {
			result, err := x.expressionUpdate()
			if x.Asked || !errors.Is(err, storable.ErrCannotBeStored) && !errors.Is(err, engine.ErrManyExpressions) {
				return result, err
			}
		}
		// The statement itself does not name a mode, and the mode in the settings is `expression`.
		// The setting applies only to statements that can be stored as expressions, so this
		// statement runs in the mode Auto.
		x.Mode, x.Reader.At = dml.Auto, 0
	}
	if verb != "INSERT" {
		return x.changeRows(x.Plan)
	}
	// The error tx.ErrStale means that the table's schema has changed. Then the rows are prepared
	// again for the new schema.
	for range tx.MaxAttempts {
		result, err := x.insert()
		if !errors.Is(err, tx.ErrStale) {
			return result, err
		}
	}
	return nil, tx.ErrStale
}
