package dml

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

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
func (p *Plan) writeTarget(q *clause.Query, x *Statement, t Target, tables []sqltoken.Token) {
	row := x.namesRow(p, t) && !x.haveColumn(tables, t.Alias)
	if !row && !x.hasCTE(t) {
		p.Target = q.Len()
		q.CopyTokens(x.Reader, t.written)
		return
	}
	q.Write("(SELECT *")
	if row {
		q.Write(", ", packed(t.Table), " AS ", schema.Quote(t.Alias))
	}
	q.Write(" FROM ")
	p.Target = q.Len()
	q.Write(schema.Quote(t.Table.Database), ".", schema.Quote(t.Table.Schema), ".", schema.Quote(t.Table.Name), ") AS ", schema.Quote(t.Alias))
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
func (x *Statement) namesRow(p *Plan, t Target) bool {
	if t.Table.ColumnIndex(t.Alias) >= 0 {
		return false
	}
	tokens := x.Reader.Tokens()
	last := t.written[len(t.written)-1].Start
	for i, tok := range tokens[:len(tokens)-len(p.Returning.List)] {
		if tok.Start <= last || !tok.IsName() || schema.Fold(tok.Name()) != schema.Fold(t.Alias) {
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
func (x *Statement) hasCTE(t Target) bool {
	from := 0
	for _, end := range sqltoken.CTEs(x.Reader.Tokens(), 0) {
		name := x.Reader.Tokens()[from+1]
		if from == 0 && name.Is("RECURSIVE") {
			name = x.Reader.Tokens()[2]
		}
		if len(t.name) == 1 && schema.Fold(name.Name()) == schema.Fold(t.Table.Name) {
			return true
		}
		from = end
	}
	return false
}

// haveColumn reports whether one of these tables of the statement has a column of this name. If
// DuckDB returns an error, haveColumn returns false; the error will occur again when the query
// runs.
func (x *Statement) haveColumn(tables []sqltoken.Token, name string) bool {
	if len(tables) == 0 {
		return false
	}
	var q clause.Query
	q.Copy(x.Reader, 0, x.Reader.Statement.VerbIndex())
	q.Write(" SELECT * FROM ")
	q.CopyTokens(x.Reader, tables)
	columns, err := x.Planner.Columns(x.Ctx, x.Selects(&q))
	return err == nil && slices.ContainsFunc(columns, func(c string) bool { return schema.Fold(c) == schema.Fold(name) })
}
