package query

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// allowedFunctions lists the table functions that every user may call, because they read no files,
// no settings, and no texts of other queries.
var allowedFunctions = map[string]bool{
	"range": true, "generate_series": true, "unnest": true, "repeat": true, "repeat_row": true,
	"json_each": true, "json_tree": true, "generate_subscripts": true, "summary": true,
	"duckdb_functions": true, "duckdb_keywords": true, "duckdb_types": true, "test_all_types": true,
	"pragma_version": true, "icu_calendar_names": true, "pg_timezone_names": true,
}

// systemSchema is the schema of the system tables that replace functions and views of DuckDB. These
// tables have the same names as DuckDB's functions and views.
const systemSchema = "system"

// systemFunctions lists table functions that Scoter replaces by system tables. DuckDB would read
// its own catalog for them, which is empty, or folders of the server.
var systemFunctions = map[string]bool{
	"duckdb_databases": true, "duckdb_schemas": true, "duckdb_tables": true, "duckdb_views": true, "duckdb_columns": true, "duckdb_constraints": true,
	"duckdb_indexes": true, "duckdb_sequences": true, "duckdb_extensions": true,
}

// forbiddenFunctions lists the table functions that no user may call, not even an administrator.
// They do one of these things:
//   - run an SQL text or read a table that this package has not seen,
//   - take the address of memory, or
//   - change the connection or the engine for later statements.
var forbiddenFunctions = map[string]bool{
	"query": true, "query_table": true, "json_execute_serialized_sql": true, "histogram": true, "histogram_values": true,
	"arrow_scan": true, "arrow_scan_dumb": true, "pandas_scan": true, "python_map_function": true,
	"enable_profiling": true, "disable_profiling": true, "enable_logging": true, "disable_logging": true, "truncate_duckdb_logs": true,
	"enable_peg_parser": true, "disable_peg_parser": true,
}

func (w *walker) tableFunction(ref duck.Node, visible *cte) {
	function := object(ref, "function")
	name := schema.Fold(text(function, "function_name"))
	if allowedFunctions[name] || readsNamed(function, visible) || w.systemFunction(function, ref) {
		return
	}
	w.a.files = true
	if w.mayReadFiles && !duck.IsForbidden(name) && !forbiddenFunctions[name] {
		return
	}
	w.fail(base.Errorf(base.Forbidden, "table function %s is not allowed", name).
		WithHint("reading files and inspecting the engine needs an administrator; load rows through the API instead").
		At(w.location(function) + 1))
}

// systemFunction handles a call of a function such as duckdb_tables(), which would show DuckDB's
// own catalog. It records the call as a reference to the system table of that name. It returns
// false for any other function.
func (w *walker) systemFunction(function, ref duck.Node) bool {
	name := schema.Fold(text(function, "function_name"))
	i := w.tokenAt(w.location(function))
	if !systemFunctions[name] || i < 0 || i+2 >= len(w.a.tokens) || !w.a.tokens[i+1].Is("(") || !w.a.tokens[i+2].Is(")") {
		return false
	}
	w.a.tables = append(w.a.tables, tableRef{parts: []string{systemSchema, name}, name: w.a.tokens[i].Start, start: w.a.tokens[i].Start, end: w.a.tokens[i+2].End, alias: text(ref, "alias")})
	return true
}

func (w *walker) function(node duck.Node) {
	name := schema.Fold(text(node, "function_name"))
	if duck.IsForbidden(name) {
		w.fail(base.Errorf(base.Forbidden, "function %s is not allowed", name).At(w.location(node) + 1))
	}
}
