package query

import (
	"testing"

	"github.com/scoterdb/scoter/internal/duck"
)

// connect opens a DuckDB database without tables, for the duration of the test.
func connect(t *testing.T) *duck.Conn {
	t.Helper()
	inst, err := duck.Open(duck.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	conn, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}
