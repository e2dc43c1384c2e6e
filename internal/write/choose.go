package write

import (
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
)

// Job is what a statement or request wants to store. All decisions about the way of a change are
// made from a Job and from Facts.
type Job struct {
	Table schema.Table
	// Incoming says that a request or query brings rows. If it is false, a query finds rows of the
	// table, and computes their new values. The fields up to Returns are only for incoming rows.
	Incoming bool
	Sent     []schema.Column // the columns that the incoming rows have
	Assigned []schema.Column // the columns that they set in existing rows
	// Whole says that incoming rows without a column set its default, also in existing rows.
	Whole  bool
	Policy incoming.Policy
	// Computed says that new values of existing rows are SQL expressions over the existing row, or
	// that a condition over it decides.
	Computed bool
	DoUpdate bool // the statement has DO UPDATE
	OtherKey bool // existing rows are found by other columns than the primary key
	Deleting bool // some of the incoming rows delete the row of their key
	Returns  bool // the statement has RETURNING

	Mode  dml.UpdateMode
	Asked bool // whether the statement itself chose the mode
	// Unstorable is the reason why the statement cannot be stored as an expression; nil if it can.
	Unstorable error
}

// Facts are what a choice depends on besides the job.
type Facts struct {
	Bytes     int64 // the size of the incoming rows; -1 before the query has run
	Chunk     int64 // incoming rows of more bytes are written as parts
	FitsPatch bool  // whether there is memory for a patch of the changed rows
	// InsertsOnly says that the query found no existing rows to change, only rows to insert.
	InsertsOnly bool
}

func (f Facts) many() bool { return f.Bytes > f.Chunk }

// keepsColumns reports whether existing rows keep the values of some columns.
func (j *Job) keepsColumns() bool {
	return len(j.Assigned) < len(j.Table.Columns) && j.Policy == incoming.ReplaceRow || j.Policy == incoming.UpdateOnConflict
}

// needsExisting returns the reason why a query must join the incoming rows with the existing rows.
// It is empty if the keys of the rows suffice.
func (j *Job) needsExisting() string {
	switch {
	case j.OtherKey:
		return "the rows are found by other columns than the primary key"
	case j.Computed:
		return "new values or conditions depend on existing rows"
	case !j.keepsColumns():
		return ""
	case incoming.ChangesPlacement(j.Table, j.Assigned):
		return "the rows lack columns, and columns that they set decide where a row is stored"
	case j.Table.Condition() != "":
		return "the rows lack columns, and the table has a CHECK that may name them"
	case j.Returns:
		return "the rows lack columns, and RETURNING reads whole rows"
	}
	return ""
}

// Way is one physical method to store the rows of a job.
type Way interface {
	// Name is the name in EXPLAIN.
	Name() string
	// Does says in a few words what the way does.
	Does() string
	// Refuses returns the reason why the way cannot store the job, or is not meant for it. It is
	// empty if the way can store the job.
	Refuses(j *Job, f Facts) string
}

// Choice is a way, and the reason why it was not chosen. Reason is empty for the chosen way.
type Choice struct {
	Way    Way
	Reason string
}

// waysByCost lists all ways. A way costs less than the ways behind it that can store the same job.
//
//   - An append takes 0.34 s of processor time for a million rows. Looking up their keys takes 1.0
//     to 1.2 s.
//   - A join takes about 4 ms for planning its query, and a scan of the table.
//   - An expression takes the same time for a table of any size. A patch is visible after 3% (for
//     1% of the rows) to 22% (for all rows) of the processor time that a rewrite takes. Together
//     with the later merge that applies it, a patch takes 0.7 to 1.3 times the time of a rewrite.
var waysByCost = []Way{appendWay{}, keyedWay{}, bulkKeyedWay{}, joinWay{}, expressionWay{}, patchWay{}, rewriteWay{}}

// choose returns the way that costs least among the ways that can store the job.
func choose(j *Job, f Facts) Way {
	for _, w := range waysByCost {
		if w.Refuses(j, f) == "" {
			return w
		}
	}
	return nil
}

// Choose returns the way that costs least among the ways that can store the job. The choices are
// all other ways, for EXPLAIN.
func Choose(j *Job, f Facts) (chosen Way, others []Choice) {
	for _, w := range waysByCost {
		reason := w.Refuses(j, f)
		switch {
		case reason != "":
		case chosen == nil:
			chosen = w
			continue
		default:
			reason = "costs more"
		}
		others = append(others, Choice{w, reason})
	}
	return chosen, others
}
