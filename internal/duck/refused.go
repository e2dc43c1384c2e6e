package duck

import "strings"

// refused are the scalar functions that no statement may call, whoever sends it.
var refused = map[string]bool{
	"json_serialize_plan": true, // binds and optimizes a text that nobody has looked at: it opens files for it
	"sleep_ms":            true, // holds a thread that no interrupt ends
	"pg_sleep":            true, // a macro of it
	"setseed":             true, // stays with the connection: uuid() and random() of whoever comes next repeat themselves
	"reservoir_quantile":  true, // its samples are memory that nobody counts, 64 KiB a group: approx_quantile
	"write_log":           true, // into the server's own log
	"current_query":       true, // tells the system's own text: where the parts are, and what became of views
	"current_setting":     true, // tells the folders and limits of the server; an administrator reads duckdb_settings()
}

// Refused reports whether a scalar function is one that no statement may call. Those that Scoter registers are among them: their arguments are
// trusted.
func Refused(name string) bool {
	name = strings.ToLower(name)
	return refused[name] || strings.HasPrefix(name, "scoter_")
}
