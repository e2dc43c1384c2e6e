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

// TableName is a table's qualified name, compared as DuckDB compares names.
type TableName struct{ Database, Schema, Name string }

// TableRows are rows for one table. The batches hold natural types, columns in any order (see
// batch.Conform); they are borrowed until Append returns.
type TableRows struct {
	Table   TableName
	ID      base.TableID // names the table instead of Table, if not zero
	Batches []arrow.RecordBatch
	// Tags are the columns by which a table that AppendOptions.Create makes is sorted, before
	// its time column.
	Tags []string
	// Key is the primary key of a table that AppendOptions.Create makes, or empty.
	Key []string

	// Typed says that the rows' format has types of its own for columns: one of integers takes no number with a fraction then, also if it came with rows.
	Typed bool

	// Of rows for a table with a primary key, which package mutate appends:

	// Whole says that a row replaces the one of its key as a whole: columns that it lacks have their defaults then.
	// Otherwise they stay as they are.
	Whole bool
	// Sparse says that a row with NULL in a column lacks it.
	Sparse bool
	// Numbers, if not nil, say in which order the rows of all batches came: a number for each. Of several rows with
	// one key the last one counts. Rows of one number, or without, came as they stand.
	Numbers [][]int32
	// Deleting, if not nil, says of each batch whether its rows delete those of their keys. Of such
	// rows the key counts, and the version: one that lacks it, or has NULL, deletes whatever
	// version is there. The other rows must be Whole.
	Deleting []bool
}

// AppendOptions says how rows are appended.
type AppendOptions struct {
	// Async answers once the rows are in the log and visible, without waiting for
	// fsync: a power failure may lose the last Settings.SyncInterval of them.
	Async bool
	// Create makes a missing table (database and schema too) from the batches' types, and adds
	// and widens columns of an existing one where the batches need it.
	Create bool
	// IdempotencyKey, if not empty, makes a repetition of the request within
	// Settings.KeyLifetime return the first one's result. BodyHash tells
	// a repetition from another request with the same key, which is a Conflict.
	IdempotencyKey string
	BodyHash       []byte
	// Progress, if not nil, is how far the append brings a stream: it is stored with the rows
	// or not at all. An append may have it and no rows.
	Progress *Progress
	// Pins, of Commit only, says what the caller holds of the tables that it changes, at least.
	Pins Pins
	// Waits, if not nil, is called before the request waits for the pin of a table, and may refuse to
	// have it wait. over is called after the wait.
	Waits func(ctx context.Context) (over func(), err error)
	// Evolutions, of Commit only, are those of the tables that the changes were computed for: see Engine.SettledAs.
	Evolutions []Evolution
	// Room, if not nil, is where the memory comes from: what it has not at once is ErrNoRoom.
	Room *Room

	claim *claim // of the key, within Once
}

// Counts says how many rows a request changed.
type Counts struct {
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
	Replayed bool  `json:"-"` // the request was executed before
}

// Rows returns how many rows were changed in any way.
func (c Counts) Rows() int64 { return c.Inserted + c.Updated + c.Deleted }

// Plus returns the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Inserted + d.Inserted, c.Updated + d.Updated, c.Deleted + d.Deleted, c.Replayed || d.Replayed}
}

// Result is the answer to a request.
type Result struct {
	Counts
	Seq base.Seq `json:"seq"` // snapshots from this number on hold the rows
}

// maxBodyBytes leaves room for the header in a frame.
const maxBodyBytes = wal.MaxPayloadBytes - 1<<20

func errBody(bytes int64) error {
	return base.Errorf(base.TooLarge, "a request of %d bytes: the limit is %d", bytes, int64(maxBodyBytes)).WithHint("send smaller requests")
}

// ErrStale sends a request back to be conformed to the schema that is current now.
var ErrStale = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// ErrPartial says that a table that merges on read has columns by now that none of the rows to append has. In the place of those of their keys they
// would take away what is in these columns: somebody has to look.
var ErrPartial = base.Errorf(base.Conflict, "the table's schema changed meanwhile").WithHint("run the statement again")

// maxAttempts bounds how often one append gives way to schema changes.
const maxAttempts = 100

// Append appends rows to one or several tables, all or nothing. When it returns without
// error, every snapshot taken from then on holds the rows, and, unless Async, they survive a crash.
//
// A table with a primary key takes no rows this way, unless it merges on read: see Commit and Change.Keys. Then they are whole rows, with the
// version, if the table has such a column; those without a column of it are ErrPartial, unless they are Whole.
//
// Errors: NotFound for a missing table; Invalid for rows that do not fit; TooLarge; Conflict for
// a key used otherwise,
// or for progress that does not follow what is stored; Unavailable, or StorageFull, if there is no memory for Settings.MaxWait, the disk is full, or
// the engine has stopped. If ctx ends while the rows are being written, the error says
// that they may or may not be stored; a repetition with the same idempotency key finds out.
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

// submit has the committer execute a prepared request.
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

// prepare does all that needs only the request and the schema: conform, copy, encode.
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

// joined returns rows with those for one table together: a request may name a table several times, in different ways.
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

// lacksColumn reports whether none of the batches has some column of a table.
func lacksColumn(batches []arrow.RecordBatch, t schema.Table) bool {
	return batch.Rows(batches) > 0 && slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		return !slices.ContainsFunc(batches, func(rec arrow.RecordBatch) bool { return hasColumn(rec, c.Name) })
	})
}

func errKeyed(t schema.Table) error {
	return base.Errorf(base.Invalid, "table %s has a primary key: rows cannot be appended to it from here", t.QualifiedName()).
		WithHint("INSERT and mode=upsert replace the rows of the same key")
}

// preparation gathers what a request will copy and encode.
type preparation struct {
	request    *request
	conformed  []arrow.RecordBatch // to release once copied
	plans      [][]*memtable.Plan  // per table of the request
	rowBytes   int64
	patches    []arrow.RecordBatch // values of patches, in the order of the frame's section
	patchBytes int64
	settling   []base.TableID // those that merge on read
}

func (p *preparation) release() {
	for _, record := range p.conformed {
		record.Release()
	}
}

// arrange brings records of a table that merges on read into the order in which their rows came.
func (p *preparation) arrange(records []arrow.RecordBatch, numbers [][]int32) ([]arrow.RecordBatch, error) {
	arranged, err := batch.Arrange(records, numbers)
	p.conformed = append(p.conformed, arranged...)
	return arranged, err
}

// append is add for rows that are appended.
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

// add plans the copy of conformed batches of a table, and returns how many rows they have.
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
	if rows > memtable.MaxBatchRows { // else those of a memtable could outgrow their ordinals
		return 0, base.Errorf(base.TooLarge, "%d rows in one request: the limit is %d", rows, memtable.MaxBatchRows).WithHint("send smaller requests")
	}
	p.plans = append(p.plans, plans)
	p.request.bytes += t.charged
	p.request.tables = append(p.request.tables, t)
	return rows, nil
}

// fill takes the memory for a request, from a room if there is one, copies the planned rows to where the memtables will have them, and
// encodes the body from there. From now on the request owns memory, which its release gives back; after an
// error it owns none.
func (e *Engine) fill(ctx context.Context, p *preparation, room *Room) error {
	r := p.request
	bodyBytes := p.rowBytes + p.patchBytes
	if bodyBytes > maxBodyBytes {
		return errBody(bodyBytes)
	}
	r.bytes += bodyBytes // about: encoded it may be more
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
		err = errBody(bytes) // here, since in the log all of its group would fail
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

// conformBatch is batch.Conform with the defaults of the columns that the batch lacks.
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

// ConformBatch returns a batch of rows that come from outside as one of the table, with the defaults of the columns that it lacks. Rows
// that violate a check of the table are Invalid, as are those that batch.Conform refuses. Where a row may keep what it lacks, in a table
// with a primary key unless it comes as a whole, only who changes it can tell. first is the number, from 0, of the batch's first row
// within its request. The caller releases the batch.
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

// ErrViolated says that a row, counted from 0, violates a check of its table.
func ErrViolated(t schema.Table, row int64) error {
	return base.Errorf(base.Invalid, "row %d violates a check of table %s: %s", row+1, t.QualifiedName(), t.Condition())
}

// Conform finds a table and conforms rows to it as Append does. If the options allow it, the table is the one of an evolution that the rows need, see Plan. The
// records are the caller's to release.
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

// conformAll conforms the batches to a table.
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
