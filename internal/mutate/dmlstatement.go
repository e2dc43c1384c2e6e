package mutate

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Stored returns snapshots of tables as they are, without waiting for the deletion of superseded
// rows.
type Stored interface {
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
}

// dmlStatement is one running statement that changes rows.
type dmlStatement struct {
	*statement
	stored Stored
	mode   UpdateMode // how the statement changes rows that are in parts
	asked  bool       // whether the statement itself chose the mode
	// transient has the rows of a request without SQL. Scoter composes a statement for such a
	// request, which reads the rows from the table transient.
	transient *sqlquery.Transient
	scanning  bool // whether the rows of a key must be found by a scan, without an index
}
