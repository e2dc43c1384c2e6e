package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// statement computes a change from the rows of a table: new amounts, deleted rows and inserted
// rows.
type statement struct {
	name string
	// reads are the columns that the statement reads in rows that it does not change; nil means
	// none.
	reads []base.ColumnID
	whole bool // whether the statement reads the whole table
	run   func(rows map[int64]int64) (set map[int64]int64, del []int64, ins map[int64]int64)
}

func randomStatement(r *rand.Rand, fresh func() int64) statement {
	a, b, n := r.Int64N(24), r.Int64N(24), r.Int64N(100)
	switch r.IntN(6) {
	case 0:
		return statement{name: fmt.Sprintf("add %d to %d", n, a), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
			if v, ok := rows[a]; ok {
				return map[int64]int64{a: v + n}, nil, nil
			}
			return nil, nil, nil
		}, reads: []base.ColumnID{1}}
	case 1:
		return statement{name: fmt.Sprintf("move %d from %d to %d", n, a, b), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
			if _, ok := rows[a]; !ok || a == b {
				return nil, nil, nil
			}
			if _, ok := rows[b]; !ok {
				return nil, nil, nil
			}
			return map[int64]int64{a: rows[a] - n, b: rows[b] + n}, nil, nil
		}, reads: []base.ColumnID{1}}
	case 2:
		return statement{name: fmt.Sprintf("double those under %d", n), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
			set := map[int64]int64{}
			for id, v := range rows {
				if v%100 < n/4 {
					set[id] = v*2%100_003 + 1
				}
			}
			return set, nil, nil
		}, reads: []base.ColumnID{2}}
	case 3:
		return statement{name: fmt.Sprintf("delete those that end with %d", n), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
			var del []int64
			for id, v := range rows {
				if v%100 == n {
					del = append(del, id)
				}
			}
			return nil, del, nil
		}, reads: []base.ColumnID{2}}
	case 4:
		id := fresh()
		return statement{name: fmt.Sprintf("insert %d with the sum", id), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
			sum := int64(0)
			for _, v := range rows {
				sum += v
			}
			return nil, nil, map[int64]int64{id: sum % 1000}
		}, whole: true}
	}
	id := fresh()
	return statement{name: fmt.Sprintf("replace %d by %d", a, id), run: func(rows map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
		if v, ok := rows[a]; ok {
			return nil, []int64{a}, map[int64]int64{id: v + 1}
		}
		return nil, nil, map[int64]int64{id: n}
	}, reads: []base.ColumnID{1}}
}

// appendedFrom is the smallest id of appended rows. Statements ignore these rows. If an append runs
// at the same time as a statement, it may count as later than the statement, whatever their
// sequence numbers are.
const appendedFrom = 1_000_000

// execute runs a statement until it succeeds. From the second attempt on it holds the exclusive
// table lock. It returns 0 if the statement changed nothing.
func (st statement) execute(e *Engine, table base.TableID) (base.Seq, error) {
	var o AppendOptions
	release := func() {}
	defer func() { release() }()
	for range 100 {
		seq, err := func() (base.Seq, error) {
			s, err := e.Snapshot(table)
			if err != nil {
				return 0, err
			}
			defer s.Release()
			rows, err := accountsIn(e, s.Tables[table])
			if err != nil {
				return 0, err
			}
			amounts := map[int64]int64{}
			for id, a := range rows {
				if id < appendedFrom {
					amounts[id] = a.amount
				}
			}
			set, del, ins := st.run(amounts)
			c := Change{Table: table, ReadDependencies: []ReadDependency{{Table: table, Columns: st.reads}}}
			if st.whole {
				c.ReadDependencies[0].Columns = nil
			}
			values := map[base.RowAddress]int64{}
			for id, v := range set {
				values[rows[id].address] = v
			}
			var gone []base.RowAddress
			for _, id := range del {
				gone = append(gone, rows[id].address)
			}
			c.Deleted, c.Updated = rowsAt(gone...), setAmounts(values)
			for id, v := range ins {
				c.Inserted = append(c.Inserted, accountsBatch(int(id), 1, v))
			}
			result, err := e.Commit(ctx, s, []Change{c}, o)
			return result.Seq, err
		}()
		hold := e.LockTables
		switch {
		case errors.Is(err, ErrTableLocked):
			hold, o.Lock = e.ShareTables, SharedLock
		case errors.Is(err, ErrChanged) && o.Lock == ExclusiveLock:
			continue
		case errors.Is(err, ErrChanged):
			o.Lock = ExclusiveLock
		default:
			return seq, err
		}
		release()
		if release, err = hold(ctx, nil, table); err != nil {
			return 0, err
		}
	}
	return 0, errors.New("100 attempts, pinned, and it does not succeed")
}

// TestConcurrentStatementsEqualASerialOrder runs random statements in several goroutines, while
// others append rows, flush, and rewrite parts. Running the statements one after the other, in the
// order of their sequence numbers, must give the same table.
func TestConcurrentStatementsEqualASerialOrder(t *testing.T) {
	for seed := range uint64(2) {
		e := mustOpen(t, vfs.NewCrashable())
		table, err := createAccounts(e, "t")
		must(t, err)
		must(t, appendAccounts(e, table, 0, 24, 10))
		var mu sync.Mutex
		nextID := int64(1000)
		fresh := func() int64 {
			mu.Lock()
			defer mu.Unlock()
			nextID++
			return nextID
		}
		type done struct {
			seq base.Seq
			st  statement
		}
		var log []done
		enter := func(seq base.Seq, st statement) {
			mu.Lock()
			defer mu.Unlock()
			if seq > 0 {
				log = append(log, done{seq, st})
			}
		}
		var workers, movers sync.WaitGroup
		// turns makes the goroutines that flush and rewrite run after some of the statements.
		turns := make(chan struct{})
		for w := range 4 {
			workers.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(w)))
				for i := range 32 {
					if i%4 == 3 {
						turns <- struct{}{}
					}
					st := randomStatement(r, fresh)
					seq, err := st.execute(e, table.ID)
					if err != nil {
						t.Errorf("seed %d: %s: %v", seed, st.name, err)
						return
					}
					enter(seq, st)
				}
			})
		}
		workers.Go(func() {
			for i := range 20 {
				id := appendedFrom + fresh()
				result, err := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{accountsBatch(int(id), 1, int64(i))}}}, AppendOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				enter(result.Seq, statement{name: "append", run: func(map[int64]int64) (map[int64]int64, []int64, map[int64]int64) {
					return nil, nil, map[int64]int64{id: int64(i)}
				}})
			}
		})
		for _, move := range []func() error{func() error { return e.Flush(ctx) }, func() error { return rewriteFirst(e, table, func() {}) }} {
			movers.Go(func() {
				for range turns {
					if err := move(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		close(turns)
		movers.Wait()
		slices.SortFunc(log, func(a, b done) int { return cmp.Compare(a.seq, b.seq) })
		want := map[int64]int64{}
		for id := range int64(24) {
			want[id] = 10
		}
		for _, d := range log {
			seen := maps.Clone(want)
			maps.DeleteFunc(seen, func(id, _ int64) bool { return id >= appendedFrom })
			set, del, ins := d.st.run(seen)
			maps.Copy(want, set)
			for _, id := range del {
				delete(want, id)
			}
			maps.Copy(want, ins)
		}
		if got := amounts(t, e, table.ID); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %d statements gave %v, in their order %v", seed, len(log), got, want)
		}
		must(t, e.Flush(ctx))
		if got := amounts(t, e, table.ID); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %v after a flush, want %v", seed, got, want)
		}
		mustEnd(t, e)
	}
}
