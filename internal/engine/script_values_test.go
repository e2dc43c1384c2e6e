package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Scripts compute values themselves, because the engine has no SQL. The SQL of an expression update
// is therefore of the few forms that evaluate and holds know.

// null is the text of a NULL.
const null = "(null)"

// cells are the values of a row as text, by column id.
type cells map[base.ColumnID]string

// evaluate computes the SQL of a value: a column, an integer, a text in quotes, NULL, or a sum or
// product of two of these.
func evaluate(sql string, t schema.Table, row cells) (string, error) {
	for _, operator := range []string{" + ", " * "} {
		left, right, ok := strings.Cut(sql, operator)
		if !ok {
			continue
		}
		var n [2]int64
		for i, operand := range []string{left, right} {
			value, err := evaluate(operand, t, row)
			if err != nil || value == null {
				return null, err
			}
			if n[i], err = strconv.ParseInt(value, 10, 64); err != nil {
				return "", err
			}
		}
		if operator == " * " {
			return strconv.FormatInt(n[0]*n[1], 10), nil
		}
		return strconv.FormatInt(n[0]+n[1], 10), nil
	}
	if i := t.ColumnIndex(sql); i >= 0 {
		if value, ok := row[t.Columns[i].ID]; ok {
			return value, nil
		}
		return null, nil
	}
	if text, ok := strings.CutPrefix(sql, "'"); ok {
		return strings.TrimSuffix(text, "'"), nil
	}
	if sql == "NULL" {
		return null, nil
	}
	_, err := strconv.ParseInt(sql, 10, 64)
	return sql, err
}

// holds evaluates the SQL of a condition: a = b, or a IN (b, c). An empty condition always holds.
func holds(sql string, t schema.Table, row cells) (bool, error) {
	if sql == "" {
		return true, nil
	}
	left, right, ok := strings.Cut(sql, " IN (")
	list := strings.Split(strings.TrimSuffix(right, ")"), ",")
	if !ok {
		if left, right, ok = strings.Cut(sql, " = "); !ok {
			return false, fmt.Errorf("condition %q is not of the form a = b or a IN (b, c)", sql)
		}
		list = []string{right}
	}
	value, err := evaluate(left, t, row)
	if err != nil || value == null {
		return false, err
	}
	for _, element := range list {
		if other, err := evaluate(strings.TrimSpace(element), t, row); err != nil || other == value {
			return err == nil, err
		}
	}
	return false, nil
}

// recordOf returns rows as a batch of the given columns.
func recordOf(columns []schema.Column, rows []cells) (arrow.RecordBatch, error) {
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Type.Arrow(), Nullable: !c.NotNull})
	}
	all := make([]map[string]json.RawMessage, len(rows))
	for i, row := range rows {
		all[i] = map[string]json.RawMessage{}
		for _, c := range columns {
			value := json.RawMessage(row[c.ID])
			if row[c.ID] == null {
				value = json.RawMessage("null")
			} else if c.Type.Kind == schema.Varchar {
				value, _ = json.Marshal(row[c.ID]) // no text fails
			}
			all[i][c.Name] = value
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), bytes.NewReader(text))
	return record, err
}
