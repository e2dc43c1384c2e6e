package mutate

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// checkRowwise refuses in an expression of a statement what is not computed of one row, or is more than one value: unnest, aggregates, window functions,
// which DuckDB lists among these, and, but in RETURNING, stars. DuckDB refuses them in such statements; where a query of ours has the expression, it would take
// some. What queries within the expression have is for them. clause is where the expression stands.
func (x *execution) checkRowwise(expression []sqltoken.Token, clause string) error {
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
			if clause != "RETURNING" {
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
			return base.Errorf(base.Invalid, "%s not allowed in %s", what, clause).At(t.Start + 1).WithHint("a query in brackets may have it: (SELECT ...)")
		}
	}
	return nil
}

// behindQuery returns where the brackets of a query end that open at i, or those around it if the query is the first of several that are combined.
func behindQuery(tokens []sqltoken.Token, i int) int {
	for {
		end := sqltoken.Next(tokens, i+1, tokens[i].Depth, ")")
		if end < 0 || end+1 >= len(tokens) || i == 0 || !tokens[i-1].Is("(") || !slices.ContainsFunc(behindOperands, tokens[end+1].Is) {
			return end
		}
		i--
	}
}

// behindOperands are words that go on with a query whose first operand is in brackets.
var behindOperands = []string{"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET"}

// queryWords begin a query, and no expression.
var queryWords = []string{"SELECT", "FROM", "WITH", "TABLE", "DESCRIBE", "SHOW", "SUMMARIZE", "PIVOT", "UNPIVOT"}

// beginsQuery reports whether tokens begin a query. VALUES alone may be the name of a column.
func beginsQuery(tokens []sqltoken.Token) bool {
	if len(tokens) == 0 {
		return false
	}
	return slices.ContainsFunc(queryWords, tokens[0].Is) || len(tokens) > 1 && tokens[0].Is("VALUES") && tokens[1].Is("(")
}

// hasQuery reports whether a query is within an expression.
func hasQuery(expression []sqltoken.Token) bool {
	for i, t := range expression {
		if t.Is("(") && beginsQuery(expression[i+1:]) {
			return true
		}
	}
	return false
}

// writeTarget appends the table whose rows are to be changed, by the name that the statement has for it, with their addresses. These are columns
// like others: where the name stands for the row as a whole, that would have them. So there the row comes as one more column of that name; tables are those
// beside the table, and a column of theirs goes before it. A CTE of the name is another table, which the statement means everywhere but here.
func (p *rowPlan) writeTarget(q *composition, x *execution, t target, tables []sqltoken.Token) {
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

// packed is a row of a table as one value.
func packed(t schema.Table) string {
	fields := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		fields[i] = schema.Quote(col.Name) + " := " + schema.Quote(col.Name)
	}
	return "struct_pack(" + strings.Join(fields, ", ") + ")"
}

// namesRow reports whether an expression of the statement may mean a row of the table as a whole, but in RETURNING, which has rows without addresses.
func (x *execution) namesRow(p *rowPlan, t target) bool {
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
			continue // a column, a function, or a field's name
		}
		before := tokens[i-1]
		other := before.Is("FROM") && !tokens[i-2].Is("DISTINCT") || before.Is("JOIN") || before.Is("USING") || before.Is("AS")
		if !other && !before.Is(".") {
			return true
		}
	}
	return false
}

// hasCTE reports whether the statement has a CTE that is called as the table.
func (x *execution) hasCTE(t target) bool {
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

// haveColumn reports whether tables of the statement have a column of a name. It is no if DuckDB does not say: it will when the query is run.
func (x *execution) haveColumn(tables []sqltoken.Token, name string) bool {
	if len(tables) == 0 {
		return false
	}
	var q composition
	q.copy(x.c, 0, x.c.statement.VerbIndex())
	q.write(" SELECT * FROM ")
	q.copyTokens(x.c, tables)
	columns, err := x.planner.Columns(x.ctx, x.selects(&q))
	return err == nil && slices.ContainsFunc(columns, func(c string) bool { return schema.Fold(c) == schema.Fold(name) })
}
