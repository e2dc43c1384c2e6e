package dml

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
)

// Stored returns snapshots of tables as they are, without waiting for the deletion of superseded
// rows.
type Stored interface {
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
}

// Statement is one running statement that changes rows.
type Statement struct {
	*statement.Statement
	Stored Stored
	Mode   UpdateMode // how the statement changes rows that are in parts
	Asked  bool       // whether the statement itself chose the mode
	// Transient has the rows of a request without SQL. Scoter composes a statement for such a
	// request, which reads the rows from the table transient.
	Transient *sqlquery.Transient
	Scanning  bool // whether the rows of a key must be found by a scan, without an index
}

// Plan plans an UPDATE, DELETE or MERGE INTO.
func (x *Statement) Plan() (*Plan, error) {
	switch x.Reader.Statement.Verb() {
	case "UPDATE":
		return x.update()
	case "DELETE":
		return x.delete()
	default:
		return x.Merge()
	}
}
