package ext_test

import (
	"testing"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

func extendPlans(conn *duck.Conn) error { return ext.ExtendPlans(conn.Raw()) }

func connect(t *testing.T, extensions ...func(*duck.Conn) error) *duck.Conn {
	t.Helper()
	inst, err := duck.Open(duck.Settings{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	for _, extension := range extensions {
		if err := inst.Extend(extension); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}
