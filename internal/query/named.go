package query

import (
	"strings"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// namedTable is the name of a CTE that stands for a table. It replaces the table's name as the
// argument of a table function.
const namedTable = "scoter_named"

// takesName are the table functions whose first argument is the name of a table. DuckDB looks for
// that name in its own catalog and among the CTEs.
var takesName = map[string]bool{"histogram": true, "histogram_values": true}

// expandNamed returns edits for table functions whose arguments are names of tables. After the
// edits these tables are named in a FROM, where they are replaced by relations. A call of
// query_table becomes a query of its tables. A call of histogram(t, c) reads a CTE that selects
// from t.
func expandNamed(tokens []sqltoken.Token) (edits sqltoken.Edits) {
	for i := 0; i+2 < len(tokens); i++ {
		function := tokens[i]
		if !function.IsName() || !tokens[i+1].Is("(") || i > 0 && tokens[i-1].Is(".") {
			continue
		}
		name := schema.Fold(function.Name())
		closing := sqltoken.Next(tokens, i+2, tokens[i+1].Depth, ")")
		if closing < 0 {
			continue
		}
		switch arguments := tokens[i+2 : closing]; {
		case name == "query_table":
			if sql, ok := tablesQuery(arguments); ok {
				edits = append(edits, sqltoken.Edit{Start: function.Start, End: tokens[closing].End, Text: "(" + sql + ")"})
			}
		// Outside of FROM, histogram is an aggregate.
		case takesName[name] && i > 0 && (tokens[i-1].Is("FROM") || tokens[i-1].Is("JOIN")):
			table, next := tableName(arguments)
			// The call was expanded before.
			if next == 0 || next < len(arguments) && !arguments[next].Is(",") || table == schema.Quote(namedTable) {
				continue
			}
			edits = append(edits,
				sqltoken.Edit{Start: function.Start, End: function.Start, Text: "(WITH " + namedTable + " AS (SELECT * FROM " + table + ") FROM "},
				sqltoken.Edit{Start: arguments[0].Start, End: arguments[next-1].End, Text: namedTable},
				sqltoken.Edit{Start: tokens[closing].End, End: tokens[closing].End, Text: ")"})
		}
	}
	return edits
}

// tablesQuery returns the query for a call of query_table. The arguments are a table or a list of
// tables, and then whether their columns are matched by name. It returns false for other arguments.
func tablesQuery(arguments []sqltoken.Token) (string, bool) {
	if len(arguments) == 0 {
		return "", false
	}
	if !arguments[0].Is("[") {
		table, next := tableName(arguments)
		return "FROM " + table, next > 0 && next == len(arguments)
	}
	depth := arguments[0].Depth
	union, at := " UNION ALL ", 1
	var tables []string
	for at < len(arguments) && !arguments[at-1].Is("]") {
		table, next := tableName(arguments[at:])
		if at += next + 1; next == 0 || at > len(arguments) || !arguments[at-1].Is(",") && !arguments[at-1].Is("]") {
			return "", false
		}
		tables = append(tables, "FROM "+table)
	}
	switch rest := arguments[at:]; {
	case len(tables) == 0 || arguments[at-1].Depth != depth:
		return "", false
	case len(rest) == 0, len(rest) == 2 && rest[0].Is(",") && rest[1].Is("FALSE"):
	case len(rest) == 2 && rest[0].Is(",") && rest[1].Is("TRUE"):
		union = " UNION ALL BY NAME "
	default:
		return "", false
	}
	return strings.Join(tables, union), true
}

// tableName returns the table name at the beginning of some tokens as SQL, and the number of tokens
// that it takes. The name may also be a string literal that contains one.
func tableName(tokens []sqltoken.Token) (sql string, n int) {
	if len(tokens) == 0 {
		return "", 0
	}
	if tokens[0].Kind == sqltoken.String {
		written := tokens[0].Text()
		if !strings.HasPrefix(written, "'") {
			return "", 0
		}
		written = strings.ReplaceAll(written[1:len(written)-1], "''", "'")
		inner, err := sqltoken.Split(written)
		if err != nil {
			return "", 0
		}
		if parts, next := sqltoken.QualifiedName(inner, 0); next > 0 && next == len(inner) {
			return quoted(parts), 1
		}
		return schema.Quote(written), 1
	}
	parts, next := sqltoken.QualifiedName(tokens, 0)
	return quoted(parts), next
}

func quoted(parts []string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = schema.Quote(p)
	}
	return strings.Join(out, ".")
}

// readsNamed reports whether a table function reads the CTE that expandNamed made.
func readsNamed(function duck.Node, visible *cte) bool {
	arguments := list(function, "children")
	if !takesName[schema.Fold(text(function, "function_name"))] || len(arguments) == 0 || visible.find(namedTable) == nil {
		return false
	}
	argument, _ := arguments[0].(duck.Node)
	names := list(argument, "column_names")
	return len(names) == 1 && names[0] == namedTable
}
