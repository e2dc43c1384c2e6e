package merge

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// createItems creates a table of (id, value) that is sorted by id. Tests may change values freely.
func (d *database) createItems() (schema.Table, error) {
	if err := d.engine.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	return d.engine.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "items",
		Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}, {Name: "value", Type: schema.Of(schema.Integer)}},
		SortKey: []schema.SortField{{Column: 1}},
	}, true)
}

// appendItems appends items. Their ids are not sorted, and are interleaved with those of other
// appends.
func (d *database) appendItems(table base.TableID, ids []int64, value int64) error {
	i, v := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	for _, id := range ids {
		i.Append(id)
		v.Append(value)
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "value", Type: arrow.PrimitiveTypes.Int64}}, nil)
	rec := array.NewRecordBatch(s, []arrow.Array{i.NewArray(), v.NewArray()}, int64(len(ids)))
	_, err := d.engine.Append(ctx, []engine.TableRows{{ID: table, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{})
	return err
}

type item struct {
	address base.RowAddress
	value   int64
}

// items returns the items of a snapshot, by id. If a part is not sorted, or an id occurs twice, the
// test fails.
func (d *database) items(fsys vfs.FS, t *snapshot.Table) (map[int64]item, error) {
	all := map[int64]item{}
	read := func(rec arrow.RecordBatch, version schema.Table, rowset base.RowsetID, first int) error {
		var live []uint32
		whole := true
		if set := t.Patches[rowset]; set != nil {
			var err error
			if rec, err = set.Apply(rec, version, uint32(first)); err != nil {
				return err
			}
			live, whole = set.Live(uint32(first), int(rec.NumRows()))
		}
		before := int64(-1)
		for i := range int(rec.NumRows()) {
			id, err1 := strconv.ParseInt(rec.Column(0).ValueStr(i), 10, 64)
			value, err2 := strconv.ParseInt(rec.Column(1).ValueStr(i), 10, 64)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if !whole && !slices.Contains(live, uint32(i)) {
				continue
			}
			if _, twice := all[id]; twice || version.ID == 0 {
				return fmt.Errorf("id %d is there twice", id)
			}
			if id < before && slices.ContainsFunc(t.Memtables, func(m memtable.View) bool { return m.Rowset == rowset }) == false {
				return fmt.Errorf("id %d after %d in rowset %d", id, before, rowset)
			}
			before = id
			all[id] = item{base.RowAddress{Rowset: rowset, Ordinal: base.RowOrdinal(first + i)}, value}
		}
		return nil
	}
	for _, p := range t.Parts {
		first := 0
		err := part.Read(d.engine.PartFile(p), t.Versions[p.SchemaVersion], func(rec arrow.RecordBatch) error {
			conformed, err := batch.Conform(renamed(rec, t.Versions[p.SchemaVersion], t.Schema), t.Schema, batch.ConformOptions{})
			if err == nil {
				err = read(conformed, t.Schema, p.ID, first)
			}
			first += int(rec.NumRows())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, m := range t.Memtables {
		for _, b := range m.Batches {
			conformed, err := batch.Conform(renamed(b.Record, m.Schema, t.Schema), t.Schema, batch.ConformOptions{})
			if err == nil {
				err = read(conformed, t.Schema, m.Rowset, int(b.FirstOrdinal))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// change computes a change of items from a snapshot. A nil value deletes the item.
func (d *database) change(fsys vfs.FS, s *snapshot.Snapshot, table base.TableID, values map[int64]*int64) error {
	items, err := d.items(fsys, s.Tables[table])
	if err != nil {
		return err
	}
	c := engine.Change{Table: table, Deleted: map[base.RowsetID]*roaring.Bitmap{}}
	updated := map[base.RowsetID]map[uint32]int64{}
	for id, value := range values {
		a, ok := items[id]
		if !ok {
			return fmt.Errorf("id %d is not there", id)
		}
		rowset, ordinal := a.address.Rowset, uint32(a.address.Ordinal)
		if value == nil {
			if c.Deleted[rowset] == nil {
				c.Deleted[rowset] = roaring.New()
			}
			c.Deleted[rowset].Add(ordinal)
			continue
		}
		if updated[rowset] == nil {
			updated[rowset] = map[uint32]int64{}
		}
		updated[rowset][ordinal] = *value
	}
	dt := s.Tables[table].Schema.Columns[1].Type.Arrow()
	for rowset, rows := range updated {
		l := patch.Layer{Rowset: rowset, Columns: []base.ColumnID{2}, Ordinals: slices.Sorted(maps.Keys(rows))}
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		for _, o := range l.Ordinals {
			if err := b.AppendValueFromString(strconv.FormatInt(rows[o], 10)); err != nil {
				return err
			}
		}
		l.Values = array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "value", Type: dt}}, nil), []arrow.Array{b.NewArray()}, int64(len(rows)))
		c.Updated = append(c.Updated, l)
	}
	if d.mutates && len(c.Updated)+len(c.Deleted) > 0 {
		return d.merges.Mutate(ctx, s, c, engine.AppendOptions{})
	}
	_, err = d.engine.Commit(ctx, s, []engine.Change{c}, engine.AppendOptions{})
	return err
}

func (d *database) changeNow(fsys vfs.FS, table base.TableID, values map[int64]*int64) error {
	s, err := d.engine.Snapshot(table)
	if err != nil {
		return err
	}
	defer s.Release()
	return d.change(fsys, s, table, values)
}

// TestMergesCarryChanges applies random operations to a table and to a map. Changes happen before
// merges and while they write; after merges, changes come from older snapshots. Between operations
// schemas change and the power fails.
func TestMergesCarryChanges(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		fsys := vfs.NewCrashable()
		d := mustOpen(t, fsys)
		table, err := d.createItems()
		must(t, err)
		model := map[int64]int64{}
		some := func(step int64) map[int64]*int64 {
			ids := slices.Sorted(maps.Keys(model))
			values := map[int64]*int64{}
			for range min(len(ids), 1+r.IntN(12)) {
				id := ids[r.IntN(len(ids))]
				values[id] = nil
				if r.IntN(3) > 0 {
					v := step*1000 + r.Int64N(1000)
					values[id] = &v
				}
			}
			return values
		}
		enter := func(values map[int64]*int64) {
			for id, v := range values {
				if v == nil {
					delete(model, id)
				} else {
					model[id] = *v
				}
			}
		}
		check := func(what string) {
			t.Helper()
			s, err := d.engine.Snapshot(table.ID)
			must(t, err)
			defer s.Release()
			got, err := d.items(fsys, s.Tables[table.ID])
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, what, err)
			}
			if n := s.Tables[table.ID].Rows(); n != int64(len(got)) || len(got) != len(model) {
				t.Fatalf("seed %d, %s: %d rows counted, %d found, want %d\n%s", seed, what, n, len(got), len(model), d.engine.DebugString())
			}
			for id, v := range model {
				if got[id].value != v {
					t.Fatalf("seed %d, %s: id %d has %d, want %d\n%s", seed, what, id, got[id].value, v, d.engine.DebugString())
				}
			}
		}
		for step := range int64(40) {
			what := fmt.Sprintf("step %d", step)
			switch r.IntN(9) {
			case 0, 1, 2:
				var ids []int64
				for range 1 + r.IntN(40) {
					id := r.Int64N(1_000_000)
					if _, there := model[id]; !there {
						ids = append(ids, id)
						model[id] = step
					}
				}
				must(t, d.appendItems(table.ID, ids, step))
				if r.IntN(4) > 0 {
					must(t, d.engine.Flush(ctx))
				}
			case 3, 4:
				values := some(step)
				d.mutates = r.IntN(2) == 0
				must(t, d.changeNow(fsys, table.ID, values))
				d.mutates = false
				enter(values)
			// a merge with two changes: one is committed while the merge writes. The other is
			// computed from a snapshot before the merge, and committed after it.
			case 5, 6:
				what += " merge"
				late, err := d.engine.Snapshot(table.ID)
				must(t, err)
				lateValues := some(step)
				snap, err := d.engine.Snapshot(table.ID)
				must(t, err)
				parts := snap.Tables[table.ID].Parts
				snap.Release()
				if len(parts) > 0 {
					from, since := r.IntN(len(parts)), snap.Tables[table.ID].LayoutSince()
					plan := Plan{Sources: slices.Clone(parts[from : from+1+r.IntN(len(parts)-from)])}
					if slices.ContainsFunc(plan.Sources, func(p *catalog.Part) bool { return p.SchemaVersion < since }) {
						plan.Sources = plan.Sources[:1]
					}
					slices.SortFunc(plan.Sources, ingestionOrder)
					rewrite, err := d.merges.merger.begin(table.ID, plan)
					must(t, err)
					meanwhile := some(step)
					for id := range lateValues {
						delete(meanwhile, id)
					}
					done := false
					during := func() error {
						if done || len(meanwhile) == 0 {
							return nil
						}
						done = true
						enter(meanwhile)
						return d.changeNow(fsys, table.ID, meanwhile)
					}
					if replaced, err := d.merges.merger.execute(ctx, rewrite, plan, during); err != nil || !replaced {
						t.Fatalf("seed %d, %s: replaced %v, %v", seed, what, replaced, err)
					}
					must(t, during()) // if nothing was left to write
					rewrite.Close()
					check(what)
				}
				d.mutates = r.IntN(3) == 0
				err = d.change(fsys, late, table.ID, lateValues)
				if d.mutates = false; err != nil {
					t.Fatalf("seed %d, %s: late change: %v", seed, what, err)
				}
				enter(lateValues)
				late.Release()
			case 7:
				what += " reopened"
				clone := fsys.CrashClone(r, r.IntN(101))
				must(t, d.engine.Check(ctx))
				must(t, d.close())
				fsys = clone
				d = mustOpen(t, fsys)
			case 8:
				what += " altered"
				table, err = d.engine.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
					switch {
					case now.Columns[1].Type.Kind == schema.Integer && r.IntN(2) == 0:
						return now.ChangeType("value", schema.Of(schema.BigInt))
					case r.IntN(4) == 0:
						return now.SetSortKey(schema.SortField{Column: 1, NullsFirst: len(now.SortKey) > 0 && !now.SortKey[0].NullsFirst})
					}
					return now.AddColumns(schema.Column{Name: fmt.Sprintf("more%d", step), Type: schema.Of(schema.Varchar)})
				})
				must(t, err)
			}
			check(what)
		}
		must(t, d.engine.Flush(ctx))
		must(t, d.merges.RunUntilIdle(ctx))
		check("merged")
		s, err := d.engine.Snapshot(table.ID)
		must(t, err)
		if n := len(s.Tables[table.ID].Patches); n > 0 {
			t.Errorf("seed %d: %d parts are still changed", seed, n)
		}
		s.Release()
		d.mustEnd(t)
	}
}
