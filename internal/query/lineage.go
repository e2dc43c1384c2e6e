package query

import (
	"context"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Lineage analyzes a query over a table of Kafka messages. messages is the name of that table, and
// k is the primary key of the table that the query fills. The error is Invalid if a row of the
// query may be made of several messages, or if the key is not computed from the columns k.Metadata
// alone.
func (r *Runner) Lineage(ctx context.Context, sql, messages string, k sqlquery.KeyColumns) (sqlquery.Lineage, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return sqlquery.Lineage{}, err
	}
	defer r.pool.Release(conn)
	node, err := conn.ParseSelect(sql)
	if err != nil {
		return sqlquery.Lineage{}, err
	}
	d := splitter{conn: conn, perMessage: perMessage{messages: messages}}
	if d.aggregates, err = d.names(ctx); err != nil {
		return sqlquery.Lineage{}, err
	}
	l := lineage{perMessage: d.perMessage, KeyColumns: k}
	if err := l.check(node); err != nil {
		return sqlquery.Lineage{}, err
	}
	keys, err := l.keys(node)
	if err != nil {
		return sqlquery.Lineage{}, err
	}
	var places []any
	for _, name := range k.RecordPlace {
		places = append(places, placeRef(schema.TouchedColumn+name, l.alias, name))
	}
	print := func(items []any) (string, error) {
		node["select_list"] = items
		text, err := conn.PrintSelect(printable(node).(duck.Node))
		return strings.TrimSuffix(strings.TrimSpace(text), ";"), err
	}
	out := sqlquery.Lineage{Filters: !l.dependsOnKey(node["where_clause"]) || l.joinFilters(object(node, "from_table"))}
	if out.RowsSQL, err = print(slices.Concat(listOf(node, "select_list"), places)); err != nil {
		return out, err
	}
	out.KeysSQL, err = print(slices.Concat(keys, places))
	return out, err
}

func placeRef(alias string, names ...string) duck.Node {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return duck.Node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": alias, "column_names": list}
}

// lineage checks that each row of a query over messages is made of one message. It also finds the
// columns from which the key is computed.
type lineage struct {
	perMessage
	sqlquery.KeyColumns
	alias string // the alias of the table of messages
}

// check returns an error unless the syntax tree shows that each row of the query is made of one
// message.
func (l *lineage) check(node duck.Node) error {
	if text(node, "type") != "SELECT_NODE" {
		return errManyRows("a set operation")
	}
	if err := l.query(node, nil); err != nil {
		return err
	}
	for _, item := range listOf(object(node, "cte_map"), "map") {
		if entry, _ := item.(duck.Node); sameName(text(entry, "key"), l.messages) {
			return base.Errorf(base.Invalid, "a common table expression has the name %s", l.messages)
		}
	}
	if l.alias = l.messagesAlias(object(node, "from_table")); l.alias == "" {
		return base.Errorf(base.Invalid, "%s is read in a sub-query", l.messages)
	}
	return nil
}

// messagesAlias returns the alias of the table of messages in a table reference. It returns "" if
// the reference does not have that table.
func (l *lineage) messagesAlias(ref duck.Node) string {
	switch text(ref, "type") {
	case "BASE_TABLE":
		if !l.isMessages(ref, nil) {
			return ""
		}
		if alias := text(ref, "alias"); alias != "" {
			return alias
		}
		return l.messages
	case "JOIN":
		if left := l.messagesAlias(object(ref, "left")); left != "" {
			return left
		}
		return l.messagesAlias(object(ref, "right"))
	}
	return ""
}

// joinFilters reports whether a join may remove messages because of columns that are not in
// sqlquery.KeyColumns.Metadata.
func (l *lineage) joinFilters(ref duck.Node) bool {
	if text(ref, "type") != "JOIN" {
		return false
	}
	side, other, keeps := object(ref, "left"), object(ref, "right"), "LEFT"
	if l.messagesAlias(side) == "" {
		side, other, keeps = other, side, "RIGHT"
	}
	switch {
	case l.joinFilters(side):
		return true
	case text(ref, "join_type") == keeps:
		return false
	}
	return !l.dependsOnKey(ref["condition"]) || len(listOf(ref, "using_columns")) > 0 || text(ref, "ref_type") == "NATURAL" || text(other, "type") != "BASE_TABLE"
}

// keys returns the items of the select list that are columns of the key, and the item that is the
// version if there is one.
func (l *lineage) keys(node duck.Node) (keys []any, err error) {
	needed := false
	for _, name := range l.Key {
		item := l.item(node, name)
		if item == nil {
			return nil, base.Errorf(base.Invalid, "the query has no column %q, which is part of the primary key", name)
		}
		if !l.dependsOnKey(item) {
			return nil, base.Errorf(base.Invalid, "column %q of the primary key is computed from more than %s", name, strings.Join(l.Metadata, ", "))
		}
		needed = needed || l.names(item, l.Metadata[0])
		keys = append(keys, item)
	}
	if !needed {
		return nil, base.Errorf(base.Invalid, "the primary key is not computed from %s", l.Metadata[0])
	}
	if item := l.item(node, l.Version); l.Version != "" && item != nil && l.dependsOnKey(item) {
		keys = append(keys, item)
	}
	return keys, nil
}

// item returns the item of the select list with the given column name, or nil.
func (l *lineage) item(node duck.Node, name string) any {
	for _, item := range listOf(node, "select_list") {
		n, _ := item.(duck.Node)
		names := stringsOf(n["column_names"])
		switch {
		case text(n, "class") == "STAR":
		case text(n, "alias") != "" && sameName(text(n, "alias"), name),
			text(n, "alias") == "" && len(names) > 0 && sameName(names[len(names)-1], name):
			return item
		}
	}
	return nil
}

// dependsOnKey reports whether an expression depends only on the columns in
// sqlquery.KeyColumns.Metadata. v is a part of the syntax tree. If v is nil the result is true.
func (l *lineage) dependsOnKey(v any) bool {
	switch v := v.(type) {
	case duck.Node:
		switch text(v, "class") {
		case "COLUMN_REF":
			return slices.ContainsFunc(l.Metadata, func(name string) bool { return l.isMessageColumn(v, name) })
		case "SUBQUERY", "WINDOW", "STAR", "LAMBDA", "POSITIONAL_REFERENCE":
			return false
		}
		for _, child := range v {
			if !l.dependsOnKey(child) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(child any) bool { return !l.dependsOnKey(child) })
	}
	return true
}

// names reports whether an expression names a column of the messages. v is the expression's syntax
// tree, and name is the column.
func (l *lineage) names(v any, name string) bool {
	switch v := v.(type) {
	case duck.Node:
		if text(v, "class") == "COLUMN_REF" && l.isMessageColumn(v, name) {
			return true
		}
		for _, child := range v {
			if l.names(child, name) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(child any) bool { return l.names(child, name) })
	}
	return false
}

// isMessageColumn reports whether a column reference means a column of the messages, or a field of
// that column. name is the column.
func (l *lineage) isMessageColumn(ref duck.Node, name string) bool {
	names := stringsOf(ref["column_names"])
	return len(names) > 0 && sameName(names[0], name) || len(names) > 1 && schema.Fold(names[0]) == schema.Fold(l.alias) && sameName(names[1], name)
}
