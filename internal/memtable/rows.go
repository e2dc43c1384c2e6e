package memtable

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// MaxBatchRows is the maximum number of rows of one batch. The limits of a request are far lower.
const MaxBatchRows = 1 << 28

// Rows is one batch of rows in the memory of a pool. It can be appended to any memtable of the same
// table and schema version. So rows can be copied before the committer chooses the memtable that
// gets them.
type Rows struct {
	pool    *Pool
	block   block
	table   base.TableID
	version uint32
	record  arrow.RecordBatch
}

// Plan is the plan for a copy of a batch. It knows the size of the copy in advance, so that memory
// can be reserved before the copy is made.
type Plan struct {
	table   base.TableID
	version uint32
	schema  *arrow.Schema // Arrow schema of the copy
	columns []*column
	rows    int64
	bytes   int
}

// NewPlan plans a copy of a batch. The batch must conform to the table's schema (see
// batch.Conform). It must also be well-formed: offsets ascend, and dictionary indices are within
// their dictionary. The caller must not release the batch before Pool.Fill has made the copy.
func NewPlan(table schema.Table, record arrow.RecordBatch) (*Plan, error) {
	if int(record.NumCols()) != len(table.Columns) {
		return nil, base.Errorf(base.Internal, "memtable: a batch of %d columns for table %s of %d", record.NumCols(), table.QualifiedName(), len(table.Columns))
	}
	if record.NumRows() > MaxBatchRows {
		return nil, base.Errorf(base.TooLarge, "a batch of %d rows: the limit is %d", record.NumRows(), MaxBatchRows).WithHint("send smaller batches")
	}
	return plan(table.ID, table.Version, []arrow.RecordBatch{record})
}

// NewPlans plans copies of consecutive batches with the same columns, as NewPlan does for one
// batch. It joins adjacent small batches, because joining them later costs more. Their dictionaries
// are joined, too. That never costs memory: if each dictionary takes less than plain text, so does
// their union.
func NewPlans(table schema.Table, records []arrow.RecordBatch) ([]*Plan, error) {
	var plans []*Plan
	for len(records) > 0 {
		n := 1
		if small := func(r arrow.RecordBatch) bool { return r.NumRows() < joinBelowRows }; small(records[0]) {
			for n < len(records) && small(records[n]) {
				n++
			}
		}
		first, err := NewPlan(table, records[0])
		if err == nil && n > 1 {
			first, err = plan(table.ID, table.Version, records[:n])
		}
		if err != nil {
			return nil, err
		}
		plans, records = append(plans, first), records[n:]
	}
	return plans, nil
}

// plan plans one batch that is the copy of all given batches, which have the same columns.
func plan(table base.TableID, version uint32, records []arrow.RecordBatch) (*Plan, error) {
	in := records[0].Schema()
	fields := make([]arrow.Field, in.NumFields())
	p := &Plan{table: table, version: version, columns: make([]*column, len(fields))}
	for i := range p.columns {
		pieces := make([]piece, len(records))
		for k, r := range records {
			pieces[k] = wholePiece(r.Column(i))
		}
		c, err := planColumn(pieces)
		if err != nil {
			return nil, base.Wrap(err, "column %q", in.Field(i).Name)
		}
		p.columns[i] = c
		fields[i] = in.Field(i)
		fields[i].Type = c.dt
		p.bytes += c.size()
	}
	for _, r := range records {
		p.rows += r.NumRows()
	}
	md := in.Metadata()
	p.schema = arrow.NewSchema(fields, &md)
	return p, nil
}

// NumRows returns the number of rows of the planned copy.
func (p *Plan) NumRows() int64 { return p.rows }

// Bytes returns the size of the planned copy in bytes: what Rows.Bytes returns once the copy is
// made.
func (p *Plan) Bytes() int64 { return int64(alignUp(max(p.bytes, 1), 64)) }

// ChargeBytes returns an upper bound of the memory, in bytes, that the rows will take in a
// memtable. It includes the copies that are made when small batches are joined. Budgets count this
// number.
func (p *Plan) ChargeBytes() int64 {
	if p.rows >= joinBelowRows || p.Bytes() >= joinBelowBytes {
		return p.Bytes() // the batch is too large to be joined
	}
	return JoinFactor * p.Bytes()
}

// Copy copies a batch of a table into the pool's memory. It calls NewPlan and Fill.
func (p *Pool) Copy(table schema.Table, record arrow.RecordBatch) (*Rows, error) {
	plan, err := NewPlan(table, record)
	if err != nil {
		return nil, err
	}
	return p.Fill(plan)
}

// Fill makes the planned copy in the pool's memory. If there is no memory, the error is
// Unavailable. Every buffer of the copy starts at offset 0. Only arrays with NULLs have a validity
// bitmap. A dictionary that would take more memory than plain text is written out as text. The
// caller must either append the rows to a memtable or call their Release, once.
func (p *Pool) Fill(plan *Plan) (*Rows, error) {
	b, err := p.alloc(plan.bytes)
	if err != nil {
		return nil, err
	}
	w := cursor{b.mem}
	arrays := make([]arrow.Array, len(plan.columns))
	for i, c := range plan.columns {
		arrays[i] = array.MakeFromData(c.fill(&w))
	}
	record := array.NewRecordBatch(plan.schema, arrays, plan.rows)
	return &Rows{pool: p, block: b, table: plan.table, version: plan.version, record: record}, nil
}

// Record returns the rows as an Arrow batch. The batch is valid until the rows are released or, if
// they were appended to a memtable, until the memtable is released.
func (r *Rows) Record() arrow.RecordBatch { return r.record }

// NumRows returns the number of rows.
func (r *Rows) NumRows() int64 { return r.record.NumRows() }

// Bytes returns the memory that the rows take, in bytes.
func (r *Rows) Bytes() int64 { return int64(len(r.block.mem)) }

// Release frees the memory of rows that were not appended to a memtable.
func (r *Rows) Release() {
	r.pool.release(r.block)
	r.block, r.record = block{}, nil
}
