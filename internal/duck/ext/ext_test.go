package ext_test

import (
	"context"
	"io"
	"strings"
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

// valuesOf runs a statement, and returns the values of its result as text, one slice for each row.
func valuesOf(t *testing.T, conn *duck.Conn, sql string) (rows [][]string) {
	t.Helper()
	result, err := conn.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer result.Close()
	for {
		rec, err := result.Next(context.Background())
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		for i := range int(rec.NumRows()) {
			var row []string
			for _, c := range rec.Columns() {
				row = append(row, strings.Clone(c.ValueStr(i)))
			}
			rows = append(rows, row)
		}
		rec.Release()
	}
}
