package ingest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

// TestColumnsAgreeWithAPlainModel sets random values at random rows in several columns, some of
// them nested, and compares the batch with the values.
func TestColumnsAgreeWithAPlainModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		table := NewTable("t", NewPadding())
		rows := 1 + r.IntN(200)
		kinds := make([]Kind, 1+r.IntN(5))
		for i := range kinds {
			kinds[i] = Kind(1 + r.IntN(9))
		}
		nullness := r.IntN(3)
		want := make([][]string, len(kinds))
		for row := range rows {
			for i, kind := range kinds {
				text := "(null)"
				if nullness > 0 && r.IntN(2*nullness) > 0 {
					if r.IntN(4) == 0 {
						c := mustColumn(t, table, i)
						must(t, c.SetNull(row))
					}
				} else {
					text = setRandom(t, r, mustColumn(t, table, i), row, kind)
				}
				want[i] = append(want[i], text)
			}
			must(t, table.Grow(1))
		}
		for i := range kinds {
			mustColumn(t, table, i)
		}
		order := make([]*Column, len(kinds))
		for i := range kinds {
			order[i] = table.Lookup(0, []byte(fmt.Sprint("c", i)))
		}
		batch, err := table.Finish(order)
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(batch); err != nil {
			t.Fatal(err)
		}
		for i := range kinds {
			for row := range rows {
				if got := batch.Column(i).ValueStr(row); got != want[i][row] {
					t.Fatalf("column of %v, row %d: %s, want %s", kinds[i], row, got, want[i][row])
				}
			}
		}
		batch.Release()
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustColumn(t *testing.T, table *Table, i int) *Column {
	t.Helper()
	c, err := table.Column(i, []byte(fmt.Sprint("c", i)))
	must(t, err)
	return c
}

// setRandom sets row to a random value and returns its text.
func setRandom(t *testing.T, r *rand.Rand, c *Column, row int, kind Kind) string {
	t.Helper()
	switch kind {
	case Bool:
		v := r.IntN(2) == 0
		must(t, c.SetBool(row, v))
		return fmt.Sprint(v)
	case Int:
		v := r.Int64() - r.Int64()
		must(t, c.SetInt(row, v))
		return fmt.Sprint(v)
	case Uint:
		v := r.Uint64()
		must(t, c.SetUint(row, v))
		return fmt.Sprint(v)
	case Float:
		v := r.Int64N(1000)
		if r.IntN(2) == 0 {
			must(t, c.SetInt(row, v))
			return fmt.Sprint(v)
		}
		must(t, c.SetFloat(row, float64(v)+0.5))
		return fmt.Sprint(float64(v) + 0.5)
	case String:
		v := strings.Repeat("ü", r.IntN(3)*r.IntN(10)) + fmt.Sprint(r.IntN(1+row/2))
		must(t, c.SetString(row, []byte(v)))
		return v
	case Binary:
		v := []byte{byte(r.IntN(256)), 0, 255}[:r.IntN(3)]
		must(t, c.SetBinary(row, v))
		return array.NewBinaryData(binaryOf(v)).ValueStr(0)
	case Timestamp:
		v := r.Int64N(2.5e11) // years must have four digits
		must(t, c.SetTimestamp(row, v*1e6, 0))
		return arrow.Timestamp(v).ToTime(arrow.Second).Format("2006-01-02T15:04:05Z")
	case List:
		e, err := c.BeginList(row)
		must(t, err)
		var values []string
		for range r.IntN(4) {
			v := r.IntN(100)
			must(t, e.SetInt(e.Rows(), int64(v)))
			values = append(values, fmt.Sprint(v))
		}
		must(t, c.EndList())
		return "[" + strings.Join(values, ",") + "]"
	default:
		must(t, c.BeginStruct(row))
		f, err := c.Field(0, []byte("f"))
		must(t, err)
		v := r.IntN(100)
		must(t, f.SetInt(row, int64(v)))
		c.EndStruct()
		return fmt.Sprintf(`{"f":%d}`, v)
	}
}

func binaryOf(v []byte) arrow.ArrayData {
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	b.Append(v)
	return b.NewArray().Data()
}

func TestNumbersKeepTheirValuesOrAreRefused(t *testing.T) {
	// set sets one number per row: int64, uint64 or float64.
	set := func(values ...any) (arrow.RecordBatch, error) {
		table := NewTable("t", NewPadding())
		for row, v := range values {
			c, err := table.Column(0, []byte("c"))
			if err != nil {
				return nil, err
			}
			switch v := v.(type) {
			case int:
				err = c.SetInt(row, int64(v))
			case uint64:
				err = c.SetUint(row, v)
			case float64:
				err = c.SetFloat(row, v)
			}
			if err != nil {
				return nil, err
			}
			if err := table.Grow(1); err != nil {
				return nil, err
			}
		}
		return table.Finish(nil)
	}
	const big, exact = uint64(math.MaxUint64), uint64(1 << 63)
	for _, values := range [][]any{{1, 2}, {1, big}, {big, 1}, {1, 2.5}, {2.5, 1}, {exact, 2.5}, {2.5, exact}, {math.MinInt64, 0.5}, {0.5, 1 << 60}, {nil, 1}} {
		batch, err := set(values...)
		if err != nil {
			t.Errorf("%v: %v", values, err)
			continue
		}
		for row, v := range values {
			got := batch.Column(0).ValueStr(row)
			want := fmt.Sprint(v)
			if _, ok := batch.Column(0).(*array.Float64); ok && v != nil {
				switch v := v.(type) {
				case int:
					want = fmt.Sprint(float64(v))
				case uint64:
					want = fmt.Sprint(float64(v))
				}
			}
			if v == nil {
				want = "(null)"
			}
			if got != want {
				t.Errorf("%v: row %d is %s", values, row+1, got)
			}
		}
	}
	for _, values := range [][]any{{-1, big}, {big, -1}, {1<<53 + 1, 2.5}, {2.5, 1<<53 + 1}, {big, 2.5}, {2.5, big}, {math.MaxInt64, 0.5}} {
		if _, err := set(values...); base.KindOf(err) != base.Invalid || err == nil || !strings.Contains(err.Error(), `column "c"`) {
			t.Errorf("%v: %v", values, err)
		}
	}
}

func TestDictionariesOfAnyCardinality(t *testing.T) {
	for _, distinct := range []int{1, 2, 500, 600, 5000, dictionaryMax + 5000} {
		for _, size := range []int{0, 1, 5, 8, 16, 17, 40} {
			if distinct > 10_000 && size != 5 && size != 40 {
				continue
			}
			table := NewTable("t", NewPadding())
			rows := max(3*distinct, 100)
			value := func(i int) []byte {
				text := fmt.Sprint(i % distinct)
				if len(text) < size {
					text = strings.Repeat("x", size-len(text)) + text
				}
				return []byte(text)
			}
			for i := range rows {
				c := mustColumn(t, table, 0)
				must(t, c.SetString(i, value(i)))
				must(t, table.Grow(1))
			}
			batch, err := table.Finish(nil)
			must(t, err)
			must(t, Validate(batch))
			if d, ok := batch.Column(0).(*array.Dictionary); ok && d.Dictionary().Len() != distinct {
				t.Errorf("%d distinct values of size %d: a dictionary of %d", distinct, size, d.Dictionary().Len())
			} else if !ok && distinct < dictionaryCheck {
				t.Errorf("%d distinct values of size %d: no dictionary", distinct, size)
			}
			for i := range rows {
				if got := batch.Column(0).ValueStr(i); got != string(value(i)) {
					t.Fatalf("row %d of %d distinct values is %q, want %q", i, distinct, got, value(i))
				}
			}
		}
	}
}

func TestStringsOfOneKeyAreToldApart(t *testing.T) {
	// Short strings whose overlapping words could be confused, and prefixes of each other.
	var values []string
	for n := range 40 {
		for _, c := range "ab\x00" {
			values = append(values, strings.Repeat(string(c), n), strings.Repeat("a", n)+string(c), string(c)+strings.Repeat("a", n))
		}
	}
	table := NewTable("t", NewPadding())
	for i := range 3 * len(values) {
		must(t, mustColumn(t, table, 0).SetString(i, []byte(values[i%len(values)])))
		must(t, table.Grow(1))
	}
	batch, err := table.Finish(nil)
	must(t, err)
	for i := range 3 * len(values) {
		if got := batch.Column(0).ValueStr(i); got != values[i%len(values)] {
			t.Fatalf("row %d is %q, want %q", i, got, values[i%len(values)])
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "Größe", "with space", "\"quoted\"", strings.Repeat("x", MaxNameSize)} {
		must(t, CheckName("column", name))
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", MaxNameSize+1)} {
		if err := CheckName("column", name); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func BenchmarkStrings(b *testing.B) {
	const rows = 100_000
	for _, distinct := range []int{1, 100, 1000, 10_000, 50_000, 100_000} {
		for _, plain := range []bool{false, true} {
			b.Run(fmt.Sprintf("distinct=%d/plain=%v", distinct, plain), func(b *testing.B) {
				values := make([][]byte, rows)
				r := rand.New(rand.NewPCG(1, 2))
				for i := range values {
					values[i] = fmt.Appendf(nil, "value-%08d", r.IntN(distinct))
				}
				for b.Loop() {
					s := Strings{plain: plain}
					s.reserve(rows)
					for _, v := range values {
						s.append(v)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
