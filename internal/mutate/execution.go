package mutate

import (
	"errors"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Result is the outcome of a statement. Rows is the result of RETURNING, or nil.
type Result struct {
	Counts engine.Counts
	Rows   sqlquery.Rows
}

// Close releases the result's rows.
func (r *Result) Close() {
	if r.Rows != nil {
		r.Rows.Close()
	}
}

// Writer changes rows of tables. It is safe for concurrent use.
type Writer struct {
	*tools
	*transactions
	store    Store
	loads    Loads
	memory   *memtable.Pool // memory is the budget for the rows over which RETURNING is evaluated.
	keys     *keys.Finder
	rewriter Rewriter
}

// execution is one running statement that changes rows.
type execution struct {
	*dmlStatement
	*Writer
	// lastReads lists the tables that the last attempt to run the statement depended on.
	lastReads []base.TableID
}

// newStatement returns a statement that the writer can execute.
func (m *Writer) newStatement(s *statement) *dmlStatement {
	return &dmlStatement{statement: s, stored: m.snapshots}
}

func (m *Writer) execution(s *statement) *execution {
	return &execution{dmlStatement: m.newStatement(s), Writer: m}
}

// execute runs an INSERT, UPDATE, DELETE or MERGE INTO.
func (m *Writer) execute(s *dmlStatement) (*Result, error) {
	x := &execution{dmlStatement: s, Writer: m}
	verb := s.c.statement.Verb()
	if x.mode == Expression {
		if x.asked || verb == "UPDATE" {
			result, err := x.expressionUpdate()
			if x.asked || !errors.Is(err, errCannotBeStored) && !errors.Is(err, engine.ErrManyExpressions) {
				return result, err
			}
		}
		// The statement itself does not name a mode, and the mode in the settings is `expression`.
		// The setting applies only to statements that can be stored as expressions, so this
		// statement runs in the mode Auto.
		x.mode, x.c.at = Auto, 0
	}
	if verb != "INSERT" {
		return x.changeRows(x.rowPlan)
	}
	// The error errStale means that the table's schema has changed. Then the rows are prepared
	// again for the new schema.
	for range maxAttempts {
		result, err := x.insert()
		if !errors.Is(err, errStale) {
			return result, err
		}
	}
	return nil, errStale
}

// explain returns the plan of the query that finds the rows that a statement changes, and their new
// values, or the rows to insert.
func (m *Writer) explain(s *dmlStatement) (sqlquery.Rows, error) {
	if s.c.statement.Verb() == "INSERT" {
		in, err := s.insertion()
		if err != nil {
			return nil, err
		}
		rows, _, err := s.insertQuery(in.target.table, in.columns, in.byName, in.query)
		return rows, err
	}
	p, err := s.rowPlan()
	if err != nil {
		return nil, err
	}
	return (&execution{dmlStatement: s, Writer: m}).find(p, s.rowPlan)
}
