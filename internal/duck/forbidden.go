package duck

import "strings"

// forbidden lists the scalar functions that no statement may call, not even a statement of an
// administrator.
var forbidden = map[string]bool{
	// json_serialize_plan binds and optimizes a text that Scoter has not checked, and opens files
	// to do so.
	"json_serialize_plan": true,
	"sleep_ms":            true, // blocks a thread, and cannot be interrupted
	"pg_sleep":            true, // a macro that calls sleep_ms
	// setseed changes the connection: uuid() and random() in later queries would repeat their
	// values.
	"setseed": true,
	// reservoir_quantile takes samples in memory that is not counted, 64 KiB for each group.
	// approx_quantile does the same with less memory.
	"reservoir_quantile": true,
	"write_log":          true, // writes to the server's log
	// current_query shows the text that DuckDB received, with the paths of parts and the text of
	// views.
	"current_query": true,
	// current_setting shows folders and limits of the server. An administrator can read
	// duckdb_settings().
	"current_setting": true,
}

// IsForbidden reports whether no statement may call the scalar function with this name. Functions
// that Scoter itself registers are also refused, since they trust their arguments.
func IsForbidden(name string) bool {
	name = strings.ToLower(name)
	return forbidden[name] || strings.HasPrefix(name, "scoter_")
}
