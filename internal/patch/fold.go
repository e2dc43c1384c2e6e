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

// The new values of one column are stored in runs, similar to a log-structured merge tree. The
// newest run is the last. The level of a run is 0 below 16 rows, 1 below 256 rows, and so on.
// Levels descend from the oldest run to the newest. When there are foldFanout runs of one level,
// they are folded into one run, which has the newest value of each row. So each value is copied
// about log16(n) times by n small changes, and a reader folds few runs.
const foldFanout = 16

// chain has the new values of one column, as a list of runs.
type chain struct {
	column base.ColumnID
	runs   []run // the runs, oldest first; the slice is never modified
}

func (c chain) bytes() (n int64) {
	for _, r := range c.runs {
		n += r.bytes
	}
	return n
}

func (c chain) compare(id base.ColumnID) int { return cmp.Compare(c.column, id) }

// run has new values of one column for some rows. The row numbers are in ascending order.
type run struct {
	ordinals []uint32
	values   arrow.Array
	// typ is the type of the values. If adjacent runs have equal types, their typ is the same
	// pointer.
	typ     arrow.DataType
	version uint32 // newest schema version under which one of the values was set
	bytes   int64  // memory that the run takes, in bytes
}

func newRun(ordinals []uint32, values arrow.Array, version uint32) run {
	return run{ordinals, values, values.DataType(), version, 4*int64(len(ordinals)) + dataBytes(values.Data())}
}

// dataBytes returns the total size in bytes of the buffers of an array.
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

// push returns the runs (lists of new values) plus one more run, which is the newest. If there are
// then foldFanout runs of one level (class of sizes), it folds them into one. It does not modify
// the slice runs.
func push(runs []run, newest run) ([]run, error) {
	if n := len(runs); n > 0 && arrow.TypeEqual(runs[n-1].typ, newest.typ) {
		newest.typ = runs[n-1].typ // with the same pointer, later comparisons are cheap
	}
	runs = append(runs[:len(runs):len(runs)], newest)
	for {
		last := runs[len(runs)-1]
		// Compare the levels (classes of sizes) of the last runs with the level of the newest run.
		// k is the number of runs at the end that have at most this level, and same is the number
		// of those that have exactly this level.
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
		// If all of the last k runs have the same level, and they are fewer than foldFanout, they
		// stay as they are. Otherwise they are folded into one run.
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

// compact returns the newest values in fewer runs: adjacent runs whose values have the same type
// are folded into one run.
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

// ref refers to a value in one of several runs. ordinal is the number of the value's row. at is the
// index of the value among the values of all runs, one run after the other.
type ref struct{ ordinal, at uint32 }

// fold makes one run of several runs that have values of the same type. Later runs are newer. The
// result has the newest value of each row.
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
	// Begin with the newest run, which is usually the smallest. So each large run is read only
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

// union merges two lists of refs (references to rows of runs) that are sorted by row number. If
// both lists have the same row, the result has only the newer ref.
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

// fieldOf returns the Arrow field of a column in a record of new values. The name of the field is
// the column's id, which does not change when the column is renamed.
func fieldOf(id base.ColumnID, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: strconv.FormatUint(uint64(id), 10), Type: t, Nullable: true}
}

func newRecord(fields []arrow.Field, values []arrow.Array) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), slices.Clone(values), int64(values[0].Len()))
}
