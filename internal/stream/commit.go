package stream

import (
	"context"
	"errors"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// Waits between attempts of what may succeed later.
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

// runCommitter stores sealed batches in their order, until there are no more. An error ends the
// session: batches behind one that is not stored must not be.
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
		x.inFlight.Done()
	}
}

// store stores a batch, however often that must be tried: as long as the disk is full, its records wait, and
// behind them the topic. An error is one that another session may not have, or that ctx has ended.
func (x *session) store(ctx context.Context, b *sealed) error {
	sorted := 0
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := x.append(ctx, b)
		switch kind := base.KindOf(err); {
		case err == nil:
			x.status.running()
			x.mirror.stored(b.intake)
			select {
			case x.stored <- struct{}{}:
			default:
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case kind == base.TooLarge && len(b.records) > 1:
			first, second := b.halves()
			for _, half := range []*intake{first, second} {
				if err := x.store(ctx, &sealed{intake: half, pieces: x.decodeAll(ctx, half.records)}); err != nil {
					return err
				}
			}
			return nil
		case (kind == base.Invalid || kind == base.TooLarge) && sorted < 2:
			// A second time, because a table may have changed between sorting and appending.
			if err = x.sortOut(ctx, b); err == nil {
				sorted++
				continue
			}
			if base.KindOf(err) != base.Unavailable {
				return err
			}
			x.status.waiting(err)
		case kind == base.Conflict, kind == base.Corrupt, kind == base.Internal, errors.Is(err, errGone):
			return err
		default:
			x.status.waiting(err)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// append makes one edit of a batch: the rows of all tables, its dead letters, its offsets.
func (x *session) append(ctx context.Context, b *sealed) error {
	if b.pieces == nil && len(b.records) > 0 {
		return base.Errorf(base.Invalid, "records are to be sorted out")
	}
	out := &rows{}
	if len(b.records) > 0 {
		if err := guarded(func() (err error) {
			out, err = x.build(ctx, x.plan, b.pieces, b.records)
			return err
		}); err != nil {
			return err
		}
	}
	defer out.release()
	if err := x.manager.make(ctx, out.make); err != nil {
		return err
	}
	count := out.count
	if len(b.letters) > 0 {
		out.add(engine.TableRows{Table: x.lettersTable(), Batches: []arrow.RecordBatch{x.letterRows(b.letters, time.Now())}})
	}
	// Not ctx: the outcome is waited for, so that the next session knows it.
	if err := x.manager.writer.Append(context.WithoutCancel(ctx), out.tables, engine.AppendOptions{Create: true, Progress: b.progress(x.id)}); err != nil {
		if _, gone := x.manager.store.Offsets(x.id); gone != nil {
			return errGone
		}
		return err
	}
	x.status.added(b.intake, count)
	return nil
}

// errGone says that the source was dropped.
var errGone = errors.New("the source was dropped")

// decodeAll decodes records anew; nil if one of them cannot be.
func (x *session) decodeAll(ctx context.Context, records []*kgo.Record) [][]piece {
	pieces, err := x.decodeRecords(ctx, x.plan, records)
	if err != nil {
		return nil
	}
	return pieces
}

// decodeRecords decodes records with decoders of their own. An error for which ofMessage holds is
// about one of them.
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

// sortOut finds the records of a batch that no table takes, and makes dead letters of them.
func (x *session) sortOut(ctx context.Context, b *sealed) error {
	releasePieces(b.pieces)
	b.pieces = nil
	if err := x.checkQueries(ctx, x.plan); err != nil {
		return err
	}
	ids := map[partition][16]byte{}
	for p, r := range b.ranges {
		ids[p] = r.TopicID
	}
	var kept []*kgo.Record
	err := x.sift(ctx, x.plan, b.records, func(good []*kgo.Record) { kept = append(kept, good...) }, func(bad *kgo.Record, reason string) {
		b.letters = append(b.letters, x.letterOf(x.plan, ids[partition{bad.Topic, bad.Partition}], bad, reason))
	})
	if err != nil {
		return err
	}
	b.records = kept
	if len(kept) > 0 {
		b.pieces, err = x.decodeRecords(ctx, x.plan, kept)
	}
	return err
}

// sift calls good with runs of records that the tables take, and bad with each that they do not, in their
// order. Halving finds few bad ones among many soon. An error is not about the records.
func (s *source) sift(ctx context.Context, p *plan, records []*kgo.Record, good func([]*kgo.Record), bad func(*kgo.Record, string)) error {
	if len(records) == 0 {
		return nil
	}
	err := s.fits(ctx, p, records)
	switch {
	case err == nil:
		good(records)
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !ofMessage(err):
		return err
	case len(records) == 1:
		bad(records[0], err.Error())
		return nil
	}
	middle := len(records) / 2
	if err := s.sift(ctx, p, records[:middle], good, bad); err != nil {
		return err
	}
	return s.sift(ctx, p, records[middle:], good, bad)
}

// fits returns nil if the tables take the rows of these records.
func (s *source) fits(ctx context.Context, p *plan, records []*kgo.Record) error {
	pieces, err := s.decodeRecords(ctx, p, records)
	if err != nil {
		return err
	}
	defer releasePieces(pieces)
	var out *rows
	if err := guarded(func() (err error) {
		out, err = s.build(ctx, p, pieces, records)
		return err
	}); err != nil {
		return err
	}
	defer out.release()
	if err := s.manager.make(ctx, out.make); err != nil {
		return err
	}
	return s.manager.writer.Fits(ctx, out.tables, engine.AppendOptions{Create: true})
}
