package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestRowsWithoutMemoryBringNoSchema appends rows for which there is no memory. They must leave no
// column, table, schema or database.
func TestRowsWithoutMemoryBringNoSchema(t *testing.T) {
	e, err := Open("/db", manual, Components{Memory: memoryFor(1 << 20), FS: vfs.NewCrashable(), Logger: quiet})
	must(t, err)
	defer mustEnd(t, e)
	before, err := createNumbers(e, "t")
	must(t, err)
	var rows strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rows, `{"writer": "w", "n": %d, "zzz": "%0100d"}`+"\n", i, i)
	}
	rec, err := batchOfJSON("writer VARCHAR, n BIGINT, zzz VARCHAR", rows.String())
	must(t, err)
	for _, name := range []TableName{{"d", "main", "t"}, {"d", "main", "new"}, {"other", "some", "new"}} {
		_, err := e.Append(ctx, []TableRows{{Table: name, Batches: []arrow.RecordBatch{rec}}}, AppendOptions{Create: true})
		wantKind(t, err, base.TooLarge)
	}
	tables := e.Tables()
	if len(tables) != 1 || tables[0].Version != before.Version || len(e.Databases()) != 2 && len(e.Databases()) != 1 {
		t.Fatalf("tables %v, databases %v", tables, e.Databases())
	}
}

// TestManyMakeOneTable has several requests create the same table. Later requests use the table of
// the first one, and add the columns that it lacks.
func TestManyMakeOneTable(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	defer mustEnd(t, e)
	const writers = 8
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			rec, err := batchOfJSON(fmt.Sprintf("a BIGINT, c%d BIGINT", w), fmt.Sprintf(`{"a": %d, "c%d": 1}`, w, w))
			if err == nil {
				_, err = e.Append(ctx, []TableRows{{Table: TableName{"new", "s", "t"}, Batches: []arrow.RecordBatch{rec}}}, AppendOptions{Create: true})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	table, err := e.Lookup("new", "s", "t")
	must(t, err)
	s, err := e.Snapshot(table.ID)
	must(t, err)
	defer s.Release()
	if n := s.Tables[table.ID].Rows(); n != writers || len(table.Columns) != writers+1 {
		t.Errorf("%d rows in %d columns", n, len(table.Columns))
	}
}

// TestOneRequestMayNameATableTwice names the table twice in one request, with different letter case
// and columns.
func TestOneRequestMayNameATableTwice(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	defer mustEnd(t, e)
	var tables []TableRows
	for i, name := range []string{"t", "T", "u", "t"} {
		rec, err := batchOfJSON(fmt.Sprintf("a BIGINT, c%d BIGINT", i), fmt.Sprintf(`{"a": %d, "c%d": 1}`, i, i))
		must(t, err)
		tables = append(tables, TableRows{Table: TableName{"new", "main", name}, Batches: []arrow.RecordBatch{rec}})
	}
	result, err := e.Append(ctx, tables, AppendOptions{Create: true})
	must(t, err)
	table, err := e.Lookup("new", "main", "t")
	must(t, err)
	if result.Inserted != 4 || len(table.Columns) != 4 || table.Version != 1 || len(e.Tables()) != 2 {
		t.Errorf("%d rows, %v", result.Inserted, e.Tables())
	}
}
