package engine

import (
	"bytes"
	"context"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

const (
	// runBytes is the size in bytes of a run: consecutive frames of the log that are decoded
	// together. It is large enough that the fixed cost of a run does not matter, even if each frame
	// has one row.
	runBytes = 1 << 20
	// replayBytes is the maximum total size in bytes of the frames that are being decoded or that
	// wait to be applied.
	replayBytes = 8 << 20
)

// logRun is a run of the log: consecutive frames of one segment that are decoded together.
type logRun struct {
	segment base.SegmentID
	frames  []logFrame
	bytes   int64
}

type logFrame struct {
	seq     base.Seq
	payload []byte
}

// replayLog reads the log in runs (consecutive frames of a segment). Several goroutines call the
// function decode at the same time, each for one run. The function apply gets the results one at a
// time, in the log's order. The function wanted selects frames: a frame for which it returns false
// is verified but not decoded. After an error no more runs are applied. replayLog changes nothing
// on disk.
func replayLog[T any](fsys vfs.FS, dir string, wanted func(base.SegmentID, base.Seq) bool, decode func(logRun) (T, error), apply func(T) error) (wal.Result, error) {
	type decoded struct {
		ready chan struct{}
		value T
		err   error
		bytes int64
	}
	work, ctx := errgroup.WithContext(context.Background())
	memory := semaphore.NewWeighted(replayBytes)
	queue := make(chan *decoded, replayBytes/runBytes)
	work.Go(func() error {
		for d := range queue {
			<-d.ready
			if d.err == nil {
				d.err = apply(d.value)
			}
			if d.err != nil {
				return d.err
			}
			memory.Release(d.bytes)
		}
		return nil
	})
	var run logRun
	begin := func() error {
		if len(run.frames) == 0 {
			return nil
		}
		d := &decoded{ready: make(chan struct{}), bytes: min(run.bytes, replayBytes)}
		if err := memory.Acquire(ctx, d.bytes); err != nil {
			return err
		}
		full := run
		work.Go(func() error {
			defer close(d.ready)
			d.value, d.err = decode(full)
			// The error is part of the run's result. It is returned at the time when the result
			// would be applied.
			return nil
		})
		run = logRun{}
		select {
		case queue <- d:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	result, err := wal.Replay(fsys, dir, func(segment base.SegmentID, seq base.Seq, payload []byte) error {
		if !wanted(segment, seq) {
			return nil
		}
		if run.segment != segment || run.bytes+int64(len(payload)) > runBytes {
			if err := begin(); err != nil {
				return err
			}
		}
		run.segment = segment
		run.frames = append(run.frames, logFrame{seq, payload})
		run.bytes += int64(len(payload))
		return nil
	})
	if err == nil {
		err = begin()
	}
	close(queue)
	if failed := work.Wait(); failed != nil {
		err = failed // the error of reading is only a consequence of this error
	}
	return result, err
}

// replayedRun is the decoded form of a run (consecutive frames of a segment).
type replayedRun struct {
	segment base.SegmentID
	frames  []replayedFrame
	rows    []*replayedRows
}

type replayedFrame struct {
	frame
	seq base.Seq
}

// replayedRows are consecutive rows of one memtable in a run of the log. Their batches have the
// same encoding, so they are decoded together.
type replayedRows struct {
	in          frameTable
	table       schema.Table
	first, last base.Seq
	streams     [][]byte
	plans       []*memtable.Plan
}

// decodeRun decodes a run of frames. It leaves out rows of tables that were dropped or truncated
// later. Other goroutines call replay at the same time. So decodeRun reads only what replay does
// not change: the map of tables, their schema versions, and when they were truncated.
func (e *Engine) decodeRun(in logRun) (*replayedRun, error) {
	run := &replayedRun{segment: in.segment}
	newest := map[base.RowsetID]*replayedRows{}
	for _, lf := range in.frames {
		f, err := decodeFrame(lf.payload)
		if err == nil {
			err = f.eachStream(func(t frameTable, stream []byte) error {
				return e.collect(run, newest, t, lf.seq, stream)
			})
		}
		if err != nil {
			return nil, base.Wrap(err, "segment %d: edit %d", in.segment, lf.seq)
		}
		run.frames = append(run.frames, replayedFrame{f, lf.seq})
	}
	for _, r := range run.rows {
		records, err := decodeBatches(r.streams)
		if err == nil {
			r.plans, err = memtable.NewPlans(r.table, records)
		}
		if err != nil {
			return nil, base.Wrap(err, "segment %d: edits %d to %d: table %s", in.segment, r.first, r.last, r.table.QualifiedName())
		}
	}
	return run, nil
}

// collect adds an encoded batch of a frame to the rows of a run. The argument newest has, for each
// memtable in the run, the rows that were added last. If these rows have the same encoding as the
// batch, the batch is added to them, so that they are decoded together.
func (e *Engine) collect(run *replayedRun, newest map[base.RowsetID]*replayedRows, in frameTable, seq base.Seq, stream []byte) error {
	t := e.tables[in.id]
	if t == nil || seq <= t.truncatedSeq {
		return nil
	}
	rows := newest[in.memtable]
	if rows == nil || rows.in.id != in.id || rows.in.version != in.version || !bytes.Equal(schemaMessage(rows.streams[0]), schemaMessage(stream)) {
		s, ok := t.history[in.version]
		if !ok {
			return base.Errorf(base.Corrupt, "version %d of table %d is not in the catalog", in.version, in.id)
		}
		rows = &replayedRows{in: in, table: s, first: seq}
		newest[in.memtable] = rows
		run.rows = append(run.rows, rows)
	}
	rows.last = seq
	rows.streams = append(rows.streams, stream)
	return nil
}
