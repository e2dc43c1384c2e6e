package query

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// bitstringCall is a call of bitstring_agg(column) for a column of a table. The size of its result
// depends on the least and the greatest value of the column. DuckDB can take these two values only
// from the statistics of its own tables. So Scoter queries them, and writes them into the call as
// further arguments.
type bitstringCall struct {
	table  int // index in analysis.tables
	column string
	end    int // byte offset in the text where the column's name ends
}

// bitstringCalls collects the calls of bitstring_agg in a SELECT from one table. v is a part of the
// syntax tree.
func (w *walker) bitstringCalls(v any, s *scope) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			w.bitstringCalls(item, s)
		}
	case duck.Node:
		if text(v, "class") == "SUBQUERY" {
			return
		}
		if children := list(v, "children"); text(v, "class") == "FUNCTION" && schema.Fold(text(v, "function_name")) == "bitstring_agg" && len(children) == 1 {
			w.bitstringCall(children[0], s.items[0])
		}
		for _, child := range v {
			w.bitstringCalls(child, s)
		}
	}
}

func (w *walker) bitstringCall(argument any, item scopeItem) {
	column, _ := argument.(duck.Node)
	names := list(column, "column_names")
	if len(names) == 0 || len(names) > 2 || len(names) == 2 && !sameName(names[0].(string), item.name) || w.location(column) < 0 {
		return
	}
	end, ok := w.nameEnd(w.tokenAt(w.location(column)))
	if origin := item.origin; ok && origin.cte == nil && origin.columns == nil {
		w.a.bitstringCalls = append(w.a.bitstringCalls, bitstringCall{origin.table, names[len(names)-1].(string), end})
	}
}

// withBounds writes the least and the greatest value of the column into each call of bitstring_agg.
// Then it analyzes the new text and returns the new analysis.
func (r *Runner) withBounds(ctx context.Context, conn *duck.Conn, req sqlquery.Request, a *analysis) (*analysis, error) {
	var edits sqltoken.Edits
	for _, call := range a.bitstringCalls {
		table, column := a.tables[call.table], schema.Quote(call.column)
		bounds, err := r.boundsOf(ctx, conn, req, "SELECT min("+column+")::VARCHAR, max("+column+")::VARCHAR, typeof(min("+column+")) FROM "+a.text[table.name:table.end])
		if err != nil {
			return nil, err
		}
		// If the column has no values, there are no bounds. Then the call stays unchanged, and
		// DuckDB reports the error.
		if bounds != nil {
			least, greatest, typ := schema.QuoteString(bounds[0]), schema.QuoteString(bounds[1]), bounds[2]
			edits = append(edits, sqltoken.Edit{Start: call.end, End: call.end, Text: ", CAST(" + least + " AS " + typ + "), CAST(" + greatest + " AS " + typ + ")"})
		}
	}
	if len(edits) == 0 {
		return a, nil
	}
	bounded, err := analyze(conn, edits.Apply(a.text), req.ReadFiles)
	if err != nil {
		return nil, withPosition(err, func(at int) int { return originalOffset(append(a.expanded, edits), at) })
	}
	bounded.expanded = append(append([]sqltoken.Edits{}, a.expanded...), edits)
	return bounded, nil
}

// boundsOf runs a query that returns one row of VARCHARs, and returns the values of this row. It
// returns nil if a value is NULL.
func (r *Runner) boundsOf(ctx context.Context, conn *duck.Conn, req sqlquery.Request, sql string) ([]string, error) {
	req.SQL, req.Args = sql, nil
	result, err := r.runOn(ctx, conn, req)
	if err != nil {
		if e := new(base.Error); errors.As(err, &e) {
			err = e.At(0) // the user did not write the query's text
		}
		return nil, err
	}
	defer result.Close()
	rec, err := result.Next(ctx)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	var out []string
	for i := range int(rec.NumCols()) {
		if rec.Column(i).IsNull(0) {
			return nil, nil
		}
		out = append(out, strings.Clone(rec.Column(i).ValueStr(0)))
	}
	return out, nil
}
