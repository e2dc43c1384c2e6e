package ddl

import (
	"context"
	"errors"
	"fmt"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// setNotNull makes a column NOT NULL. It checks for NULLs before the change, and again after it for
// rows that were written in between. If the second check finds one, it undoes the change.
func (x *Statement) setNotNull(t schema.Table, name string) error {
	if err := x.Reader.End(); err != nil {
		return err
	}
	if err := x.checkNoNulls(t, name); err != nil {
		return err
	}
	was := false
	err := x.change(t, func(t schema.Table) (schema.Table, error) {
		if i := t.ColumnIndex(name); i >= 0 {
			was = t.Columns[i].NotNull
		}
		return t.SetNotNull(name, true)
	})
	if err != nil {
		return err
	}
	if err = x.checkNoNulls(t, name); err == nil || was {
		return err
	}
	// The undo must run even if x.ctx is canceled. A cancellation may be the reason why the second
	// check failed.
	_, undo := x.Tables.AlterTable(context.WithoutCancel(x.Ctx), t.ID, func(t schema.Table) (schema.Table, error) { return t.SetNotNull(name, false) })
	return errors.Join(err, undo)
}

// checkNoNulls returns an error if a column of the table has a NULL.
func (x *Statement) checkNoNulls(t schema.Table, column string) error {
	n, err := x.count(sqlquery.Request{SQL: fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", t.QuotedName(), schema.Quote(column))})
	if err == nil && n > 0 {
		err = base.Errorf(base.Invalid, "column %q of table %s holds %d NULLs", column, t.QualifiedName(), n)
	}
	return err
}
