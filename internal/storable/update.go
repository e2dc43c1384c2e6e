package storable

import (
	"errors"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// parse returns DuckDB's syntax trees of the assigned values, and of the condition if there is one.
func (e *Update) parse(conn *duck.Conn) ([]duck.Node, error) {
	var texts []string
	for _, a := range e.Set {
		texts = append(texts, "("+a.Value+")")
	}
	if e.Where != "" {
		texts = append(texts, "("+e.Where+")")
	}
	query, err := conn.ParseSelect("SELECT " + strings.Join(texts, ", ") + " FROM " + StoredTable)
	if err != nil {
		return nil, err
	}
	items, _ := query["select_list"].([]any)
	nodes := make([]duck.Node, len(items))
	for i, item := range items {
		nodes[i], _ = item.(duck.Node)
	}
	return nodes, nil
}

// column returns the table's column that a column reference in the syntax tree names.
func (e *Update) column(node duck.Node) (schema.Column, error) {
	parts, _ := node["column_names"].([]any)
	var names []string
	for _, part := range parts {
		name, _ := part.(string)
		names = append(names, name)
	}
	if len(names) > 1 && schema.Fold(names[0]) == schema.Fold(e.Alias) {
		names = names[1:]
	}
	i := -1
	if len(names) > 0 {
		i = e.Table.ColumnIndex(names[0])
	}
	if i < 0 {
		return schema.Column{}, ErrNotStorable("%s is not a column of table %s", strings.Join(names, "."), e.Table.QualifiedName())
	}
	c := e.Table.Columns[i]
	if text := c.Type.String(); strings.Contains(text, "TIME ZONE") {
		return c, ErrNotStorable("a value computed from column %q, a %s, may depend on the session's time zone", c.Name, text)
	}
	return c, nil
}

// Update is an UPDATE in the form in which it can be stored: as SQL expressions.
type Update struct {
	patch.Expression
	Table schema.Table
}

// ErrCannotBeStored is wrapped by each error that says why the SQL of an UPDATE cannot be stored.
var ErrCannotBeStored = errors.New("the statement cannot be stored as an expression")

// ErrNotStorable returns the Invalid error for an UPDATE that cannot be stored as an expression.
// The arguments say why, as those of fmt.Errorf. The error wraps ErrCannotBeStored.
func ErrNotStorable(format string, args ...any) *base.Error {
	return base.Errorf(base.Invalid, "%w: "+format, append([]any{ErrCannotBeStored}, args...)...).WithHint("WITH (mode = 'patch') or WITH (mode = 'rewrite') takes any UPDATE")
}

// StoredTable and MemoryTable are names of tables in composed queries. In evaluateOnParts,
// StoredTable has the rows of parts. In patchInMemory, MemoryTable has the rows in memory.
const StoredTable, MemoryTable = "scoter.written", "scoter.memory"
