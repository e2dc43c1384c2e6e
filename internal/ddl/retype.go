package ddl

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// maxRetypes is how many times ALTER COLUMN TYPE is tried if other statements change the table's
// schema in the meantime. Then it fails.
const maxRetypes = 10

// alterType runs ALTER COLUMN c TYPE. It parses the tokens after TYPE: a type, or USING and an
// expression over the row, or both.
//
// If every stored value can be read as a value of the new type, only the schema changes. Otherwise
// all parts are rewritten, with the values that DuckDB computes. If a value cannot be converted,
// the statement fails and nothing changes.
func (x *Statement) alterType(t schema.Table, c schema.Column) error {
	using := x.Reader.Find("USING")
	to, err := x.alteredType(t, c, using)
	if err != nil {
		return err
	}
	value := schema.Quote(c.Name)
	if using < len(x.Reader.Tokens()) {
		if value, err = x.Standalone(x.Reader.Tokens()[using+1:]); err != nil {
			return err
		}
	}
	x.Reader.At = len(x.Reader.Tokens())
	if using == len(x.Reader.Tokens()) {
		if done, err := x.widen(t, c, to); done || err != nil {
			return err
		}
	}
	if err := checkNotInCheck(t, c.Name, "given another type"); err != nil {
		return err
	}
	if c.Default != "" {
		if _, err := x.ConstantOf(c.Default, to); err != nil {
			return base.Wrap(err, "default of %q", c.Name)
		}
	}
	return x.retype(t, c, to, value)
}

// retype changes the type of a column by rewriting all parts of the table. If the schema changes in
// the meantime, for example because incoming rows added a column, it starts again.
func (x *Statement) retype(t schema.Table, c schema.Column, to schema.Type, value string) error {
	for range maxRetypes {
		next, err := t.Retype(c.Name, to)
		if err != nil {
			return err
		}
		err = x.Retyper.Retype(x.Ctx, t, next, c.ID, t.Name, value)
		if !errors.Is(err, engine.ErrChanged) {
			return clause.WithoutPosition(err)
		}
		now, err := x.Names.Lookup(t.Database, t.Schema, t.Name)
		if err != nil {
			return err
		}
		if i := now.ColumnIndex(c.Name); now.ID != t.ID || i < 0 || now.Columns[i].ID != c.ID || !now.Columns[i].Type.Equal(c.Type) {
			return engine.ErrChanged
		}
		t = now
	}
	return engine.ErrChanged
}

// alteredType makes DuckDB change the type of a column in an empty temporary table with the same
// columns, and returns the column's new type. The argument using is the index of the token USING.
func (x *Statement) alteredType(t schema.Table, c schema.Column, using int) (schema.Type, error) {
	tokens := x.Reader.Tokens()
	if err := checkCalls(tokens[x.Reader.At:]); err != nil {
		return schema.Type{}, err
	}
	if i := slices.IndexFunc(tokens[x.Reader.At:using], func(t sqltoken.Token) bool { return t.Depth == 0 && t.Is("COLLATE") }); i >= 0 {
		return schema.Type{}, base.Errorf(base.Invalid, "collations of columns are not supported").At(tokens[x.Reader.At+i].Start + 1).
			WithHint(collationHint)
	}
	var alter clause.Query
	alter.Write("ALTER TABLE temp.", schema.Quote(t.Name), " ALTER COLUMN ", schema.Quote(c.Name), " TYPE ")
	alter.Copy(x.Reader, x.Reader.At, using)
	if using < len(tokens) {
		if slices.ContainsFunc(tokens[using:], func(t sqltoken.Token) bool { return t.Kind == sqltoken.Parameter }) {
			value, err := x.Standalone(tokens[using+1:])
			if err != nil {
				return schema.Type{}, err
			}
			alter.Write(" USING ", value)
		} else {
			alter.Write(" ")
			alter.Copy(x.Reader, using, len(tokens))
		}
	}
	var columns clause.Query
	columns.Write("CREATE TEMP TABLE ", schema.Quote(t.Name), " (")
	for i, c := range t.Columns {
		if i > 0 {
			columns.Write(", ")
		}
		columns.Write(schema.Quote(c.Name), " ", c.Type.String())
	}
	columns.Write(")")
	// The temporary table has the same name as the table, because the USING expression may qualify
	// columns with it.
	shape, err := x.readDefinitionOf(t.Name, func(conn *duck.Conn) error {
		if err := conn.Exec(columns.String()); err != nil {
			return clause.WithoutPosition(err)
		}
		// The statement is prepared, because Prepare accepts only one statement, whatever the
		// user's text contains.
		stmt, err := conn.Prepare(alter.String())
		if err == nil {
			err = x.Run(stmt)
		}
		return alter.WithPosition(err)
	})
	if err != nil {
		return schema.Type{}, err
	}
	return shape.Columns[t.ColumnIndex(c.Name)].Type, nil
}

// widen changes a column's type in the schema alone, if all stored values can be read in the new
// type. done reports whether it did so. These are the cases:
//   - The new type has all values of the present type.
//   - A DATE becomes a TIMESTAMP, and all stored dates are in its range.
//   - 64-bit integers become DOUBLE, and DOUBLE can represent all stored integers exactly.
func (x *Statement) widen(t schema.Table, c schema.Column, to schema.Type) (done bool, err error) {
	switch widened, ok := schema.Widen(c.Type, to); {
	case c.Type.Kind == schema.Date && to.Kind == schema.Timestamp:
		if err := x.checkDates(t, c); err != nil {
			return false, err
		}
	case schema.ExactInDouble(c.Type, to) && to.Kind == schema.Double:
		err := x.Tables.ChangeToDouble(x.Ctx, t.ID, c.Name)
		if kind := base.KindOf(err); err != nil && (kind == base.Invalid || kind == base.Conflict) {
			return false, nil // some values may be rounded, as far as the statistics say
		}
		return true, err
	case !ok || !widened.Equal(to):
		return false, nil
	}
	return true, x.change(t, func(t schema.Table) (schema.Table, error) { return t.ChangeType(c.Name, to) })
}

// checkDates returns an error if a DATE column has dates outside of TIMESTAMP's range, which is
// smaller. Dates of tombstones count too, because merges convert them as well. If another statement
// inserts such a date during the check, queries that read it as a TIMESTAMP fail.
func (x *Statement) checkDates(t schema.Table, c schema.Column) error {
	if c.ID == t.RowVersion {
		// The column has the versions of rows. Superseded rows (replaced by other rows of their
		// keys) are deleted first, because until then their versions are compared with those of
		// incoming rows.
		if err := x.Loads.DeleteSuperseded(x.Ctx, t.ID); err != nil {
			return err
		}
	}
	name := schema.Quote(c.Name)
	n, err := countStored(x, t, fmt.Sprintf("isfinite(%s) AND TRY_CAST(%s AS TIMESTAMP) IS NULL", name, name))
	if err != nil || n == 0 {
		return err
	}
	e := base.Errorf(base.Invalid, "column %q of table %s holds %d dates that are out of the range of TIMESTAMP", c.Name, t.QualifiedName(), n)
	if t.IsDeleted != 0 {
		return e.WithHint("this count includes tombstones, which merges drop after keep_tombstones")
	}
	return e
}

// countStored counts the rows of a table that meet a condition, including tombstones (rows that say
// that their key is deleted).
func countStored(x *Statement, t schema.Table, condition string) (int64, error) {
	s, err := x.Snapshots.DeduplicatedSnapshot(x.Ctx, t.ID)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	stored := *s.Tables[t.ID]
	stored.Schema = stored.Schema.Bare()
	return x.countOf(&stored, condition)
}
