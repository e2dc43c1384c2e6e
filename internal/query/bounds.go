package query

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// bounds turns the conditions on a table into bounds on the stored values of its columns, for
// pruning. DuckDB computes the constants of the conditions.
//
// A condition gives no bound if its column's type cannot represent its constant exactly, such as x
// > 1.5 for an integer x. DuckDB then compares in another type, and a rounded constant could
// exclude rows that belong to the result.
func (b *binding) bounds(ctx context.Context, conditions []condition, t *schema.Table) ([]overlay.Bound, error) {
	if s := b.snapshot.Tables[t.ID]; len(s.Parts) < 2 && rowsInMemory(s) < boundedRows {
		return nil, nil
	}
	var out []overlay.Bound
	b.evaluated = 0
	for _, c := range conditions {
		if err := ctx.Err(); err != nil {
			return nil, base.Wrap(err, "evaluate conditions")
		}
		i := t.ColumnIndex(c.column)
		if i < 0 || !keepsOrder(t.Columns[i].Type) {
			continue
		}
		values, err := b.evaluate(ctx, &c, t.Columns[i].Type)
		if err != nil {
			return nil, err
		}
		if values != nil {
			out = append(out, overlay.Bound{Column: t.Columns[i].ID, Operator: c.operator, Values: values})
		}
	}
	return out, nil
}

// boundedRows is a number of rows. If a table has at least that many rows in memtables, computing
// bounds for them pays.
const boundedRows = 50_000

// maxEvaluated is the maximum number of conditions on one table whose constants DuckDB computes.
// Each takes about a millisecond, and further conditions would exclude hardly any more parts.
const maxEvaluated = 64

func rowsInMemory(t *snapshot.Table) int64 {
	rows := int64(0)
	for _, v := range t.Memtables {
		rows += v.Rows
	}
	return rows
}

// keepsOrder reports whether the stored values of a type have the same order as the values have in
// SQL.
func keepsOrder(t schema.Type) bool {
	switch t.Kind {
	case schema.TimestampS, schema.TimestampMS:
		return true
	case schema.Blob:
		return false
	}
	return t.Sortable() && !t.NeedsCast()
}

// evaluate returns the constants of a condition in the form in which the column stores values. It
// returns nil if they give no bound.
func (b *binding) evaluate(ctx context.Context, c *condition, t schema.Type) ([]schema.Value, error) {
	declared := t.String()
	lasts := always
	constants := slices.Concat(c.values, c.otherConstants)
	for _, v := range constants {
		lasts = max(lasts, lifetimeOf(v))
	}
	switch lasts {
	case always:
		if values, ok := c.evaluated.Load(declared); ok {
			return values.([]schema.Value), nil
		}
	case perStatement:
		if err := b.begin(); err != nil {
			return nil, err
		}
	}
	values, err := b.compute(ctx, constants, t)
	if values != nil {
		values = values[:len(c.values)]
	}
	if err == nil && lasts == always {
		c.evaluated.Store(declared, values)
	}
	return values, err
}

func (b *binding) compute(ctx context.Context, constants []duck.Node, t schema.Type) ([]schema.Value, error) {
	constants, ok := b.withArguments(constants)
	if !ok {
		return nil, nil
	}
	if values, ok := literals(constants, t); ok {
		return values, nil
	}
	if b.evaluated == maxEvaluated {
		return nil, nil
	}
	b.evaluated++
	return b.evaluateInDuckDB(ctx, constants, t)
}

// evaluateInDuckDB makes DuckDB compute constants. If a constant has an error it is NULL, because
// an error would end the query's transaction.
func (b *binding) evaluateInDuckDB(ctx context.Context, constants []duck.Node, t schema.Type) ([]schema.Value, error) {
	inner, err := b.conn.PrintSelect(printable(selectOf(inTry(constants))).(duck.Node))
	if err != nil {
		// DuckDB cannot print one of the constants as SQL. Without the printed expression there is
		// no bound.
		return nil, nil
	}
	names, checks := make([]string, len(constants)), make([]string, len(constants))
	for i, v := range constants {
		names[i] = fmt.Sprintf("v%d", i)
		checks[i] = check(names[i], v, t)
	}
	sql := fmt.Sprintf("SELECT %s FROM (%s) AS v(%s)", strings.Join(checks, ", "), inner, strings.Join(names, ", "))
	rows, err := b.conn.Query(ctx, sql)
	if err != nil {
		if base.KindOf(err) == base.Invalid {
			return nil, nil // The query itself will report this error, at the right position.
		}
		return nil, err
	}
	defer rows.Close()
	rec, err := rows.Next(ctx)
	if err != nil {
		if err == io.EOF {
			return nil, nil
		}
		return nil, err
	}
	defer rec.Release()
	return firstRow(rec)
}

// printable returns a part of a syntax tree in a form that DuckDB prints as SQL without changing
// types. It replaces FLOAT and DOUBLE constants by casts of texts, because DuckDB would print 1e-1
// as 0.1, which is a DECIMAL.
func printable(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = printable(child)
		}
		return out
	case duck.Node:
		if typeID := text(object(object(v, "value"), "type"), "id"); text(v, "class") == "CONSTANT" && (typeID == "FLOAT" || typeID == "DOUBLE") {
			if number, ok := object(v, "value")["value"].(json.Number); ok {
				cast := castTo(number.String(), typeID)
				cast["alias"] = text(v, "alias")
				return cast
			}
		}
		out := make(duck.Node, len(v))
		for key, child := range v {
			out[key] = printable(child)
		}
		return out
	}
	return v
}

// inTry puts each expression into TRY(...). This gives NULL where the expression has an error.
func inTry(expressions []duck.Node) []duck.Node {
	out := make([]duck.Node, len(expressions))
	for i, e := range expressions {
		out[i] = duck.Node{"class": "OPERATOR", "type": "OPERATOR_TRY", "alias": "", "children": []any{e}}
	}
	return out
}

// check returns an SQL expression that converts a constant to a stored value of a column's type.
// The result is compared with the least and greatest values of parts, so it must be exact. The
// expression is NULL if the cast changes the constant, or if DuckDB compares in a type that cannot
// represent all values of the column. name is the SQL name of the constant, and v is its syntax
// tree.
func check(name string, v duck.Node, t schema.Type) string {
	cast := fmt.Sprintf("TRY_CAST(%s AS %s)", name, t)
	stored := fmt.Sprintf("CAST(%s AS %s)", cast, t.StorageSQL())
	switch {
	case t.Kind == schema.Varchar:
		return fmt.Sprintf("CASE WHEN typeof(%s) = 'VARCHAR' THEN %s END", name, stored)
	case stringLiteral(v):
		// A string literal needs no further check, because DuckDB gives it the type of the column.
		return stored
	}
	return fmt.Sprintf("CASE WHEN typeof(%s) NOT IN (%s) AND %s = %s THEN %s END", name, roundingTypes(t), cast, name, stored)
}

// roundingTypes returns a list of types, as SQL text. If a constant of one of these types is
// compared with a value of type t, DuckDB rounds the value.
func roundingTypes(t schema.Type) string {
	switch t.Kind {
	case schema.TinyInt, schema.SmallInt, schema.Integer, schema.UTinyInt, schema.USmallInt, schema.UInteger:
		return "'VARCHAR', 'FLOAT'"
	case schema.BigInt, schema.UBigInt, schema.Decimal:
		return "'VARCHAR', 'FLOAT', 'DOUBLE'"
	case schema.TimestampNS:
		return "'VARCHAR', 'DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'"
	}
	return "'VARCHAR'"
}

func stringLiteral(v duck.Node) bool {
	return text(v, "class") == "CONSTANT" && text(object(object(v, "value"), "type"), "id") == "VARCHAR"
}

// firstRow returns the values of a batch that has one row. It returns nil if a value is NULL, or is
// a text so long that statistics have only its beginning.
func firstRow(rec arrow.RecordBatch) ([]schema.Value, error) {
	out := make([]schema.Value, rec.NumCols())
	for i := range out {
		stats, err := batch.Stats(rec.Column(i))
		if err != nil {
			return nil, err
		}
		if order, ok := stats.Min.Compare(stats.Max); !ok || order != 0 {
			return nil, nil
		}
		out[i] = stats.Min
	}
	return out, nil
}

// selectOf returns the syntax tree of a SELECT of these expressions, without FROM.
func selectOf(expressions []duck.Node) duck.Node {
	list := make([]any, len(expressions))
	for i, e := range expressions {
		list[i] = e
	}
	return duck.Node{
		"type": "SELECT_NODE", "modifiers": []any{}, "cte_map": duck.Node{"map": []any{}},
		"select_list": list, "from_table": duck.Node{"type": "EMPTY", "alias": "", "sample": nil},
		"where_clause": nil, "group_expressions": []any{}, "group_sets": []any{},
		"aggregate_handling": "STANDARD_HANDLING", "having": nil, "sample": nil, "qualify": nil,
	}
}
