package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestExactIntegers tests integers around the limits up to which DOUBLE is exact.
func TestExactIntegers(t *testing.T) {
	for v, want := range map[int64]bool{
		0: true, -1: true, 1 << 53: true, -1 << 53: true, 1<<53 + 1: false, -1<<53 - 1: false, 1<<53 + 2: true, 1 << 62: true, 1<<62 + 1: false,
		math.MaxInt64: false, math.MinInt64: true, math.MinInt64 + 1: false,
	} {
		if got := exactInteger(v); got != want {
			t.Errorf("%d: %t", v, got)
		}
	}
	for v, want := range map[uint64]bool{0: true, 1 << 53: true, 1<<53 + 1: false, 1 << 63: true, 1<<63 + 1: false, math.MaxUint64: false} {
		if got := exactUnsigned(v); got != want {
			t.Errorf("%d: %t", v, got)
		}
	}
}

// exactTable creates a table without a key. It has two parts, of which the first was written before
// the column n existed, and one row in memory.
func exactTable(t *testing.T, kind string) (*Engine, base.TableID) {
	t.Helper()
	e := mustOpen(t, vfs.NewCrashable())
	must(t, e.CreateDatabase(ctx, "d", true))
	table, err := e.CreateTable(ctx, schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}}}, false)
	must(t, err)
	appendExact(t, e, table.ID, "id BIGINT", `{"id": 1}`)
	must(t, e.Flush(ctx))
	n, err := schema.Parse(kind)
	must(t, err)
	_, err = e.AlterTable(ctx, table.ID, func(t schema.Table) (schema.Table, error) { return t.AddColumns(schema.Column{Name: "n", Type: n}) })
	must(t, err)
	appendExact(t, e, table.ID, "id BIGINT, n "+kind, `{"id": 2, "n": 7}`+"\n"+`{"id": 3, "n": 9007199254740992}`+"\n"+`{"id": 4}`)
	must(t, e.Flush(ctx))
	appendExact(t, e, table.ID, "id BIGINT, n "+kind, `{"id": 5, "n": 8}`)
	return e, table.ID
}

func appendExact(t *testing.T, e *Engine, id base.TableID, columns, rows string) {
	t.Helper()
	rec, err := batchOfJSON(columns, rows)
	must(t, err)
	_, err = e.Append(ctx, []TableRows{{ID: id, Batches: []arrow.RecordBatch{rec}}}, AppendOptions{})
	must(t, err)
}

// patchExact gives a value to the last row of the table's first rowset that has column n.
func patchExact(t *testing.T, e *Engine, id base.TableID, inMemory bool, value int64) {
	t.Helper()
	s, err := e.Snapshot(id)
	must(t, err)
	defer s.Release()
	view := s.Tables[id]
	rowset := view.Parts[len(view.Parts)-1].ID
	if inMemory {
		rowset = view.Memtables[0].Rowset
	}
	_, err = e.Commit(ctx, s, []Change{{Table: id, Updated: setAmounts(map[base.RowAddress]int64{{Rowset: rowset}: value})}}, AppendOptions{})
	must(t, err)
}

// TestIntegersBecomeDOUBLEWhereAllAreExact stores one integer that DOUBLE cannot represent, in each
// kind of place where a table can have a value.
func TestIntegersBecomeDOUBLEWhereAllAreExact(t *testing.T) {
	const inexact, exact = 1<<53 + 1, 1<<53 + 2
	for _, place := range []struct {
		name string
		put  func(e *Engine, id base.TableID, v int64)
	}{
		{"part", func(e *Engine, id base.TableID, v int64) {
			appendExact(t, e, id, "id BIGINT, n BIGINT", fmt.Sprintf(`{"id": 6, "n": %d}`, v))
			must(t, e.Flush(ctx))
		}},
		{"memtable", func(e *Engine, id base.TableID, v int64) {
			appendExact(t, e, id, "id BIGINT, n BIGINT", fmt.Sprintf(`{"id": 6, "n": %d}`, v))
		}},
		{"patch of a part", func(e *Engine, id base.TableID, v int64) { patchExact(t, e, id, false, v) }},
		{"patch of a memtable", func(e *Engine, id base.TableID, v int64) { patchExact(t, e, id, true, v) }},
		{"a row that is changed", func(e *Engine, id base.TableID, v int64) {
			patchExact(t, e, id, false, v)
			patchExact(t, e, id, false, 1)
		}},
	} {
		e, id := exactTable(t, "BIGINT")
		place.put(e, id, exact)
		must(t, e.ChangeToDouble(ctx, id, "n"))
		if table, err := e.Table(id); err != nil || table.Columns[1].Type.Kind != schema.Double {
			t.Errorf("%s: %v, %v", place.name, table.Columns, err)
		}
		mustEnd(t, e)

		e, id = exactTable(t, "BIGINT")
		place.put(e, id, inexact)
		if place.name == "a row that is changed" { // only the newest value of a patch is left
			must(t, e.ChangeToDouble(ctx, id, "n"))
		} else {
			err := e.ChangeToDouble(ctx, id, "n")
			if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "9007199254740993") {
				t.Errorf("%s: %v", place.name, err)
			}
			if table, err := e.Table(id); err != nil || table.Columns[1].Type.Kind != schema.BigInt {
				t.Errorf("%s: %v, %v", place.name, table.Columns, err)
			}
		}
		mustEnd(t, e)
	}
	e, id := exactTable(t, "UBIGINT")
	appendExact(t, e, id, "id BIGINT, n UBIGINT", `{"id": 6, "n": 9223372036854775808}`)
	must(t, e.ChangeToDouble(ctx, id, "n"))
	mustEnd(t, e)
	e, id = exactTable(t, "UBIGINT")
	appendExact(t, e, id, "id BIGINT, n UBIGINT", `{"id": 6, "n": 18446744073709551615}`)
	if err := e.ChangeToDouble(ctx, id, "n"); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "18446744073709551615") {
		t.Errorf("%v", err)
	}
	mustEnd(t, e)
}

// TestStatisticsTellWhetherAPartIsRead counts the parts whose values are read. A part may be read
// only if its statistics do not decide the question.
func TestStatisticsTellWhetherAPartIsRead(t *testing.T) {
	e, id := exactTable(t, "BIGINT")
	defer func() { mustEnd(t, e) }()
	read := 0
	readPart := e.readPart
	e.readPart = func(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func([]arrow.Array) error) error {
		read++
		return readPart(ctx, t, p, columns, rows)
	}
	check := func(want int) {
		t.Helper()
		s, err := e.Snapshot(id)
		must(t, err)
		defer s.Release()
		x := &exactCheck{engine: e, parts: map[base.RowsetID]bool{}}
		for range 2 { // the second time nothing is read again
			must(t, x.check(ctx, s.Tables[id], s.Tables[id].Schema.Columns[1], true))
		}
		if read != want {
			t.Errorf("%d parts read, want %d", read, want)
		}
	}
	check(0)
	appendExact(t, e, id, "id BIGINT, n BIGINT", `{"id": 6, "n": 9007199254740994}`)
	must(t, e.Flush(ctx))
	check(1)
}

// TestANumberThatComesMeanwhileSendsThePlanBack appends a number that DOUBLE cannot represent,
// after the values were checked and before the type is changed.
func TestANumberThatComesMeanwhileSendsThePlanBack(t *testing.T) {
	for _, flushed := range []bool{false, true} {
		e, id := exactTable(t, "BIGINT")
		table, err := e.Table(id)
		must(t, err)
		next, err := table.ChangeTypeOfExact("n", schema.Of(schema.Double))
		must(t, err)
		x := &exactCheck{engine: e, parts: map[base.RowsetID]bool{}}
		must(t, x.planning(ctx, table)(table.Columns[1]))
		appendExact(t, e, id, "id BIGINT, n BIGINT", `{"id": 6, "n": 9007199254740993}`)
		if flushed {
			must(t, e.Flush(ctx))
		}
		if err := e.Evolve(ctx, []Evolution{{next, x}}); err != ErrSchemaChanged {
			t.Errorf("flushed %t: %v", flushed, err)
		}
		mustEnd(t, e)
	}
}
