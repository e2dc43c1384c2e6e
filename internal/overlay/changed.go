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

// How changed rows are read. A changed row is hidden at the place where it was written, like a
// deleted row, and its current values are read from memory. So unchanged rows, which are most of
// what queries read, are read with all of DuckDB's optimizations, and a changed row costs as much
// as a row of a memtable. (Measured on lineitem: if new values are put into the vectors of a scan,
// the vectors lose the information that they have few distinct values, and a GROUP BY takes three
// times as long.)
//
// The new values of a row are in the patches. The values of its other columns are read from its
// rowset when a query first needs them, column by column. They are then cached, because written
// values never change.

// rowsetCache has the cached values of a rowset's changed rows. It exists as long as the rowset has
// changes.
type rowsetCache struct {
	mu sync.Mutex
	// version is the schema version of latest and columns. A request with another version discards
	// both.
	version uint32        // guarded by mu
	latest  *changed      // guarded by mu
	columns cachedColumns // guarded by mu

	bytes *atomic.Int64 // memory of columns, in bytes
	total *atomic.Int64 // shared by all values of this type: their memory, in bytes
}

// cachedColumns are the cached columns of a rowset's changed rows.
type cachedColumns map[base.ColumnID]*cachedColumn

type cachedColumn struct {
	written writtenColumn
	// writtenBytes is the memory of written. latestBytes is the memory of the column's values in
	// rowsetCache.latest, unless these are the written values or those of a patch.
	writtenBytes, latestBytes int64
	// When the column was last requested, as a number: see changed.values.
	used uint64
}

// writtenColumn has a column's written values for some rows of a rowset, converted to the column's
// current type.
type writtenColumn struct {
	rows   []uint32 // ascending
	values arrow.Array
}

// written returns the cached written values of a column.
func (k cachedColumns) written(id base.ColumnID) writtenColumn {
	if cached := k[id]; cached != nil {
		return cached.written
	}
	return writtenColumn{}
}

// changed describes the changed rows of one rowset for one patch.Set.
type changed struct {
	cache *rowsetCache
	set   *patch.Set
	table schema.Table
	// written is the schema version with which the rowset was written.
	written schema.Table
	hidden  []uint32 // ordinals of the changed and deleted rows, ascending
	rows    []uint32 // ordinals of the changed rows that are not deleted, ascending
	// inPart has the hidden rows in the form that part scans take. It is computed on first use.
	inPart     livescan.Rows
	inPartOnce sync.Once
	// columns has the current values of rows. It is filled column by column as queries request
	// them.
	columns map[base.ColumnID]arrow.Array // guarded by cache.mu
}

// within returns the part of w from the first to the last of the given rows.
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

// reader reads values of a rowset, converted to the columns' current types. rows are ascending
// ordinals. When the values take more than most bytes, it stops and returns the values of the first
// rows only.
type reader func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error)

// at returns the changed rows of a rowset for a set of changes and a version of the table. written
// is the schema version with which the rowset was written.
func (s *rowsetCache) at(set *patch.Set, table, written schema.Table) *changed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest != nil && s.latest.set == set && s.version == table.Version {
		return s.latest
	}
	c := &changed{cache: s, set: set, table: table, written: written, columns: map[base.ColumnID]arrow.Array{}}
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
		s.version, s.columns, s.latest = table.Version, cachedColumns{}, nil
	}
	// An old snapshot must not replace the cached data of newer snapshots.
	if s.version == table.Version && (s.latest == nil || s.latest.set.Seq <= set.Seq) {
		s.latest = c
		for _, k := range s.columns {
			k.latestBytes = 0
		}
		s.measure()
	}
	return c
}

// hiddenIn returns the hidden rows of a part.
func (c *changed) hiddenIn(p *catalog.Part) livescan.Rows {
	c.inPartOnce.Do(func() { c.inPart = livescan.Hidden(c.hidden, p.Rows) })
	return c.inPart
}

// values returns the current values of the changed rows, in the given columns. scan is the number
// of the requesting scan. If room (bytes for caching) is not enough, values returns nil: see
// lazyRows.
func (c *changed) values(ctx context.Context, columns []schema.Column, read reader, scan uint64, room *int64) ([]arrow.Array, error) {
	s := c.cache
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.measure()
	cached := c.cachedLocked()
	for _, column := range columns {
		if k := cached[column.ID]; k != nil {
			k.used = 2*scan + 1
		} else {
			// An even number, so that this column is evicted before columns that the same scan
			// found in the cache: see rowsetCaches.trim.
			cached[column.ID] = &cachedColumn{used: 2 * scan}
		}
	}
	if n, err := c.readMissing(ctx, columns, cached, read, room, 0); err != nil || n < len(c.rows) {
		return nil, err
	}
	out := make([]arrow.Array, len(columns))
	for i, column := range columns {
		values, ok := c.columns[column.ID]
		if !ok {
			var err error
			if values, err = c.valuesOf(column, cached[column.ID], room); err != nil {
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

// valuesOf merges the patched and the written values of a column, and records the memory of the
// result. It returns nil if that takes more than room.
func (c *changed) valuesOf(column schema.Column, k *cachedColumn, room *int64) (arrow.Array, error) {
	newer, err := c.newer(column)
	if err != nil {
		return nil, err
	}
	if len(newer.rows) > 0 && len(k.written.rows) > 0 && !slices.Equal(c.rows, newer.rows) && bytesOf(newer.values)+bytesOf(k.written.values) > min(*room, arrayBytes) {
		return nil, nil
	}
	values, err := newest(c.rows, newer, k.written)
	if err == nil { // often many rows get the same value, which a dictionary stores once
		values, err = batch.Repeating(values)
	}
	if err == nil && values != newer.values && values != k.written.values {
		bytes := bytesOf(values)
		*room -= bytes
		if c == c.cache.latest {
			k.latestBytes = bytes
		}
	}
	return values, err
}

// cachedBytes returns the memory of the cached values of the given columns.
func (c *changed) cachedBytes(columns []schema.Column) (bytes int64) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	cached := c.cachedLocked()
	for _, column := range columns {
		if k := cached[column.ID]; k != nil {
			bytes += k.writtenBytes + k.latestBytes
		}
	}
	return bytes
}

// measure updates bytes and total after columns were added or dropped. mu must be held.
func (s *rowsetCache) measure() {
	bytes := int64(0)
	for _, k := range s.columns {
		bytes += k.writtenBytes + k.latestBytes
	}
	s.total.Add(bytes - s.bytes.Swap(bytes))
}

// uses returns the columns that take memory, and when each was last requested. It returns nil
// without waiting if another goroutine uses the cache.
func (s *rowsetCache) uses() map[base.ColumnID]uint64 {
	if !s.mu.TryLock() {
		return nil
	}
	defer s.mu.Unlock()
	uses := make(map[base.ColumnID]uint64, len(s.columns))
	for id, k := range s.columns {
		if k.writtenBytes+k.latestBytes > 0 {
			uses[id] = k.used
		}
	}
	return uses
}

// drop evicts a column's values. Queries that use them are not affected, and later queries read
// them again.
func (s *rowsetCache) drop(id base.ColumnID) {
	if !s.mu.TryLock() {
		return // another goroutine reads values into the cache
	}
	defer s.mu.Unlock()
	delete(s.columns, id)
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

// newerIn returns the patched values of a column from the first to the last of the given rows.
func newerIn(set *patch.Set, column schema.Column, rows []uint32) (writtenColumn, error) {
	newer, err := set.Column(column)
	if err != nil || newer == nil {
		return writtenColumn{}, err
	}
	return writtenColumn{newer.Ordinals, newer.Values}.within(rows), nil
}

// lacks returns the columns that the method values will have to read from the rowset, and the rows
// for which it will read them.
func (c *changed) lacks(columns []schema.Column) ([]schema.Column, []uint32, error) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return c.missing(c.rows, columns, c.cachedLocked())
}

// cachedLocked returns the cached columns for the changed rows' schema version. cache.mu must be
// held.
func (c *changed) cachedLocked() cachedColumns {
	if c.cache.version != c.table.Version {
		return cachedColumns{}
	}
	return c.cache.columns
}

// missing returns columns of which some values are neither patched nor cached, and the rows whose
// values must be read. It returns only columns that one query can read together; a column that
// needs a query of its own is returned in a later call.
func (c *changed) missing(rows []uint32, columns []schema.Column, cached cachedColumns) (wanted []schema.Column, missing []uint32, err error) {
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
		lacking := minus(minus(rows, newer.rows), cached.written(column.ID).rows)
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

// arrayBytes bounds the bytes of an array of texts, because the array's offsets have 31 bits.
const arrayBytes = 1 << 30

// readMissing reads missing values into the cache while there is room, in bytes. It returns n: for
// the first n changed rows no values are missing any more. Each read may exceed the room by up to
// least bytes. So with least 0 it reads nothing if there is no room, and with least 1 it reads at
// least some rows.
func (c *changed) readMissing(ctx context.Context, columns []schema.Column, cached cachedColumns, read reader, room *int64, least int64) (int, error) {
	rows := c.rows
	for {
		wanted, missing, err := c.missing(rows, columns, cached)
		if err != nil || len(wanted) == 0 {
			return len(rows), err
		}
		most := *room
		for _, column := range wanted {
			most = min(most, arrayBytes-cached[column.ID].writtenBytes)
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
			k := cached[column.ID]
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

// newest returns an array with one value for each row: its value in newer if there is one, and
// otherwise its value in older.
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

// minus returns the elements of a that are not in b. Both are ascending.
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

// union returns the numbers that are in a or in b. All are ascending.
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
