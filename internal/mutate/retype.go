package mutate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// maxRetypes bounds how often a change of a type begins anew.
const maxRetypes = 10

// alterType runs what follows ALTER COLUMN c TYPE: a type, or USING and an expression over the row,
// or both. Where every stored value can be read as one of the new type, the schema alone changes.
// Otherwise all parts are written anew, with what DuckDB makes of the values; one that it cannot
// convert is an error, and nothing changes.
func (x *execution) alterType(t schema.Table, c schema.Column) error {
	using := x.c.find("USING")
	to, err := x.alteredType(t, c, using)
	if err != nil {
		return err
	}
	value := schema.Quote(c.Name)
	if using < len(x.c.tokens()) {
		if value, err = x.standalone(x.c.tokens()[using+1:]); err != nil {
			return err
		}
	}
	x.c.at = len(x.c.tokens())
	if using == len(x.c.tokens()) {
		if done, err := x.widen(t, c, to); done || err != nil {
			return err
		}
	}
	if err := checkUnchecked(t, c.Name, "given another type"); err != nil {
		return err
	}
	if c.Default != "" {
		if _, err := x.constantOf(c.Default, to); err != nil {
			return base.Wrap(err, "default of %q", c.Name)
		}
	}
	return x.retype(t, c, to, value)
}

// retype writes the table anew. If its schema changes meanwhile, by a column that came with rows,
// say, it does so again.
func (x *execution) retype(t schema.Table, c schema.Column, to schema.Type, value string) error {
	for range maxRetypes {
		next, err := t.Retype(c.Name, to)
		if err != nil {
			return err
		}
		err = x.rewriter.Retype(x.ctx, t, next, c.ID, t.Name, value)
		if !errors.Is(err, engine.ErrChanged) {
			return unplaced(err)
		}
		now, err := x.store.Lookup(t.Database, t.Schema, t.Name)
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

// alteredType has DuckDB make the change of an empty temporary table with the same columns, and
// returns the column's type after it. using is the index of the word.
func (x *execution) alteredType(t schema.Table, c schema.Column, using int) (schema.Type, error) {
	tokens := x.c.tokens()
	if err := checkCalls(tokens[x.c.at:]); err != nil {
		return schema.Type{}, err
	}
	if i := slices.IndexFunc(tokens[x.c.at:using], func(t sqltoken.Token) bool { return t.Depth == 0 && t.Is("COLLATE") }); i >= 0 {
		return schema.Type{}, base.Errorf(base.Invalid, "collations of columns are not supported").At(tokens[x.c.at+i].Start + 1).
			WithHint(collationHint)
	}
	var alter composition
	alter.write("ALTER TABLE temp.", schema.Quote(t.Name), " ALTER COLUMN ", schema.Quote(c.Name), " TYPE ")
	alter.copy(x.c, x.c.at, using)
	if using < len(tokens) {
		if slices.ContainsFunc(tokens[using:], func(t sqltoken.Token) bool { return t.Kind == sqltoken.Parameter }) {
			value, err := x.standalone(tokens[using+1:])
			if err != nil {
				return schema.Type{}, err
			}
			alter.write(" USING ", value)
		} else {
			alter.write(" ")
			alter.copy(x.c, using, len(tokens))
		}
	}
	var columns composition
	columns.write("CREATE TEMP TABLE ", schema.Quote(t.Name), " (")
	for i, c := range t.Columns {
		if i > 0 {
			columns.write(", ")
		}
		columns.write(schema.Quote(c.Name), " ", c.Type.String())
	}
	columns.write(")")
	// By the table's own name, which the expression may use.
	shape, err := x.shaped(t.Name, func(conn *duck.Conn) error {
		if err := conn.Exec(columns.String()); err != nil {
			return unplaced(err)
		}
		stmt, err := conn.Prepare(alter.String()) // prepared, because that takes one statement and no more
		if err == nil {
			err = x.run(stmt)
		}
		return alter.placed(err)
	})
	if err != nil {
		return schema.Type{}, err
	}
	return shape.Columns[t.ColumnIndex(c.Name)].Type, nil
}

// widen changes a column's type in the schema alone, and reports whether it did: if the new type
// has all values of the present one, or, of a DATE that becomes a TIMESTAMP and of 64-bit integers
// that become DOUBLE, all that are stored.
func (x *execution) widen(t schema.Table, c schema.Column, to schema.Type) (done bool, err error) {
	switch widened, ok := schema.Widen(c.Type, to); {
	case c.Type.Kind == schema.Date && to.Kind == schema.Timestamp:
		if err := x.checkDates(t, c); err != nil {
			return false, err
		}
	case schema.ExactInDouble(c.Type, to) && to.Kind == schema.Double:
		err := x.store.ChangeToDouble(x.ctx, t.ID, c.Name)
		if kind := base.KindOf(err); err != nil && (kind == base.Invalid || kind == base.Conflict) {
			return false, nil // some value is rounded, or not known yet
		}
		return true, err
	case !ok || !widened.Equal(to):
		return false, nil
	}
	return true, x.change(t, func(t schema.Table) (schema.Table, error) { return t.ChangeType(c.Name, to) })
}

// checkDates refuses a column of which a date is no TIMESTAMP: a DATE reaches further. Those of
// tombstones count too, which merges bring to the new type as well; a date beyond that comes in
// between is refused by whoever reads it as a TIMESTAMP.
func (x *execution) checkDates(t schema.Table, c schema.Column) error {
	if c.ID == t.RowVersion {
		// Rows that are hidden by others of a higher version are compared with what comes, until
		// they are deleted.
		if err := x.store.Settle(x.ctx, t.ID); err != nil {
			return err
		}
	}
	name := schema.Quote(c.Name)
	n, err := x.countStored(t, fmt.Sprintf("isfinite(%s) AND TRY_CAST(%s AS TIMESTAMP) IS NULL", name, name))
	if err != nil || n == 0 {
		return err
	}
	e := base.Errorf(base.Invalid, "column %q of table %s holds %d dates that no TIMESTAMP reaches", c.Name, t.QualifiedName(), n)
	if t.IsDeleted != 0 {
		return e.WithHint("rows that say that their key is deleted count too, until merges drop them: after keep_tombstones")
	}
	return e
}

// countStored counts the rows of a table that meet a condition, tombstones among them.
func (x *execution) countStored(t schema.Table, condition string) (int64, error) {
	s, err := x.store.Settled(x.ctx, t.ID)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	stored := *s.Tables[t.ID]
	stored.Schema = stored.Schema.Bare()
	return x.countOf(&stored, condition)
}
