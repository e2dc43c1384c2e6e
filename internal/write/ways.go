package write

import (
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/incoming"
)

type appendWay struct{}

func (appendWay) Name() string { return "append" }

func (appendWay) Does() string { return "adds the rows, without looking for existing rows" }

func (appendWay) Refuses(j *Job, _ Facts) string {
	t := j.Table
	switch {
	case !j.Incoming:
		return notIncoming
	case j.OtherKey || j.Policy == incoming.DeleteOnConflict || j.Policy == incoming.UpdateOnConflict:
		return "existing rows are to be changed"
	case len(t.PrimaryKey) == 0:
		return ""
	case !t.MergeOnRead:
		return fmt.Sprintf("table %s has a primary key, and merges on write", t.QualifiedName())
	case j.Deleting:
		return "some rows delete the row of their key"
	case !j.Whole && len(j.Sent) < len(t.Columns):
		return "the rows lack columns, and existing rows keep their values of these"
	case j.Policy != incoming.ReplaceRow || j.DoUpdate:
		return "ON CONFLICT needs to know which keys exist"
	case j.Returns:
		return "RETURNING needs to know which keys exist"
	}
	return ""
}

const (
	notIncoming = "for incoming rows; this statement finds the rows by a query"
	notFound    = "for statements that find rows by a query; this one has incoming rows"
)

type keyedWay struct{}

func (keyedWay) Name() string { return "keyed" }

func (keyedWay) Does() string {
	return "looks up the keys of the rows; stores new rows, and changes of existing rows, in the log"
}

func (keyedWay) Refuses(j *Job, f Facts) string {
	if reason := refusesByKey(j); reason != "" {
		return reason
	}
	if f.many() && j.Policy != incoming.UpdateOnConflict && j.Policy != incoming.DeleteOnConflict {
		return fmt.Sprintf("the rows exceed a chunk (%d bytes)", f.Chunk)
	}
	return j.needsExisting()
}

func refusesByKey(j *Job) string {
	switch {
	case !j.Incoming:
		return notIncoming
	case len(j.Table.PrimaryKey) == 0 && !j.OtherKey:
		return fmt.Sprintf("table %s has no primary key", j.Table.QualifiedName())
	}
	return ""
}

type bulkKeyedWay struct{}

func (bulkKeyedWay) Name() string { return "bulk keyed" }

func (bulkKeyedWay) Does() string {
	return "writes the rows as parts, locks the table, and deletes the rows that they replace"
}

func (bulkKeyedWay) Refuses(j *Job, f Facts) string {
	if reason := refusesByKey(j); reason != "" {
		return reason
	}
	if !f.many() {
		return fmt.Sprintf("for rows of more than a chunk (%d bytes)", f.Chunk)
	}
	if j.keepsColumns() {
		return "the rows lack columns, and existing rows keep their values of these"
	}
	return j.needsExisting()
}

type joinWay struct{}

func (joinWay) Name() string { return "join" }

func (joinWay) Does() string {
	return "joins the rows with the table in a query; stores the result as patches and new rows"
}

func (joinWay) Refuses(j *Job, _ Facts) string {
	return refusesByKey(j)
}

type expressionWay struct{}

func (expressionWay) Name() string { return "expression" }

func (expressionWay) Does() string {
	return "stores the SQL of the UPDATE, which queries apply until a merge has rewritten the parts"
}

func (expressionWay) Refuses(j *Job, _ Facts) string {
	switch {
	case j.Incoming:
		return notFound
	case j.Mode != dml.Expression:
		return fmt.Sprintf("the update mode is %s", j.Mode)
	case j.Unstorable != nil && !j.Asked:
		return plainError(j.Unstorable)
	}
	return ""
}

type patchWay struct{}

func (patchWay) Name() string { return "patch" }

func (patchWay) Does() string {
	return "stores the new values as patches in the log, which queries apply until a merge has rewritten the parts"
}

func (patchWay) Refuses(j *Job, f Facts) string {
	switch {
	case j.Incoming:
		return notFound
	case f.InsertsOnly:
		return ""
	case j.Mode == dml.Rewrite, j.Mode == dml.Expression && j.Asked:
		return fmt.Sprintf("the update mode is %s", j.Mode)
	case j.Mode != dml.Patch && !f.FitsPatch:
		return "there is no memory for a patch"
	}
	return ""
}

type rewriteWay struct{}

func (rewriteWay) Name() string { return "rewrite" }

func (rewriteWay) Does() string { return "rewrites the parts that have the changed rows" }

func (rewriteWay) Refuses(j *Job, f Facts) string {
	switch {
	case j.Incoming:
		return notFound
	case f.InsertsOnly:
		return "no existing row changes"
	case j.Mode == dml.Patch, j.Mode == dml.Expression && j.Asked:
		return fmt.Sprintf("the update mode is %s", j.Mode)
	}
	return ""
}

// plainError returns the text of an error without the words that all errors about stored
// expressions begin with.
func plainError(err error) string {
	_, reason, found := strings.Cut(err.Error(), ": ")
	if !found {
		return err.Error()
	}
	return reason
}
