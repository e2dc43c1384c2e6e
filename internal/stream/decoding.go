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

// errDefect is in the errors of guarded.
var errDefect = errors.New("a defect of Scoter's")

// guarded runs f, and makes an error of a panic. It is Invalid: one record that brings a defect to light is to become a dead
// letter, and not to stop the stream, again and again.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Invalid, "%w: %v", errDefect, r)
		}
	}()
	return f()
}

// errFull says that a batch must be sealed before a record can be added.
var errFull = errors.New("the batch is full")

// decoding are the decoders of one schema.
type decoding struct {
	key      string
	decoders []wire.MessageDecoder // one per shape
	numbers  []int32               // of the records within the batch whose messages they hold
}

// decodings turn records into rows, with decoders for each schema that comes along. They are
// kept from batch to batch, as decoders learn how much memory a batch takes.
type decodings struct {
	plan   *plan
	byKey  map[string]*decoding
	last   *decoding
	broken bool // a message is in some of its decoders only
	// tombstones are the numbers of the records that delete the rows of their keys.
	tombstones []int32
}

// maxDecodings bounds how many schemas have decoders that are kept.
const maxDecodings = 32

func newDecodings(p *plan) *decodings { return &decodings{plan: p, byKey: map[string]*decoding{}} }

// add decodes a record, which is the batch's number-th. errFull: finish first. Kinds Invalid, NotFound and
// TooLarge are about the record; other errors are the schema registry's.
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
		if err := guarded(func() error { return decoder.Append(msg) }); err != nil {
			d.broken = d.broken || i > 0
			switch {
			case isFull(err):
				return errFull
			case errors.Is(err, errDefect):
				// What such a decoder holds is not known: the batch is decoded again, by others.
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

// piece are rows of one shape and one schema, and the number of each row's record.
type piece struct {
	rows       arrow.RecordBatch
	numbers    []int32
	tombstones bool // the records have no value, and the rows no column
}

// finish returns the rows by shape, and starts anew. The pieces are the caller's to release.
// An error is about one of the records.
func (d *decodings) finish() ([][]piece, error) {
	all := make([][]piece, len(d.plan.shapes))
	var failed error
	for _, one := range d.filled() {
		for i, decoder := range one.decoders {
			var rows arrow.RecordBatch
			var messages []int32
			err := guarded(func() (err error) {
				rows, messages, err = decoder.FinishWithMessages()
				return err
			})
			if err != nil {
				// What such a decoder holds is not known.
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
		one.numbers = nil // pieces keep it
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

// finishAll is finish for decodings of one shape.
func (d *decodings) finishAll() ([]piece, error) {
	if len(d.filled()) == 0 && len(d.byKey) > 0 { // the columns of none
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

// filled returns the decoders with rows, in the order of their first records: the first decides what
// a table that is made has for columns.
func (d *decodings) filled() (all []*decoding) {
	for _, one := range d.byKey {
		if len(one.numbers) > 0 {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *decoding) int { return int(a.numbers[0] - b.numbers[0]) })
	return all
}

// reset drops all rows.
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
