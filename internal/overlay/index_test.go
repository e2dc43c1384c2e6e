package overlay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// manyParts returns a table of one column whose parts have the given statistics (nil: none).
func manyParts(version uint64, t schema.Type, stats []*schema.ColumnStats) *snapshot.Table {
	table := schema.Table{ID: 7, Version: 1, Columns: []schema.Column{{ID: 1, Name: "c", Type: t}}}
	out := &snapshot.Table{Schema: table, Version: version, Versions: map[uint32]schema.Table{1: table}}
	for i, s := range stats {
		p := &catalog.Part{ID: base.RowsetID(i + 1), Table: 7, SchemaVersion: 1, Rows: 10}
		if s != nil {
			p.Stats = map[base.ColumnID]schema.ColumnStats{1: *s}
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

func TestIndexKeepsThePartsWhoseStatisticsDoNotExcludeTheBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	makers := map[string]struct {
		typ   schema.Type
		value func(int) schema.Value
	}{
		"BIGINT":  {schema.Type{Kind: schema.BigInt}, func(n int) schema.Value { return schema.IntValue(int64(n)) }},
		"UBIGINT": {schema.Type{Kind: schema.UBigInt}, func(n int) schema.Value { return schema.UintValue(uint64(n + 100)) }},
		"DOUBLE":  {schema.Type{Kind: schema.Double}, func(n int) schema.Value { return schema.FloatValue(float64(n) / 4) }},
		"VARCHAR": {schema.Type{Kind: schema.Varchar}, func(n int) schema.Value { return schema.StringValue(fmt.Sprintf("%03d", n+100)) }},
	}
	for name, m := range makers {
		t.Run(name, func(t *testing.T) {
			var stats []*schema.ColumnStats
			for range 200 {
				least := random.IntN(100) - 50
				s := &schema.ColumnStats{Min: m.value(least), Max: m.value(least + random.IntN(10))}
				switch random.IntN(20) {
				case 0:
					s = nil
				case 1:
					s.Nulls = 10
				case 2:
					s.Max = schema.Value{} // unknown
				}
				stats = append(stats, s)
			}
			var x indexes
			table := manyParts(1, m.typ, stats)
			for range 200 {
				b := Bound{Column: 1, Operator: Operator(random.IntN(5)), Values: []schema.Value{m.value(random.IntN(140) - 70)}}
				if b.Operator == Equal {
					b.Values = append(b.Values, m.value(random.IntN(140)-70))
				}
				ids := map[base.RowsetID]bool{}
				found, _ := x.keepParts(table, []Bound{b})
				for _, p := range found {
					ids[p.ID] = true
				}
				for i, s := range stats {
					want := s == nil || s.Nulls < 10 && b.mayMatch(s.Min, s.Max)
					if ids[base.RowsetID(i+1)] != want {
						t.Fatalf("bound %v %v, statistics %v: kept %v", b.Operator, b.Values, s, !want)
					}
				}
			}
		})
	}
}

func TestIndexComparesIntegersWithOtherNumbers(t *testing.T) {
	var x indexes
	table := manyParts(1, schema.Type{Kind: schema.BigInt}, []*schema.ColumnStats{
		{Min: schema.IntValue(0), Max: schema.IntValue(9)}, {Min: schema.IntValue(10), Max: schema.IntValue(math.MaxInt64)},
	})
	found, _ := x.keepParts(table, []Bound{{Column: 1, Operator: Greater, Values: []schema.Value{schema.FloatValue(9.5)}}})
	if len(found) != 1 || found[0].ID != 2 {
		t.Fatalf("%d parts kept", len(found))
	}
	found, _ = x.keepParts(table, []Bound{{Column: 1, Operator: Greater, Values: []schema.Value{schema.IntValue(math.MaxInt64)}}})
	if len(found) != 0 {
		t.Fatalf("%d parts kept", len(found))
	}
}

func TestIndexFollowsTheVersionAndServesOlderSnapshots(t *testing.T) {
	var x indexes
	low, high := &schema.ColumnStats{Min: schema.IntValue(0), Max: schema.IntValue(9)}, &schema.ColumnStats{Min: schema.IntValue(10), Max: schema.IntValue(19)}
	older := manyParts(1, schema.Type{Kind: schema.BigInt}, []*schema.ColumnStats{low})
	newer := manyParts(2, schema.Type{Kind: schema.BigInt}, []*schema.ColumnStats{low, high})
	b := []Bound{{Column: 1, Operator: Equal, Values: []schema.Value{schema.IntValue(15)}}}
	for range 2 {
		if found, _ := x.keepParts(newer, b); len(found) != 1 || found[0].ID != 2 {
			t.Fatalf("%d parts of the newer version kept", len(found))
		}
		if found, _ := x.keepParts(older, b); len(found) != 0 {
			t.Fatalf("%d parts of the older version kept", len(found))
		}
	}
}

func BenchmarkPrune10000Parts(b *testing.B) {
	var stats []*schema.ColumnStats
	for i := range 10_000 {
		stats = append(stats, &schema.ColumnStats{Min: schema.IntValue(int64(i) * 100), Max: schema.IntValue(int64(i)*100 + 99)})
	}
	var x indexes
	table := manyParts(1, schema.Type{Kind: schema.BigInt}, stats)
	bounds := []Bound{{Column: 1, Operator: GreaterOrEqual, Values: []schema.Value{schema.IntValue(500_000)}}, {Column: 1, Operator: Less, Values: []schema.Value{schema.IntValue(500_100)}}}
	for b.Loop() {
		if found, _ := x.keepParts(table, bounds); len(found) != 1 {
			b.Fatal("not one part")
		}
	}
}
