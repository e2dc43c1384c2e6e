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

// TableRows are rows for one table. The batches have natural types, and columns in any order (see
// batch.Conform). They are borrowed until Append returns.
type TableRows struct {
	Table   TableName
	ID      base.TableID // names the table instead of Table, unless it is zero
	Batches []arrow.RecordBatch
	// Tags are columns for a table that AppendOptions.Create makes: it is sorted by them first, and
	// then by its time column.
	Tags []string
	// Key is the primary key of a table that AppendOptions.Create makes, or empty.
	Key []string

	// Typed says that the wire format of the rows has its own types for columns. An integer column
	// then refuses numbers with a fraction. Without Typed, AppendOptions.Create may change the
	// column to DOUBLE.
	Typed bool

	// The fields below are for tables with a primary key. Package mutate appends their rows.

	// Whole says that a row replaces all columns of the row with the same key: columns that it
	// lacks get their defaults. Otherwise columns that it lacks keep their values.
	Whole bool
	// Sparse says that a NULL in a row means that the row lacks the column.
	Sparse bool
	// Numbers, if not nil, gives the order in which the rows arrived: one number for each row of
	// each batch. Of several rows with one key the last one counts. Rows with equal numbers, and
	// all rows if Numbers is nil, arrived in the order of the batches.
	Numbers [][]int32
	// Deleting, if not nil, says for each batch whether its rows delete the rows of their keys.
	// Such rows need only the key and the version. A row without a version, or with NULL as its
	// version, deletes the row of its key whatever version that has. The other rows must be Whole.
	Deleting []bool
}

// AppendOptions says how rows are appended.
type AppendOptions struct {
	// Async answers once the rows are in the log and visible, without waiting for fsync. A power
	// failure may lose the rows of the last Settings.SyncInterval.
	Async bool
	// Create makes a missing table, with its database and schema, from the types of the batches. In
	// an existing table it adds and widens columns as the batches need.
	Create bool
	// IdempotencyKey, if not empty, makes a repeated request return the result of the first one,
	// for Settings.KeyLifetime. If BodyHash differs from that of the first request with the same
	// key, the error is Conflict.
	IdempotencyKey string
	BodyHash       []byte
	// Progress, if not nil, says which offsets of a source the append covers. It is stored with the
	// rows, or neither is stored. An append may have Progress without rows.
	Progress *Progress
	// Pins is only for Commit. It says which lock the caller holds, at least, on each table that it
	// changes.
	Pins Pins
	// Waits, if not nil, is called before the request waits for a table lock. If it returns an
	// error, the request fails with it instead. The returned function over is called after the
	// wait.
	Waits func(ctx context.Context) (over func(), err error)
	// Evolutions is only for Commit: the schema changes that the changes were computed for. See
	// Engine.SettledAs.
	Evolutions []Evolution
	// Room, if not nil, is where the request reserves memory. If that would have to wait, the error
	// is ErrNoRoom.
	Room *Room

	claim *claim // idempotency record, set by Once
}

// Counts says how many rows a request changed.
type Counts struct {
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
	Replayed bool  `json:"-"` // the request was applied before, see AppendOptions.IdempotencyKey
}

// Rows returns how many rows were changed in any way.
func (c Counts) Rows() int64 { return c.Inserted + c.Updated + c.Deleted }

// Plus returns the sum of c and d.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Inserted + d.Inserted, c.Updated + d.Updated, c.Deleted + d.Deleted, c.Replayed || d.Replayed}
}

// Result is the answer to a request.
type Result struct {
	Counts
	Seq base.Seq `json:"seq"` // snapshots with this number or a greater one have the rows
}

// maxBodyBytes bounds the rows of a log frame. It leaves 1 MiB for the frame's header.
const maxBodyBytes = wal.MaxPayloadBytes - 1<<20

func errBody(bytes int64) error {
	return base.Errorf(base.TooLarge, "a request of %d bytes: the limit is %d", bytes, int64(maxBodyBytes)).WithHint("send smaller requests")
}

// ErrStale says that the table's schema changed after the rows were conformed. The caller conforms
// them again.
var ErrStale = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// ErrPartial says that the rows to append to a table that merges on read lack one of its columns
// altogether, which may have been added meanwhile. Appended rows replace the row of their key as a
// whole, so that column's values would be lost. The caller has to look up the existing rows.
var ErrPartial = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// maxAttempts bounds how often one append or commit starts again because of other changes.
const maxAttempts = 100

// Append appends rows to one or several tables, all or nothing. After it returned without error,
// every new snapshot has the rows. Unless o.Async is set, the rows also survive a crash.
//
// A table with a primary key is refused, unless it merges on read: see Commit and Change.Keys. Rows
// for a table that merges on read must be whole rows, with a version if the table has a version
// column. If none of the rows has some column of the table, the error is ErrPartial, unless
// TableRows.Whole is set.
//
// Errors:
//
//   - NotFound: a table does not exist
//   - Invalid: rows do not fit the table
//   - TooLarge: the request is larger than the log or the memory allows
//   - Conflict: the idempotency key was used for another request, or Progress does not continue at
//     the stored offset
//   - Unavailable or StorageFull: memory did not become free within Settings.MaxWait, the disk is
//     full, or the engine has stopped
//
// If ctx ends while the rows are being written, the error says that they may or may not be stored.
// A repetition with the same idempotency key finds out.
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

// prepare does all work that needs only the request and the schema: it conforms the rows, copies
// them and encodes the log record.
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
	release, err := e.Share(ctx, o, p.settling...)
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

// joined merges the elements for the same table, since a request may name a table several times.
// Elements that differ in Whole, or in whether they have Numbers, stay apart.
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

// lacksColumn reports whether there is a column of the table that none of the batches has.
func lacksColumn(batches []arrow.RecordBatch, t schema.Table) bool {
	return batch.Rows(batches) > 0 && slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool { return hasColumn(rec, c.Name) })
	})
}

func errKeyed(t schema.Table) error {
	return base.Errorf(base.Invalid, "table %s has a primary key: rows cannot be appended to it from here", t.QualifiedName()).
		WithHint("INSERT and mode=upsert replace the rows of the same key")
}

// preparation collects what fill copies and encodes for a request.
type preparation struct {
	request   *request
	conformed []arrow.RecordBatch // released after the copy
	plans     [][]*memtable.Plan  // per table of the request
	rowBytes  int64
	// patches are the values of patches, in the order of the frame's section of changes.
	patches    []arrow.RecordBatch
	patchBytes int64
	settling   []base.TableID // tables that merge on read
}

func (p *preparation) release() {
	for _, record := range p.conformed {
		record.Release()
	}
}

// arrange sorts the records by the order of arrival of their rows. A table that merges on read
// needs that order.
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

// add plans the copy of conformed batches of a table, and returns their number of rows.
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
	// A memtable's ordinals must not overflow.
	if rows > memtable.MaxBatchRows {
		return 0, base.Errorf(base.TooLarge, "%d rows in one request: the limit is %d", rows, memtable.MaxBatchRows).WithHint("send smaller requests")
	}
	p.plans = append(p.plans, plans)
	p.request.bytes += t.charged
	p.request.tables = append(p.request.tables, t)
	return rows, nil
}

// fill reserves the memory for a request, copies the planned rows to their place in the memtables'
// memory, and encodes the log record from there. It reserves from room if that is not nil;
// otherwise it waits for memory. From then on the request owns memory, which request.release frees.
// After an error the request owns none.
func (e *Engine) fill(ctx context.Context, p *preparation, room *Room) error {
	r := p.request
	bodyBytes := p.rowBytes + p.patchBytes
	if bodyBytes > maxBodyBytes {
		return errBody(bodyBytes)
	}
	r.bytes += bodyBytes // an estimate: the encoded body may be larger
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
		err = errBody(bytes) // refused here, since in the log it would fail its whole group
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

// conformBatch is batch.Conform with the defaults of the columns that the batch lacks. first is the
// number of the batch's first row in its request, from 0.
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

// ConformBatch converts a batch of incoming rows to the table's schema, and fills columns that it
// lacks with their defaults. The caller releases the returned batch.
//
// Rows that violate a check of the table are Invalid, as are rows that batch.Conform refuses.
// Checks are skipped if a row may keep existing values: in a table with a primary key, if the batch
// lacks columns and whole is false. The caller that computes the new rows has to check them.
//
// first is the number, from 0, of the batch's first row within its request. Errors name rows by it.
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

// ErrViolated returns the error for a row, counted from 0, that violates a check of its table.
func ErrViolated(t schema.Table, row int64) error {
	return base.Errorf(base.Invalid, "row %d violates a check of table %s: %s", row+1, t.QualifiedName(), t.Condition())
}

// Conform finds a table and conforms rows to it as Append does. If o.Create is set and the rows
// need another schema, table is the table with that schema and evolution is not nil, see Plan. The
// caller releases the records.
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
