package query

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// expandShows returns edits that replace SHOW TABLES and similar statements by queries on system
// tables. It also finds such statements in brackets. Without the edits DuckDB would read its own
// catalog, which is empty.
func expandShows(tokens []sqltoken.Token) (edits sqltoken.Edits) {
	explained := sqltoken.Explained(tokens)
	for i := range tokens {
		if !shows(tokens[i]) || i != 0 && i != explained && !tokens[i-1].Is("(") {
			continue
		}
		end := i + 1
		for end < len(tokens) && tokens[end].Depth >= tokens[i].Depth {
			end++
		}
		if sql, ok := showQuery(tokens[i+1 : end]); ok {
			edits = append(edits, sqltoken.Edit{Start: tokens[i].Start, End: tokens[end-1].End, Text: sql})
		}
	}
	return edits
}

// shows reports whether a token is SHOW or one of its synonyms DESCRIBE and DESC.
func shows(t sqltoken.Token) bool { return t.Is("SHOW") || t.Is("DESCRIBE") || t.Is("DESC") }

// showAllTables is the query for SHOW ALL TABLES: the tables and views of all databases with their
// columns.
const showAllTables = "SELECT table_catalog AS database, table_schema AS schema, table_name AS name, " +
	"list(column_name ORDER BY ordinal_position) AS column_names, list(data_type ORDER BY ordinal_position) AS column_types, false AS temporary " +
	"FROM information_schema.columns GROUP BY table_catalog, table_schema, table_name ORDER BY database, schema, name"

// showQuery returns the query for a SHOW statement. The argument what has the tokens after SHOW. If
// they are a table or a query, which SHOW describes, showQuery returns false.
func showQuery(what []sqltoken.Token) (string, bool) {
	switch {
	case len(what) == 0, what[0].Is("ALL") && (len(what) == 1 || len(what) == 2 && what[1].Is("TABLES")):
		return showAllTables, true
	case len(what) > 2 && what[0].Is("TABLES") && what[1].Is("FROM"):
		return showTablesFrom(what[2:])
	case len(what) != 1 || !what[0].IsName():
		return "", false
	}
	switch schema.Fold(what[0].Name()) {
	case "tables":
		return "SELECT name FROM scoter.show_tables WHERE schema_name = 'main' ORDER BY name", true
	case "databases":
		return "SELECT database_name FROM scoter.databases ORDER BY database_name", true
	case "schemas":
		return `SELECT database_name, schema_name, "current" FROM scoter.show_schemas ORDER BY ALL`, true
	}
	return "", false
}

// showTablesFrom returns the query for SHOW TABLES FROM name. The name is a database, a schema of
// the current database, or database.schema. The query fails if there is no such database or schema.
func showTablesFrom(name []sqltoken.Token) (string, bool) {
	parts, next := sqltoken.QualifiedName(name, 0)
	if next != len(name) {
		return "", false
	}
	is := func(column, name string) string {
		return "lower(" + column + ") = lower(" + schema.QuoteString(name) + ")"
	}
	var within, schemas string
	switch len(parts) {
	case 1:
		within = is("table_catalog", parts[0]) + " OR table_catalog = (SELECT database_name FROM scoter.show_schemas WHERE \"current\") AND " + is("table_schema", parts[0])
		schemas = is("database_name", parts[0]) + " OR database_name = (SELECT database_name FROM scoter.show_schemas WHERE \"current\") AND " + is("schema_name", parts[0])
	case 2:
		within = is("table_catalog", parts[0]) + " AND " + is("table_schema", parts[1])
		schemas = is("database_name", parts[0]) + " AND " + is("schema_name", parts[1])
	default:
		return "", false
	}
	missing := schema.QuoteString("SHOW TABLES FROM: there is no database or schema named " + schema.QuoteString(strings.Join(parts, ".")))
	return "SELECT table_name AS name FROM information_schema.tables WHERE " + within +
		" UNION ALL SELECT error(" + missing + ") WHERE NOT EXISTS (FROM scoter.show_schemas WHERE " + schemas + ") ORDER BY name", true
}

// describeTable returns a query whose result is the output of DESCRIBE t. DuckDB cannot describe
// the table, because the SQL text that replaces the table has no keys, defaults and NOT NULL.
func describeTable(t *schema.Table) string {
	rows := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		rows[i] = "(" + schema.QuoteString(c.Name) + ", typeof(CAST(NULL AS " + c.Type.String() + ")), " + strings.Join(constraintsOf(t, c), ", ") + ", NULL)"
	}
	return "SELECT column_name, column_type, CAST(n AS VARCHAR) AS \"null\", CAST(k AS VARCHAR) AS \"key\", CAST(d AS VARCHAR) AS \"default\", CAST(e AS VARCHAR) AS extra FROM (VALUES " +
		strings.Join(rows, ", ") + ") AS described(column_name, column_type, n, k, d, e)"
}

// constraintsOf returns, as SQL values, what DESCRIBE shows for a column as null, key and default.
func constraintsOf(t *schema.Table, c schema.Column) []string {
	null, key, def := "'YES'", "NULL", "NULL"
	if c.NotNull {
		null = "'NO'"
	}
	if slices.ContainsFunc(t.PrimaryKey, func(id base.ColumnID) bool { return id == c.ID }) {
		key = "'PRI'"
	}
	if c.Default != "" {
		def = schema.QuoteString(c.Default)
	}
	return []string{null, key, def}
}
