package dml

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/storable"
)

// ReadExpression reads UPDATE t [AS a] SET assignments [WHERE condition]. It turns the expressions
// into texts that can be stored: without aliases and parameters.
func (x *Statement) ReadExpression() (e *storable.Update, t Target, err error) {
	c := x.Reader
	if c.Statement.Verb() != "UPDATE" || c.Statement.VerbIndex() > 0 {
		return nil, t, storable.ErrNotStorable("only an UPDATE without WITH before it can be stored")
	}
	c.At = 1
	if t, err = x.target("SET"); err != nil {
		return nil, t, err
	}
	if !c.Accept("SET") {
		return nil, t, c.Unexpected("SET")
	}
	assignments, err := x.assignments(t.Table, c.Until("FROM", "WHERE", "RETURNING"))
	if err != nil {
		return nil, t, err
	}
	e = &storable.Update{Expression: patch.Expression{Version: t.Table.Version, Alias: t.Alias}, Table: t.Table}
	var where []sqltoken.Token
	if c.Accept("WHERE") {
		where = c.Until("RETURNING")
		if e.Where, err = x.Standalone(where); err != nil {
			return nil, t, err
		}
	}
	if !x.Asked && x.keyLookup(t, assignments, where) != nil {
		return nil, t, storable.ErrNotStorable("it changes the rows of one key, and a patch does that faster")
	}
	if !c.Done() {
		next := c.Tokens()[c.At]
		return nil, t, storable.ErrNotStorable("%s needs the rows immediately", strings.ToUpper(next.Text())).At(next.Start + 1)
	}
	if t.Table.IsDeleted != 0 {
		return nil, t, storable.ErrNotStorable("table %s has the option is_deleted: an expression would also change its tombstones", t.Table.QualifiedName())
	}
	for _, a := range assignments {
		if t.Table.InKey(a.column.ID) {
			return nil, t, storable.ErrNotStorable("column %q is in the sort key, primary key or partitioning", a.column.Name)
		}
		if a.column.ID == t.Table.RowVersion {
			return nil, t, storable.ErrNotStorable("column %q decides between the row versions of a key", a.column.Name)
		}
		value := ""
		if len(a.value) == 1 && a.value[0].Is("DEFAULT") {
			value = statement.DefaultOf(a.column)
		} else if value, err = x.Standalone(a.value); err != nil {
			return nil, t, err
		}
		e.Set = append(e.Set, patch.Assignment{Column: a.column.ID, Value: value})
	}
	slices.SortFunc(e.Set, func(a, b patch.Assignment) int { return int(int64(a.Column) - int64(b.Column)) })
	return e, t, storable.CheckDeterministic(x.Statement, e)
}
