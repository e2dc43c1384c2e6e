package patch

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
)

// The new values of one column are stored in runs, newest last, similar to a log-structured merge
// tree. The level of a run is 0 below 16 rows, 1 below 256 rows, and so on. From the oldest run to
// the newest, levels descend. When there are foldFanout runs of one level, they are folded into one
// run with the newest value of each row. So n small changes copy each value log16(n) times, and a
// reader folds few runs.
const foldFanout = 16

// chain has the new values of one column, as runs.
type chain struct {
	column base.ColumnID
	runs   []run // oldest first; never modified
}

func (c chain) bytes() (n int64) {
	for _, r := range c.runs {
		n += r.bytes
	}
	return n
}

func (c chain) compare(id base.ColumnID) int { return cmp.Compare(c.column, id) }

// run has new values of one column, for rows with ascending ordinals.
type run struct {
	ordinals []uint32
	values   arrow.Array
	// typ is the type of values. Equal types of adjacent runs are the same pointer.
	typ     arrow.DataType
	version uint32 // the newest schema version that was current when one of the values was set
	bytes   int64  // memory of the run
}

func newRun(ordinals []uint32, values arrow.Array, version uint32) run {
	return run{ordinals, values, values.DataType(), version, 4*int64(len(ordinals)) + dataBytes(values.Data())}
}

// dataBytes returns the total size of an array's buffers.
func dataBytes(data arrow.ArrayData) int64 {
	n := int64(0)
	for _, b := range data.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, child := range data.Children() {
		n += dataBytes(child)
	}
	return n
}

func (r run) level() int {
	level := 0
	for n := len(r.ordinals); n >= foldFanout; n /= foldFanout {
		level++
	}
	return level
}

func (r run) foldsWith(other run) bool {
	return r.typ == other.typ || arrow.TypeEqual(r.typ, other.typ)
}

// push returns the runs with one more, the newest, and folds runs if there are foldFanout of one
// level. It does not modify the slice runs.
func push(runs []run, newest run) ([]run, error) {
	if n := len(runs); n > 0 && arrow.TypeEqual(runs[n-1].typ, newest.typ) {
		newest.typ = runs[n-1].typ // later comparisons then only compare pointers
	}
	runs = append(runs[:len(runs):len(runs)], newest)
	for {
		last := runs[len(runs)-1]
		// k is the number of runs at the end whose level is at most that of the newest run. same is
		// the number of runs at the end with exactly that level.
		k, same := 1, 1
		for k < len(runs) {
			r := runs[len(runs)-1-k]
			if r.level() > last.level() || !r.foldsWith(last) {
				break
			}
			if r.level() == last.level() {
				same++
			}
			k++
		}
		// A run of a lower level would come before one of a higher level, so they are folded.
		if k == same && same < foldFanout {
			return runs, nil
		}
		at := len(runs) - k
		folded, err := fold(runs[at:])
		if err != nil {
			return nil, err
		}
		runs = append(runs[:at:at], folded)
	}
}

// compact returns few runs with the same newest values: it folds adjacent runs of one type.
func (c chain) compact() ([]run, error) {
	var out []run
	for at := 0; at < len(c.runs); {
		end := at + 1
		for end < len(c.runs) && c.runs[end].foldsWith(c.runs[at]) {
			end++
		}
		r, err := fold(c.runs[at:end])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
		at = end
	}
	return out, nil
}

// ref is a row of one of several runs. at is the index of its value, counted through all runs.
type ref struct{ ordinal, at uint32 }

// fold makes one run of several runs of one type, newest last. It has the newest value of each row.
func fold(runs []run) (run, error) {
	if len(runs) == 1 {
		return runs[0], nil
	}
	first := make([]uint32, len(runs))
	records := make([]arrow.RecordBatch, len(runs))
	next := uint32(0)
	version := uint32(0)
	for i, r := range runs {
		first[i] = next
		next += uint32(len(r.ordinals))
		version = max(version, r.version)
		records[i] = newRecord([]arrow.Field{{Name: "v", Type: r.values.DataType(), Nullable: true}}, []arrow.Array{r.values})
	}
	// Begin with the newest run, which is usually the smallest. So each large run is traversed only
	// once.
	newest := refs(runs[len(runs)-1], first[len(runs)-1])
	for i := len(runs) - 2; i >= 0; i-- {
		newest = union(refs(runs[i], first[i]), newest)
	}
	ordinals, at := make([]uint32, len(newest)), make([]uint32, len(newest))
	for i, r := range newest {
		ordinals[i], at[i] = r.ordinal, r.at
	}
	taken, err := batch.Take(records, at)
	if err != nil {
		return run{}, err
	}
	return newRun(ordinals, taken.Column(0), version), nil
}

func refs(r run, first uint32) []ref {
	out := make([]ref, len(r.ordinals))
	for i, o := range r.ordinals {
		out[i] = ref{o, first + uint32(i)}
	}
	return out
}

// union merges two lists that are sorted by ordinal. If both have an ordinal, the result has only
// the newer ref.
func union(older, newer []ref) []ref {
	out := make([]ref, 0, len(older)+len(newer))
	for len(older) > 0 && len(newer) > 0 {
		switch o, n := older[0], newer[0]; {
		case o.ordinal < n.ordinal:
			out, older = append(out, o), older[1:]
		case o.ordinal > n.ordinal:
			out, newer = append(out, n), newer[1:]
		default:
			out, older, newer = append(out, n), older[1:], newer[1:]
		}
	}
	return append(append(out, older...), newer...)
}

// fieldOf returns the field of a column in a layer's values. Its name is the column's id, which
// renames do not change.
func fieldOf(id base.ColumnID, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: strconv.FormatUint(uint64(id), 10), Type: t, Nullable: true}
}

func newRecord(fields []arrow.Field, values []arrow.Array) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), slices.Clone(values), int64(values[0].Len()))
}
