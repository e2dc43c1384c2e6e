package query

import (
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// expandShow writes SHOW TABLES and its like as queries on system tables: DuckDB's own
// catalog, which it would answer from, is empty.
func expandShow(tokens []sqltoken.Token) (string, bool) {
	is := func(words ...string) bool {
		if len(tokens) != len(words) {
			return false
		}
		for i, w := range words {
			if w != "" && !tokens[i].Is(w) {
				return false
			}
		}
		return true
	}
	switch {
	case is("SHOW", "TABLES"):
		return "SELECT name FROM scoter.show_tables ORDER BY name", true
	case len(tokens) > 3 && tokens[0].Is("SHOW") && tokens[1].Is("TABLES") && tokens[2].Is("FROM"):
		return showTablesFrom(tokens)
	case is("SHOW", "ALL", "TABLES"):
		return "SELECT table_catalog AS database, table_schema AS schema, table_name AS name, table_type FROM information_schema.tables ORDER BY ALL", true
	case is("SHOW", "DATABASES"):
		return "SELECT database_name FROM scoter.databases ORDER BY database_name", true
	case is("SHOW", "SCHEMAS"):
		return "SELECT catalog_name AS database_name, schema_name FROM information_schema.schemata ORDER BY ALL", true
	}
	return "", false
}

// showTablesFrom writes SHOW TABLES FROM with a database, a schema of the current database, or a schema of a database.
func showTablesFrom(tokens []sqltoken.Token) (string, bool) {
	parts, next := sqltoken.QualifiedName(tokens, 3)
	if next != len(tokens) {
		return "", false
	}
	is := func(column, name string) string {
		return "lower(" + column + ") = lower(" + schema.QuoteString(name) + ")"
	}
	switch len(parts) {
	case 1:
		return "SELECT table_name AS name FROM information_schema.tables WHERE " + is("table_catalog", parts[0]) +
			" UNION SELECT name FROM scoter.show_tables WHERE " + is("schema_name", parts[0]) + " ORDER BY name", true
	case 2:
		return "SELECT table_name AS name FROM information_schema.tables WHERE " + is("table_catalog", parts[0]) + " AND " + is("table_schema", parts[1]) +
			" ORDER BY name", true
	}
	return "", false
}

// describeTable writes DESCRIBE t as a query: what stands in the table's place has no keys,
// defaults and NOT NULL.
func describeTable(t *schema.Table) string {
	rows := make([]string, len(t.Columns))
	for i, c := range t.Columns {
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
		rows[i] = "(" + strings.Join([]string{schema.QuoteString(c.Name), "typeof(CAST(NULL AS " + c.Type.String() + "))", null, key, def, "NULL"}, ", ") + ")"
	}
	return "SELECT column_name, column_type, CAST(n AS VARCHAR) AS \"null\", CAST(k AS VARCHAR) AS \"key\", CAST(d AS VARCHAR) AS \"default\", CAST(e AS VARCHAR) AS extra FROM (VALUES " +
		strings.Join(rows, ", ") + ") AS described(column_name, column_type, n, k, d, e)"
}
