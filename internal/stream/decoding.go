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

// errPanic is wrapped by the errors that guarded makes of panics.
var errPanic = errors.New("a defect of Scoter's")

// recoverPanic runs f and turns a panic of it into an error of kind Invalid. So a record that
// triggers a defect of a decoder becomes a dead letter. Otherwise it would stop the stream after
// every restart.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Invalid, "%w: %v", errPanic, r)
		}
	}()
	return f()
}

// errFull means that the batch must be sealed before a record can be added.
var errFull = errors.New("the batch is full")

// decoding has the decoders of one schema.
type decoding struct {
	key      string
	decoders []wire.MessageDecoder // one for each shape (set of columns) of the plan
	// numbers[i] is the index in the batch of the record of message i
	numbers  []int32
}

// decodings turn records into rows, with one set of decoders for each schema that occurs. Decoders
// are reused for later batches, because they learn how much memory a batch takes.
type decodings struct {
	plan   *plan
	byKey  map[string]*decoding
	last   *decoding
	broken bool // true if a record failed after some of the decoders had accepted it
	// tombstones are the indexes in the batch of the records that delete the row of their key.
	tombstones []int32
}

// maxDecodings bounds the number of schemas whose decoders are cached.
const maxDecodings = 32

func newDecodings(p *plan) *decodings { return &decodings{plan: p, byKey: map[string]*decoding{}} }

// add decodes a record. number is its index in the batch. On errFull the caller must call finish
// first. Errors of kind Invalid, NotFound and TooLarge are about the record. Other errors come from
// the schema registry.
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
				// After a defect, the content of the decoder is undefined. The batch is decoded
				// again by new decoders.
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

// piece has rows of one shape (set of columns) and one schema. It also has, for each row, the index
// of its record in the batch.
type piece struct {
	rows       arrow.RecordBatch
	numbers    []int32
	tombstones bool // the records have no value, and the rows no columns
}

// finish returns the decoded rows of the batch, and starts the next batch. The outer slice has one
// entry for each shape of the plan. The caller releases the pieces. An error is about one of the
// records.
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
				// After an error, the content of the decoder is undefined. Do not use it again.
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
		one.numbers = nil // numbers belongs to the pieces now
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

// finishAll calls finish for decodings that have a single shape (set of columns), and returns the
// pieces of that shape. If no record has a row, it returns a piece without rows, but with the
// columns.
func (d *decodings) finishAll() ([]piece, error) {
	// No decoder has rows. Return a piece that has the columns, but no rows.
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

// filled returns the decoders that have rows, in the order of their first records. If a table is
// created, the first decoder decides its columns.
func (d *decodings) filled() (all []*decoding) {
	for _, one := range d.byKey {
		if len(one.numbers) > 0 {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *decoding) int { return int(a.numbers[0] - b.numbers[0]) })
	return all
}

// reset drops all rows that are decoded and not finished.
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
