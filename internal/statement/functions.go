package statement

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
)

// impure lists functions that a stored UPDATE must not call, although DuckDB says that their
// results depend only on their arguments (stability CONSISTENT). Their results depend on variables
// or the time, or they have side effects. Functions that no statement may call are not listed here;
// see duck.IsForbidden.
var impure = []string{"age", "error", "getenv", "getvariable", "in_search_path", "strptime", "timezone", "timezone_hour",
	"timezone_minute", "to_timestamp", "try_strptime"}

// Function describes how much the results of a DuckDB function may vary. This decides where the
// function may be called.
type Function struct {
	Pure      bool // whether the result depends on nothing but the arguments
	volatile  bool // whether each call may return another result
	aggregate bool // it is an aggregate or a window function
}

// Functions caches DuckDB's functions by name. The list is read once, because it is long.
type Functions struct {
	Known atomic.Pointer[map[string]Function] // nil until it is first needed
}

func (f *Functions) Of(ctx context.Context, pool *duck.Pool) (map[string]Function, error) {
	if known := f.Known.Load(); known != nil {
		return *known, nil
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer pool.Release(conn)
	rows, err := Texts(ctx, conn, `SELECT lower(function_name), bool_and(function_type = 'scalar' AND coalesce(stability, '') = 'CONSISTENT')::VARCHAR,
		bool_or(coalesce(stability, '') = 'VOLATILE')::VARCHAR, bool_and(function_type = 'aggregate')::VARCHAR FROM duckdb_functions() GROUP BY ALL`)
	if err != nil {
		return nil, base.Wrap(err, "DuckDB's functions")
	}
	known := make(map[string]Function, len(rows))
	for _, row := range rows {
		known[row[0]] = Function{Pure: row[1] == "true" && !slices.Contains(impure, row[0]) && !duck.IsForbidden(row[0]), volatile: row[2] == "true", aggregate: row[3] == "true"}
	}
	f.Known.Store(&known)
	return known, nil
}
