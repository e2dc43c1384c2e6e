package memtable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// MaxBatchRows bounds the rows of one batch, far above what one request may hold.
const MaxBatchRows = 1 << 28

// Rows is one batch copied into a pool's memory: ready to be appended to a memtable of
// the same version of the same table, whichever that will be when the rows are committed.
type Rows struct {
	pool    *Pool
	block   block
	table   base.TableID
	version uint32
	record  arrow.RecordBatch
}

// Copy copies a batch of a table into the pool. The batch conforms to the table (see
// batch.Conform) and is well-formed: offsets ascend, indices lie within their dictionary. It is not
// retained. The copy starts at offset 0 in every buffer, has validity bitmaps only where
// there are NULLs, and writes a dictionary out that does not pay.
//
// Whoever holds Rows calls Memtable.Append or Release, once.
func (p *Pool) Copy(table schema.Table, record arrow.RecordBatch) (*Rows, error) {
	if int(record.NumCols()) != len(table.Columns) {
		return nil, base.Errorf(base.Internal, "memtable: a batch of %d columns for table %s of %d", record.NumCols(), table.QualifiedName(), len(table.Columns))
	}
	if record.NumRows() > MaxBatchRows {
		return nil, base.Errorf(base.TooLarge, "a batch of %d rows: the limit is %d", record.NumRows(), MaxBatchRows).WithHint("send smaller batches")
	}
	return p.join(table.ID, table.Version, []arrow.RecordBatch{record})
}

// join copies batches with the same columns into one.
func (p *Pool) join(table base.TableID, version uint32, records []arrow.RecordBatch) (*Rows, error) {
	in := records[0].Schema()
	columns := make([]*column, in.NumFields())
	fields := make([]arrow.Field, in.NumFields())
	size, rows := 0, int64(0)
	for i := range columns {
		pieces := make([]piece, len(records))
		for k, r := range records {
			pieces[k] = wholePiece(r.Column(i))
		}
		c, err := planColumn(pieces)
		if err != nil {
			return nil, base.Wrap(err, "column %q", in.Field(i).Name)
		}
		columns[i] = c
		fields[i] = in.Field(i)
		fields[i].Type = c.dt
		size += c.size()
	}
	for _, r := range records {
		rows += r.NumRows()
	}
	b, err := p.alloc(size)
	if err != nil {
		return nil, err
	}
	w := cursor{b.mem}
	arrays := make([]arrow.Array, len(columns))
	for i, c := range columns {
		arrays[i] = array.MakeFromData(c.fill(&w))
	}
	md := in.Metadata()
	record := array.NewRecordBatch(arrow.NewSchema(fields, &md), arrays, rows)
	return &Rows{pool: p, block: b, table: table, version: version, record: record}, nil
}

// Record returns the batch, valid until the rows are released, or the memtable that took them is.
func (r *Rows) Record() arrow.RecordBatch { return r.record }

// NumRows returns the number of rows.
func (r *Rows) NumRows() int64 { return r.record.NumRows() }

// Bytes returns the memory the rows take, in bytes.
func (r *Rows) Bytes() int64 { return int64(len(r.block.mem)) }

// Release gives the memory back: for rows that will not be appended.
func (r *Rows) Release() {
	r.pool.release(r.block)
	r.block, r.record = block{}, nil
}
