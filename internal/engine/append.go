package engine

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/wal"
)

// TableName is a table's qualified name. Names are compared as DuckDB compares them.
type TableName struct{ Database, Schema, Name string }

// TableRows are rows to append to one table. The batches have the types that decoders make
// ("natural types"), and columns in any order (see batch.Conform). They are borrowed until Append
// returns.
type TableRows struct {
	Table   TableName
	ID      base.TableID // if not zero, identifies the table instead of Table
	Batches []arrow.RecordBatch
	// Tags is for a table that AppendOptions.Create creates. It names columns by which the table is
	// sorted, before its time column.
	Tags []string
	// Key is for a table that AppendOptions.Create creates. It names the columns of the primary
	// key; empty: none.
	Key []string

	// Typed says that the wire format of the rows has types of its own, so a number with a fraction
	// is an error in an integer column. Without Typed, AppendOptions.Create may change such a
	// column to DOUBLE.
	Typed bool

	// The fields below are for tables with a primary key. Package mutate sets them.

	// Whole says that a row replaces the whole row with the same key: columns that the new row
	// lacks get their defaults. Without Whole, these columns keep their values.
	Whole bool
	// Sparse says that NULL means that the row lacks the column.
	Sparse bool
	// Numbers, if not nil, has a number for each row of each batch, which says when the row
	// arrived: rows with greater numbers are newer. Of several rows with one key, the newest one
	// counts. Rows with equal numbers, and all rows if Numbers is nil, arrived in the order of the
	// batches.
	Numbers [][]int32
	// Deleting, if not nil, says for each batch whether its rows are deletions of their keys.
	// Deletions need only the key and the version. A deletion without a version, or whose version
	// is NULL, deletes the row of its key whatever version that row has. Batches that are not
	// deletions must be Whole.
	Deleting []bool
}

// AppendOptions says how rows are appended.
type AppendOptions struct {
	// Async returns once the rows are in the log and visible, without waiting for fsync. A power
	// failure may lose the rows of the last Settings.SyncInterval.
	Async bool
	// Create creates a missing table, with its database and schema, from the types of the batches.
	// If the table exists, Create adds and widens columns as the batches need.
	Create bool
	// IdempotencyKey, if not empty, identifies the request: for Settings.KeyLifetime, a repeated
	// request with the same key is not run, and gets the result of the first one. If BodyHash
	// differs from that of the first request, the error is Conflict.
	IdempotencyKey string
	BodyHash       []byte
	// Progress, if not nil, says which offsets of a source the append covers. It is stored with the
	// rows, or neither is stored. An append may have Progress without rows.
	Progress *Progress
	// Pins is only for Commit. It says which table lock the caller holds on each table that it
	// changes. On some of them it may hold a stronger lock.
	Pins Pins
	// Waits is called before the request waits for a table lock.
	Waits Waits
	// Evolutions is only for Commit. It has the schema changes that the rows need: the changes were
	// computed as if they had been made. See Engine.SettledAs.
	Evolutions []Evolution
	// Room, if not nil, is the reservation from which the request takes memory. If it would have to
	// wait for memory, the error is ErrNoRoom.
	Room *Room

	claim *claim // idempotency record, set by Once
}

// Counts says how many rows a request changed.
type Counts struct {
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
	// The request is a repetition, and was applied before: see AppendOptions.IdempotencyKey.
	Replayed bool `json:"-"`
}

// Rows returns the number of rows that were inserted, updated or deleted.
func (c Counts) Rows() int64 { return c.Inserted + c.Updated + c.Deleted }

// Plus returns the sum of c and d.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Inserted + d.Inserted, c.Updated + d.Updated, c.Deleted + d.Deleted, c.Replayed || d.Replayed}
}

// Result is the answer to a request.
type Result struct {
	Counts
	// Every snapshot with this sequence number or a greater one has the rows.
	Seq base.Seq `json:"seq"`
}

// maxBodyBytes bounds the rows in a log frame. It leaves 1 MiB for the rest of the frame.
const maxBodyBytes = wal.MaxPayloadBytes - 1<<20

func errBody(bytes int64) error {
	return base.Errorf(base.TooLarge, "a request of %d bytes: the limit is %d", bytes, int64(maxBodyBytes)).WithHint("send smaller requests")
}

// ErrStale says that the table's schema changed after the rows were conformed to it, so nothing was
// appended. The caller conforms the rows again.
var ErrStale = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// ErrPartial says that rows for a table that merges on read all lack one of its columns, which may
// have just been added. Nothing was appended: an appended row replaces the whole row of its key, so
// the column's values would be lost. The caller has to look up the existing rows.
var ErrPartial = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// maxAttempts bounds how often one append or commit starts again because something else changed.
const maxAttempts = 100

// Append appends rows to one or several tables, all or nothing. After it returned without error,
// every new snapshot has the rows. Unless o.Async is set, the rows also survive a crash.
//
// A table with a primary key is refused, unless it merges on read: see Commit and Change.Keys. Rows
// for a table that merges on read must be whole rows, and must have a version if the table has a
// version column. If all rows lack some column of such a table, the error is ErrPartial, unless
// TableRows.Whole is set.
//
// Errors:
//   - NotFound: a table does not exist
//   - Invalid: rows do not fit the table
//   - TooLarge: the request is larger than the log or the memory allows
//   - Conflict: the idempotency key was used for another request, or Progress does not continue at
//     the stored offset
//   - Unavailable or StorageFull: memory did not become free within Settings.MaxWait, the disk is
//     full, or the engine has stopped
//
// If ctx ends while the rows are being written, the error says that they may or may not be stored.
// Repeating the request with the same idempotency key finds out.
func (e *Engine) Append(ctx context.Context, tables []TableRows, o AppendOptions) (Result, error) {
	return e.Once(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			r, err := e.prepare(ctx, tables, o)
			if err != nil {
				return Result{}, err
			}
			if result, err := e.submit(ctx, r); err != ErrStale {
				return result, err
			}
		}
		return Result{}, base.Errorf(base.Conflict, "the schema changed %d times during one append", maxAttempts).
			WithHint("retry once the schema changes are through")
	})
}

// submit passes a prepared request to the committer and waits for the outcome.
func (e *Engine) submit(ctx context.Context, r *request) (Result, error) {
	if r.empty() {
		defer r.release()
		return Result{}, e.Evolve(ctx, r.evolutions)
	}
	if err := e.queue.push(r); err != nil {
		r.release()
		return Result{}, err
	}
	select {
	case out := <-r.done:
		return Result{Counts: r.counts, Seq: out.seq}, out.err
	case <-ctx.Done():
		if e.queue.withdraw(r) {
			r.release()
			return Result{}, base.Wrap(ctx.Err(), "wait for other requests")
		}
		if r.claim != nil {
			r.claim.undecided = r.done
		}
		return Result{}, base.Wrap(ctx.Err(), "the rows may or may not be stored")
	}
}

// prepare does all work of an append that needs only the rows and the schema, and no lock: it
// conforms the rows, copies them and encodes the log record.
func (e *Engine) prepare(ctx context.Context, tables []TableRows, o AppendOptions) (*request, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	p := preparation{request: newRequest(o)}
	defer p.release()
	for _, rows := range joined(tables) {
		table, evolution, records, err := e.Conform(ctx, rows, o)
		p.conformed = append(p.conformed, records...)
		if evolution != nil {
			p.request.evolutions = append(p.request.evolutions, *evolution)
		}
		switch {
		case err != nil:
		case table.MergeOnRead && !rows.Whole && lacksColumn(rows.Batches, table):
			err = ErrPartial
		case table.MergeOnRead:
			records, err = p.arrange(records, rows.Numbers)
		case len(table.PrimaryKey) > 0:
			err = errKeyed(table)
		}
		if err != nil {
			return nil, err
		}
		if err := p.append(table, records); err != nil {
			return nil, base.Wrap(err, "table %s", table.QualifiedName())
		}
		p.request.counts.Inserted += int64(batch.Rows(records))
	}
	release, err := e.Share(ctx, o.Waits, p.settling...)
	if err != nil {
		return nil, err
	}
	if err := e.fill(ctx, &p, o.Room); err != nil {
		release()
		return nil, err
	}
	fillRelease := p.request.release
	p.request.release = func() { fillRelease(); release() }
	return p.request, nil
}

// joined merges elements for the same table into one, since a request may name a table several
// times. Two elements stay separate if they differ in Whole, or if only one has Numbers.
func joined(tables []TableRows) []TableRows {
	if len(tables) < 2 {
		return tables
	}
	at := make(map[any]int, len(tables))
	all := make([]TableRows, 0, len(tables))
	for _, rows := range tables {
		var key any = keyOf(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
		if rows.ID != 0 {
			key = rows.ID
		}
		i, there := at[key]
		if !there || (rows.Numbers == nil) != (all[i].Numbers == nil) || rows.Whole != all[i].Whole {
			at[key], all = len(all), append(all, rows)
			continue
		}
		all[i].Batches = slices.Concat(all[i].Batches, rows.Batches)
		all[i].Numbers = slices.Concat(all[i].Numbers, rows.Numbers)
	}
	return all
}

// lacksColumn reports whether the table has a column that none of the batches has.
func lacksColumn(batches []arrow.RecordBatch, t schema.Table) bool {
	return batch.Rows(batches) > 0 && slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool { return hasColumn(rec, c.Name) })
	})
}

func errKeyed(t schema.Table) error {
	return base.Errorf(base.Invalid, "table %s has a primary key: rows cannot be appended to it from here", t.QualifiedName()).
		WithHint("INSERT and mode=upsert replace the rows of the same key")
}

// preparation has what a request needs before it goes to the committer: fill copies and encodes it.
type preparation struct {
	request   *request
	conformed []arrow.RecordBatch // conformed batches; released after they were copied
	plans     [][]*memtable.Plan  // copies to be made, by table of the request
	rowBytes  int64
	// patches are the new values of changed rows, one batch per patch, in the order in which the
	// frame lists the patches.
	patches    []arrow.RecordBatch
	patchBytes int64
	settling   []base.TableID // tables that merge on read and get rows
}

func (p *preparation) release() {
	for _, record := range p.conformed {
		record.Release()
	}
}

// arrange sorts rows by the order in which they arrived (TableRows.Numbers). A table that merges on
// read needs that order.
func (p *preparation) arrange(records []arrow.RecordBatch, numbers [][]int32) ([]arrow.RecordBatch, error) {
	arranged, err := batch.Arrange(records, numbers)
	p.conformed = append(p.conformed, arranged...)
	return arranged, err
}

// append plans an append of rows. For a table that merges on read it also records the hashes of the
// rows' keys.
func (p *preparation) append(table schema.Table, records []arrow.RecordBatch) error {
	rows, err := p.add(table, records)
	if err != nil || rows == 0 || !table.MergeOnRead {
		return err
	}
	p.settling = append(p.settling, table.ID)
	t := &p.request.tables[len(p.request.tables)-1]
	for _, record := range records {
		hashes, err := batch.KeyHashes(keys.Key(table, record))
		if err != nil {
			return err
		}
		for _, h := range hashes {
			t.keys = append(t.keys, h.High)
		}
	}
	return nil
}

// add plans copies of batches that conform to a table, and returns their number of rows.
func (p *preparation) add(table schema.Table, records []arrow.RecordBatch) (rows int64, err error) {
	t := tableRows{id: table.ID, version: table.Version}
	var plans []*memtable.Plan
	for _, record := range records {
		if record.NumRows() == 0 {
			continue
		}
		plan, err := memtable.NewPlan(table, record)
		if err != nil {
			return 0, err
		}
		plans = append(plans, plan)
		rows += plan.NumRows()
		t.charged += plan.ChargeBytes()
		p.rowBytes += plan.Bytes()
	}
	if rows == 0 {
		return 0, nil
	}
	// A memtable numbers its rows, and the numbers must not overflow.
	if rows > memtable.MaxBatchRows {
		return 0, base.Errorf(base.TooLarge, "%d rows in one request: the limit is %d", rows, memtable.MaxBatchRows).WithHint("send smaller requests")
	}
	p.plans = append(p.plans, plans)
	p.request.bytes += t.charged
	p.request.tables = append(p.request.tables, t)
	return rows, nil
}

// fill reserves the memory for a request, copies the planned rows into the memtables' memory, and
// encodes the log record from these copies. If room is not nil, it takes the memory from there;
// otherwise it waits for memory. After success the request owns the memory, and request.release
// frees it. After an error the request owns none.
func (e *Engine) fill(ctx context.Context, p *preparation, room *Room) error {
	r := p.request
	bodyBytes := p.rowBytes + p.patchBytes
	if bodyBytes > maxBodyBytes {
		return errBody(bodyBytes)
	}
	r.bytes += bodyBytes // an estimate: encoding may take more
	if room != nil {
		if err := room.take(r.bytes); err != nil {
			return err
		}
	} else if err := e.acquire(ctx, r.bytes); err != nil {
		return err
	}
	encoded := bodies.Get().(*body)
	r.release = func() {
		for _, t := range r.tables {
			for _, rows := range t.rows {
				rows.Release()
			}
		}
		e.budget.release(r.bytes)
		r.body = nil
		encoded.free()
	}
	err := e.encodeBody(p, encoded)
	bytes := encoded.bytes + int64(len(r.sections()))
	if err == nil && bytes > maxBodyBytes {
		err = errBody(bytes) // in the log it would make its whole group fail, so it is refused here
	}
	if err != nil {
		r.release()
		return err
	}
	if more := bytes - bodyBytes; more > 0 {
		r.bytes += more
		e.budget.force(more)
	}
	r.body = encoded.slices
	return nil
}

func (e *Engine) encodeBody(p *preparation, to *body) error {
	for i := range p.request.tables {
		t := &p.request.tables[i]
		for _, plan := range p.plans[i] {
			rows, err := e.pool.Fill(plan)
			if err != nil {
				return err
			}
			t.rows = append(t.rows, rows)
			if err := to.add(rows.Record()); err != nil {
				return err
			}
		}
	}
	for _, values := range p.patches {
		if err := to.add(values); err != nil {
			return err
		}
	}
	return nil
}

// conformBatch is batch.Conform, except that columns which the batch lacks get their defaults.
// first is the number of the batch's first row in the request, from 0.
func (e *Engine) conformBatch(ctx context.Context, in arrow.RecordBatch, table schema.Table, first int64) (arrow.RecordBatch, error) {
	defaults, err := e.defaultsFor(ctx, table, in)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, values := range defaults {
			values.Release()
		}
	}()
	return batch.Conform(in, table, batch.ConformOptions{FirstRow: first, Defaults: defaults})
}

// ConformBatch converts a batch of incoming rows to the table's schema. Columns that the batch
// lacks get their defaults. The caller releases the returned batch.
//
// If rows violate a check of the table, or batch.Conform refuses them, the error is Invalid. Checks
// are not evaluated if rows may keep values of existing rows: the table has a primary key, the
// batch lacks columns, and whole is false. The caller, which computes the new rows, must evaluate
// them.
//
// first is the number of the batch's first row in its request, from 0. Errors name rows by their
// number.
func (e *Engine) ConformBatch(ctx context.Context, in arrow.RecordBatch, table schema.Table, first int64, whole bool) (arrow.RecordBatch, error) {
	conformed, err := e.conformBatch(ctx, in, table, first)
	condition := table.Condition()
	if err != nil || condition == "" || conformed.NumRows() == 0 || e.violation == nil {
		return conformed, err
	}
	lacks := func(c schema.Column) bool { return !hasColumn(in, c.Name) }
	if len(table.PrimaryKey) > 0 && !whole && slices.ContainsFunc(table.Columns, lacks) {
		return conformed, nil
	}
	row, err := e.violation(table, condition, conformed)
	if err == nil && row >= 0 {
		err = ErrViolated(table, first+row)
	}
	if err != nil {
		conformed.Release()
		return nil, err
	}
	return conformed, nil
}

// ErrViolated returns the error for a row that violates a check of its table. row is its number,
// from 0.
func ErrViolated(t schema.Table, row int64) error {
	return base.Errorf(base.Invalid, "row %d violates a check of table %s: %s", row+1, t.QualifiedName(), t.Condition())
}

// Conform finds the table for rows, and conforms them to it as Append does. If o.Create is set and
// the rows need another schema, it returns the table with that schema, and an evolution: see Plan.
// The caller releases the records.
func (e *Engine) Conform(ctx context.Context, rows TableRows, o AppendOptions) (table schema.Table, evolution *Evolution, records []arrow.RecordBatch, err error) {
	if err := e.writable(); err != nil {
		return schema.Table{}, nil, nil, err
	}
	if table, evolution, err = e.tableFor(ctx, rows, o); err != nil {
		return schema.Table{}, nil, nil, err
	}
	if records, err = e.conformAll(ctx, rows, table); err == nil || !o.Create {
		return table, evolution, records, err
	}
	next, evolution, evolveErr := e.evolved(ctx, table, evolution, rows)
	if evolveErr != nil {
		return schema.Table{}, nil, nil, evolveErr
	}
	if evolution == nil {
		return schema.Table{}, nil, nil, err
	}
	records, err = e.conformAll(ctx, rows, next)
	return next, evolution, records, err
}

// conformAll conforms all batches of rows to a table.
func (e *Engine) conformAll(ctx context.Context, rows TableRows, table schema.Table) ([]arrow.RecordBatch, error) {
	records := make([]arrow.RecordBatch, 0, len(rows.Batches))
	first := int64(0)
	for _, in := range rows.Batches {
		record, err := e.ConformBatch(ctx, in, table, first, rows.Whole)
		if err != nil {
			for _, record := range records {
				record.Release()
			}
			return nil, err
		}
		records = append(records, record)
		first += in.NumRows()
	}
	return records, nil
}
