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
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/livescan"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// How changed rows are read. A changed row is hidden in the rowset where it was written, like a
// deleted row, and its current values are read from memory. So unchanged rows, which are most of
// what queries read, are read with all of DuckDB's optimizations, and a changed row costs as much
// as a row of a memtable. Rejected alternative: to put new values into the vectors of a scan.
// Measured on lineitem, the vectors then lose the information that they have few distinct values,
// and a GROUP BY takes three times as long.
//
// The new values of a row are in the patches. The values of its other columns are read from its
// rowset, column by column, when a query first needs them. They are then cached, because written
// values never change.

// rowsetCache has the cached values of the changed rows of one rowset. It exists as long as the
// rowset has changes.
type rowsetCache struct {
	mu sync.Mutex
	// version is the schema version to which the fields latest and columns belong. A request with a
	// later version discards both. It is guarded by mu.
	version uint32
	latest  *changed      // the changed rows as of the newest snapshot that was read; guarded by mu
	columns cachedColumns // cached values by column; guarded by mu

	bytes *atomic.Int64 // memory of the cached columns, in bytes
	// memory of all rowsetCaches together; all of them point to the same account
	total *ledger.Account
}

// cachedColumns are the cached columns of the changed rows of one rowset, by column id.
type cachedColumns map[base.ColumnID]*cachedColumn

type cachedColumn struct {
	written writtenColumn
	// writtenBytes is the memory of the field written, in bytes. latestBytes is the memory of the
	// column's values in rowsetCache.latest. latestBytes is 0 if these share the memory of the
	// written values or of a patch.
	writtenBytes, latestBytes int64
	// used says when the column was last requested: a greater number means later. See
	// changed.values.
	used uint64
}

// writtenColumn has the written values of a column for some rows of a rowset, without patches. They
// are converted to the column's current type.
type writtenColumn struct {
	rows   []uint32 // numbers of the rows, ascending
	values arrow.Array
}

// The method written returns the cached values of a column as they were written, without patches.
func (k cachedColumns) written(id base.ColumnID) writtenColumn {
	if cached := k[id]; cached != nil {
		return cached.written
	}
	return writtenColumn{}
}

// changed describes the changed rows of one rowset, as they are in one patch.Set.
type changed struct {
	cache *rowsetCache
	set   *patch.Set
	table schema.Table
	// written is the schema version with which the rows of the rowset were written.
	written schema.Table
	hidden  []uint32 // numbers of the rows that are changed or deleted, ascending
	rows    []uint32 // numbers of the rows that are changed and not deleted, ascending
	// inPart has the changed and deleted rows in the form that scans of parts take. It is computed
	// on first use.
	inPart     livescan.Rows
	inPartOnce sync.Once
	// columns has the current values of the changed rows, by column id. A column is added when a
	// query first requests it. The field is guarded by cache.mu.
	columns map[base.ColumnID]arrow.Array
}

// The method within returns the values of w for the rows from rows[0] to the last element of rows.
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

// reader reads the written values of some rows of a rowset, converted to the current types of the
// columns. The argument rows has row numbers in ascending order. The argument most is a number of
// bytes: if the values take more, the reader stops, and returns the values of the first rows only.
type reader func(ctx context.Context, columns []schema.Column, rows []uint32, most int64) ([]arrow.Array, error)

// at returns the changed rows of a rowset. The argument set has the changes, and table is the
// schema version in which a query reads the rows. The argument written is the schema version with
// which the rowset was written.
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
	// Data for an old snapshot must not replace cached data for newer snapshots.
	if s.version == table.Version && (s.latest == nil || s.latest.set.Seq <= set.Seq) {
		s.latest = c
		for _, k := range s.columns {
			k.latestBytes = 0
		}
		s.measure()
	}
	return c
}

// hiddenIn returns the rows of the part that scans must leave out, because they were changed or
// deleted.
func (c *changed) hiddenIn(p *catalog.Part) livescan.Rows {
	c.inPartOnce.Do(func() { c.inPart = livescan.Hidden(c.hidden, p.Rows) })
	return c.inPart
}

// values returns the current values of the changed rows, in the given columns. The argument scan is
// the number of the scan that calls. Scans that began later have greater numbers. The argument room
// is the number of bytes that may still be cached. If that is not enough for these values, the
// result is nil: see lazyRows.
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
			// used is even for a column that is not in the cache yet, and odd for a column that the
			// scan has found there. So rowsetCaches.trim evicts this column before the columns that
			// the scan has found.
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

// valuesOf merges the patched and the written values of a column, and records the memory that the
// result takes. If that is more than room bytes, it returns nil.
func (c *changed) valuesOf(column schema.Column, k *cachedColumn, room *int64) (arrow.Array, error) {
	newer, err := c.newer(column)
	if err != nil {
		return nil, err
	}
	if len(newer.rows) > 0 && len(k.written.rows) > 0 && !slices.Equal(c.rows, newer.rows) && bytesOf(newer.values)+bytesOf(k.written.values) > min(*room, arrayBytes) {
		return nil, nil
	}
	values, err := newest(c.rows, newer, k.written)
	if err == nil { // many rows often get the same value, and a dictionary stores it only once
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

// cachedBytes returns the memory in bytes of the cached values of the given columns.
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

// measure updates the counters bytes and total after columns were added to the cache or removed
// from it. The caller holds mu.
func (s *rowsetCache) measure() {
	bytes := int64(0)
	for _, k := range s.columns {
		bytes += k.writtenBytes + k.latestBytes
	}
	if grown := bytes - s.bytes.Swap(bytes); grown > 0 {
		s.total.Charge(grown)
	} else {
		s.total.Release(-grown)
	}
}

// uses returns the cached columns that take memory, and for each of them when it was last
// requested. If another goroutine is using the cache, it does not wait and returns nil.
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

// drop removes the values of a column from the cache. Queries that are using them are not affected.
// Later queries read them again.
func (s *rowsetCache) drop(id base.ColumnID) {
	if !s.mu.TryLock() {
		return // another goroutine is reading values into the cache
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

// newerIn returns the patched values of a column (new values of changed rows), from the first to
// the last of the given rows.
func newerIn(set *patch.Set, column schema.Column, rows []uint32) (writtenColumn, error) {
	newer, err := set.Column(column)
	if err != nil || newer == nil {
		return writtenColumn{}, err
	}
	return writtenColumn{newer.Ordinals, newer.Values}.within(rows), nil
}

// The method lacks returns the columns that the method values will have to read from the rowset,
// and the rows for which it will read them.
func (c *changed) lacks(columns []schema.Column) ([]schema.Column, []uint32, error) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	return c.missing(c.rows, columns, c.cachedLocked())
}

// cachedLocked returns the cached columns if they belong to the schema version of c, and otherwise
// none. The caller holds cache.mu.
func (c *changed) cachedLocked() cachedColumns {
	if c.cache.version != c.table.Version {
		return cachedColumns{}
	}
	return c.cache.columns
}

// missing returns the columns with values that are neither patched nor cached, and the rows whose
// values must be read. It returns only columns that one query can read together. A column that
// needs a query of its own is returned by a later call.
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

// arrayBytes is the maximum size in bytes of an array of texts, because the offsets in the array
// have 31 bits.
const arrayBytes = 1 << 30

// readMissing reads missing values into the cache. It returns the number of changed rows, from the
// first, that have no missing values any more. It stops when the cache is full: the argument room
// is the number of bytes that may still be cached. Each read may exceed this number by up to the
// number of bytes in the argument least. So if that is 0, nothing is read into a full cache. If it
// is 1, at least some rows are read.
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

// newest returns an array with one value for each row: the value in the argument newer if it has
// the row, and otherwise the value in the argument older.
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

// minus returns the numbers that are in a and not in b. Both a and b are ascending.
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

// union returns the numbers that are in a or in b. Both are ascending, and so is the result.
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
