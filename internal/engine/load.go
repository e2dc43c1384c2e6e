package engine

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// loadChunkBytes is the maximum size in bytes of the rows that a load buffers. Such a buffer full
// of rows is a chunk. A load with more rows writes each full chunk as parts. A load with fewer rows
// appends them through the log.
const loadChunkBytes = 64 << 20

// LoadOptions are the options of Engine.Load.
type LoadOptions struct {
	// Create creates the table in the edit that adds the rows. Engine.Load sets the id of the
	// table.
	Create bool
	// Replace drops an existing table of the same name, in the edit that creates the new table.
	// Create must be set, too.
	Replace bool
}

// Load adds any number of rows to a table in one edit, even if they are too many for the log and
// the memtables. Rows are buffered in chunks of at most loadChunkBytes, and each full chunk is
// written as parts. No reader sees these parts before Commit. Only one goroutine may call the
// methods of a Load.
type Load struct {
	engine  *Engine
	table   schema.Table
	options LoadOptions

	reservation *Reservation
	chunk       []arrow.RecordBatch
	chunkBytes  int64
	release     []func()
	parts       []*partFile
	rows        int64
	writers     errgroup.Group // goroutines that write parts in the background, one at a time
}

// Load begins a load into the table t. That is an existing table at its current schema version or,
// with LoadOptions.Create, a new table as for CreateTable. The caller ends the load by calling
// Commit, CommitReplacing or Abort.
func (e *Engine) Load(ctx context.Context, t schema.Table, o LoadOptions) (*Load, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	if o.Create {
		var err error
		if t, err = schema.New(t); err != nil {
			return nil, base.Wrap(err, "create table")
		}
		if t.ID, err = e.newTableID(); err != nil {
			return nil, base.Wrap(err, "create table")
		}
	}
	l := &Load{engine: e, table: t, options: o, reservation: e.NewReservation()}
	l.writers.SetLimit(1)
	return l, nil
}

// Table returns the table into which rows are loaded. Its id is set.
func (l *Load) Table() schema.Table { return l.table }

// Add adds a batch of rows, which must conform to the table. The load adds a reference to the
// batch. Add may wait for memory.
func (l *Load) Add(ctx context.Context, rec arrow.RecordBatch) error {
	if rec.NumRows() == 0 {
		return nil
	}
	bytes := batch.Bytes(rec)
	release, err := l.reservation.ReserveOrSpill(ctx, bytes, l.chunkBytes, func() error { return l.spill(ctx) })
	if err != nil {
		return err
	}
	rec.Retain()
	l.chunk, l.release = append(l.chunk, rec), append(l.release, release)
	l.chunkBytes += bytes
	l.rows += rec.NumRows()
	if l.chunkBytes >= l.engine.ChunkBytes() {
		return l.spill(ctx)
	}
	return nil
}

// spill starts to write the buffered chunk of rows as parts, in the background. Before that it
// waits until the previous chunk is written, and returns the error of that write.
func (l *Load) spill(ctx context.Context) error {
	if err := l.writers.Wait(); err != nil {
		return err
	}
	chunk, release := l.chunk, l.release
	l.chunk, l.release, l.chunkBytes = nil, nil, 0
	l.writers.Go(func() error {
		defer releaseChunk(chunk, release)
		return l.writeParts(ctx, chunk)
	})
	return nil
}

func releaseChunk(chunk []arrow.RecordBatch, release []func()) {
	for _, rec := range chunk {
		rec.Release()
	}
	for _, r := range release {
		r()
	}
}

func (l *Load) writeParts(ctx context.Context, chunk []arrow.RecordBatch) error {
	e := l.engine
	order, err := batch.Sort(chunk, l.table)
	if err != nil {
		return base.Wrap(err, "sort table %s", l.table.QualifiedName())
	}
	if order, err = withoutSuperseded(order, l.table, l.table, chunk, nil); err != nil {
		return base.Wrap(err, "table %s", l.table.QualifiedName())
	}
	partitions, err := batch.Partition(chunk, l.table, order)
	if err != nil {
		return base.Wrap(err, "table %s", l.table.QualifiedName())
	}
	for _, p := range partitions {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := e.writePart(l.table, chunk, p, part.Fast)
		if file != nil {
			l.parts = append(l.parts, file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Commit makes all rows of the load visible and durable, and returns their number. After an error
// nothing of the load is left.
//
// If the table has a primary key, Commit returns an error, because rows of the load may have keys
// that exist already. CommitReplacing is for such tables. The exception is a table that merges on
// read. For such a table Commit succeeds, and the returned number includes rows that other rows of
// the load supersede.
func (l *Load) Commit(ctx context.Context, o AppendOptions) (rows int64, err error) {
	l.reservation.Close() // no more rows will be added, so no more memory is needed
	if err = l.writers.Wait(); err == nil && l.rows > 0 && len(l.table.PrimaryKey) > 0 && !l.table.MergeOnRead {
		err = errKeyed(l.table)
	}
	if err != nil {
		return 0, errors.Join(err, l.Abort())
	}
	if l.rows == 0 && !l.options.Create {
		return 0, nil
	}
	if len(l.parts) == 0 && !l.options.Create {
		if l.chunkBytes >= l.engine.ChunkBytes()/minSpillShare {
			// The append does not wait for memory. Otherwise other loads would wait for the memory
			// that this chunk holds. If no memory is free, the chunk is written as parts instead.
			o.Reservation = l.reservation
		}
		_, err := l.engine.Append(ctx, []TableRows{{ID: l.table.ID, Batches: l.chunk}}, o)
		if errors.Is(err, ErrMissingColumn) {
			err = errOtherSchema(l.table)
		}
		if !errors.Is(err, ErrMemoryBusy) {
			releaseChunk(l.chunk, l.release)
			l.chunk, l.release = nil, nil
			return l.rows, err
		}
	}
	if len(l.chunk) > 0 {
		err = l.spill(ctx)
		if waitErr := l.writers.Wait(); err == nil {
			err = waitErr
		}
	}
	if err == nil {
		err = l.publish(ctx, o)
	}
	if err != nil {
		return 0, errors.Join(err, l.Abort())
	}
	return l.rows, nil
}

func errOtherSchema(t schema.Table) error {
	return base.Errorf(base.Conflict, "the schema of table %s changed while rows were loaded", t.QualifiedName()).WithHint("run the statement again")
}

// publish commits the load: one edit makes its parts visible.
func (l *Load) publish(ctx context.Context, o AppendOptions) error {
	e := l.engine
	var edit *catalog.Edit
	result := Result{Counts: Counts{Inserted: l.rows}}
	created := e.now()
	var replaced *table
	if l.table.MergeOnRead && !l.options.Create {
		release, err := e.ShareTables(ctx, o.BeforeLockWait, l.table.ID)
		if err != nil {
			return err
		}
		defer release()
	}
	err := e.change(ctx, func() (*catalog.Edit, error) {
		edit = &catalog.Edit{}
		replaced = nil
		result.Seq = e.seq + 1
		if l.options.Create {
			if err := l.checkNameLocked(&replaced); err != nil {
				return nil, err
			}
			if replaced != nil {
				edit.DropTables = []base.TableID{replaced.id}
			}
			edit.PutTables = []catalog.Table{{Schema: l.table, Created: created}}
		} else {
			t, err := e.tableLocked(l.table.ID)
			if err != nil {
				return nil, err
			}
			if t.current.schema.Version != l.table.Version {
				return nil, errOtherSchema(l.table)
			}
			// Rows that are appended after the load must be newer than the load's rows. The
			// existing memtable has older rows, so later rows must go to a new memtable.
			if l.table.MergeOnRead && e.active.memtables[t.id] != nil {
				if err := e.freeze(); err != nil {
					return nil, err
				}
			}
		}
		for _, p := range l.parts {
			p.MinSeq, p.MaxSeq, p.Applied = e.seq+1, e.seq+1, e.seq+1
			edit.AddParts = append(edit.AddParts, p.Part)
		}
		e.putKey(o, edit, result)
		return edit, nil
	}, func() []*version {
		e.garbage.markListed(e, l.parts)
		var old []*version
		if replaced != nil {
			old = append(old, e.forgetTableLocked(replaced))
		}
		if l.options.Create {
			e.addTableLocked(l.table, created)
		}
		t := e.tables[l.table.ID]
		t.insertedSeq = e.seq
		if t.dedup != nil {
			t.dropOldWriteSets(e.heldSnapshots.oldest())
			t.addWriteSet(writeSet{seq: e.seq, anyKey: true, appendOnly: true})
		}
		e.keyStored(o, edit, result)
		v := t.current
		parts := append(v.parts[:len(v.parts):len(v.parts)], l.parts...)
		return append(old, t.installLocked(e.newVersionLocked(v.schema, parts, v.memtables)))
	})
	if err == nil {
		e.notifyPartsAdded()
	}
	return base.Wrap(err, "load table %s", l.table.QualifiedName())
}

// checkNameLocked returns nil if a table can be created with the name of the load's table: the
// table's schema exists, and the name is free or belongs to a table that the load may replace. In
// the last case it sets *replaced to that table. The caller must hold mu.
func (l *Load) checkNameLocked(replaced **table) error {
	e := l.engine
	if err := e.checkSchemaLocked(l.table.Database, l.table.Schema); err != nil {
		return err
	}
	in := e.schemas[keyOf(l.table.Database, l.table.Schema)]
	l.table.Database, l.table.Schema = in.Database, in.Name
	key := keyOf(l.table.Database, l.table.Schema, l.table.Name)
	if id, ok := e.names[key]; ok && l.options.Replace {
		*replaced = e.tables[id]
		return e.checkNotExported(*replaced, "replaced")
	}
	return e.checkFreeLocked(key, l.table.Name)
}

// Abort ends the load and removes the files that it wrote. It may be called after any error.
func (l *Load) Abort() error {
	// Ignore this error: either Add or Commit has returned it already, or it does not matter
	// because the load is given up.
	_ = l.writers.Wait()
	l.reservation.Close()
	releaseChunk(l.chunk, l.release)
	l.chunk, l.release = nil, nil
	err := l.engine.discard([]*flushed{{parts: l.parts}})
	l.parts = nil
	return err
}
