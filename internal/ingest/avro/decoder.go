package avro

import (
	"math"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// maxBytes bounds the total size of a batch's messages, so that no text column exceeds the 2 GiB of
// Arrow's utf8.
const maxBytes = math.MaxInt32

const truncated = "the message ends within a value"

// Decoder decodes messages into the rows of a batch, one message after the other.
type Decoder struct {
	plan *Plan
	root *node
	// resolution is nil if messages are decoded with the schema that they were written with.
	resolution *resolution

	consumed int   // number of bytes of the messages in the batch
	reserved int64 // number of bits that the rows of the batch take in fixed-width buffers

	// The state of the current message: the error (wrong), its position in the message (at), and
	// the names of the field with the error and of the fields around it, from the inside out
	// (path).
	wrong string
	at    int
	full  bool
	path  []string
}

// Append adds the row of a message. The bytes of msg are copied.
//
// On error the batch is unchanged. Errors are:
//   - base.Invalid, with the field where decoding failed and the position in the message
//     (base.Error.Position, counted from 1). With Options.Reader the position may be that in the
//     message as encoded with the reader's schema.
//   - base.TooLarge, if the batch has no room for the message. If the error wraps wire.ErrFull, the
//     message may fit into an empty batch.
func (d *Decoder) Append(msg []byte) error {
	if len(msg) > maxBytes-d.consumed {
		return d.tooLarge("more than 2 GiB of messages")
	}
	row, reserved := d.root.rows, d.reserved
	d.path, d.full = d.path[:0], false
	if d.resolution != nil {
		var ok bool
		if msg, ok = d.resolve(msg); !ok {
			return d.failed()
		}
		if len(msg) > maxBytes-d.consumed {
			return d.tooLarge("more than 2 GiB of messages")
		}
	}
	end := -1
	if d.reserve(1, d.root.width) {
		end = d.value(d.root, msg, 0)
	}
	if end >= 0 && end < len(msg) {
		end = d.fail("the message has more bytes after its value", end)
	}
	if end < 0 {
		d.root.truncate(row)
		d.reserved = reserved
		return d.failed()
	}
	d.consumed += len(msg)
	return nil
}

// reserve counts rows of the given width in bits, and reports whether the batch has room for them.
func (d *Decoder) reserve(rows int64, width int) bool {
	width = max(width, 8) // at least 8, so that the number of rows fits 32 bits
	if rows > (d.plan.budget-d.reserved)/int64(width) {
		d.full = true
		return false
	}
	d.reserved += rows * int64(width)
	return true
}

// fail records an error and its position in the message (at). It always returns -1, which its
// callers return as the position after a value that could not be read.
func (d *Decoder) fail(wrong string, at int) int {
	d.wrong, d.at = wrong, at
	return -1
}

// The method in adds the name of the node n to the path of the field that could not be read. It
// always returns -1, so that callers can end with "return d.in(n)".
func (d *Decoder) in(n *node) int {
	if n.name != "" {
		d.path = append(d.path, n.name)
	}
	return -1
}

func (d *Decoder) failIn(n *node, wrong string, at int) int {
	d.fail(wrong, at)
	return d.in(n)
}

// failed returns the error of the message that could not be read.
func (d *Decoder) failed() error {
	if d.full {
		return d.tooLarge("more values than a batch's memory can hold")
	}
	where := ""
	if len(d.path) > 0 {
		slices.Reverse(d.path)
		where = ", field " + strings.Join(d.path, ".")
	}
	return base.Errorf(base.Invalid, "byte %d%s: %s", d.at+1, where, d.wrong).At(d.at + 1)
}

// tooLarge returns the error for a message that does not fit into this batch, or into any batch.
func (d *Decoder) tooLarge(why string) error {
	if d.root.rows > 0 {
		return base.Errorf(base.TooLarge, "%s: %w", why, wire.ErrFull)
	}
	return base.Errorf(base.TooLarge, "a message of %s", why)
}

// long reads an Avro int or long. It returns the number and the position after it, or -1 as the
// position on failure.
func (d *Decoder) long(b []byte, p int) (int64, int) {
	if p < len(b) && b[p] < 0x80 {
		v := b[p]
		return int64(v>>1) ^ -int64(v&1), p + 1
	}
	var v uint64
	for i, shift := p, 0; i < len(b); i, shift = i+1, shift+7 {
		c := b[i]
		if shift == 63 && c > 1 {
			return 0, d.fail("a number of more than 64 bits", p)
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return int64(v>>1) ^ -int64(v&1), i + 1
		}
	}
	return 0, d.fail(truncated, p)
}

// int reads a number as the method long does, for node n. A number of more than 32 bits is an
// error.
func (d *Decoder) int(n *node, b []byte, p int) (int64, int) {
	v, next := d.long(b, p)
	if next < 0 {
		return 0, d.in(n)
	}
	if v != int64(int32(v)) {
		return 0, d.failIn(n, "a number of more than 32 bits", p)
	}
	return v, next
}

// extent reads a length at b[p:]. It returns the start and the end of the bytes after the length,
// which are as many as the length says. On failure end is -1.
func (d *Decoder) extent(b []byte, p int) (start, end int) {
	n, start := d.long(b, p)
	if start < 0 {
		return 0, -1
	}
	if n < 0 || n > int64(len(b)-start) {
		return 0, d.fail(truncated, p)
	}
	return start, start + int(n)
}

// Messages returns the number of messages in the batch.
func (d *Decoder) Messages() int { return d.root.rows }

// Rows returns the number of rows in the batch.
func (d *Decoder) Rows() int { return d.root.rows }

// Bytes returns roughly how many bytes of memory the batch's rows use.
func (d *Decoder) Bytes() int64 { return d.root.bytes() }

// Reset drops all rows.
func (d *Decoder) Reset() {
	d.root.reset()
	d.consumed, d.reserved = 0, 0
}
