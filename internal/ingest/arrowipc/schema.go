package arrowipc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// schemaCheck walks over a schema's flatbuffer before arrow-go does. Tables of a
// flatbuffer may be shared, so few bytes can describe a tree of any size.
type schemaCheck struct {
	at              int
	count           int
	views           int           // columns of a view type
	dictionaryViews map[int64]int // the same in the dictionary of each id
}

func (s *schemaCheck) schema(t flatbuffers.Table) error {
	if t.GetInt16Slot(schemaEndianness, 0) != 0 {
		return invalid(s.at, "big-endian data").(*base.Error).WithHint("write it on, or convert it to, a little-endian machine")
	}
	if vectorLen(t, schemaMetadata, 4) < 0 || vectorLen(t, schemaFeatures, 8) < 0 {
		return invalid(s.at, "a schema with broken metadata")
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
	if vectorLen(t, fieldMetadata, 4) < 0 {
		return invalid(s.at, "a field with broken metadata")
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
