package protobuf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Random message types and random messages of them.

type schemaMaker struct {
	rng    *rand.Rand
	syntax string
	file   *descriptorpb.FileDescriptorProto
}

var knownTypes = []string{"Timestamp", "Timestamp", "Duration", "StringValue", "Int32Value", "BoolValue", "BytesValue", "DoubleValue",
	"UInt64Value", "Empty", "FieldMask", "Any"}

// randomMessageType returns a message type that does not contain itself.
func randomMessageType(t testing.TB, rng *rand.Rand) protoreflect.MessageDescriptor {
	t.Helper()
	s := &schemaMaker{rng: rng, syntax: []string{"proto2", "proto3", "editions"}[rng.IntN(3)]}
	s.file = &descriptorpb.FileDescriptorProto{Name: proto.String("r.proto"), Package: proto.String("r"), Syntax: proto.String(s.syntax)}
	if s.syntax == "editions" {
		s.file.Edition = descriptorpb.Edition_EDITION_2023.Enum()
	}
	for _, n := range []string{"timestamp", "duration", "wrappers", "empty", "field_mask", "any"} {
		s.file.Dependency = append(s.file.Dependency, "google/protobuf/"+n+".proto")
	}
	first := int32(0)
	if s.syntax == "proto2" {
		first = 7
	}
	s.file.EnumType = []*descriptorpb.EnumDescriptorProto{{Name: proto.String("E"),
		Value: []*descriptorpb.EnumValueDescriptorProto{
			{Name: proto.String("FIRST"), Number: proto.Int32(first)},
			{Name: proto.String("ONE"), Number: proto.Int32(1)},
			{Name: proto.String("ALIAS"), Number: proto.Int32(1)},
			{Name: proto.String("BIG"), Number: proto.Int32(1 << 20)},
			{Name: proto.String("MINUS"), Number: proto.Int32(-3)},
		}, Options: &descriptorpb.EnumOptions{AllowAlias: proto.Bool(true)}}}
	n := 1 + rng.IntN(5)
	for i := range n {
		s.file.MessageType = append(s.file.MessageType, s.message(fmt.Sprintf("M%d", i), ".r", i, n))
	}
	f, err := protodesc.NewFile(s.file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatalf("%v\n%v", err, s.file)
	}
	return f.Messages().Get(0)
}

func (s *schemaMaker) number(used map[int32]bool) int32 {
	for {
		n := int32(1 + s.rng.IntN(15))
		switch s.rng.IntN(6) {
		case 0:
			n = int32(1 + s.rng.IntN(200))
		case 1:
			n = []int32{511, 512, 2047, 2048, 100_000, 1<<29 - 1}[s.rng.IntN(6)]
		}
		if !used[n] {
			used[n] = true
			return n
		}
	}
}

func (s *schemaMaker) message(name, scope string, i, of int) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
	scope += "." + name
	used := make(map[int32]bool)
	oneofLeft := 0
	for f := range s.rng.IntN(9) {
		fd := &descriptorpb.FieldDescriptorProto{Name: proto.String(fmt.Sprintf("f%d", f)), Number: proto.Int32(s.number(used)),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
		fd.JsonName = fd.Name
		m.Field = append(m.Field, fd)
		if oneofLeft == 0 && s.rng.IntN(8) == 0 {
			s.mapField(m, fd, scope, i, of)
			continue
		}
		s.kind(m, fd, scope, i, of)
		if oneofLeft > 0 {
			fd.OneofIndex = proto.Int32(int32(len(m.OneofDecl) - 1))
			oneofLeft--
			continue
		}
		switch s.rng.IntN(10) {
		case 0, 1, 2:
			fd.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			s.packed(fd)
		case 3:
			oneofLeft = s.rng.IntN(3)
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(fmt.Sprintf("o%d", f))})
			fd.OneofIndex = proto.Int32(int32(len(m.OneofDecl) - 1))
		case 4, 5:
			s.presence(m, fd)
		}
	}
	// Synthetic oneofs must be last.
	for _, fd := range m.Field {
		if fd.GetProto3Optional() {
			fd.OneofIndex = proto.Int32(int32(len(m.OneofDecl)))
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + fd.GetName())})
		}
	}
	return m
}

func (s *schemaMaker) packed(fd *descriptorpb.FieldDescriptorProto) {
	switch fd.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_BYTES,
		descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_TYPE_GROUP:
		return
	}
	if s.syntax != "editions" && s.rng.IntN(2) == 0 {
		fd.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(s.rng.IntN(2) == 0)}
	}
}

// presence sets the presence of a field, possibly to another than the default of its syntax. The
// field is neither repeated nor a member of a oneof.
func (s *schemaMaker) presence(m *descriptorpb.DescriptorProto, fd *descriptorpb.FieldDescriptorProto) {
	inner := fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE || fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP
	switch s.syntax {
	case "proto2":
		if s.rng.IntN(2) == 0 {
			fd.Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
		}
	case "proto3":
		fd.Proto3Optional = proto.Bool(true)
	case "editions":
		features := &descriptorpb.FeatureSet{FieldPresence: descriptorpb.FeatureSet_IMPLICIT.Enum()}
		if inner || s.rng.IntN(4) == 0 {
			features.FieldPresence = descriptorpb.FeatureSet_LEGACY_REQUIRED.Enum()
		}
		if fd.Options == nil {
			fd.Options = &descriptorpb.FieldOptions{Features: features}
		} else {
			proto.Merge(fd.Options, &descriptorpb.FieldOptions{Features: features})
		}
	}
}

// kind chooses the field's type. Message types are chosen only from those after the ith, which
// prevents recursion.
func (s *schemaMaker) kind(m *descriptorpb.DescriptorProto, fd *descriptorpb.FieldDescriptorProto, scope string, i, of int) {
	switch n := s.rng.IntN(10); {
	case n < 5:
		fd.Type = s.scalar()
		if *fd.Type == descriptorpb.FieldDescriptorProto_TYPE_ENUM {
			fd.TypeName = proto.String(".r.E")
		}
	case n == 5 && s.syntax == "proto2":
		group := s.message(strings.ToUpper(fd.GetName()), scope, i, of)
		m.NestedType = append(m.NestedType, group)
		fd.Type = descriptorpb.FieldDescriptorProto_TYPE_GROUP.Enum()
		fd.TypeName = proto.String(scope + "." + group.GetName())
	case n < 8 && i+1 < of:
		fd.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		fd.TypeName = proto.String(fmt.Sprintf(".r.M%d", i+1+s.rng.IntN(of-i-1)))
	default:
		fd.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		fd.TypeName = proto.String(".google.protobuf." + knownTypes[s.rng.IntN(len(knownTypes))])
	}
	if s.syntax == "editions" && fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE && s.rng.IntN(3) == 0 {
		fd.Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{MessageEncoding: descriptorpb.FeatureSet_DELIMITED.Enum()}}
	}
}

func (s *schemaMaker) scalar() *descriptorpb.FieldDescriptorProto_Type {
	for {
		t := descriptorpb.FieldDescriptorProto_Type(1 + s.rng.IntN(18))
		if t != descriptorpb.FieldDescriptorProto_TYPE_GROUP && t != descriptorpb.FieldDescriptorProto_TYPE_MESSAGE {
			return t.Enum()
		}
	}
}

func (s *schemaMaker) mapField(m *descriptorpb.DescriptorProto, fd *descriptorpb.FieldDescriptorProto, scope string, i, of int) {
	name := "F" + fd.GetName()[1:] + "Entry"
	keys := []descriptorpb.FieldDescriptorProto_Type{descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT32,
		descriptorpb.FieldDescriptorProto_TYPE_BOOL, descriptorpb.FieldDescriptorProto_TYPE_SINT64, descriptorpb.FieldDescriptorProto_TYPE_FIXED32}
	optional := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	key := &descriptorpb.FieldDescriptorProto{Name: proto.String("key"), JsonName: proto.String("key"), Number: proto.Int32(1), Label: optional, Type: keys[s.rng.IntN(len(keys))].Enum()}
	value := &descriptorpb.FieldDescriptorProto{Name: proto.String("value"), JsonName: proto.String("value"), Number: proto.Int32(2), Label: optional}
	for {
		s.kind(m, value, scope, i, of)
		value.Options = nil
		if value.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
			m.NestedType = m.NestedType[:len(m.NestedType)-1]
		} else if s.syntax != "proto2" || value.GetType() != descriptorpb.FieldDescriptorProto_TYPE_ENUM {
			break
		}
		value.TypeName = nil
	}
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: proto.String(name),
		Field: []*descriptorpb.FieldDescriptorProto{key, value}, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}})
	fd.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	fd.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	fd.TypeName = proto.String(scope + "." + name)
}

// messageMaker makes encoded messages, with more variants than any encoder produces.
type messageMaker struct {
	rng   *rand.Rand
	noise bool // also use wrong wire types and unknown fields
}

func (g *messageMaker) message(md protoreflect.MessageDescriptor, depth int) []byte {
	var b []byte
	fields := md.Fields()
	if fields.Len() > 0 {
		for range g.rng.IntN(2 + 2*fields.Len()) {
			b = g.field(b, fields.Get(g.rng.IntN(fields.Len())), depth)
			if g.noise && g.rng.IntN(12) == 0 {
				b = g.unknown(b, 0)
			}
		}
	} else if g.noise {
		b = g.unknown(b, 0)
	}
	for i := range fields.Len() {
		if fd := fields.Get(i); fd.Cardinality() == protoreflect.Required && g.rng.IntN(20) != 0 {
			b = g.field(b, fd, depth)
		}
	}
	return b
}

func (g *messageMaker) field(b []byte, fd protoreflect.FieldDescriptor, depth int) []byte {
	if g.noise && g.rng.IntN(30) == 0 {
		// The wire type may be another one than the field's.
		return g.valueOf(protowire.AppendTag(b, fd.Number(), 0), 0)
	}
	if fd.IsList() && packable(fd) && g.rng.IntN(2) == 0 {
		var values []byte
		for range g.rng.IntN(12) {
			values = g.scalar(values, fd)
		}
		return protowire.AppendBytes(protowire.AppendTag(b, fd.Number(), protowire.BytesType), values)
	}
	switch fd.Kind() {
	case protoreflect.GroupKind:
		b = protowire.AppendTag(b, fd.Number(), protowire.StartGroupType)
		b = append(b, g.inner(fd.Message(), depth)...)
		return protowire.AppendTag(b, fd.Number(), protowire.EndGroupType)
	case protoreflect.MessageKind:
		b = protowire.AppendTag(b, fd.Number(), protowire.BytesType)
		return protowire.AppendBytes(b, g.inner(fd.Message(), depth))
	}
	return g.scalar(protowire.AppendTag(b, fd.Number(), wireType(fd.Kind())), fd)
}

func (g *messageMaker) inner(md protoreflect.MessageDescriptor, depth int) []byte {
	if depth > 12 {
		return nil
	}
	if _, ok := isTime(md); ok && g.rng.IntN(10) != 0 {
		var b []byte
		if g.rng.IntN(5) != 0 {
			seconds := []uint64{0, 1, 1_700_000_000, 1_800_000_000, 5_000_000_000, ^uint64(0), uint64(g.rng.Uint32())}[g.rng.IntN(7)]
			if g.rng.IntN(40) == 0 {
				seconds = 20_000_000_000
			}
			b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), seconds)
		}
		if g.rng.IntN(3) == 0 {
			nanos := []uint64{0, 5000, 999_999_000, 1_000_000}[g.rng.IntN(4)]
			switch g.rng.IntN(20) {
			case 0:
				nanos = uint64(g.rng.IntN(1_000_000_000))
			case 1:
				nanos = 1_000_000_000
			}
			b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), nanos)
		}
		return b
	}
	return g.message(md, depth+1)
}

func (g *messageMaker) varint() uint64 {
	v := g.rng.Uint64() >> g.rng.IntN(64)
	switch g.rng.IntN(6) {
	case 0:
		return 0
	case 1:
		return uint64(g.rng.IntN(4))
	case 2:
		return ^v
	}
	return v
}

var texts = []string{"", "a", "b", "hello", "a text of more than sixteen bytes", "grün ≠ 😀", "12345678", "x\x00y"}

func (g *messageMaker) scalar(b []byte, fd protoreflect.FieldDescriptor) []byte {
	switch wireType(fd.Kind()) {
	case protowire.VarintType:
		v := g.varint()
		if g.rng.IntN(20) == 0 { // more bytes than necessary
			return append(protowire.AppendVarint(b, v&0x7f|0x80)[:len(b)+1], 0)
		}
		return protowire.AppendVarint(b, v)
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, uint32(g.varint()))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, []uint64{g.varint(), math.Float64bits(math.NaN()), math.Float64bits(-0.5)}[g.rng.IntN(3)])
	}
	text := texts[g.rng.IntN(len(texts))]
	if g.rng.IntN(4) == 0 {
		text = fmt.Sprint(g.rng.IntN(1000))
	}
	if g.noise && g.rng.IntN(100) == 0 {
		text = "bad \xff\xfe text"
	}
	return protowire.AppendString(b, text)
}

// unknown appends a field with a number that types rarely have.
func (g *messageMaker) unknown(b []byte, depth int) []byte {
	n := protowire.Number(300 + g.rng.IntN(20))
	t := protowire.Type(g.rng.IntN(6))
	if t == protowire.EndGroupType {
		t = protowire.VarintType
	}
	return g.valueOf(protowire.AppendTag(b, n, t), depth)
}

// valueOf appends a value for the tag at the end of b.
func (g *messageMaker) valueOf(b []byte, depth int) []byte {
	num, t := protowire.Number(0), protowire.VarintType
	for i := max(0, len(b)-5); i < len(b); i++ {
		if n, w, size := protowire.ConsumeTag(b[i:]); size == len(b)-i && (i == 0 || b[i-1] < 0x80) {
			num, t = n, w
			break
		}
	}
	switch t {
	case protowire.VarintType:
		return protowire.AppendVarint(b, g.varint())
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, 1)
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, 1)
	case protowire.BytesType:
		return protowire.AppendString(b, "unknown")
	}
	if depth < 100 {
		for range g.rng.IntN(3) {
			b = g.unknown(b, depth+1)
		}
	}
	return protowire.AppendTag(b, num, protowire.EndGroupType)
}

// mutate damages a message.
func (g *messageMaker) mutate(b []byte) []byte {
	b = append([]byte(nil), b...)
	for range 1 + g.rng.IntN(2) {
		if len(b) == 0 {
			return []byte{byte(g.rng.IntN(256))}
		}
		i := g.rng.IntN(len(b))
		switch g.rng.IntN(4) {
		case 0:
			b = b[:i]
		case 1:
			b[i] = byte(g.rng.IntN(256))
		case 2:
			b = append(b[:i], b[i+1:]...)
		case 3:
			b = append(b[:i+1], b[i:]...)
		}
	}
	return b
}

func (g *messageMaker) messages(md protoreflect.MessageDescriptor, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		g.noise = g.rng.IntN(2) == 0
		out[i] = g.message(md, 0)
		if g.rng.IntN(4) == 0 {
			out[i] = g.mutate(out[i])
		}
	}
	return out
}

// checkSeed compares random messages of a random type.
func checkSeed(t testing.TB, seed uint64, data []byte) {
	rng := rand.New(rand.NewPCG(seed, 1))
	md := randomMessageType(t, rng)
	plan, err := NewPlan(md, Options{PoisonMemory: true})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	g := &messageMaker{rng: rng}
	messages := g.messages(md, 12)
	if data != nil {
		messages = append(messages, data)
	}
	d := plan.NewDecoder()
	describe := func() string { return fmt.Sprintf("seed %d\n%v", seed, protodesc.ToDescriptorProto(md)) }
	defer func() {
		if r := recover(); r != nil {
			t.Logf("%s", describe())
			panic(r)
		}
	}()
	compare(t, d, messages, describe)
	compare(t, d, messages[len(messages)/2:], describe) // in the memory of the first batch
}

func TestRandomMessagesOfRandomTypesEqualProtobufGo(t *testing.T) {
	for seed := range uint64(1500) {
		checkSeed(t, seed, nil)
	}
}

func FuzzDecodeEqualsProtobufGo(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, []byte{0x08, 0x01, 0x12, 0x01, 'a'})
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) { checkSeed(t, seed, data) })
}
