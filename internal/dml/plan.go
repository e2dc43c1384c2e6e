package dml

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Kind says what an action of a statement does with a row, such as update or delete.
type Kind uint8

const (
	UpdateRow Kind = iota
	DeleteRow
	InsertRow
	FailRow // the statement fails if this action applies to a row (MERGE ... THEN ERROR)
)

// Action is one of the actions of a statement, such as an UPDATE of a MERGE. Only MERGE INTO may
// have several.
type Action struct {
	Kind Kind
	Name string          // the value of merge_action in a RETURNING list
	Set  []base.ColumnID // the columns that an update sets
	// Versioned says that the action gives inserted rows a version. An inserted row without a
	// version counts as newer than the existing row of its key.
	Versioned bool
}

// Plan is the plan of a statement that changes rows: a query that finds the rows and computes
// their new values, and the actions to apply to the rows. The query yields the columns that the
// method head lists, then the columns of the field columns. If the table has CHECK constraints, the
// last column says whether the row violates one.
type Plan struct {
	Verb    string
	Table   schema.Table
	Query   clause.Query
	Target  int // byte offset of the table's name in the query
	Actions []Action
	Columns []schema.Column // the columns whose values the query yields
	// ChangesPlacement says that an update changes where a row is stored (its partition or
	// position). Then the row is deleted and inserted again.
	ChangesPlacement bool
	// yieldsKeys says that the query also yields the keys of existing rows. The committer compares
	// these keys with the keys of rows that were inserted since the snapshot. See
	// engine.Change.Keys.
	yieldsKeys bool
	// lateralAction writes an SQL expression for the number of the action for a row. It is set if a
	// lateral sub-query computes the number, and nil if the select list computes it.
	lateralAction func(*clause.Query)
	// perRow says that the lateral sub-query of lateralAction must run for each row. See
	// perRowColumn.
	perRow bool
	// RejectsDuplicates says that it is an error if the statement changes a row twice. If it is
	// false, the first of the changes is applied, and the row counts once.
	RejectsDuplicates bool
	// message writes an expression for the error message of rows with the action FailRow. It is nil
	// if no action is FailRow.
	message func(*clause.Query)
	// readsWholeTable says that any row inserted since the snapshot could have changed the result
	// of the statement. So each such row is a conflict, whatever its values are.
	readsWholeTable bool
	// readsKeysOnly says that the query read only the keys of the rows that the statement does not
	// change. The committer always compares these keys with inserted rows.
	readsKeysOnly bool
	// conditionColumns are the columns of the table that conditions of actions name (MERGE ... WHEN
	// ... AND). It does not include the columns that decide which rows the query finds.
	conditionColumns []base.ColumnID
	// Pending are the columns of the table that expression updates (UPDATEs that are stored as SQL)
	// set, and for which no merge has written the results yet.
	Pending   []base.ColumnID
	Key       *Key // not nil if the statement looks for the rows of one key
	Transient *sqlquery.Transient
	Returning Returning
}

// Head lists the first columns of the query, which come before the values: the row's address (NULL
// for a new row) and the number of the action. In some plans the error message and the key columns
// of existing rows follow.
func (p *Plan) Head() []string {
	names := []string{schema.RowsetColumn, schema.OrdinalColumn, schema.ActionColumn}
	if p.message != nil {
		names = append(names, schema.MessageColumn)
	}
	for _, c := range p.KeyColumns() {
		names = append(names, schema.Quote(schema.TouchedColumn+c.Name))
	}
	return names
}

// KeyColumns returns the columns of the key that the query yields for existing rows. If the field
// yieldsKeys is false, there are none.
func (p *Plan) KeyColumns() []schema.Column {
	if !p.yieldsKeys {
		return nil
	}
	return keys.Columns(p.Table, p.Table.PrimaryKey)[:len(p.Table.PrimaryKey)]
}

// ConflictsOnKey reports whether an action conflicts with rows of the same key that were inserted
// since the snapshot.
func (p *Plan) ConflictsOnKey(a Action) bool {
	return p.yieldsKeys && (a.Kind == DeleteRow || a.Kind == UpdateRow && (p.ChangesPlacement || slices.Contains(a.Set, p.Table.RowVersion)))
}

// ConstantValue returns the value of a column if it is the same for all rows and known without the
// query. The value is an array of length 1. ConstantValue returns nil if the query yields the
// column's values.
func (p *Plan) ConstantValue(c schema.Column) arrow.Array {
	if p.Key == nil {
		return nil
	}
	return p.Key.assigned[c.ID]
}

// OnlyDeletes reports whether the statement only deletes rows, and needs only the addresses of
// these rows.
func (p *Plan) OnlyDeletes() bool {
	return len(p.Actions) == 1 && p.Actions[0].Kind == DeleteRow && !p.RejectsDuplicates && p.Returning.None() && !p.yieldsKeys
}

// ChooseColumns decides for which columns the query yields values: the columns that the actions
// set, or all columns if an action needs whole rows. For an update it adds the pending columns
// (with a stored expression that no merge has applied yet).
func (p *Plan) ChooseColumns() {
	for i := range p.Actions {
		for _, id := range p.Pending {
			if a := &p.Actions[i]; a.Kind == UpdateRow && !slices.Contains(a.Set, id) {
				a.Set = append(a.Set[:len(a.Set):len(a.Set)], id)
			}
		}
	}
	set := map[base.ColumnID]bool{}
	whole := !p.Returning.None()
	for _, a := range p.Actions {
		whole = whole || a.Kind == InsertRow
		for _, id := range a.Set {
			set[id] = true
			p.ChangesPlacement = p.ChangesPlacement || p.Table.InKey(id)
		}
	}
	for _, c := range p.Table.Columns {
		if whole || p.ChangesPlacement || set[c.ID] {
			p.Columns = append(p.Columns, c)
		}
	}
	p.yieldsKeys = p.Table.MergeOnRead && p.Table.RowVersion != 0
	p.yieldsKeys = slices.ContainsFunc(p.Actions, p.ConflictsOnKey)
}

// ChangesKey reports whether an action of the plan changes the primary key of rows.
func (p *Plan) ChangesKey() bool {
	return slices.ContainsFunc(p.Actions, func(a Action) bool {
		return slices.ContainsFunc(a.Set, func(id base.ColumnID) bool { return slices.Contains(p.Table.PrimaryKey, id) })
	})
}

// Reads returns the tables and columns on which the result of the statement depends. The committer
// compares them with the changes since the snapshot. The argument reads lists what the plan's query
// read.
func (p *Plan) Reads(reads []engine.ReadDependency) []engine.ReadDependency {
	if p.readsKeysOnly {
		reads = slices.DeleteFunc(reads, func(r engine.ReadDependency) bool { return r.Table == p.Table.ID && r.Columns != nil })
	}
	for i := range reads {
		switch r := &reads[i]; {
		case r.Table != p.Table.ID || r.Columns == nil:
		case p.readsWholeTable:
			r.Columns = nil
		default:
			r.Columns = append(r.Columns, p.conditionColumns...)
		}
	}
	return reads
}

// Tombstones returns the numbers of the rows of a batch whose deletion column says that their key
// is deleted. The batch has the values of the plan's columns. For a plain UPDATE it returns no
// rows, because UPDATE may set the deletion column like any other.
func (p *Plan) Tombstones(values arrow.RecordBatch) []uint32 {
	at := slices.IndexFunc(p.Columns, func(c schema.Column) bool { return c.ID == p.Table.IsDeleted })
	if at < 0 || p.Verb == "UPDATE" {
		return nil
	}
	return batch.TrueRows(values.Column(at))
}

// pendingColumns returns the pending columns of a table. An expression update (an UPDATE that is
// stored as SQL and applied when rows are read) sets them, and no merge has written its results
// yet. An UPDATE must give the rows that it changes values of these columns too, because expression
// updates do not apply to a row with a patch.
func (x *Statement) pendingColumns(t schema.Table) ([]base.ColumnID, error) {
	s, err := x.Stored.Snapshot(t.ID)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return s.Tables[t.ID].PendingColumns(nil), nil
}
