package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// joinIncoming runs an INSERT whose result depends on existing rows, such as ON CONFLICT DO UPDATE
// SET n = n + 1. It joins the incoming rows, which the statement calls excluded, with the table.
func (x *execution) joinIncoming(in dml.Insertion, a *incoming.Rows) (*Result, error) {
	k := x.newReturningRows(a.Table)
	defer k.release()
	if err := k.add(a.Rows); err != nil {
		return nil, err
	}
	return x.changeRows(func() (*dml.Plan, error) {
		// Each attempt parses the statement again, because the table's schema may have changed.
		if again, err := x.Insertion(); err != nil {
			return nil, err
		} else if again.Target.Table.Version != a.Table.Version {
			return nil, base.Errorf(base.Conflict, "the schema of table %s changed during the statement", a.Table.QualifiedName()).WithHint("run the statement again")
		}
		return x.IncomingPlan(in, k.transient(dml.IncomingTable))
	})
}

// merge runs the change of a request as a MERGE INTO statement. This is needed if the key is not
// the table's primary key, and for rows that must be stored in another place. If a key column was
// not sent, the rows have its default, which counts as part of the key.
func (w *rowsRequest) merge(a *incoming.Rows, given []schema.Column) (engine.Counts, error) {
	t := a.Table
	const target, arrived = "scoter_target", "scoter_arrived"
	column := func(alias string, c schema.Column) string { return alias + "." + schema.Quote(c.Name) }
	var on, set, names, values []string
	for _, c := range t.Columns {
		switch {
		case slices.Contains(t.PrimaryKey, c.ID):
			on = append(on, column(target, c)+" = "+column(arrived, c))
		case schema.Contains(given, c.ID):
			set = append(set, schema.Quote(c.Name)+" = "+column(arrived, c))
		default:
			continue
		}
		names, values = append(names, schema.Quote(c.Name)), append(values, column(arrived, c))
	}
	sql := fmt.Sprintf("MERGE INTO %s AS %s USING %s AS %s ON %s", t.QuotedName(), target, dml.IncomingTable, arrived, strings.Join(on, " AND "))
	switch {
	case w.mode == Delete:
		sql += " WHEN MATCHED THEN DELETE"
	case len(set) > 0:
		sql += " WHEN MATCHED THEN UPDATE SET " + strings.Join(set, ", ")
	default:
		sql += " WHEN MATCHED THEN DO NOTHING"
	}
	if w.mode == Upsert {
		sql += fmt.Sprintf(" WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		return engine.Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := w.execution(&statement.Statement{Tools: w.Tools, Ctx: w.ctx, Request: statement.Request{Database: t.Database}, Reader: &clause.Reader{Statement: statements[0]}, Options: w.optionsWithEvolution()})
	k := x.newReturningRows(t)
	defer k.release()
	if err := k.add(a.Rows); err != nil {
		return engine.Counts{}, err
	}
	x.Transient = k.transient(dml.IncomingTable)
	result, err := x.changeRows(x.Merge)
	if err != nil {
		return engine.Counts{}, err
	}
	return result.Counts, nil
}
