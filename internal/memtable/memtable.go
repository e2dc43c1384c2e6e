// Package memtable holds the rows that are in the log and in no part yet. There is one memtable for
// each table and each generation (a segment of the log). It can be read while rows are appended.
package memtable

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Small batches are joined, so that a scan finds few batches in a table that is written row by row.
// The level of a batch is 0 below 16 rows, 1 below 256 rows, and 2 below 4,096 rows. A larger batch
// is done: it is not joined any more. The batches that are not done are the last ones of a
// memtable, with descending levels. When there are joinFanout (16) batches of one level, they are
// joined to one batch of the next level. When a batch of a higher level is appended, the batches of
// lower levels before it are first joined to one batch of that level, so that levels descend again.
//
// The memory of batches that were joined cannot be reused, since an older view may still read it.
// But each copy puts a row into a batch of a higher level, and batches are not joined if the result
// would take more memory than they do. So a row takes at most JoinFactor times its space, and at
// most 45 batches are not done. With a fanout of 2, a row would be copied 13 times so that a dozen
// batches remain. A fanout of 16 saves memory, which is the scarce resource.
const (
	joinFanout    = 16
	joinBelowRows = joinFanout * joinFanout * joinFanout
	// joinBelowBytes is a size in bytes. Batches of at least this size are not joined, because
	// joining a few large values would not speed up a scan.
	joinBelowBytes = 256 << 10
	levelDone      = 3
)

// JoinFactor bounds the memory that joining takes: the memory of a memtable (Memtable.Bytes) is at
// most JoinFactor times the total size of the rows that were appended to it (Rows.Bytes).
const JoinFactor = 1 + levelDone

// Batch is one batch of the rows of a memtable.
type Batch struct {
	// FirstOrdinal is the number of the batch's first row in the memtable. The other rows have the
	// numbers after it.
	FirstOrdinal base.RowOrdinal
	Record       arrow.RecordBatch
}

// View is the content of a memtable at one moment. It is immutable. It may be read as long as the
// reader holds a reference to the memtable.
type View struct {
	Rowset base.RowsetID // id of the memtable, which is the first half of the row addresses
	Schema schema.Table  // schema version to which all batches conform
	// The batches in the order of their rows' numbers, without gaps; none is empty.
	Batches []Batch
	Rows    int64
	MinSeq  base.Seq // sequence number of the edit that added the first row; set only in snapshots
}

// Memtable has the rows of one table and one generation (a segment of the log), in the order in
// which they were committed. Only one goroutine may append and publish rows. Any number of
// goroutines may take views at the same time.
//
// It is reference-counted, and New returns one reference. When the last reference is released, the
// memory returns to the pool. From then on, no view may be read.
type Memtable struct {
	pool   *Pool
	rowset base.RowsetID
	table  schema.Table

	refs      atomic.Int64
	published atomic.Pointer[View]
	bytes     atomic.Int64

	// batches has all batches, including those that are not published yet. Published elements are
	// never overwritten: joining batches copies the slice. Only the goroutine that appends may use
	// batches and tail.
	batches []Batch
	// tail describes the batches that may still be joined. These are the last len(tail) elements of
	// the field batches.
	tail   []small
	rows   int64
	blocks []block
}

// small describes a batch that may still be joined with others.
type small struct {
	level int
	bytes int64
}

// New returns an empty memtable with one reference. rowset is its id, and table the schema version
// to which its rows conform.
func New(pool *Pool, rowset base.RowsetID, table schema.Table) *Memtable {
	m := &Memtable{pool: pool, rowset: rowset, table: table}
	m.refs.Store(1)
	m.Publish()
	return m
}

// Rowset returns the memtable's id, which is the first half of its rows' addresses.
func (m *Memtable) Rowset() base.RowsetID { return m.rowset }

// Schema returns the version of the table's schema to which all rows conform: the version that was
// current when the memtable was created.
func (m *Memtable) Schema() schema.Table { return m.table }

// Bytes returns the memory that the memtable uses, in bytes. It includes batches that were copied
// into a joined batch, because their memory is not freed before the memtable is.
func (m *Memtable) Bytes() int64 { return m.bytes.Load() }

// View returns the rows that are published so far. It takes constant time.
func (m *Memtable) View() View { return *m.published.Load() }

// Append adds rows to the memtable and takes ownership of them. They become visible with the next
// Publish. If they belong to another table or schema version, it returns an Internal error, and the
// caller still owns the rows. If there is no memory to join small batches, they stay separate, and
// Append succeeds.
func (m *Memtable) Append(rows *Rows) error {
	if rows.table != m.table.ID || rows.version != m.table.Version {
		return base.Errorf(base.Internal, "memtable %d: rows of table %d version %d for table %d version %d",
			m.rowset, rows.table, rows.version, m.table.ID, m.table.Version)
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

// Publish makes all appended rows visible: views that are taken later have them.
func (m *Memtable) Publish() {
	m.published.Store(&View{Rowset: m.rowset, Schema: m.table, Batches: m.batches[:len(m.batches):len(m.batches)], Rows: m.rows})
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

// lift joins the last batches of the memtable whose levels are below the given level. The result is
// one batch of the given level. (A level is a class of numbers of rows, see joinFanout.)
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

// push adds the batch that was appended last to the tail (the list of batches that may still be
// joined). While the tail ends with joinFanout batches of one level, push joins these.
func (m *Memtable) push(last small) {
	if last.level == levelDone {
		// This batch is done: it is not joined any more. The batches before it are not joined any
		// more either, because only the last batches of a memtable are. So none remain in the tail.
		m.tail = m.tail[:0]
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

// join replaces the last k batches by one batch of the given level (a class of numbers of rows, see
// joinFanout). If the joined batch is large, it is done: it is not joined any more. If the k
// batches cannot or should not be joined (see joined), join returns false. They stay separate and
// are done, too.
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
	// Existing views read the old slice of batches, so join makes a new one.
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

// joined makes one batch that is a copy of several batches. It returns nil if they should stay
// separate, for one of these reasons:
//   - The copy would take more memory than the batches. That happens if one batch has a dictionary
//     and another has none: then the dictionary's values are written out as text.
//   - The copy would be larger than limitBytes.
//   - There is no memory for the copy.
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

// Retain adds a reference to the memtable.
func (m *Memtable) Retain() {
	if m.refs.Add(1) <= 1 {
		panic("memtable: retained after its last release")
	}
}

// Release drops a reference to the memtable. When the last one is dropped, the memory of the rows
// is freed.
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
	m.published.Store(&View{Rowset: m.rowset, Schema: m.table})
}
