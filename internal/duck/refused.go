package duck

import "strings"

// refused are the scalar functions that no statement may call, not even an administrator's.
var refused = map[string]bool{
	// Binds and optimizes a text that was not checked, and opens files for that.
	"json_serialize_plan": true,
	"sleep_ms":            true, // holds a thread that cannot be interrupted
	"pg_sleep":            true, // a macro that calls sleep_ms
	// Changes the connection: uuid() and random() of later queries would repeat themselves.
	"setseed": true,
	// Its samples are memory that is not counted, 64 KiB per group; approx_quantile replaces it.
	"reservoir_quantile": true,
	"write_log":          true, // writes into the server's log
	// Shows our rewritten text: the paths of parts, and the text of views.
	"current_query": true,
	// Shows the server's folders and limits; an administrator can read duckdb_settings().
	"current_setting": true,
}

// Refused reports whether no statement may call a scalar function. This includes functions that
// Scoter registers, since they trust their arguments.
func Refused(name string) bool {
	name = strings.ToLower(name)
	return refused[name] || strings.HasPrefix(name, "scoter_")
}
