package protobuf

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// elements maps each prefix of a path that makes rows to its current element.
type elements map[string]element

type element struct {
	fd    protoreflect.FieldDescriptor
	value protoreflect.Value
	key   protoreflect.Value // key of a map's entry
}

// follow returns the text of the value at the end of a path.
func follow(m protoreflect.Message, steps []wire.Step, of elements, prefix string) (string, error) {
	s := steps[0]
	fd := m.Descriptor().Fields().ByName(protoreflect.Name(s.Name))
	last := len(steps) == 1
	var v protoreflect.Value
	switch {
	case s.Index == wire.AllElements:
		e := of[prefix+s.Name+"[]"]
		if fd.IsMap() {
			inner := map[string]element{"key": {fd: fd.MapKey(), value: e.key}, "value": {fd: fd.MapValue(), value: e.value}}[steps[1].Name]
			if len(steps) == 2 {
				return showValue(inner.fd, inner.value)
			}
			return follow(inner.value.Message(), steps[2:], of, prefix+s.Name+"[]."+steps[1].Name+".")
		}
		v = e.value
		prefix += s.Name + "[]."
	case s.Index >= 0:
		list := m.Get(fd).List()
		if list.Len() <= s.Index {
			return "NULL", nil
		}
		v = list.Get(s.Index)
		prefix += fmt.Sprintf("%s[%d].", s.Name, s.Index)
	case last:
		return showField(m, fd)
	case !m.Has(fd):
		return "NULL", nil
	default:
		v = m.Get(fd)
		prefix += s.Name + "."
	}
	if last {
		return showValue(fd, v)
	}
	return follow(v.Message(), steps[1:], of, prefix)
}

// fanOut returns the elements of each row that m makes.
func fanOut(m protoreflect.Message, chain []string) []elements {
	rows := []elements{{}}
	for _, path := range chain {
		var next []elements
		for _, row := range rows {
			steps, _ := wire.ParsePath(path)
			for _, e := range elementsAt(m, steps, row, "") {
				with := elements{path: e}
				for k, v := range row {
					with[k] = v
				}
				next = append(next, with)
			}
		}
		rows = next
	}
	return rows
}

// elementsAt returns the elements of the field at the end of a path.
func elementsAt(m protoreflect.Message, steps []wire.Step, of elements, prefix string) []element {
	s := steps[0]
	fd := m.Descriptor().Fields().ByName(protoreflect.Name(s.Name))
	if len(steps) == 1 {
		var all []element
		if fd.IsMap() {
			m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				all = append(all, element{fd: fd, value: v, key: k.Value()})
				return true
			})
			return all
		}
		for i := range m.Get(fd).List().Len() {
			all = append(all, element{fd: fd, value: m.Get(fd).List().Get(i)})
		}
		return all
	}
	switch {
	case s.Index == wire.AllElements && fd.IsMap():
		return elementsAt(of[prefix+s.Name+"[]"].value.Message(), steps[2:], of, prefix+s.Name+"[].value.")
	case s.Index == wire.AllElements:
		return elementsAt(of[prefix+s.Name+"[]"].value.Message(), steps[1:], of, prefix+s.Name+"[].")
	case s.Index >= 0:
		if m.Get(fd).List().Len() <= s.Index {
			return nil
		}
		return elementsAt(m.Get(fd).List().Get(s.Index).Message(), steps[1:], of, fmt.Sprintf("%s%s[%d].", prefix, s.Name, s.Index))
	}
	if !m.Has(fd) {
		return nil
	}
	return elementsAt(m.Get(fd).Message(), steps[1:], of, prefix+s.Name+".")
}

// pathMaker makes random paths into a type. They make rows from only one chain of fields.
type pathMaker struct {
	rng   *rand.Rand
	chain []string
}

func (g *pathMaker) path(md protoreflect.MessageDescriptor, prefix string, fanned int) string {
	if md.Fields().Len() == 0 {
		return ""
	}
	fd := md.Fields().Get(g.rng.IntN(md.Fields().Len()))
	path := prefix + string(fd.Name())
	if fd.IsList() || fd.IsMap() {
		switch {
		case fanned == len(g.chain) && g.rng.IntN(3) == 0:
			g.chain = append(g.chain, path+"[]")
			fallthrough
		case fanned < len(g.chain) && g.chain[fanned] == path+"[]":
			fanned++
			path += "[]"
		case fd.IsList() && g.rng.IntN(3) != 0:
			path += fmt.Sprintf("[%d]", g.rng.IntN(3))
		default:
			return path
		}
	}
	if fd.IsMap() {
		if fd.MapValue().Message() == nil || g.rng.IntN(3) == 0 {
			return path + "." + []string{"key", "value"}[g.rng.IntN(2)]
		}
		if inner := g.path(fd.MapValue().Message(), path+".value.", fanned); inner != "" {
			return inner
		}
		return path + ".value"
	}
	if fd.Message() != nil && g.rng.IntN(4) != 0 {
		if inner := g.path(fd.Message(), path+".", fanned); inner != "" {
			return inner
		}
	}
	return path
}

func checkProjection(t testing.TB, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 2))
	md := randomMessageType(t, rng)
	g := &pathMaker{rng: rng}
	var paths []string
	var columns []wire.Column
	for range 1 + rng.IntN(6) {
		if p := g.path(md, "", 0); p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
			columns = append(columns, wire.Column{Path: p, Name: fmt.Sprintf("c%d", len(paths))})
		}
	}
	if len(columns) == 0 {
		return false
	}
	plan, err := NewPlan(md, Options{Columns: columns, PoisonMemory: true})
	if err != nil {
		if base.KindOf(err) != base.Invalid {
			t.Fatalf("seed %d: %v", seed, err)
		}
		return false
	}
	describe := func() string {
		return fmt.Sprintf("seed %d, paths %q, over %q\n%v", seed, paths, g.chain, protodesc.ToDescriptorProto(md))
	}
	d, maker := plan.NewDecoder(), &messageMaker{rng: rng}
	for range 2 { // the second batch uses the memory of the first
		compareProjection(t, d, md, maker.messages(md, 12), paths, g.chain, describe)
	}
	return true
}

// compareProjection compares a batch with the values that protobuf-go has at the paths.
func compareProjection(t testing.TB, d *Decoder, md protoreflect.MessageDescriptor, msgs [][]byte, paths, chain []string, describe func() string) {
	t.Helper()
	var want [][]string // of each message; nil if protobuf-go refuses it
	for _, msg := range msgs {
		rows, known, wrong := expectedRows(md, msg, paths, chain)
		err := d.Append(msg)
		switch {
		case err == nil && wrong != nil:
			t.Fatalf("message %x is accepted: %v\n%s", msg, wrong, describe())
		case err == nil:
			if !known {
				rows = nil
			}
			want = append(want, rows)
		case known && wrong == nil && len(rows) > 0 && !strings.Contains(err.Error(), "UTF-8") && !strings.Contains(err.Error(), "a time with nanoseconds"):
			t.Fatalf("message %x is refused: %v\n%s", msg, err, describe())
		}
	}
	if d.Messages() != len(want) {
		t.Fatalf("%d messages of %d", d.Messages(), len(want))
	}
	rec, from := d.FinishWithMessages()
	defer rec.Release()
	got := make([][]string, len(want))
	for i, row := range showRows(t, rec) {
		m := i
		if len(chain) > 0 {
			m = int(from[i])
		}
		got[m] = append(got[m], row)
	}
	for i := range want {
		slices.Sort(want[i]) // entries of maps have no order
		slices.Sort(got[i])
		if want[i] != nil && !slices.Equal(got[i], want[i]) {
			t.Fatalf("message %d:\n got %s\nwant %s\n%s", i, got[i], want[i], describe())
		}
	}
}

// expectedRows returns the values that protobuf-go has at the paths. known is false if protobuf-go
// refuses the message. Projections may accept such a message.
func expectedRows(md protoreflect.MessageDescriptor, msg []byte, paths, chain []string) (rows []string, known bool, wrong error) {
	defer func() {
		if recover() != nil {
			known = false
		}
	}()
	m := dynamicpb.NewMessage(md)
	if err := (proto.UnmarshalOptions{Resolver: new(protoregistry.Types)}).Unmarshal(msg, m); err != nil {
		return nil, false, nil
	}
	rows = []string{}
	for _, of := range fanOut(m, chain) {
		parts := make([]string, len(paths))
		for i, p := range paths {
			steps, _ := wire.ParsePath(p)
			text, err := follow(m, steps, of, "")
			if err != nil {
				return nil, true, err
			}
			parts[i] = fmt.Sprintf("c%d:%s", i+1, text)
		}
		rows = append(rows, "{"+strings.Join(parts, " ")+"}")
	}
	return rows, true, nil
}

func TestRandomProjectionsEqualProtobufGo(t *testing.T) {
	checked := 0
	for seed := range uint64(2000) {
		if checkProjection(t, seed) {
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("only %d of 2000 seeds made a plan", checked)
	}
}

func FuzzProjectionEqualsProtobufGo(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkProjection(t, seed) })
}
