package system

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/version"
)

// The system tables in this file replace DuckDB's functions and views of the same names, and have
// the same columns. DuckDB's own functions would read its own catalog, which is empty. The oids of
// databases, schemas and views are positions in lists. They can be used to join these tables with
// each other.

const noTags = "MAP {}"

var duckdbRelations = map[string]relation{
	"system.duckdb_databases": {[]string{"database_name VARCHAR", "database_oid BIGINT", "path VARCHAR", "comment VARCHAR", "tags MAP(VARCHAR, VARCHAR)",
		"internal BOOLEAN", "type VARCHAR", "readonly BOOLEAN", "encrypted BOOLEAN", "cipher VARCHAR", "options MAP(VARCHAR, VARCHAR)"}, (*Tables).duckdbDatabases},
	"system.duckdb_schemas": {[]string{"oid BIGINT", "database_name VARCHAR", "database_oid BIGINT", "schema_name VARCHAR", "comment VARCHAR",
		"tags MAP(VARCHAR, VARCHAR)", "internal BOOLEAN", "sql VARCHAR"}, (*Tables).duckdbSchemas},
	"system.duckdb_tables": {slices.Concat(withinSchema, []string{"table_name VARCHAR", "table_oid BIGINT", "comment VARCHAR", "tags MAP(VARCHAR, VARCHAR)",
		"internal BOOLEAN", "temporary BOOLEAN", "has_primary_key BOOLEAN", "estimated_size BIGINT", "column_count BIGINT", "index_count BIGINT",
		"check_constraint_count BIGINT", "sql VARCHAR"}), (*Tables).duckdbTables},
	"system.duckdb_views": {slices.Concat(withinSchema, []string{"view_name VARCHAR", "view_oid BIGINT", "comment VARCHAR", "tags MAP(VARCHAR, VARCHAR)",
		"internal BOOLEAN", "temporary BOOLEAN", "column_count BIGINT", "sql VARCHAR", "is_bound BOOLEAN"}), (*Tables).duckdbViews},
	"system.duckdb_columns": {slices.Concat(withinSchema, []string{"table_name VARCHAR", "table_oid BIGINT", "column_name VARCHAR", "column_index INTEGER",
		"comment VARCHAR", "internal BOOLEAN", "column_default VARCHAR", "is_nullable BOOLEAN", "data_type VARCHAR", "data_type_id BIGINT",
		"character_maximum_length INTEGER", "numeric_precision INTEGER", "numeric_precision_radix INTEGER", "numeric_scale INTEGER"}), (*Tables).duckdbColumns},
	"system.duckdb_constraints": {slices.Concat(withinSchema, []string{"table_name VARCHAR", "table_oid BIGINT", "constraint_index BIGINT",
		"constraint_type VARCHAR", "constraint_text VARCHAR", "expression VARCHAR", "constraint_column_indexes BIGINT[]", "constraint_column_names VARCHAR[]",
		"constraint_name VARCHAR", "referenced_table VARCHAR", "referenced_column_names VARCHAR[]"}), (*Tables).duckdbConstraints},
	"system.duckdb_indexes": {slices.Concat(withinSchema, []string{"index_name VARCHAR", "index_oid BIGINT", "table_name VARCHAR", "table_oid BIGINT",
		"comment VARCHAR", "tags MAP(VARCHAR, VARCHAR)", "is_unique BOOLEAN", "is_primary BOOLEAN", "expressions VARCHAR", "sql VARCHAR"}), none},
	"system.duckdb_extensions": {[]string{"extension_name VARCHAR", "loaded BOOLEAN", "installed BOOLEAN", "install_path VARCHAR", "description VARCHAR",
		"aliases VARCHAR[]", "extension_version VARCHAR", "install_mode VARCHAR", "installed_from VARCHAR"}, (*Tables).duckdbExtensions},
	"system.duckdb_sequences": {slices.Concat(withinSchema, []string{"sequence_name VARCHAR", "sequence_oid BIGINT", "comment VARCHAR",
		"tags MAP(VARCHAR, VARCHAR)", "temporary BOOLEAN", "start_value BIGINT", "min_value BIGINT", "max_value BIGINT", "increment_by BIGINT", "cycle BOOLEAN",
		"last_value BIGINT", "sql VARCHAR"}), none},
}

// builtIn lists the DuckDB extensions that are linked into the program, in DuckDB's order. A test
// compares the list with DuckDB's. Other extensions cannot be installed at run time.
var builtIn = []struct{ name, description string }{
	{"autocomplete", "Adds support for autocomplete in the shell"},
	{"core_functions", "Core function library"},
	{"icu", "Adds support for time zones and collations using the ICU library"},
	{"json", "Adds support for JSON operations"},
	{"parquet", "Adds support for reading and writing parquet files"},
}

func (t *Tables) duckdbExtensions(asker) (rows [][]string, err error) {
	for _, x := range builtIn {
		rows = append(rows, []string{text(x.name), "true", "true", "'(BUILT-IN)'", text(x.description), "[]::VARCHAR[]", text("v" + version.DuckDB),
			"'STATICALLY_LINKED'", "''"})
	}
	return rows, nil
}

var withinSchema = []string{"database_name VARCHAR", "database_oid BIGINT", "schema_name VARCHAR", "schema_oid BIGINT"}

func init() {
	for name, r := range duckdbRelations {
		relations[name] = r
	}
}

// none returns no rows. It is used for system tables about features that Scoter does not have.
func none(*Tables, asker) ([][]string, error) { return nil, nil }

// place returns an object's values for the columns in withinSchema, which say in which database and
// schema the object is.
func (t *Tables) place(database, schemaName string) []string {
	schemas := t.store.Schemas()
	i := 0
	for i < len(schemas) && (schemas[i].Database != database || schemas[i].Name != schemaName) {
		i++
	}
	return []string{text(database), number(slices.Index(t.store.Databases(), database) + 1), text(schemaName), number(i + 1)}
}

func (t *Tables) duckdbDatabases(asker) (rows [][]string, err error) {
	for i, d := range t.store.Databases() {
		rows = append(rows, []string{text(d), number(i + 1), "NULL", "NULL", noTags, "false", "'duckdb'", "false", "false", "NULL", noTags})
	}
	return rows, nil
}

func (t *Tables) duckdbSchemas(asker) (rows [][]string, err error) {
	for _, s := range t.store.Schemas() {
		place, sql := t.place(s.Database, s.Name), "NULL"
		if s.Name != "main" {
			sql = text("CREATE SCHEMA " + schema.Quote(s.Name) + ";")
		}
		rows = append(rows, []string{place[3], place[0], place[1], place[2], "NULL", noTags, strconv.FormatBool(s.Name == "main"), sql})
	}
	return rows, nil
}

func (t *Tables) duckdbTables(asker) (rows [][]string, err error) {
	err = t.each(func(s *snapshot.Table) {
		keyed := min(len(s.Schema.PrimaryKey), 1)
		checks := len(s.Schema.Checks)
		for _, c := range s.Schema.Columns {
			if c.Check != "" {
				checks++
			}
		}
		rows = append(rows, append(t.place(s.Schema.Database, s.Schema.Schema), text(s.Schema.Name), number(s.Schema.ID), "NULL", noTags, "false", "false",
			strconv.FormatBool(keyed > 0), number(s.Rows()), number(len(s.Schema.Columns)), number(keyed), number(checks), text(s.Schema.String())))
	})
	return rows, err
}

// viewOID returns the oid of the i-th view. Oids of views are negative, because the oids of tables
// begin at 1.
func viewOID(i int) string { return number(-1 - i) }

func (t *Tables) duckdbViews(asker) (rows [][]string, err error) {
	for i, v := range t.store.Views() {
		rows = append(rows, append(t.place(v.Name.Database, v.Name.Schema), text(v.Name.Name), viewOID(i), "NULL", noTags, "false", "false",
			number(len(v.Columns)), text("CREATE VIEW "+schema.Quote(v.Name.Name)+" AS "+v.SQL+";"), "true"))
	}
	return rows, nil
}

func (t *Tables) duckdbColumns(asker) (rows [][]string, err error) {
	add := func(place []string, table, oid string, i int, name string, typ schema.Type, def string, nullable bool) {
		precision, radix, scale := numericPrecision(typ)
		rows = append(rows, append(place, table, oid, text(name), number(i+1), "NULL", "false", optional(def), strconv.FormatBool(nullable), text(typ.String()),
			"NULL", "NULL", precision, radix, scale))
	}
	for _, s := range t.store.Tables() {
		for i, c := range s.Columns {
			add(t.place(s.Database, s.Schema), text(s.Name), number(s.ID), i, c.Name, c.Type, c.Default, !c.NotNull)
		}
	}
	for n, v := range t.store.Views() {
		for i, c := range v.Columns {
			add(t.place(v.Name.Database, v.Name.Schema), text(v.Name.Name), viewOID(n), i, c.Name, c.Type, "", true)
		}
	}
	return rows, nil
}

// numericPrecision returns what information_schema says of a numeric type: its precision, the base
// in which the precision is counted, and the number of digits after the point. For other types all
// three are NULL.
func numericPrecision(t schema.Type) (precision, radix, scale string) {
	bits := map[schema.Kind]int{schema.TinyInt: 8, schema.SmallInt: 16, schema.Integer: 32, schema.BigInt: 64, schema.HugeInt: 128,
		schema.Float: 24, schema.Double: 53}[t.Kind]
	switch {
	case t.Kind == schema.Decimal:
		return number(int(t.Width)), "10", number(int(t.Scale))
	case bits > 0:
		return number(bits), "2", "0"
	}
	return "NULL", "NULL", "NULL"
}

func (t *Tables) duckdbConstraints(asker) (rows [][]string, err error) {
	for _, s := range t.store.Tables() {
		n := 0
		add := func(kind, constraint, expression string, columns []int, suffix string) {
			indexes, names, label := make([]string, len(columns)), make([]string, len(columns)), s.Name
			for i, c := range columns {
				indexes[i], names[i] = number(c), text(s.Columns[c].Name)
				label += "_" + s.Columns[c].Name
			}
			rows = append(rows, append(t.place(s.Database, s.Schema), text(s.Name), number(s.ID), number(n), text(kind), text(constraint), optional(expression),
				"["+strings.Join(indexes, ", ")+"]::BIGINT[]", "["+strings.Join(names, ", ")+"]::VARCHAR[]", text(label+"_"+suffix), "NULL", "[]::VARCHAR[]"))
			n++
		}
		if len(s.PrimaryKey) > 0 {
			columns, names := make([]int, len(s.PrimaryKey)), make([]string, len(s.PrimaryKey))
			for i, id := range s.PrimaryKey {
				columns[i] = s.ColumnByID(id)
				names[i] = schema.Quote(s.Columns[columns[i]].Name)
			}
			add("PRIMARY KEY", "PRIMARY KEY("+strings.Join(names, ", ")+")", "", columns, "pkey")
		}
		for i, c := range s.Columns {
			if c.NotNull {
				add("NOT NULL", "NOT NULL", "", []int{i}, "not_null")
			}
			if c.Check != "" {
				add("CHECK", "CHECK("+c.Check+")", c.Check, []int{i}, "check")
			}
		}
		for _, check := range s.Checks {
			add("CHECK", "CHECK("+check+")", check, nil, "check")
		}
	}
	return rows, nil
}

// showSchemas lists the schemas of all databases. It marks the current schema, in which names
// without a schema are looked up first.
func (t *Tables) showSchemas(who asker) (rows [][]string, err error) {
	for _, s := range t.store.Schemas() {
		current := s.Name == "main" && schema.Fold(s.Database) == schema.Fold(who.database)
		rows = append(rows, []string{text(s.Database), text(s.Name), strconv.FormatBool(current)})
	}
	return rows, nil
}
