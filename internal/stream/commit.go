package stream

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// firstWait is how long to wait before a failed attempt is repeated for the first time. The wait
// doubles with each attempt, up to longestWait.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = 5 * time.Second
)

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runCommitter stores the batches from the channel sealed, in order, until the channel is closed.
// If a batch cannot be stored, runCommitter ends the session by calling end with the error. It then
// drops all later batches, because their offsets would not follow the stored ones.
func (x *session) runCommitter(ctx context.Context, end context.CancelCauseFunc) {
	failed := false
	for b := range x.sealed {
		if !failed {
			if err := x.store(ctx, b); err != nil {
				failed = true
				end(err)
			}
		}
		releasePieces(b.pieces)
		x.memory.release(b.bytes)
		close(b.done)
	}
}

// store stores a batch of records, and repeats a failed attempt until it succeeds. While the disk
// is full, the records of the batch wait in memory, and no more records are read from the topic.
//
// A batch that cannot be stored as one edit is stored as several edits. In the end each record is
// stored as rows or becomes a dead letter. The returned error is the error of ctx, or an error that
// may not occur again in a new session.
func (x *session) store(ctx context.Context, b *sealed) error {
	sorted := false
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := x.append(ctx, b)
		if err == nil {
			x.status.done(waitStore)
			x.groupCommitter.recordBatch(b.recordBatch)
			select {
			case x.stored <- struct{}{}:
			default:
			}
			return nil
		}
		refused, tooLarge := base.KindOf(err) == base.Invalid, base.KindOf(err) == base.TooLarge
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case refused && !sorted && len(b.records) > 0:
			if err = x.removeRefused(ctx, b); err == nil {
				sorted = true
				continue
			}
		case refused && len(b.records) > 1, tooLarge && len(b.allRecords()) > 1:
			// The tables may accept each record alone, but not all records in one edit: because of
			// their number, or because their types differ. So the batch is stored in two halves.
			releasePieces(b.pieces)
			b.pieces = nil
			first, second := b.split()
			for _, half := range []*recordBatch{first, second} {
				part := &sealed{recordBatch: half}
				err := x.store(ctx, part)
				releasePieces(part.pieces)
				if err != nil {
					return err
				}
			}
			return nil
		case (refused || tooLarge) && len(b.records) == 1:
			x.makeDeadLetters(b, nil, map[*kgo.Record]string{b.records[0]: err.Error()})
			continue
		case tooLarge && b.dropDeadLetterValues():
			continue
		}
		if kind := base.KindOf(err); kind == base.Conflict || kind == base.Corrupt || kind == base.Internal || errors.Is(err, errDropped) {
			return err
		}
		x.status.waiting(waitStore, err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// append commits a batch as one edit: the rows of all tables, the dead letters and the offsets.
func (x *session) append(ctx context.Context, b *sealed) (err error) {
	if err, b.failed = b.failed, nil; err != nil {
		return err
	}
	// Before any table is created, check that the source still exists. If the source and its
	// database were dropped, creating a table would bring the database back.
	if _, gone := x.manager.store.Offsets(x.id); gone != nil {
		return errDropped
	}
	if b.pieces == nil && len(b.records) > 0 {
		if b.pieces, err = x.decodeRecords(ctx, x.plan, b.records); base.KindOf(err) == base.NotFound {
			// The schema does not exist, so the record that names it is at fault.
			return base.Errorf(base.Invalid, "%w", err)
		} else if err != nil {
			return err
		}
	}
	rows, err := x.insert(ctx, x.plan, b.pieces, b.records, b.deadLetters, b.progress(x.id))
	if err != nil {
		if _, gone := x.manager.store.Offsets(x.id); gone != nil {
			return errDropped
		}
		return err
	}
	x.batches.Add(1)
	x.status.added(b.recordBatch, rows)
	return nil
}

// errDropped is the error of storing a batch after the source was dropped.
var errDropped = errors.New("the source was dropped")

// insert commits one edit: the rows that the source's tables get from the records, the dead
// letters, and the new offsets (progress). progress may be nil. insert returns the number of rows
// that the tables get.
func (s *source) insert(ctx context.Context, p *plan, pieces [][]piece, records []*kgo.Record, deadLetters []deadLetter, progress *engine.Progress) (rows int64, err error) {
	out, err := s.rowsOf(ctx, p, pieces, records)
	if err != nil {
		return 0, err
	}
	defer out.release()
	rows = out.count
	out.add(s.deadLetterTableRows(deadLetters))
	// The append must not be cancelled when ctx ends. This session waits for the result of the
	// append, so that the next session knows which records are stored.
	return rows, s.manager.writer.Append(context.WithoutCancel(ctx), out.tables, engine.AppendOptions{Create: true, Progress: progress})
}

// decodeRecords decodes records with new decoders, and returns their rows: for each shape (set of
// columns) of the plan, a list of pieces. An error of the kind Invalid, NotFound or TooLarge means
// that one of the records is at fault, or that the records together are too large for one batch.
func (s *source) decodeRecords(ctx context.Context, p *plan, records []*kgo.Record) ([][]piece, error) {
	d := newDecodings(p)
	for i, rec := range records {
		if err := d.add(ctx, rec, i); errors.Is(err, errFull) {
			return nil, base.Errorf(base.TooLarge, "%d records do not fit into one batch", len(records))
		} else if err != nil {
			return nil, err
		}
	}
	return d.finish()
}

// removeRefused finds the records of a batch that the tables do not accept, and makes dead letters
// of them. The other records stay in the batch. Each of them fits alone, but together they may
// still not fit into one edit.
func (x *session) removeRefused(ctx context.Context, b *sealed) error {
	if err := x.checkQueries(ctx, x.plan); err != nil {
		return err
	}
	if err := x.checkDeadLetters(ctx, b.deadLetters); err != nil {
		return err
	}
	var accepted []*kgo.Record
	bad := map[*kgo.Record]string{}
	began, told := time.Now(), false
	err := x.bisectRefused(ctx, x.plan, b.records, func(good []*kgo.Record) { accepted = append(accepted, good...) }, func(rec *kgo.Record, reason string) {
		bad[rec] = reason
		if !told && time.Since(began) > reportWaitAfter {
			told = true
			x.status.waiting(waitStore, base.Errorf(base.Invalid, "searching for records that no table accepts; there are many: %s", reason))
		}
	})
	if err != nil {
		return err
	}
	x.makeDeadLetters(b, accepted, bad)
	return nil
}

// makeDeadLetters takes records out of the batch and makes dead letters of them. The map bad has
// these records, each with the reason. The list accepted has the records that stay in the batch.
// They must be decoded again.
func (x *session) makeDeadLetters(b *sealed, accepted []*kgo.Record, bad map[*kgo.Record]string) {
	for _, rec := range b.records {
		if reason, is := bad[rec]; is {
			b.deadLetters = append(b.deadLetters, x.newDeadLetter(x.plan, b.ranges[partition{rec.Topic, rec.Partition}].TopicID, rec, reason))
		}
	}
	releasePieces(b.pieces)
	b.pieces, b.records = nil, accepted
}

// checkDeadLetters checks that the table of dead letters accepts these dead letters. If it does
// not, the error is Unavailable: any user may change that table, so the records are not the cause.
func (s *source) checkDeadLetters(ctx context.Context, deadLetters []deadLetter) error {
	rows := s.deadLetterTableRows(deadLetters)
	if len(rows.Batches) == 0 {
		return nil
	}
	defer releaseBatches(rows.Batches)
	err := s.manager.writer.Check(ctx, []engine.TableRows{rows}, engine.AppendOptions{Create: true})
	if err != nil && isRecordError(err) {
		return base.Errorf(base.Unavailable, "table of dead letters: %w", err)
	}
	return err
}

// bisectRefused tests which records the tables accept. In the order of the records, it calls the
// function good with runs of accepted records, and the function bad with each refused record and
// the reason. To find a few refused records among many quickly, it halves the list again and again.
// It returns an error only if none of the records is the cause.
func (s *source) bisectRefused(ctx context.Context, p *plan, records []*kgo.Record, good func([]*kgo.Record), bad func(*kgo.Record, string)) error {
	if len(records) == 0 {
		return nil
	}
	err := s.checkRows(ctx, p, records)
	switch {
	case err == nil:
		good(records)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !isRecordError(err):
		return err
	case len(records) == 1:
		bad(records[0], err.Error())
		return nil
	}
	middle := len(records) / 2
	if err := s.bisectRefused(ctx, p, records[:middle], good, bad); err != nil {
		return err
	}
	return s.bisectRefused(ctx, p, records[middle:], good, bad)
}

// checkRows returns nil if the tables accept the rows of these records. It stores nothing.
func (s *source) checkRows(ctx context.Context, p *plan, records []*kgo.Record) error {
	pieces, err := s.decodeRecords(ctx, p, records)
	if err != nil {
		return err
	}
	defer releasePieces(pieces)
	out, err := s.rowsOf(ctx, p, pieces, records)
	if err != nil {
		return err
	}
	defer out.release()
	return s.manager.writer.Check(ctx, out.tables, engine.AppendOptions{Create: true})
}
