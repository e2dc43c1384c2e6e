package protobuf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// The oracle: protobuf-go decodes the message. Its result and the rows of the batch are printed in
// the same notation.

var errTime = errors.New("not a time")
var errText = errors.New("not UTF-8")

// errOracle is for messages at which protobuf-go panics. Its dynamic messages panic if an entry of
// a map has a key followed by another key of a wrong wire type.
var errOracle = errors.New("protobuf-go panics")

// expected returns the row of a message, or the reason why it is invalid.
func expected(md protoreflect.MessageDescriptor, msg []byte) (row string, err error) {
	defer func() {
		if recover() != nil {
			err = errOracle
		}
	}()
	m := dynamicpb.NewMessage(md)
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(msg, m); err != nil {
		return "", err
	}
	return showMessage(m)
}

func showMessage(m protoreflect.Message) (string, error) {
	fields := m.Descriptor().Fields()
	parts := make([]string, fields.Len())
	for i := range parts {
		s, err := showField(m, fields.Get(i))
		if err != nil {
			return "", err
		}
		parts[i] = string(fields.Get(i).Name()) + ":" + s
	}
	return "{" + strings.Join(parts, " ") + "}", nil
}

func showField(m protoreflect.Message, fd protoreflect.FieldDescriptor) (string, error) {
	switch {
	case fd.IsList():
		var parts []string
		for i := range m.Get(fd).List().Len() {
			s, err := showValue(fd, m.Get(fd).List().Get(i))
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
		return "[" + strings.Join(parts, " ") + "]", nil
	case fd.IsMap():
		var parts []string
		var failed error
		m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			key, err := showValue(fd.MapKey(), k.Value())
			failed = errors.Join(failed, err)
			value, err := showValue(fd.MapValue(), v)
			failed = errors.Join(failed, err)
			parts = append(parts, key+"="+value)
			return true
		})
		slices.Sort(parts)
		return "<" + strings.Join(parts, " ") + ">", failed
	case fd.HasPresence() && !m.Has(fd):
		return "NULL", nil
	}
	return showValue(fd, m.Get(fd))
}

func showValue(fd protoreflect.FieldDescriptor, v protoreflect.Value) (string, error) {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return showInner(v.Message())
	case protoreflect.EnumKind:
		if e := fd.Enum().Values().ByNumber(v.Enum()); e != nil {
			return strconv.Quote(string(e.Name())), nil
		}
		return strconv.Quote(strconv.Itoa(int(v.Enum()))), nil
	case protoreflect.StringKind:
		if !utf8.ValidString(v.String()) {
			return "", errText
		}
		return strconv.Quote(v.String()), nil
	case protoreflect.BytesKind:
		return fmt.Sprintf("x%x", v.Bytes()), nil
	case protoreflect.FloatKind:
		return showFloat(float32(v.Float())), nil
	case protoreflect.DoubleKind:
		return fmt.Sprintf("d%x", math.Float64bits(v.Float())), nil
	}
	return fmt.Sprint(v.Interface()), nil
}

// showFloat prints every NaN in the same way: protobuf-go stores a float as float64, which changes
// some NaNs.
func showFloat(v float32) string {
	if v != v {
		return "NaN"
	}
	return fmt.Sprintf("f%x", math.Float32bits(v))
}

// showInner prints a message that is the value of a field.
func showInner(m protoreflect.Message) (string, error) {
	md := m.Descriptor()
	if fd := wrapped(md); fd != nil {
		return showValue(fd, m.Get(fd))
	}
	if a, ok := isTime(md); ok {
		s, n := m.Get(md.Fields().ByNumber(1)).Int(), m.Get(md.Fields().ByNumber(2)).Int()
		if a == doTimestamp {
			if s < minTimestamp || s > maxTimestamp || n < 0 || n > 999_999_999 {
				return "", errTime
			}
			return fmt.Sprintf("t%d.%09d", s, n), nil
		}
		if s < -9_223_372_035 || s > 9_223_372_035 || n < -999_999_999 || n > 999_999_999 || s*n < 0 {
			return "", errTime
		}
		return fmt.Sprint(s*1_000_000_000 + n), nil
	}
	if md.Fields().Len() == 0 {
		return "true", nil
	}
	return showMessage(m)
}

// showArrow prints row i of an array in the form in which showField prints the field.
func showArrow(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "NULL"
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return showArrow(a.Dictionary(), a.GetValueIndex(i))
	case *array.String:
		return strconv.Quote(a.Value(i))
	case *array.Binary:
		return fmt.Sprintf("x%x", a.Value(i))
	case *array.Float32:
		return showFloat(a.Value(i))
	case *array.Float64:
		return fmt.Sprintf("d%x", math.Float64bits(a.Value(i)))
	case *array.Timestamp:
		v, unit := int64(a.Value(i)), int64(1e6)
		if a.DataType().(*arrow.TimestampType).Unit == arrow.Nanosecond {
			unit = 1e9
		}
		s, n := v/unit, v%unit
		if n < 0 {
			s, n = s-1, n+unit
		}
		return fmt.Sprintf("t%d.%09d", s, n*(1e9/unit))
	case *array.Struct:
		parts := make([]string, a.NumField())
		for f := range parts {
			parts[f] = a.DataType().(*arrow.StructType).Field(f).Name + ":" + showArrow(a.Field(f), i)
		}
		return "{" + strings.Join(parts, " ") + "}"
	case *array.Map:
		start, end := a.ValueOffsets(i)
		var parts []string
		for e := start; e < end; e++ {
			parts = append(parts, showArrow(a.Keys(), int(e))+"="+showArrow(a.Items(), int(e)))
		}
		slices.Sort(parts)
		return "<" + strings.Join(parts, " ") + ">"
	case *array.List:
		start, end := a.ValueOffsets(i)
		var parts []string
		for e := start; e < end; e++ {
			parts = append(parts, showArrow(a.ListValues(), int(e)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return a.ValueStr(i)
}

// showRows prints a batch's rows, and checks its layout.
func showRows(t testing.TB, rec arrow.RecordBatch) []string {
	t.Helper()
	if err := ingest.Validate(rec); err != nil {
		t.Fatalf("the batch is not valid: %v", err)
	}
	if err := batch.Validate(rec); err != nil {
		t.Fatalf("the batch is not valid: %v", err)
	}
	if _, err := ingest.Natural(rec, ingest.NewBudget(1<<30)); err != nil {
		t.Fatalf("the batch is not natural: %v", err)
	}
	checkNested(t, rec)
	rows := make([]string, rec.NumRows())
	for i := range rows {
		parts := make([]string, rec.NumCols())
		for c := range parts {
			parts[c] = rec.ColumnName(c) + ":" + showArrow(rec.Column(c), i)
		}
		rows[i] = "{" + strings.Join(parts, " ") + "}"
	}
	return rows
}

// checkNested checks properties that readers may rely on but that Validate does not check: fields
// of a NULL struct are NULL, NULL lists are empty, dictionaries have only values in use, and keys
// of a map are distinct.
func checkNested(t testing.TB, rec arrow.RecordBatch) {
	t.Helper()
	var check func(name string, a arrow.Array)
	check = func(name string, a arrow.Array) {
		switch a := a.(type) {
		case *array.Dictionary:
			used := make(map[int]bool)
			for i := range a.Len() {
				if a.IsValid(i) {
					used[a.GetValueIndex(i)] = true
				}
			}
			if len(used) != a.Dictionary().Len() {
				t.Fatalf("column %s: %d of %d values of the dictionary are used", name, len(used), a.Dictionary().Len())
			}
		case *array.Struct:
			for f := range a.NumField() {
				field := name + "." + a.DataType().(*arrow.StructType).Field(f).Name
				for i := range a.Len() {
					if a.IsNull(i) && a.Field(f).IsValid(i) {
						t.Fatalf("column %s: row %d is not NULL, its struct is", field, i)
					}
				}
				check(field, a.Field(f))
			}
		case *array.Map:
			for i := range a.Len() {
				seen := make(map[string]bool)
				start, end := a.ValueOffsets(i)
				for e := start; e < end; e++ {
					key := showArrow(a.Keys(), int(e))
					if seen[key] {
						t.Fatalf("column %s: row %d has key %s twice", name, i, key)
					}
					seen[key] = true
				}
			}
			check(name+".key", a.Keys())
			check(name+".value", a.Items())
		case *array.List:
			for i := range a.Len() {
				if start, end := a.ValueOffsets(i); a.IsNull(i) && start != end {
					t.Fatalf("column %s: row %d is NULL and has elements", name, i)
				}
			}
			check(name+"[]", a.ListValues())
		}
	}
	for i := range int(rec.NumCols()) {
		check(rec.ColumnName(i), rec.Column(i))
	}
}

// compare appends messages to a decoder and compares rows and errors with the oracle's. Sometimes
// it finishes the batch.
func compare(t testing.TB, d *Decoder, messages [][]byte, describe func() string) {
	t.Helper()
	md := d.plan.message
	var want []string
	finish := func() {
		rec := d.Finish()
		defer rec.Release()
		got := showRows(t, rec)
		if len(got) != len(want) {
			t.Fatalf("%d rows of %d\n%s", len(got), len(want), describe())
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("row %d:\n got %s\nwant %s\n%s", i, got[i], want[i], describe())
			}
		}
		want = want[:0]
	}
	for i, msg := range messages {
		row, wrong := expected(md, msg)
		if wrong == errOracle {
			continue
		}
		err := d.Append(msg)
		if errors.Is(err, wire.ErrFull) {
			finish()
			err = d.Append(msg)
		}
		switch {
		case err == nil && wrong == nil:
			want = append(want, row)
		case err == nil:
			t.Fatalf("message %d %x is accepted, protobuf-go says %v\n%s", i, msg, wrong, describe())
		case wrong == nil && strings.Contains(err.Error(), "UTF-8") && !enforcesText(md):
			// The decoder is stricter, also about values that are replaced.
		case wrong == nil && strings.Contains(err.Error(), "a time with nanoseconds"):
		case wrong == nil:
			t.Fatalf("message %d %x is refused: %v\n%s", i, msg, err, describe())
		}
		if err != nil {
			if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge {
				t.Fatalf("message %d: %v of kind %v", i, err, k)
			}
		}
	}
	finish()
}

func enforcesText(md protoreflect.MessageDescriptor) bool {
	return md.Syntax() == protoreflect.Proto3
}
