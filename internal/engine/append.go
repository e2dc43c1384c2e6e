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

// TableName is the qualified name of a table. Names are compared as DuckDB compares them: without
// regard to case.
type TableName struct{ Database, Schema, Name string }

// TableRows are rows to append to one table. Their batches have the types that decoders produce
// ("natural types"), with the columns in any order (see batch.Conform). The caller must keep the
// batches valid until Append returns, and still owns them afterwards.
type TableRows struct {
	Table   TableName
	ID      base.TableID // id of the table; if it is not zero, the name in Table is ignored
	Batches []arrow.RecordBatch
	// Tags are names of columns. If AppendOptions.Create creates the table, it is sorted by these
	// columns before its time column.
	Tags []string
	// Key has the names of the columns of the primary key, if AppendOptions.Create creates the
	// table. Empty means no primary key.
	Key []string

	// TypedFormat says that the wire format of the rows distinguishes integers from other numbers.
	// Then a number with a fraction is an error in an integer column. Without TypedFormat, such a
	// number changes the column to DOUBLE if AppendOptions.Create is set and no value loses
	// precision.
	TypedFormat bool

	// The fields WholeRows, NullMeansMissing, Numbers and Deleting are for tables with a primary
	// key. Package write sets them.

	// WholeRows says that a new row replaces the existing row of its key completely: columns that
	// the new row lacks get their defaults. Without WholeRows, these columns keep the values of the
	// existing row.
	WholeRows bool
	// NullMeansMissing says that a NULL in a row means that the row lacks the column.
	NullMeansMissing bool
	// Numbers, if not nil, has a number for each row of each batch, which says in which order the
	// rows arrived. If several rows have the same key, the one with the greatest number counts.
	// Rows with equal numbers count as arrived in the order of the batches. If Numbers is nil, all
	// rows count as arrived in the order of the batches.
	Numbers [][]int32
	// Deleting, if not nil, says for each batch whether its rows delete the rows of their keys.
	// Rows of a deleting batch need only the key and the version. If the version is missing or
	// NULL, the row of the key is deleted whatever its version is. If some batch does not delete,
	// WholeRows must be set.
	Deleting []bool
}

// AppendOptions are options of Engine.Append and similar methods.
type AppendOptions struct {
	// Async makes the append return when the rows are in the log and visible, without waiting for
	// fsync. A power failure may lose the rows of the last Settings.SyncInterval.
	Async bool
	// Create creates the table if it is missing, with its database and schema. The types of the
	// batches determine its columns. If the table exists, Create adds and widens columns as the
	// batches need.
	Create bool
	// IdempotencyKey, if not empty, identifies the request. If another request with the same key
	// follows within Settings.KeyLifetime, it is not run, and gets the result of the first one.
	// BodyHash is a hash of the request's body. If it differs from that of the first request, the
	// error is Conflict.
	IdempotencyKey string
	BodyHash       []byte
	// Progress, if not nil, has the offsets of a source (a Kafka topic that fills tables) up to
	// which this append contains the source's records. The offsets and the rows are stored
	// together, or neither is. An append with Progress does not need rows.
	Progress *Progress
	// Lock is only for Commit. It is the weakest table lock that the caller holds on any of the
	// tables that it changes.
	Lock TableLock
	// BeforeLockWait, if not nil, is called before the request waits for a table lock. If it
	// returns an error, the request fails with that error instead of waiting.
	BeforeLockWait BeforeLockWait
	// Evolutions is only for Commit. It has the schema changes that the rows need. The caller has
	// computed its changes of rows as if these schema changes had been made: see
	// Engine.DeduplicatedSnapshotAs.
	Evolutions []Evolution
	// Reservation, if not nil, is the reservation from which the request takes memory. If the
	// request would have to wait for memory, the error is ErrMemoryBusy.
	Reservation *Reservation

	idempotency *idempotencyRecord // idempotency record of the request; RunOnce sets it
}

// Counts are the numbers of rows that a request inserted, updated and deleted.
type Counts struct {
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
	// Replayed says that the request is a repetition, which was applied before: see
	// AppendOptions.IdempotencyKey.
	Replayed bool `json:"-"`
}

// Rows returns the total number of rows that were inserted, updated or deleted.
func (c Counts) Rows() int64 { return c.Inserted + c.Updated + c.Deleted }

// Plus returns the sum of c and d.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Inserted + d.Inserted, c.Updated + d.Updated, c.Deleted + d.Deleted, c.Replayed || d.Replayed}
}

// Result is the answer to a request that changed rows.
type Result struct {
	Counts
	// Seq is the sequence number of the request's edit. Every snapshot with this number or a
	// greater one has the rows.
	Seq base.Seq `json:"seq"`
}

// maxBodyBytes is the maximum size in bytes of the rows in a log frame. It leaves 1 MiB for the
// rest of the frame.
const maxBodyBytes = wal.MaxPayloadBytes - 1<<20

func errBody(bytes int64) error {
	return base.Errorf(base.TooLarge, "a request of %d bytes: the limit is %d", bytes, int64(maxBodyBytes)).WithHint("send smaller requests")
}

// ErrSchemaChanged says that nothing was appended, because the table's schema changed after the
// rows were conformed to it. The caller conforms the rows to the new schema and tries again.
var ErrSchemaChanged = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// ErrMissingColumn says that nothing was appended to a table that merges on read, because all rows
// lack one of its columns. The column may have just been added. An appended row replaces the whole
// row of its key, so the values of the column would be lost. The caller has to look up the existing
// rows.
var ErrMissingColumn = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// maxAttempts is the maximum number of times that one append or commit starts again because
// something else changed meanwhile.
const maxAttempts = 100

// Append appends rows to one or several tables, all or nothing. If it returns no error, every
// snapshot that is taken afterwards has the rows. Unless o.Async is set, the rows also survive a
// crash.
//
// A table with a primary key is refused unless it merges on read (use Commit with Change.Keys).
// Rows for a table that merges on read must be whole rows. They must have a version if the table
// has a version column. If all rows lack some column of such a table, the error is
// ErrMissingColumn, unless TableRows.WholeRows is set.
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
// To find out, repeat the request with the same idempotency key.
func (e *Engine) Append(ctx context.Context, tables []TableRows, o AppendOptions) (Result, error) {
	return e.RunOnce(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			r, err := e.prepare(ctx, tables, o)
			if err != nil {
				return Result{}, err
			}
			if result, err := e.submit(ctx, r); err != ErrSchemaChanged {
				return result, err
			}
		}
		return Result{}, base.Errorf(base.Conflict, "the schema changed %d times during one append", maxAttempts).
			WithHint("retry once the schema changes are finished")
	})
}

// submit passes a prepared request to the committer, and waits for the request's outcome.
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
		if r.idempotency != nil {
			r.idempotency.outcome = r.done
		}
		return Result{}, base.Wrap(ctx.Err(), "the rows may or may not be stored")
	}
}

// prepare does the part of an append that needs only the rows and the schema, and no lock: it
// conforms the rows to the schema, copies them and encodes the log record.
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
		case table.MergeOnRead && !rows.WholeRows && lacksColumn(rows.Batches, table):
			err = ErrMissingColumn
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
	release, err := e.ShareTables(ctx, o.BeforeLockWait, p.mergeOnRead...)
	if err != nil {
		return nil, err
	}
	if err := e.fill(ctx, &p, o.Reservation); err != nil {
		release()
		return nil, err
	}
	fillRelease := p.request.release
	p.request.release = func() { fillRelease(); release() }
	return p.request, nil
}

// joined returns rows with one element per table: a request may name a table several times, and
// joined merges these elements. Two elements stay separate if they differ in WholeRows, or if only
// one of them has Numbers.
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
		if !there || (rows.Numbers == nil) != (all[i].Numbers == nil) || rows.WholeRows != all[i].WholeRows {
			at[key], all = len(all), append(all, rows)
			continue
		}
		all[i].Batches = slices.Concat(all[i].Batches, rows.Batches)
		all[i].Numbers = slices.Concat(all[i].Numbers, rows.Numbers)
	}
	return all
}

// lacksColumn reports whether the table has a column that is missing in all of the batches.
func lacksColumn(batches []arrow.RecordBatch, t schema.Table) bool {
	return batch.Rows(batches) > 0 && slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool { return hasColumn(rec, c.Name) })
	})
}

func errKeyed(t schema.Table) error {
	return base.Errorf(base.Invalid, "table %s has a primary key: rows cannot be appended without a check of their keys", t.QualifiedName()).
		WithHint("INSERT and mode=upsert replace the rows of the same key")
}

// preparation is a request that is being prepared for the committer. The method fill copies and
// encodes its rows.
type preparation struct {
	request *request
	// conformed has the batches that conform to their tables. They are released after they were
	// copied.
	conformed []arrow.RecordBatch
	// plans has, for each table of the request, the copies to be made of its batches.
	plans    [][]*memtable.Plan
	rowBytes int64
	// patches are the new values of changed rows. There is one batch per patch, in the order in
	// which the log frame lists the patches.
	patches     []arrow.RecordBatch
	patchBytes  int64
	mergeOnRead []base.TableID // the tables that merge on read and get rows
}

func (p *preparation) release() {
	for _, record := range p.conformed {
		record.Release()
	}
}

// arrange sorts the rows of batches by the order in which they arrived. That order is given by the
// argument numbers (see TableRows.Numbers). A table that merges on read needs its rows in that
// order.
func (p *preparation) arrange(records []arrow.RecordBatch, numbers [][]int32) ([]arrow.RecordBatch, error) {
	arranged, err := batch.Arrange(records, numbers)
	p.conformed = append(p.conformed, arranged...)
	return arranged, err
}

// append plans how the rows of records are added to a table. If the table merges on read, it also
// records the hashes of the rows' keys.
func (p *preparation) append(table schema.Table, records []arrow.RecordBatch) error {
	rows, err := p.add(table, records)
	if err != nil || rows == 0 || !table.MergeOnRead {
		return err
	}
	p.mergeOnRead = append(p.mergeOnRead, table.ID)
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

// add makes plans for copying batches that conform to the table, and returns their total number of
// rows.
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
		t.reserved += plan.ChargeBytes()
		p.rowBytes += plan.Bytes()
	}
	if rows == 0 {
		return 0, nil
	}
	// A memtable numbers its rows with 32 bits, and the numbers must not overflow.
	if rows > memtable.MaxBatchRows {
		return 0, base.Errorf(base.TooLarge, "%d rows in one request: the limit is %d", rows, memtable.MaxBatchRows).WithHint("send smaller requests")
	}
	p.plans = append(p.plans, plans)
	p.request.bytes += t.reserved
	p.request.tables = append(p.request.tables, t)
	return rows, nil
}

// fill reserves the memory for a request, copies the planned rows into the memtables' memory, and
// encodes the log record from these copies. If reservation is not nil, the memory is taken from
// that reservation. Otherwise fill waits until memory is free. After success the request owns the
// memory, and request.release frees it. After an error the request owns no memory.
func (e *Engine) fill(ctx context.Context, p *preparation, reservation *Reservation) error {
	r := p.request
	bodyBytes := p.rowBytes + p.patchBytes
	if bodyBytes > maxBodyBytes {
		return errBody(bodyBytes)
	}
	r.bytes += bodyBytes // this is an estimate: the encoded rows may take more
	if reservation != nil {
		if err := reservation.tryReserve(r.bytes); err != nil {
			return err
		}
	} else if err := e.reserve(ctx, r.bytes); err != nil {
		return err
	}
	encoded := bodies.Get().(*body)
	r.release = func() {
		for _, t := range r.tables {
			for _, rows := range t.rows {
				rows.Release()
			}
		}
		e.memory.Rows.Release(r.bytes)
		r.body = nil
		encoded.free()
	}
	err := e.encodeBody(p, encoded)
	bytes := encoded.bytes + int64(len(r.sections()))
	if err == nil && bytes > maxBodyBytes {
		// Refuse a request that is too large, before it is passed to the log. The log writes
		// several requests as a group, and all of them would fail.
		err = errBody(bytes)
	}
	if err != nil {
		r.release()
		return err
	}
	if more := bytes - bodyBytes; more > 0 {
		r.bytes += more
		e.memory.Rows.Charge(more)
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

// conformBatch converts a batch to the table's schema like batch.Conform, except that columns which
// the batch lacks get their defaults. The argument first is the number of the batch's first row in
// the request, from 0.
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
// If batch.Conform refuses the rows, or they violate a check of the table, the error is Invalid.
// Checks are not evaluated if rows may keep values of existing rows. That is so if the table has a
// primary key, the batch lacks columns, and the argument whole is false. The caller then computes
// the new rows, and must evaluate the checks.
//
// The argument first is the number of the batch's first row in its request, from 0. Error messages
// name rows by their number in the request.
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

// ErrViolated returns the error for a row that violates a check of its table. row is the row's
// number in the request, from 0.
func ErrViolated(t schema.Table, row int64) error {
	return base.Errorf(base.Invalid, "row %d violates a check of table %s: %s", row+1, t.QualifiedName(), t.Condition())
}

// Conform finds the table for rows, and conforms the rows to it as Append does. If o.Create is set
// and the rows need another schema, it returns the table with the new schema, and the evolution
// (schema change) that leads to it: see Plan. The caller releases the returned records.
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

// conformAll conforms all batches of rows to the table's schema.
func (e *Engine) conformAll(ctx context.Context, rows TableRows, table schema.Table) ([]arrow.RecordBatch, error) {
	records := make([]arrow.RecordBatch, 0, len(rows.Batches))
	first := int64(0)
	for _, in := range rows.Batches {
		record, err := e.ConformBatch(ctx, in, table, first, rows.WholeRows)
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
