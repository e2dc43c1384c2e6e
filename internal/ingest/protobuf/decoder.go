package protobuf

import (
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// maxBytes bounds the total size of a batch's messages, so that no text column exceeds the 2 GiB of
// Arrow's utf8.
const maxBytes = math.MaxInt32

// Decoder decodes messages into the rows of a batch, one message after the other.
type Decoder struct {
	plan    *Plan
	root    *message
	outputs []*output
	levels  []*level
	top     *level // the level (sequence of rows) that has one row for each message
	// chain has the levels (sequences of rows) from the messages to the rows of the batch.
	chain []fanned

	required []requirement
	times    []*column

	messages int   // number of messages in the batch
	consumed int   // total size in bytes of the batch's messages
	reserved int64 // number of bits reserved in the fixed-width buffers of all levels
	repeated int64 // number of bytes of text that are copied into several rows, see checkRepeated

	// The following fields belong to the message that is being read.

	// again says that the message is read a second time, without the map entries whose positions
	// are in d.replaced.
	again bool
	// replaced has the positions in the message of map entries that a later entry replaces.
	replaced []int
	// ops (see type op) that decoded an invalid time, which a later value may correct
	suspects []*op
	groups   []uint64
	// The error of the message: its kind (code), its position in the message (at), and the names of
	// the field with the error and of the fields around it, from the inside out (path).
	code failure
	at   int
	path []string
}

// Append adds the rows of a message: one row, or one for each element that the plan turns into
// rows. The bytes of msg are copied.
//
// On error the batch is unchanged. Errors are:
//   - base.Invalid, with the field where decoding failed and the position in the message
//     (base.Error.Position, counted from 1)
//   - base.TooLarge, if the batch has no room for the message. If the error wraps wire.ErrFull, the
//     message may fit into an empty batch.
//
// Required fields of the plan must be present. Unknown fields, extensions and fields outside the
// plan are skipped; only their sizes are read.
func (d *Decoder) Append(msg []byte) error {
	if len(msg) > maxBytes-d.consumed {
		return d.tooLarge("more than 2 GiB of messages")
	}
	row, repeated := d.top.rows, d.repeated
	err := d.append(msg)
	if err == nil && len(d.replaced) > 0 {
		d.top.truncate(row)
		d.repeated = repeated
		slices.Sort(d.replaced)
		d.again = true
		err = d.append(msg)
		d.again = false
	}
	d.replaced = d.replaced[:0]
	if err != nil {
		d.top.truncate(row)
		return err
	}
	d.consumed += len(msg)
	d.messages++
	return nil
}

// append adds the rows of a message as Append does. After an error it leaves the rows as they are,
// and Append removes them.
func (d *Decoder) append(msg []byte) error {
	d.suspects, d.path, d.code = d.suspects[:0], d.path[:0], codeNone
	if d.required != nil || len(d.chain) > 1 {
		for _, l := range d.levels {
			l.mark = l.rows
		}
	}
	row := d.top.rows
	if row == d.top.cap && !d.grow(d.top, row+1) {
		return d.failed()
	}
	d.top.rows = row + 1
	if !d.message(d.root, row, msg, 0) {
		return d.failed()
	}
	if len(d.replaced) > 0 && !d.again {
		return nil // errors of entries that are replaced do not matter
	}
	if len(d.suspects) > 0 {
		if err := d.checkTimes(); err != nil {
			return err
		}
	}
	if d.required != nil {
		if err := d.checkRequired(); err != nil {
			return err
		}
	}
	if d.times != nil && d.clash() {
		return d.tooLarge("a time with nanoseconds and one before 1677 or after 2262 in one column")
	}
	if len(d.chain) > 1 {
		return d.checkRepeated(len(msg))
	}
	return nil
}

// failed returns the error of the message that could not be read.
func (d *Decoder) failed() error {
	if d.code == codeFull {
		return d.tooLarge("more rows than a batch's memory can hold")
	}
	where := ""
	if len(d.path) > 0 {
		slices.Reverse(d.path)
		where = ", field " + strings.Join(d.path, ".")
	}
	return base.Errorf(base.Invalid, "byte %d%s: %s", d.at+1, where, failures[d.code]).At(d.at + 1)
}

// tooLarge returns the error for a message that does not fit into this batch, or into any batch.
func (d *Decoder) tooLarge(why string) error {
	if d.messages > 0 {
		return base.Errorf(base.TooLarge, "%s: %w", why, wire.ErrFull)
	}
	return base.Errorf(base.TooLarge, "a message of %s", why)
}

// checkRequired returns an error if the message lacks a required field.
func (d *Decoder) checkRequired() error {
	for _, r := range d.required {
		for row := r.level.mark; row < r.level.rows; row++ {
			if r.message != nil && !bitutil.BitIsSet(r.message.valid, row) {
				continue
			}
			if !bitutil.BitIsSet(r.field.valid, row) {
				return base.Errorf(base.Invalid, "field %s is required and missing", r.path)
			}
		}
	}
	return nil
}

// checkRepeated returns an error if the text of the current message, copied into several rows,
// would exceed what a column can hold. Text is copied if a selected path has [], which makes one
// row for each element of a list: the other columns of the message then have their values in each
// of these rows. The argument size is the size of the message in bytes, which is at least the size
// of its text.
func (d *Decoder) checkRepeated(size int) error {
	const worthCounting = 1 << 14
	rows := d.rows()
	n, text := int64(rows.rows-rows.mark), int64(size)
	if n*text > worthCounting {
		text = 0
		for _, f := range d.chain[:len(d.chain)-1] {
			for _, c := range f.level.columns {
				text += c.textFrom(f.level.mark)
			}
		}
	}
	if n*text > maxBytes-d.repeated {
		return d.tooLarge("more than 2 GiB of text, repeated for the rows of its elements")
	}
	d.repeated += n * text
	return nil
}

// Messages returns the number of messages in the batch.
func (d *Decoder) Messages() int { return d.messages }

// Rows returns the number of rows in the batch.
func (d *Decoder) Rows() int { return d.rows().rows }

func (d *Decoder) rows() *level { return d.chain[len(d.chain)-1].level }

// Bytes returns roughly how many bytes of memory the batch's rows use.
func (d *Decoder) Bytes() int64 {
	n := int64(0)
	for _, l := range d.levels {
		n += l.bytes()
	}
	return n
}

// Reset drops all rows.
func (d *Decoder) Reset() {
	for _, l := range d.levels {
		l.reset()
	}
	d.messages, d.consumed, d.reserved, d.repeated = 0, 0, 0, 0
}
