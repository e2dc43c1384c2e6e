package duck

import "strings"

// refused are the scalar functions that no statement may call, not even an administrator's.
var refused = map[string]bool{
	// It binds and optimizes a text that was not checked, and opens files for that.
	"json_serialize_plan": true,
	"sleep_ms":            true, // blocks a thread, and cannot be interrupted
	"pg_sleep":            true, // a macro that calls sleep_ms
	// It changes the connection: uuid() and random() in later queries would repeat their values.
	"setseed": true,
	// Its samples are memory that is not counted, 64 KiB for each group. approx_quantile does the
	// same with less.
	"reservoir_quantile": true,
	"write_log":          true, // writes to the server's log
	// It shows the text that DuckDB received, with the paths of parts and the text of views.
	"current_query": true,
	// It shows folders and limits of the server. An administrator can read duckdb_settings().
	"current_setting": true,
}

// Refused reports whether no statement may call the scalar function with this name. Functions that
// Scoter itself registers are also refused, since they trust their arguments.
func Refused(name string) bool {
	name = strings.ToLower(name)
	return refused[name] || strings.HasPrefix(name, "scoter_")
}
