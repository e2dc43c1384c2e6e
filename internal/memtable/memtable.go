// Package memtable holds the rows that are in the write-ahead log and not yet in a part:
// per table and generation one memtable, readable while it grows.
package memtable

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Small batches are joined so that a scan of a table that is written row by row sees few
// batches. A batch has a level: below 16 rows 0, below 256 rows 1, below 4,096 rows 2; larger ones are
// done. The last batches, those not done, have falling levels. When joinFanout batches of
// one level have gathered, they become one of the next level: counting in base 16. When a
// batch of a higher level comes, the lower ones before it become one batch of that level,
// so that the levels fall again.
//
// The joined batches' memory cannot be reused, since an older view may still read it.
// But every copy lifts a row by a level at least, and a join that would take more memory than its
// batches do is left out: so a row takes its space JoinFactor times at most, for which the not done batches are
// at most 45. Fanout 2 would cost 13 copies for a dozen batches: 16 saves what is scarce, memory.
const (
	joinFanout     = 16
	joinBelowRows  = joinFanout * joinFanout * joinFanout
	joinBelowBytes = 256 << 10 // joining few large values saves a scan nothing
	levelDone      = 3
)

// JoinFactor bounds the memory of rows that arrive in small batches: Memtable.Bytes is at
// most JoinFactor times the Rows.Bytes that were appended.
const JoinFactor = 1 + levelDone

// Batch is one batch of a view.
type Batch struct {
	FirstOrdinal base.RowOrdinal // of the batch's first row; the others follow
	Record       arrow.RecordBatch
}

// View is what a memtable held at one moment. It is immutable, and valid while a
// reference to the memtable is held.
type View struct {
	Source  base.SourceID // the first half of the rows' addresses
	Schema  schema.Table  // the version of the schema that every batch conforms to
	Batches []Batch       // in ordinal order, without gaps, none empty
	Rows    int64
	MinSeq  base.Seq // of the edit that brought the first row; in snapshots
}

// Memtable holds the rows of one table and one generation, in the order in which they
// were committed. One goroutine appends and publishes; any number take views meanwhile.
//
// It is reference-counted: New gives one reference. When the last is released, its
// memory goes back to the pool and no view of it may be read any more.
type Memtable struct {
	pool   *Pool
	source base.SourceID
	table  schema.Table

	refs      atomic.Int64
	published atomic.Pointer[View]
	bytes     atomic.Int64

	// Of the appending goroutine.
	batches []Batch // published ones are never overwritten: joining copies the slice
	tail    []small // the last len(tail) batches: those that are not done
	rows    int64
	blocks  []block
}

// small is a batch that may yet be joined.
type small struct {
	level int
	bytes int64
}

// New returns an empty memtable with one reference.
func New(pool *Pool, source base.SourceID, table schema.Table) *Memtable {
	m := &Memtable{pool: pool, source: source, table: table}
	m.refs.Store(1)
	m.Publish()
	return m
}

// Source returns the memtable's id, the first half of its rows' addresses.
func (m *Memtable) Source() base.SourceID { return m.source }

// Schema returns the table as it was when the memtable was made: the version that all its rows have.
func (m *Memtable) Schema() schema.Table { return m.table }

// Bytes returns the memory that the memtable holds, batches that were joined since included.
func (m *Memtable) Bytes() int64 { return m.bytes.Load() }

// View returns the rows published so far, in constant time.
func (m *Memtable) View() View { return *m.published.Load() }

// Append takes the rows over; they become visible with the next Publish. Rows of another
// table or version are an Internal error, and stay the caller's. A failure to join small
// batches for lack of memory is not an error: they stay as they are.
func (m *Memtable) Append(rows *Rows) error {
	if rows.table != m.table.ID || rows.version != m.table.Version {
		return base.Errorf(base.Internal, "memtable %d: rows of table %d version %d for table %d version %d",
			m.source, rows.table, rows.version, m.table.ID, m.table.Version)
	}
	if rows.NumRows() == 0 {
		rows.Release()
		return nil
	}
	level := levelOf(rows)
	m.lift(level)
	m.batches = append(m.batches, Batch{FirstOrdinal: base.RowOrdinal(m.rows), Record: rows.record})
	m.rows += rows.NumRows()
	m.own(rows.block)
	m.push(small{level, rows.Bytes()})
	return nil
}

// Publish makes all appended rows visible to views taken from now on.
func (m *Memtable) Publish() {
	m.published.Store(&View{Source: m.source, Schema: m.table, Batches: m.batches[:len(m.batches):len(m.batches)], Rows: m.rows})
}

func (m *Memtable) own(b block) {
	m.blocks = append(m.blocks, b)
	m.bytes.Add(int64(len(b.mem)))
}

func levelOf(r *Rows) int {
	if r.NumRows() >= joinBelowRows || r.Bytes() >= joinBelowBytes {
		return levelDone
	}
	level := 0
	for n := r.NumRows(); n >= joinFanout; n /= joinFanout {
		level++
	}
	return level
}

// lift makes one batch of a level of the last ones below it.
func (m *Memtable) lift(level int) {
	k := 0
	for k < len(m.tail) && m.tail[len(m.tail)-1-k].level < level {
		k++
	}
	switch k {
	case 0:
	case 1:
		m.tail[len(m.tail)-1].level = level
	default:
		m.join(k, level)
	}
}

// push adds the last batch to the tail, and joins where joinFanout of one level have gathered.
func (m *Memtable) push(last small) {
	if last.level == levelDone {
		m.tail = m.tail[:0] // levels fall: all before are done too
		return
	}
	m.tail = append(m.tail, last)
	for len(m.tail) >= joinFanout {
		level := m.tail[len(m.tail)-1].level
		if m.tail[len(m.tail)-joinFanout].level != level || !m.join(joinFanout, level+1) {
			return
		}
	}
}

// join replaces the last k batches by one of their rows, of the given level, or done if
// it is large. It reports whether it did; if not, they all count as done.
func (m *Memtable) join(k, level int) bool {
	at := len(m.batches) - k
	records := make([]arrow.RecordBatch, k)
	for i, b := range m.batches[at:] {
		records[i] = b.Record
	}
	bytes := int64(0)
	for _, s := range m.tail[len(m.tail)-k:] {
		bytes += s.bytes
	}
	rows := m.joined(records, bytes)
	if rows == nil {
		m.tail = m.tail[:0]
		return false
	}
	// A new slice: views hold the old one.
	batches := make([]Batch, at, at+2*joinFanout)
	copy(batches, m.batches)
	m.batches = append(batches, Batch{FirstOrdinal: m.batches[at].FirstOrdinal, Record: rows.record})
	m.own(rows.block)
	if m.tail = m.tail[:len(m.tail)-k]; levelOf(rows) == levelDone {
		level = levelDone
	}
	if level == levelDone {
		m.tail = m.tail[:0]
	} else {
		m.tail = append(m.tail, small{level, rows.Bytes()})
	}
	return true
}

// joined copies batches into one, or returns nil where apart is better: together they
// would take more memory (a dictionary written out because its neighbour has none), or
// there is no memory, or they would be too long.
func (m *Memtable) joined(records []arrow.RecordBatch, limitBytes int64) *Rows {
	p, err := plan(m.table.ID, m.table.Version, records)
	if err != nil || p.Bytes() > limitBytes {
		return nil
	}
	rows, err := m.pool.Fill(p)
	if err != nil {
		return nil
	}
	return rows
}

// Retain takes another reference.
func (m *Memtable) Retain() {
	if m.refs.Add(1) <= 1 {
		panic("memtable: retained after its last release")
	}
}

// Release gives a reference back; the last one frees the memory.
func (m *Memtable) Release() {
	switch n := m.refs.Add(-1); {
	case n > 0:
		return
	case n < 0:
		panic("memtable: released more often than retained")
	}
	for _, b := range m.blocks {
		m.pool.release(b)
	}
	m.blocks, m.batches = nil, nil
	m.bytes.Store(0)
	m.published.Store(&View{Source: m.source, Schema: m.table})
}
