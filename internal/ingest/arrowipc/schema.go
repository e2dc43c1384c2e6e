package arrowipc

import (
	"errors"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// schemaCheck checks the flatbuffer of a schema before arrow-go reads it. Several references in a
// flatbuffer may lead to the same table, so a few bytes can describe a tree of any size.
type schemaCheck struct {
	at    int
	count int
	text  int // text is the size in bytes of names and metadata, which arrow-go copies.
	most  int // most is the maximum of the field text, in bytes.
	views int // views is the number of columns whose type has the view layout.
	// dictionaryViews[id] is the number of columns with the view layout in the dictionary with this
	// id.
	dictionaryViews map[int64]int
}

// CheckSchema checks that b is an Arrow IPC stream that begins with a schema, and that arrow-go can
// read this schema safely. If not, it returns an error. arrow-go's own reader allocates what a
// message claims, so that a few bytes can exhaust memory.
func CheckSchema(b []byte) (err error) {
	defer func() {
		if p := ingest.Recovered(recover(), "Arrow IPC"); p != nil {
			err = p
		}
	}()
	f := &frames{src: b}
	switch _, err := f.Message(); {
	case errors.Is(err, io.EOF) || err == nil && f.dictionaryViews == nil:
		return invalid(0, "no schema")
	default:
		return err
	}
}

func newSchemaCheck(meta []byte, at int) *schemaCheck {
	return &schemaCheck{at: at, most: 4*len(meta) + 1<<20, dictionaryViews: make(map[int64]int)}
}

func (s *schemaCheck) schema(t flatbuffers.Table) error {
	if vectorLen(t, schemaFeatures, 8) < 0 {
		return invalid(s.at, "a schema with broken features")
	}
	if err := s.metadata(t, schemaMetadata); err != nil {
		return err
	}
	return s.fields(t, schemaFields, 0, &s.views)
}

func (s *schemaCheck) fields(t flatbuffers.Table, slot flatbuffers.VOffsetT, depth int, views *int) error {
	n := vectorLen(t, slot, 4)
	switch {
	case n < 0:
		return invalid(s.at, "a schema with broken fields")
	case depth > ingest.MaxNesting:
		return base.Errorf(base.TooLarge, "Arrow IPC: columns are nested deeper than %d", ingest.MaxNesting)
	}
	if s.count += n; s.count > ingest.MaxColumns {
		return base.Errorf(base.TooLarge, "Arrow IPC: more than %d columns", ingest.MaxColumns)
	}
	for i := range n {
		if err := s.field(element(t, slot, i), depth, views); err != nil {
			return err
		}
	}
	return nil
}

func (s *schemaCheck) field(t flatbuffers.Table, depth int, views *int) error {
	if err := s.metadata(t, fieldMetadata); err != nil {
		return err
	}
	if err := s.take(t, fieldName); err != nil {
		return err
	}
	if what, ok := child(t, fieldType); ok && t.GetByteSlot(fieldTypeType, 0) == typeTimestamp {
		if err := s.take(what, timestampZone); err != nil {
			return err
		}
	}
	encoding, isDictionary := child(t, fieldDictionary)
	if isDictionary {
		views = new(int)
	}
	switch t.GetByteSlot(fieldTypeType, 0) {
	case typeUnion:
		return invalid(s.at, "columns of type union are not supported")
	case typeBinaryView, typeTextView:
		*views++
	}
	if err := s.fields(t, fieldChildren, depth+1, views); err != nil {
		return err
	}
	if isDictionary {
		id := encoding.GetInt64Slot(encodingID, 0)
		s.dictionaryViews[id] = max(s.dictionaryViews[id], *views)
	}
	return nil
}

// metadata adds the sizes of custom metadata (pairs of keys and values) to s.text, the total size
// of names and metadata. The pairs are in a field of t. slot is the field's offset in the vtable of
// t (flatbuffers' index of fields).
func (s *schemaCheck) metadata(t flatbuffers.Table, slot flatbuffers.VOffsetT) error {
	n := vectorLen(t, slot, 4)
	if n < 0 {
		return invalid(s.at, "a message with broken metadata")
	}
	for i := range n {
		pair := element(t, slot, i)
		s.text += 16 // what a pair costs even if it is empty
		if err := s.take(pair, pairKey); err != nil {
			return err
		}
		if err := s.take(pair, pairValue); err != nil {
			return err
		}
	}
	return nil
}

// take adds the size of a name, key or value to s.text, the total size. It returns an error if the
// total exceeds s.most. The name, key or value is in a field of t. slot is the field's offset in
// the vtable of t (flatbuffers' index of fields).
func (s *schemaCheck) take(t flatbuffers.Table, slot flatbuffers.VOffsetT) error {
	if o := t.Offset(slot); o != 0 {
		s.text += len(t.ByteVector(flatbuffers.UOffsetT(o) + t.Pos))
	}
	if s.text > s.most {
		return base.Errorf(base.TooLarge, "Arrow IPC: more than %d bytes of names and metadata in a message", s.most)
	}
	return nil
}
