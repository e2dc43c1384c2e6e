package stream

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// This file is about columns that a source's definition lists by path, in formats whose decoders
// always return all columns. A query over each batch selects the listed columns. A list that is
// fanned out (one row for each element) becomes a lateral join.

// column is a column that a source's definition lists, as the path of a field in the messages.
type column struct {
	name  string
	steps []wire.Step
}

// parseColumns parses columns of the form "path" or "path AS name". In a path, [] marks a list that
// is fanned out (one row for each element). parseColumns also checks that all fanned-out lists are
// nested in each other.
func parseColumns(texts []string) ([]column, error) {
	var all []column
	var deepest []string // the fanned-out lists of the path with the most []
	for _, text := range texts {
		c := parseColumn(text)
		steps, err := wire.ParsePath(c.Path)
		if err != nil {
			return nil, err
		}
		all = append(all, column{name: c.ColumnName(), steps: steps})
		lists := fanOuts(steps)
		for i := range min(len(lists), len(deepest)) {
			if lists[i] != deepest[i] {
				return nil, base.Errorf(base.Invalid, "path %q: the lists %s[] and %s[] are not nested in each other", c.Path, lists[i], deepest[i]).
					WithHint("use one table for each list")
			}
		}
		if len(lists) > len(deepest) {
			deepest = lists
		}
	}
	return all, nil
}

// fanOuts returns, for each [] in a path, the part of the path before that [].
func fanOuts(steps []wire.Step) (all []string) {
	before := ""
	for _, s := range steps {
		before += s.Name
		switch s.Index {
		case wire.AllElements:
			all = append(all, before)
			before += "[]"
		case wire.NoElement:
		default:
			before += "[" + strconv.Itoa(s.Index) + "]"
		}
		before += "."
	}
	return all
}

// pathQuery returns the SQL query that selects columns, given by path, and metadata columns from
// the table messages. It also selects the primary key columns in the list primary, from the
// record's key. Paths that no message has had yet are left out. If no message has had a list that
// is fanned out (one row for each element), there are no rows, and pathQuery returns "".
func pathQuery(messages schema.Table, columns []column, metadata, primary []string) string {
	const from = "m"
	joins, selected := "", []string{}
	// alias maps the path of a fanned-out list to the SQL alias of the list's elements.
	alias := map[string]string{}
	complete := true
	for _, c := range columns {
		at, known := from, true
		var typ *schema.Type
		before := ""
		for i, s := range c.steps {
			if typ, known = field(messages, typ, i, s.Name); !known {
				complete = complete && len(fanOuts(c.steps[i:])) == 0
				break
			}
			at += "." + schema.Quote(s.Name)
			before += s.Name
			if s.Index == wire.NoElement {
				before += "."
				continue
			}
			if typ.Elem == nil || typ.Kind == schema.Map {
				known = false
				complete = complete && s.Index != wire.AllElements
				break
			}
			typ = typ.Elem
			if s.Index != wire.AllElements {
				at += "[" + strconv.Itoa(s.Index+1) + "]"
				before += "[" + strconv.Itoa(s.Index) + "]."
				continue
			}
			if alias[before] == "" {
				alias[before] = "u" + strconv.Itoa(len(alias))
				joins += ", LATERAL (SELECT unnest(" + at + ") AS e) AS " + alias[before]
			}
			at = alias[before] + ".e"
			before += "[]."
		}
		if known {
			selected = append(selected, at+" AS "+schema.Quote(c.name))
		}
	}
	if !complete || len(selected) == 0 {
		return ""
	}
	for _, name := range primary {
		at := from + "." + keyColumn
		key := messages.ColumnIndex(keyColumn)
		if key >= 0 && messages.Columns[key].Type.Kind == schema.Struct {
			at += "." + schema.Quote(name)
		}
		selected = append(selected, at+" AS "+schema.Quote(name))
	}
	for _, name := range metadata {
		name = "_" + strings.ToLower(name)
		selected = append(selected, from+"."+schema.Quote(name)+" AS "+schema.Quote(name))
	}
	return "SELECT " + strings.Join(selected, ", ") + " FROM " + Messages + " AS " + from + joins
}

// field returns the type of a field of a path, and whether the field exists. The argument i is the
// index of the field in the path, and name is its name. For i = 0 the field is a column of the
// table messages. For i > 0 it is a field of the struct type *of.
func field(messages schema.Table, of *schema.Type, i int, name string) (*schema.Type, bool) {
	if i == 0 {
		if at := messages.ColumnIndex(name); at >= 0 {
			return &messages.Columns[at].Type, true
		}
		return nil, false
	}
	if of.Kind == schema.Struct {
		for j := range of.Fields {
			if schema.Fold(of.Fields[j].Name) == schema.Fold(name) {
				return &of.Fields[j].Type, true
			}
		}
	}
	return nil, false
}
