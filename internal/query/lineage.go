package query

import (
	"context"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// Keyed describes the primary key of a table that a Kafka source fills through a query, and the
// columns of messages from which the query may compute the key.
type Keyed struct {
	Key     []string // the names of the key's columns
	Version string   // the name of the column with the row's version, or empty
	// The columns of messages from which the query may compute the key. It must use the first one.
	Of    []string
	Place []string // the columns of messages that identify a message
}

// Lineage is a query over Kafka messages in which each row is made of one message, together with
// queries that show from which message.
type Lineage struct {
	// Rows is the query with additional columns at the end: the columns Place of the row's message.
	// Their names begin with schema.TouchedColumn.
	Rows string
	// Keys is the query reduced to the columns of the key and the columns Place, as in Rows. If the
	// version is computed from the columns Of alone, Keys has it too.
	Keys string
	// Filters says that columns other than those in Of decide whether the query makes a row of a
	// message.
	Filters bool
}

// Lineage returns the lineage of a query over a table of messages. messages is the name of that
// table. The error is Invalid if a row of the query may be made of several messages, or if the key
// is not computed from the columns k.Of alone.
func (r *Runner) Lineage(ctx context.Context, sql, messages string, k Keyed) (Lineage, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return Lineage{}, err
	}
	defer r.pool.Release(conn)
	node, err := conn.ParseSelect(sql)
	if err != nil {
		return Lineage{}, err
	}
	d := divider{conn: conn, perMessage: perMessage{messages: messages}}
	if d.aggregates, err = d.names(ctx); err != nil {
		return Lineage{}, err
	}
	l := lineage{perMessage: d.perMessage, Keyed: k}
	if err := l.check(node); err != nil {
		return Lineage{}, err
	}
	keys, err := l.keys(node)
	if err != nil {
		return Lineage{}, err
	}
	var places []any
	for _, name := range k.Place {
		places = append(places, placeRef(schema.TouchedColumn+name, l.alias, name))
	}
	print := func(items []any) (string, error) {
		node["select_list"] = items
		text, err := conn.PrintSelect(printable(node).(duck.Node))
		return strings.TrimSuffix(strings.TrimSpace(text), ";"), err
	}
	out := Lineage{Filters: !l.known(node["where_clause"]) || l.joinsBy(object(node, "from_table"))}
	if out.Rows, err = print(slices.Concat(listOf(node, "select_list"), places)); err != nil {
		return out, err
	}
	out.Keys, err = print(slices.Concat(keys, places))
	return out, err
}

func placeRef(alias string, names ...string) duck.Node {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return duck.Node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": alias, "column_names": list}
}

// lineage checks that each row of a query is made of one message, and finds the columns that its
// key depends on.
type lineage struct {
	perMessage
	Keyed
	alias string // the alias of the table of messages
}

// check returns an error unless each row of the query is made of one message, as the syntax tree
// shows.
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
	if l.alias = l.named(object(node, "from_table")); l.alias == "" {
		return base.Errorf(base.Invalid, "%s is read in a sub-query", l.messages)
	}
	return nil
}

// named returns the alias of the table of messages in a table reference, or "" if that does not
// have it.
func (l *lineage) named(ref duck.Node) string {
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
		if left := l.named(object(ref, "left")); left != "" {
			return left
		}
		return l.named(object(ref, "right"))
	}
	return ""
}

// joinsBy reports whether a join may remove messages, and columns that are not in Of decide which
// ones.
func (l *lineage) joinsBy(ref duck.Node) bool {
	if text(ref, "type") != "JOIN" {
		return false
	}
	side, other, keeps := object(ref, "left"), object(ref, "right"), "LEFT"
	if l.named(side) == "" {
		side, other, keeps = other, side, "RIGHT"
	}
	switch {
	case l.joinsBy(side):
		return true
	case text(ref, "join_type") == keeps:
		return false
	}
	return !l.known(ref["condition"]) || len(listOf(ref, "using_columns")) > 0 || text(ref, "ref_type") == "NATURAL" || text(other, "type") != "BASE_TABLE"
}

// keys returns the items of the select list that are the key's columns, and the version if there is
// one.
func (l *lineage) keys(node duck.Node) (keys []any, err error) {
	needed := false
	for _, name := range l.Key {
		item := l.item(node, name)
		if item == nil {
			return nil, base.Errorf(base.Invalid, "the query has no column %q by that name, which is part of the primary key", name)
		}
		if !l.known(item) {
			return nil, base.Errorf(base.Invalid, "column %q of the primary key is computed from more than %s", name, strings.Join(l.Of, ", "))
		}
		needed = needed || l.names(item, l.Of[0])
		keys = append(keys, item)
	}
	if !needed {
		return nil, base.Errorf(base.Invalid, "the primary key is not computed from %s", l.Of[0])
	}
	if item := l.item(node, l.Version); l.Version != "" && item != nil && l.known(item) {
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

// known reports whether an expression depends only on the columns Of. v is a part of the syntax
// tree; for nil the result is true.
func (l *lineage) known(v any) bool {
	switch v := v.(type) {
	case duck.Node:
		switch text(v, "class") {
		case "COLUMN_REF":
			return slices.ContainsFunc(l.Of, func(name string) bool { return l.refers(v, name) })
		case "SUBQUERY", "WINDOW", "STAR", "LAMBDA", "POSITIONAL_REFERENCE":
			return false
		}
		for _, child := range v {
			if !l.known(child) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(child any) bool { return !l.known(child) })
	}
	return true
}

// names reports whether an expression names the column name of the messages. v is a part of the
// syntax tree.
func (l *lineage) names(v any, name string) bool {
	switch v := v.(type) {
	case duck.Node:
		if text(v, "class") == "COLUMN_REF" && l.refers(v, name) {
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

// refers reports whether a column reference means the column name of the messages, or a field in
// it.
func (l *lineage) refers(ref duck.Node, name string) bool {
	names := stringsOf(ref["column_names"])
	return len(names) > 0 && sameName(names[0], name) || len(names) > 1 && schema.Fold(names[0]) == schema.Fold(l.alias) && sameName(names[1], name)
}
