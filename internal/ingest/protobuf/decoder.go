package protobuf

import (
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
)

// ErrFull is what Append's error wraps if the batch cannot hold the message but an
// empty one may: call Finish, then Append the same message again.
var ErrFull = base.Errorf(base.TooLarge, "the batch is full")

// maxBytes bounds the bytes of the messages of one batch, so that no column of
// text passes the 2 GiB that Arrow's utf8 can hold.
const maxBytes = math.MaxInt32

// Decoder turns messages into the rows of a batch, one after the other.
type Decoder struct {
	plan    *Plan
	root    *message
	outputs []*output
	levels  []*level
	top     *level   // its rows are the messages
	chain   []fanned // from top to the level whose rows are the batch's

	required []requirement
	times    []*column

	messages int   // of the batch
	consumed int   // bytes of the batch's messages
	reserved int64 // bits of the levels' fixed-width buffers
	repeated int64 // bytes of text that repeats for the rows of a projection

	// Of the message being read.
	again    bool  // it is read a second time, without the map entries in replaced
	replaced []int // where entries start that a later one replaces
	suspects []*op // of columns with times that may be invalid
	groups   []uint64
	code     failure // what is wrong, at which byte, in which field from inside out
	at       int
	path     []string
}

// Append adds the message's rows: one, or those of the elements that the plan fans
// out. On error the batch is as it was before; the error is base.Invalid, with the
// byte of the message (1-based, base.Error.Position) and the field where reading
// failed, or base.TooLarge: if it wraps ErrFull, an empty batch may hold the message.
//
// The bytes of msg are copied. Required fields must be there as far as they are in
// the plan; unknown fields, extensions and fields outside the plan are passed over,
// with no more than a look at their size.
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

// append is Append without the way back.
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
		return nil // what is wrong with entries that are replaced does not matter
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

// failed returns the error that was noted while reading.
func (d *Decoder) failed() error {
	if d.code == codeFull {
		return d.tooLarge("rows of more memory than a batch may use")
	}
	where := ""
	if len(d.path) > 0 {
		slices.Reverse(d.path)
		where = ", field " + strings.Join(d.path, ".")
	}
	return base.Errorf(base.Invalid, "byte %d%s: %s", d.at+1, where, failures[d.code]).At(d.at + 1)
}

// tooLarge returns the error of a message that does not fit: into this batch, or
// into any.
func (d *Decoder) tooLarge(why string) error {
	if d.messages > 0 {
		return base.Errorf(base.TooLarge, "%s: %w", why, ErrFull)
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

// checkRepeated returns an error if the text that repeats for each row of a
// projection would pass what a column can hold. size is the message's, and so a
// bound on its text.
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

// Messages returns how many messages the batch holds.
func (d *Decoder) Messages() int { return d.messages }

// Rows returns how many rows the batch has.
func (d *Decoder) Rows() int { return d.rows().rows }

func (d *Decoder) rows() *level { return d.chain[len(d.chain)-1].level }

// Bytes returns about how much memory the batch's rows use.
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
