package part

import (
	"bytes"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// TestFieldsThatNobodyReadsArePassedOver skips a struct with a field of each type, nested ones
// included, and reads an integer after it.
func TestFieldsThatNobodyReadsArePassedOver(t *testing.T) {
	data := []byte{
		0x11, 0x12, // true and false
		0x13, 0xff, // a byte
		0x14, 0x80, 0x01, 0x15, 0x02, 0x16, 0xff, 0xff, 0x03, // i16, i32, i64
		0x17, 1, 2, 3, 4, 5, 6, 7, 8, // double
		0x18, 3, 'a', 'b', 'c', // binary
		0x19, 0x21, 1, 2, // list of two booleans
		0x19, 0xf8, 16, 1, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // list of 16 texts
		0x1a, 0x15, 0x04, // set of one i32
		// maps: an empty one, and one of a text to an i32
		0x1b, 0x00, 0x1b, 0x01, 0x85, 1, 'k', 0x06,
		0x1c, 0x15, 0x02, 0x1c, 0x00, 0x00, // struct of an i32 and a struct
		0x05, 0xc8, 0x01, 0x09, // an i32 with the explicit id 100
		0x00, 'e', 'n', 'd',
	}
	c := &compact{data: data}
	read := int64(0)
	err := parse(func() error {
		c.fields(func(id int) bool {
			if id == 100 {
				read = c.integer()
			}
			return id == 100
		})
		return nil
	})
	if err != nil || read != -5 || !bytes.Equal(c.data, []byte("end")) {
		t.Errorf("read %d, %q is left, %v", read, c.data, err)
	}
	for length := range len(data) - 4 {
		c := &compact{data: data[:length]}
		err := parse(func() error {
			c.fields(func(int) bool { return false })
			return nil
		})
		if base.KindOf(err) != base.Corrupt {
			t.Errorf("the first %d bytes: %v", length, err)
		}
	}
	deep := &compact{data: bytes.Repeat([]byte{0x1c}, 1<<20)}
	if err := parse(func() error {
		deep.skip(compactStruct)
		return nil
	}); base.KindOf(err) != base.Corrupt {
		t.Errorf("a million structs in one another: %v", err)
	}
}
