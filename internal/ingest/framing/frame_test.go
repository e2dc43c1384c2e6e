package framing

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

func TestAHeaderThatIsNone(t *testing.T) {
	for _, msg := range []string{"", "\x00", "\x00\x00\x00\x00", "\x01\x00\x00\x00\x01\x00", "{\"a\": 1}"} {
		if _, _, err := Cut([]byte(msg)); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", msg, err)
		}
		if _, _, err := CutProtobuf([]byte(msg)); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", msg, err)
		}
	}
	const id = "\x00\x00\x00\x00\x01"
	for _, path := range []string{"", "\x01", "\x02", "\x04\x00", "\x02\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x82\x01" + strings.Repeat("\x00", 65)} {
		if _, _, err := CutProtobuf([]byte(id + path)); base.KindOf(err) != base.Invalid {
			t.Errorf("%q: %v", path, err)
		}
	}
	if id, value, err := Cut([]byte("\x00\x00\x00\x01\x00")); id != 256 || len(value) != 0 || err != nil {
		t.Error(id, value, err)
	}
}

func FuzzCutProtobuf(f *testing.F) {
	f.Add(append(ingesttest.ProtobufHeader(1, 0), "abc"...))
	f.Add(append(ingesttest.ProtobufHeader(1, 3, 1), "abc"...))
	f.Fuzz(func(t *testing.T, msg []byte) {
		h, value, err := CutProtobuf(msg)
		if err == nil && string(h)+string(value) != string(msg) {
			t.Errorf("%q is cut into %q and %q", msg, h, value)
		}
	})
}
