package stream

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// errPanic marks an error that was made from a panic of a decoder or a query (see recoverPanic).
var errPanic = errors.New("internal error in the decoder")

// recoverPanic runs f. If f panics, recoverPanic returns an error of kind Invalid. So a record that
// triggers a defect of a decoder becomes a dead letter. Without recoverPanic, the record would
// crash the server again after every restart.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Invalid, "%w: %v", errPanic, r)
		}
	}()
	return f()
}

// errFull means that the decoders have no room for the record. The batch must be sealed (closed and
// passed to the source's committer) before the record can be added to a new batch.
var errFull = errors.New("the batch is full")

// decoding has the decoders for messages of one schema.
type decoding struct {
	key string
	// decoders has one decoder for each shape (set of columns) of the plan. All of them get the
	// same messages.
	decoders []wire.MessageDecoder
	// numbers[i] is the index, in the batch, of the record from which message i came.
	numbers []int32
}

// decodings turns the records of a batch into rows, with one set of decoders for each schema that
// occurs. The decoders are reused for later batches, because they learn how much memory a batch
// takes.
type decodings struct {
	plan  *plan
	byKey map[string]*decoding
	last  *decoding
	// broken is true if one decoder refused a record that another decoder had already accepted. All
	// records of the batch must then be decoded again.
	broken bool
	// tombstones are the indexes, in the batch, of records without a value, which delete the row of
	// their key.
	tombstones []int32
}

// maxDecodings is the number of schemas above which unused decoders are dropped from the cache.
const maxDecodings = 32

func newDecodings(p *plan) *decodings { return &decodings{plan: p, byKey: map[string]*decoding{}} }

// add decodes a record and adds its rows to the batch. number is the index of the record in the
// batch. If the error is errFull, the caller must call finish, and then add the record again. For
// errors of kind Invalid, NotFound and TooLarge, the record is at fault. Other errors come from the
// schema registry.
func (d *decodings) add(ctx context.Context, rec *kgo.Record, number int) error {
	if rec.Value == nil {
		return d.addTombstone(rec, number)
	}
	key, msg, err := d.plan.format.Split(rec.Value)
	if err != nil {
		return err
	}
	if d.last == nil || d.last.key != string(key) {
		if d.last, err = d.find(ctx, key); err != nil {
			return err
		}
	}
	for i, decoder := range d.last.decoders {
		if err := recoverPanic(func() error { return decoder.Append(msg) }); err != nil {
			d.broken = d.broken || i > 0
			switch {
			case isFull(err):
				return errFull
			case errors.Is(err, errPanic):
				// After a panic, the content of the decoder is undefined. New decoders decode the
				// batch again.
				delete(d.byKey, d.last.key)
				d.last, d.broken = nil, true
			}
			return err
		}
	}
	d.last.numbers = append(d.last.numbers, int32(number))
	return nil
}

func (d *decodings) find(ctx context.Context, key []byte) (*decoding, error) {
	if found := d.byKey[string(key)]; found != nil {
		return found, nil
	}
	decoders, err := d.plan.format.Decoders(ctx, key, d.plan.shapes)
	if err != nil {
		return nil, err
	}
	if len(d.byKey) >= maxDecodings {
		for key, old := range d.byKey {
			if len(old.numbers) == 0 {
				delete(d.byKey, key)
			}
		}
	}
	made := &decoding{key: string(key), decoders: decoders}
	d.byKey[made.key] = made
	return made, nil
}

// piece has decoded rows of one shape (set of columns), from messages of one schema. numbers[i] is
// the index, in the batch, of the record from which row i came.
type piece struct {
	rows    arrow.RecordBatch
	numbers []int32
	// tombstones is true if the rows stand for records without a value. These rows have no columns.
	tombstones bool
}

// finish returns the decoded rows of the batch, and starts the next batch. The outer slice has one
// entry for each shape (set of columns) of the plan. The caller releases the pieces. An error means
// that one of the records is at fault.
func (d *decodings) finish() ([][]piece, error) {
	all := make([][]piece, len(d.plan.shapes))
	var failed error
	for _, one := range d.filled() {
		for i, decoder := range one.decoders {
			var rows arrow.RecordBatch
			var messages []int32
			err := recoverPanic(func() (err error) {
				rows, messages, err = decoder.FinishWithMessages()
				return err
			})
			if err != nil {
				// After an error, the content of the decoder is undefined, so it must not be used
				// again.
				failed, d.last = err, nil
				delete(d.byKey, one.key)
				continue
			}
			numbers := one.numbers
			if messages != nil {
				numbers = make([]int32, len(messages))
				for k, m := range messages {
					numbers[k] = one.numbers[m]
				}
			}
			all[i] = append(all[i], piece{rows: rows, numbers: numbers})
		}
		one.numbers = nil // the pieces (decoded rows) own the slice now
	}
	for i := 0; i < len(all) && len(d.tombstones) > 0; i++ {
		all[i] = append(all[i], piece{rows: emptyRows(len(d.tombstones)), numbers: d.tombstones, tombstones: true})
	}
	d.broken, d.tombstones = false, nil
	if failed != nil {
		releasePieces(all)
		return nil, failed
	}
	return all, nil
}

// finishAll returns the decoded rows of decodings with a single shape (set of columns), and starts
// the next batch. If no record was added, it returns one piece (decoded rows of one schema) that
// has the columns, but no rows.
func (d *decodings) finishAll() ([]piece, error) {
	// No decoder has messages. Return one piece (decoded rows) that has the columns, but no rows.
	if len(d.filled()) == 0 && len(d.byKey) > 0 {
		for _, one := range d.byKey {
			rows, _, err := one.decoders[0].FinishWithMessages()
			return []piece{{rows: rows}}, err
		}
	}
	all, err := d.finish()
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// filled returns the decodings (one for each schema) that have messages, in the order of their
// first records. The order matters because the first one decides the columns of a new table.
func (d *decodings) filled() (all []*decoding) {
	for _, one := range d.byKey {
		if len(one.numbers) > 0 {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *decoding) int { return int(a.numbers[0] - b.numbers[0]) })
	return all
}

// reset drops all records that were added since the last call of finish.
func (d *decodings) reset() {
	for _, one := range d.byKey {
		for _, decoder := range one.decoders {
			decoder.Reset()
		}
		one.numbers = nil
	}
	d.broken, d.tombstones = false, nil
}

func releasePieces(all [][]piece) {
	for _, pieces := range all {
		for _, p := range pieces {
			p.rows.Release()
		}
	}
}
