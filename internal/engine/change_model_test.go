package engine

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"maps"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestChangesAgainstAMap makes the same random changes to a table and to a map, and compares them.
// Between the changes there are flushes, statements that commit late, schema changes and crashes.
func TestChangesAgainstAMap(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		disk := vfs.NewCrashable()
		e := mustOpen(t, disk)
		table, err := createAccounts(e, "t")
		must(t, err)
		model := map[int64]int64{}
		next := 0
		// late is the snapshot of a statement that has not committed yet.
		var late *snapshot.Snapshot
		var lateID int64
		touched := map[int64]bool{} // rows changed since late was taken
		release := func() {
			if late != nil {
				late.Release()
			}
			late = nil
		}
		some := func(most int) []int64 {
			ids := slices.Sorted(maps.Keys(model))
			r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			return ids[:min(len(ids), 1+r.IntN(most))]
		}
		for step := range 60 {
			what := r.IntN(20)
			switch {
			case what < 4:
				n := 1 + r.IntN(30)
				must(t, appendAccounts(e, table, next, n, int64(step)))
				for i := range n {
					model[int64(next+i)] = int64(step)
				}
				next += n
			case what < 9:
				ids, amount := some(8), int64(step*1000)
				_, err := update(e, table.ID, nil, set(amount, ids...))
				must(t, err)
				for _, id := range ids {
					model[id], touched[id] = amount, true
				}
			case what < 11:
				ids := some(6)
				_, err := update(e, table.ID, nil, del(ids...))
				must(t, err)
				for _, id := range ids {
					delete(model, id)
					touched[id] = true
				}
			case what < 13:
				must(t, e.Flush(ctx))
			case what < 14:
				must(t, e.commit(ctx, e.freeze))
			case what < 16 && late == nil && len(model) > 0:
				late, err = e.Snapshot(table.ID)
				must(t, err)
				lateID, touched = some(1)[0], map[int64]bool{}
			case what < 17 && late != nil:
				_, err := updateFrom(e, late, table.ID, nil, AppendOptions{}, set(-1, lateID))
				stale := touched[lateID] || late.Tables[table.ID].Schema.Version != table.Version
				if errors.Is(err, ErrChanged) != stale || !stale && err != nil {
					t.Fatalf("seed %d step %d: late change: %v, touched meanwhile: %v", seed, step, err, touched[lateID])
				}
				if !stale {
					model[lateID] = -1
				}
				release()
			case what < 18 && r.IntN(4) == 0:
				table, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
					return now.AddColumns(schema.Column{Name: "extra" + string(rune('a'+len(now.Columns))), Type: schema.Of(schema.Double)})
				})
				must(t, err)
			case what < 19 && r.IntN(8) == 0:
				_, err := truncate(e, table.ID)
				must(t, err)
				for id := range model {
					touched[id] = true
				}
				clear(model)
			case what < 20:
				release()
				crashed := disk.CrashClone(r, r.IntN(101))
				must(t, e.Close())
				disk = crashed
				e = mustOpen(t, disk)
			}
			if got := amounts(t, e, table.ID); !maps.Equal(got, model) {
				t.Fatalf("seed %d step %d (%d): %v, want %v\n%s", seed, step, what, got, model, e.DebugString())
			}
		}
		release()
		must(t, e.Flush(ctx))
		if got := amounts(t, e, table.ID); !maps.Equal(got, model) {
			t.Fatalf("seed %d: %v, want %v", seed, got, model)
		}
		mustEnd(t, e)
	}
}
