package overlay

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/livescan"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Rows that were changed are not read where they were written: they are hidden there, as deleted rows are, and
// read from memory instead, as they are now. So what most queries mostly read, the rows that nobody changed, keeps
// all of DuckDB's ways to read less of it; and a changed row costs what a row of a memtable does. (Measured on
// lineitem: putting new values into the vectors that a scan gives makes it forget that they hold few
// distinct values, and costs a GROUP BY three times its time.)
//
// The row's new values are in the patches. The values of its other columns are read from the source when a query
// first asks for them, column by column, and kept: what was written never changes.

// source is what is kept of one source with changes, for as long as it has any.
type source struct {
	mu sync.Mutex
	// Of the last schema version that was asked for; another starts anew.
	version uint32      // guarded by mu
	latest  *changed    // guarded by mu
	kept    keptColumns // guarded by mu

	bytes *atomic.Int64 // of kept
	total *atomic.Int64 // of all sources: see sources
}

// keptColumns are what is kept of a source's columns.
type keptColumns map[base.ColumnID]*keptColumn

type keptColumn struct {
	written writtenColumn
	// What is kept takes: written, and the values of source.latest where they are neither written ones nor a patch's.
	writtenBytes, latestBytes int64
	used                      uint64 // when it was last asked for: see changed.values
}

// writtenColumn is values of a column as they were written, in its present type.
type writtenColumn struct {
	rows   []uint32 // ascending
	values arrow.Array
}

// written returns the values of a column that are kept as they were written.
func (k keptColumns) written(id base.ColumnID) writtenColumn {
	if kept := k[id]; kept != nil {
		return kept.written
	}
	return writtenColumn{}
}

// changed is the changed rows of one source, by one set of patches.
type changed struct {
	source *source
	set    *patch.Set
	table  schema.Table
	// written is the version that the source was written with.
	written schema.Table
	hidden  []uint32 // rows not to be read where they were written, ascending
	rows    []uint32 // those of them that are not deleted
	// The hidden ones as a scan of the part looks them up, once one does.
	inPart     livescan.Rows
	inPartOnce sync.Once
	// The rows' values, column by column as they are asked for.
	columns map[base.ColumnID]arrow.Array // guarded by source.mu
}

// within returns what there is of it between the first and the last of some rows.
func (w writtenColumn) within(rows []uint32) writtenColumn {
	if len(w.rows) == 0 || len(rows) == 0 {
		return writtenColumn{}
	}
	from, _ := slices.BinarySearch(w.rows, rows[0])
	to, found := slices.BinarySearch(w.rows, rows[len(rows)-1])
	if found {
		to++
	}
	switch {
	case from == 0 && to == len(w.rows):
		return w
	case from == to:
		return writtenColumn{}
	}
	return writtenColumn{w.rows[from:to], array.NewSlice(w.values, int64(from), int64(to))}
}

// reader reads values of ascending rows as a source holds them, in the columns' present types: of all of them, or of the first ones,
// whose values take more than so many bytes.
type reader func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error)

// at returns the source's changed rows.
func (s *source) at(set *patch.Set, table, written schema.Table) *changed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest != nil && s.latest.set == set && s.version == table.Version {
		return s.latest
	}
	c := &changed{source: s, set: set, table: table, written: written, columns: map[base.ColumnID]arrow.Array{}}
	patched := set.Patched()
	switch {
	case set.Deleted == nil:
		c.rows = patched.ToArray()
		c.hidden = c.rows
	case patched.IsEmpty():
		c.hidden = set.Deleted.ToArray()
	default:
		live := patched.Clone()
		live.AndNot(set.Deleted)
		c.rows = live.ToArray()
		live.Or(set.Deleted)
		c.hidden = live.ToArray()
	}
	if s.version < table.Version || s.latest == nil {
		s.version, s.kept, s.latest = table.Version, keptColumns{}, nil
	}
	if s.version == table.Version && (s.latest == nil || s.latest.set.Seq <= set.Seq) { // an old snapshot must not push out what others use
		s.latest = c
		for _, k := range s.kept {
			k.latestBytes = 0
		}
		s.measure()
	}
	return c
}

// hiddenIn returns the rows that are hidden in the source, a part.
func (c *changed) hiddenIn(p *catalog.Part) livescan.Rows {
	c.inPartOnce.Do(func() { c.inPart = livescan.Hidden(c.hidden, p.Rows) })
	return c.inPart
}

// values returns columns of the rows to a scan, or nil if there is no room: see rowSource.
func (c *changed) values(ctx context.Context, columns []schema.Column, read reader, scan uint64, room *int64) ([]arrow.Array, error) {
	s := c.source
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.measure()
	kept := c.keptLocked()
	for _, column := range columns {
		if k := kept[column.ID]; k != nil {
			k.used = 2*scan + 1
		} else {
			kept[column.ID] = &keptColumn{used: 2 * scan} // it goes before what the scan found here: see sources.trim
		}
	}
	if n, err := c.readMissing(ctx, columns, kept, read, room, 0); err != nil || n < len(c.rows) {
		return nil, err
	}
	out := make([]arrow.Array, len(columns))
	for i, column := range columns {
		values, ok := c.columns[column.ID]
		if !ok {
			var err error
			if values, err = c.valuesOf(column, kept[column.ID], room); err != nil {
				return nil, base.Wrap(err, "column %q", column.Name)
			}
			if values == nil {
				return nil, nil
			}
			c.columns[column.ID] = values
		}
		out[i] = values
	}
	return out, nil
}

// valuesOf makes the values of a column, and notes what they take. It returns nil if that is more than there is room for.
func (c *changed) valuesOf(column schema.Column, k *keptColumn, room *int64) (arrow.Array, error) {
	newer, err := c.newer(column)
	if err != nil {
		return nil, err
	}
	if len(newer.rows) > 0 && len(k.written.rows) > 0 && !slices.Equal(c.rows, newer.rows) && bytesOf(newer.values)+bytesOf(k.written.values) > min(*room, arrayBytes) {
		return nil, nil
	}
	values, err := newest(c.rows, newer, k.written)
	if err == nil { // many rows often get one new value
		values, err = batch.Repeating(values)
	}
	if err == nil && values != newer.values && values != k.written.values {
		bytes := bytesOf(values)
		*room -= bytes
		if c == c.source.latest {
			k.latestBytes = bytes
		}
	}
	return values, err
}

// held returns what is kept of some columns, in bytes.
func (c *changed) held(columns []schema.Column) (bytes int64) {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	kept := c.keptLocked()
	for _, column := range columns {
		if k := kept[column.ID]; k != nil {
			bytes += k.writtenBytes + k.latestBytes
		}
	}
	return bytes
}

// measure adds up what is kept. mu is held.
func (s *source) measure() {
	bytes := int64(0)
	for _, k := range s.kept {
		bytes += k.writtenBytes + k.latestBytes
	}
	s.total.Add(bytes - s.bytes.Swap(bytes))
}

// uses returns which columns take memory, and when each was last asked for. It is nil while somebody reads.
func (s *source) uses() map[base.ColumnID]uint64 {
	if !s.mu.TryLock() {
		return nil
	}
	defer s.mu.Unlock()
	uses := make(map[base.ColumnID]uint64, len(s.kept))
	for id, k := range s.kept {
		if k.writtenBytes+k.latestBytes > 0 {
			uses[id] = k.used
		}
	}
	return uses
}

// drop lets go of a column, which can be read again. Who uses it still has it.
func (s *source) drop(id base.ColumnID) {
	if !s.mu.TryLock() {
		return // somebody reads just now
	}
	defer s.mu.Unlock()
	delete(s.kept, id)
	delete(s.latest.columns, id)
	s.measure()
}

func bytesOf(a arrow.Array) int64 {
	fields := []arrow.Field{{Name: "v", Type: a.DataType(), Nullable: true}}
	return batch.Bytes(array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{a}, int64(a.Len())))
}

func (c *changed) newer(column schema.Column) (writtenColumn, error) {
	return newerIn(c.set, column, c.rows)
}

// newerIn returns the patched values of a column, in the rows or between them.
func newerIn(set *patch.Set, column schema.Column, rows []uint32) (writtenColumn, error) {
	newer, err := set.Column(column)
	if err != nil || newer == nil {
		return writtenColumn{}, err
	}
	return writtenColumn{newer.Ordinals, newer.Values}.within(rows), nil
}

// lacks returns those of the columns that values will have to read of the source, and of which rows.
func (c *changed) lacks(columns []schema.Column) ([]schema.Column, []uint32, error) {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	return c.missing(c.rows, columns, c.keptLocked())
}

// keptLocked returns what is kept for this version of the table. source.mu is held.
func (c *changed) keptLocked() keptColumns {
	if c.source.version != c.table.Version {
		return keptColumns{}
	}
	return c.source.kept
}

// missing returns columns of which values of some rows are needed of the source that nobody read yet, and of which rows: all that can be read together.
func (c *changed) missing(rows []uint32, columns []schema.Column, kept keptColumns) (wanted []schema.Column, missing []uint32, err error) {
	var alone []schema.Column
	var aloneRows []uint32
	for _, column := range columns {
		if _, ok := c.columns[column.ID]; ok {
			continue
		}
		newer, err := c.newer(column)
		if err != nil {
			return nil, nil, err
		}
		lacking := minus(minus(rows, newer.rows), kept.written(column.ID).rows)
		switch {
		case len(lacking) == 0:
		case !c.written.MayExceed(column):
			wanted, missing = append(wanted, column), union(missing, lacking)
		case alone == nil:
			alone, aloneRows = []schema.Column{column}, lacking
		}
	}
	if len(wanted) == 0 {
		return alone, aloneRows, nil
	}
	return wanted, missing, nil
}

// arrayBytes bounds an array that is made of what is read: its offsets are of 31 bits.
const arrayBytes = 1 << 30

// readMissing reads what is missing into what is kept, while there is room for it. It returns of how many of the rows, of the first, nothing is
// missing any more. Each time it reads what takes least bytes, be there room or not: with 0 nothing without room, with 1 some rows in any case.
func (c *changed) readMissing(ctx context.Context, columns []schema.Column, kept keptColumns, read reader, room *int64, least int64) (int, error) {
	rows := c.rows
	for {
		wanted, missing, err := c.missing(rows, columns, kept)
		if err != nil || len(wanted) == 0 {
			return len(rows), err
		}
		most := *room
		for _, column := range wanted {
			most = min(most, arrayBytes-kept[column.ID].writtenBytes)
		}
		if most = max(most, least); most <= 0 {
			n, _ := slices.BinarySearch(rows, missing[0])
			return n, nil
		}
		values, err := read(ctx, wanted, missing, most)
		if err != nil {
			return 0, err
		}
		if n := values[0].Len(); n < len(missing) {
			k, _ := slices.BinarySearch(rows, missing[n])
			rows, missing = rows[:k], missing[:n]
		}
		for i, column := range wanted {
			k := kept[column.ID]
			all := union(k.written.rows, missing)
			joined, err := newest(all, writtenColumn{missing, values[i]}, k.written)
			if err != nil {
				return 0, base.Wrap(err, "column %q", column.Name)
			}
			before := k.writtenBytes
			k.written, k.writtenBytes = writtenColumn{all, joined}, 4*int64(len(all))+bytesOf(joined)
			*room -= k.writtenBytes - before
		}
	}
}

// newest returns the value of each of the rows: the newer where there is one, else the older.
func newest(rows []uint32, newer, older writtenColumn) (arrow.Array, error) {
	if slices.Equal(rows, newer.rows) {
		return newer.values, nil
	}
	if len(newer.rows) == 0 && slices.Equal(rows, older.rows) {
		return older.values, nil
	}
	at := make([]uint32, len(rows))
	i, k := 0, 0
	for n, row := range rows {
		for i < len(newer.rows) && newer.rows[i] < row {
			i++
		}
		if i < len(newer.rows) && newer.rows[i] == row {
			at[n] = uint32(i)
			continue
		}
		for k < len(older.rows) && older.rows[k] < row {
			k++
		}
		if k == len(older.rows) || older.rows[k] != row {
			return nil, base.Errorf(base.Internal, "no value of row %d", row)
		}
		at[n] = uint32(len(newer.rows) + k)
	}
	var chunks []arrow.RecordBatch
	for _, c := range []writtenColumn{newer, older} {
		if len(c.rows) > 0 {
			fields := []arrow.Field{{Name: "v", Type: c.values.DataType(), Nullable: true}}
			chunks = append(chunks, array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{c.values}, int64(len(c.rows))))
		}
	}
	taken, err := batch.Take(chunks, at)
	if err != nil {
		return nil, err
	}
	return taken.Column(0), nil
}

// minus returns the elements of a that are not in b; both ascend.
func minus(a, b []uint32) []uint32 {
	if len(b) == 0 {
		return a
	}
	if slices.Equal(a, b) {
		return nil
	}
	var out []uint32
	for _, v := range a {
		for len(b) > 0 && b[0] < v {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != v {
			out = append(out, v)
		}
	}
	return out
}

// union returns the elements of both, ascending as they do.
func union(a, b []uint32) []uint32 {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}
