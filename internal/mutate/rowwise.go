package mutate

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// checkRowwise returns an error if an expression depends on more than one row, or stands for
// several values. Such expressions are unnest, aggregates, window functions (DuckDB lists them as
// aggregates) and, except in RETURNING, stars (*).
//
// DuckDB refuses such expressions in the user's statement, but would accept some of them in the
// queries that Scoter composes. They are allowed in sub-queries of the expression. The argument
// place is the name of the clause that has the expression, for the error.
func (x *statement) checkRowwise(expression []sqltoken.Token, place string) error {
	for i := 0; i < len(expression); i++ {
		t := expression[i]
		var before, behind sqltoken.Token
		if i > 0 {
			before = expression[i-1]
		}
		if i+1 < len(expression) {
			behind = expression[i+1]
		}
		what := ""
		switch {
		case t.Is("(") && beginsQuery(expression[i+1:]):
			i = behindQuery(expression, i)
		case t.Is("*") && (i == 0 || slices.ContainsFunc([]string{"(", "[", ",", "."}, before.Is)), t.Is("COLUMNS") && behind.Is("("):
			if place != "RETURNING" {
				what = "a star is"
			}
		case t.IsName() && behind.Is("("):
			known, err := x.functions.of(x.ctx, x.pool)
			if err != nil {
				return err
			}
			if name := schema.Fold(t.Name()); name == "unnest" {
				what = "unnest is"
			} else if known[name].aggregate {
				what = "aggregate and window functions are"
			}
		}
		if what != "" {
			return base.Errorf(base.Invalid, "%s not allowed in %s", what, place).At(t.Start + 1).WithHint("it is allowed in a query in parentheses: (SELECT ...)")
		}
	}
	return nil
}

// writeTarget appends the table whose rows a statement changes to the query, with the rows'
// addresses, under the name that the statement uses.
//
// The addresses are ordinary columns. If the statement uses the table's name as a value, it means
// the whole row, and that row would contain the addresses. So for such a statement writeTarget adds
// one more column, which has the table's name and the row without addresses. tables are the other
// tables of the statement. If one of them has a column with the table's name, the name means that
// column.
//
// If the statement has a CTE with the table's name, that name means the CTE, except where the
// statement names the table to change.
func (p *rowPlan) writeTarget(q *composedQuery, x *dmlStatement, t target, tables []sqltoken.Token) {
	row := x.namesRow(p, t) && !x.haveColumn(tables, t.alias)
	if !row && !x.hasCTE(t) {
		p.target = q.Len()
		q.copyTokens(x.c, t.written)
		return
	}
	q.write("(SELECT *")
	if row {
		q.write(", ", packed(t.table), " AS ", schema.Quote(t.alias))
	}
	q.write(" FROM ")
	p.target = q.Len()
	q.write(schema.Quote(t.table.Database), ".", schema.Quote(t.table.Schema), ".", schema.Quote(t.table.Name), ") AS ", schema.Quote(t.alias))
}

// packed returns an SQL expression for a row of a table as one STRUCT.
func packed(t schema.Table) string {
	fields := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		fields[i] = schema.Quote(col.Name) + " := " + schema.Quote(col.Name)
	}
	return "struct_pack(" + strings.Join(fields, ", ") + ")"
}

// namesRow reports whether an expression of the statement may use the table's name as a value,
// which means the whole row. It ignores RETURNING, because the rows that RETURNING reads have no
// addresses.
func (x *dmlStatement) namesRow(p *rowPlan, t target) bool {
	if t.table.ColumnIndex(t.alias) >= 0 {
		return false
	}
	tokens := x.c.tokens()
	last := t.written[len(t.written)-1].Start
	for i, tok := range tokens[:len(tokens)-len(p.returning.list)] {
		if tok.Start <= last || !tok.IsName() || schema.Fold(tok.Name()) != schema.Fold(t.alias) {
			continue
		}
		if i+1 < len(tokens) && slices.ContainsFunc([]string{".", "(", ":", ":="}, tokens[i+1].Is) {
			continue // it is the name of a column, a function or a field
		}
		before := tokens[i-1]
		other := before.Is("FROM") && !tokens[i-2].Is("DISTINCT") || before.Is("JOIN") || before.Is("USING") || before.Is("AS")
		if !other && !before.Is(".") {
			return true
		}
	}
	return false
}

// hasCTE reports whether the statement has a CTE with the table's name.
func (x *dmlStatement) hasCTE(t target) bool {
	from := 0
	for _, end := range sqltoken.CTEs(x.c.tokens(), 0) {
		name := x.c.tokens()[from+1]
		if from == 0 && name.Is("RECURSIVE") {
			name = x.c.tokens()[2]
		}
		if len(t.name) == 1 && schema.Fold(name.Name()) == schema.Fold(t.table.Name) {
			return true
		}
		from = end
	}
	return false
}

// haveColumn reports whether one of these tables of the statement has a column of this name. If
// DuckDB returns an error, haveColumn returns false; the error will occur again when the query
// runs.
func (x *dmlStatement) haveColumn(tables []sqltoken.Token, name string) bool {
	if len(tables) == 0 {
		return false
	}
	var q composedQuery
	q.copy(x.c, 0, x.c.statement.VerbIndex())
	q.write(" SELECT * FROM ")
	q.copyTokens(x.c, tables)
	columns, err := x.planner.Columns(x.ctx, x.selects(&q))
	return err == nil && slices.ContainsFunc(columns, func(c string) bool { return schema.Fold(c) == schema.Fold(name) })
}
