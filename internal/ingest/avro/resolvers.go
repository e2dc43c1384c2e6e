package avro

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
)

// pair is one type of the writer's schema and one type of the reader's schema.
type pair struct{ writer, reader hamba.Schema }

// resolvers makes resolvers, which convert values from the writer's schema to the reader's. It
// remembers the resolver of each pair of records, because a record may contain itself.
type resolvers struct{ records map[pair]*resolver }

// newResolver returns the resolver that converts messages from the writer's schema to the reader's
// schema. Errors are base.Invalid.
func newResolver(writer, reader hamba.Schema) (*resolver, error) {
	return (&resolvers{map[pair]*resolver{}}).of(writer, reader)
}

func whole(s hamba.Schema) hamba.Schema {
	if ref, ok := s.(*hamba.RefSchema); ok {
		return ref.Schema()
	}
	return s
}

// of returns the resolver that converts values of the writer's type w to the reader's type r. If w
// and r are the same type, the resolver can also be used to skip values.
func (c *resolvers) of(w, r hamba.Schema) (*resolver, error) {
	w, r = whole(w), whole(r)
	if union, ok := w.(*hamba.UnionSchema); ok {
		return c.fromUnion(union, r)
	}
	if union, ok := r.(*hamba.UnionSchema); ok {
		return c.toUnion(w, union)
	}
	if err := sameLogic(w, r); err != nil {
		return nil, err
	}
	out := &resolver{}
	switch w := w.(type) {
	case *hamba.RecordSchema:
		if r, ok := r.(*hamba.RecordSchema); ok {
			return c.record(w, r)
		}
	case *hamba.EnumSchema:
		if r, ok := r.(*hamba.EnumSchema); ok && sameName(w, r) {
			out.act, out.names = toSymbol, w.Symbols()
			for _, symbol := range w.Symbols() {
				at := slices.Index(r.Symbols(), symbol)
				if at < 0 && r.HasDefault() {
					at = slices.Index(r.Symbols(), r.Default())
				}
				out.symbols = append(out.symbols, at)
			}
			return out, nil
		}
	case *hamba.FixedSchema:
		if r, ok := r.(*hamba.FixedSchema); ok && sameName(w, r) && w.Size() == r.Size() {
			out.act, out.size = keepFixed, w.Size()
			return out, nil
		}
	case *hamba.ArraySchema:
		if r, ok := r.(*hamba.ArraySchema); ok {
			return c.blocks(toList, w.Items(), r.Items())
		}
	case *hamba.MapSchema:
		if r, ok := r.(*hamba.MapSchema); ok {
			return c.blocks(toMap, w.Values(), r.Values())
		}
	default:
		var ok bool
		if out.act, ok = promotions[[2]hamba.Type{w.Type(), r.Type()}]; ok {
			if out.size = 4; w.Type() == hamba.Double {
				out.size = 8
			}
			return out, nil
		}
	}
	return nil, incompatible("%s is not %s", described(w), described(r))
}

// promotions lists the pairs of different primitive types that are compatible: a type of the writer
// and a type of the reader.
var promotions = map[[2]hamba.Type]resolving{
	{hamba.Null, hamba.Null}: keepNothing, {hamba.Boolean, hamba.Boolean}: keepByte,
	{hamba.Int, hamba.Int}: keepNumber, {hamba.Int, hamba.Long}: keepNumber, {hamba.Int, hamba.Float}: numberToFloat, {hamba.Int, hamba.Double}: numberToDouble,
	{hamba.Long, hamba.Long}: keepNumber, {hamba.Long, hamba.Float}: numberToFloat, {hamba.Long, hamba.Double}: numberToDouble,
	{hamba.Float, hamba.Float}: keepFixed, {hamba.Float, hamba.Double}: floatToDouble, {hamba.Double, hamba.Double}: keepFixed,
	{hamba.String, hamba.String}: keepSized, {hamba.String, hamba.Bytes}: keepSized, {hamba.Bytes, hamba.Bytes}: keepSized, {hamba.Bytes, hamba.String}: keepSized,
}

func described(s hamba.Schema) string {
	if named, ok := s.(hamba.NamedSchema); ok {
		return fmt.Sprintf("%s %s", s.Type(), named.FullName())
	}
	return string(s.Type())
}

// sameName reports whether a type w of the writer and a type r of the reader match by name. They do
// if they have the same name without namespace, or if r has the name of w as an alias.
func sameName(w, r hamba.NamedSchema) bool {
	return w.Name() == r.Name() || slices.Contains(r.Aliases(), w.FullName())
}

// sameLogic returns an error if the logical types of w and r differ. Avro's rules would ignore them
// and give the values another meaning.
func sameLogic(w, r hamba.Schema) error {
	type logical interface {
		hamba.Schema
		Logical() hamba.LogicalSchema
		Prop(string) any
	}
	a, ok := w.(logical)
	b, okReader := r.(logical)
	if !ok || !okReader || logicalOf(a) == "" || logicalOf(b) == "" {
		return nil
	}
	from, isDecimal := a.Logical().(*hamba.DecimalLogicalSchema)
	to, toDecimal := b.Logical().(*hamba.DecimalLogicalSchema)
	switch {
	case logicalOf(a) != logicalOf(b):
		return incompatible("%s is not %s", logicalOf(a), logicalOf(b))
	case isDecimal && toDecimal && (from.Scale() != to.Scale() || from.Precision() > to.Precision()):
		return incompatible("decimal(%d, %d) is not decimal(%d, %d)", from.Precision(), from.Scale(), to.Precision(), to.Scale())
	}
	return nil
}

// fromUnion returns the resolver for the writer's union w and the reader's type r. It resolves each
// branch of the union separately. A branch that does not fit r is an error only for messages that
// contain it.
func (c *resolvers) fromUnion(w *hamba.UnionSchema, r hamba.Schema) (*resolver, error) {
	out := &resolver{act: fromUnion}
	fits := false
	var last error
	for _, branch := range w.Types() {
		part, err := c.of(branch, r)
		if err != nil {
			part, last = &resolver{act: refuse, why: err.Error()}, err
		}
		fits = fits || err == nil
		out.parts = append(out.parts, part)
	}
	if !fits {
		return nil, last
	}
	return out, nil
}

// toUnion returns the resolver for the writer's type w and the reader's union r. It chooses the
// branch of the same type, or else the first branch to which w can be promoted.
func (c *resolvers) toUnion(w hamba.Schema, r *hamba.UnionSchema) (*resolver, error) {
	for _, same := range []bool{true, false} {
		for i, branch := range r.Types() {
			branch = whole(branch)
			if same && !sameType(w, branch) {
				continue
			}
			if part, err := c.of(w, branch); err == nil {
				return &resolver{act: intoUnion, branch: i, parts: []*resolver{part}}, nil
			}
		}
	}
	return nil, incompatible("%s is not a type of the union", described(w))
}

func sameType(w, r hamba.Schema) bool {
	named, ok := w.(hamba.NamedSchema)
	other, okReader := r.(hamba.NamedSchema)
	if ok != okReader || w.Type() != r.Type() {
		return false
	}
	return !ok || sameName(named, other)
}

func (c *resolvers) blocks(act resolving, w, r hamba.Schema) (*resolver, error) {
	element, err := c.of(w, r)
	if err != nil {
		return nil, err
	}
	return &resolver{act: act, parts: []*resolver{element}}, nil
}

// record returns the resolver for two records. It matches the fields of the reader's record r with
// those of the writer's record w, by name or alias.
func (c *resolvers) record(w, r *hamba.RecordSchema) (*resolver, error) {
	if known := c.records[pair{w, r}]; known != nil {
		return known, nil
	}
	out := &resolver{act: toRecord, defaults: make([][]byte, len(r.Fields())), ordered: len(w.Fields()) == len(r.Fields())}
	c.records[pair{w, r}] = out
	missing := map[int]bool{}
	for i := range r.Fields() {
		missing[i] = true
	}
	for i, f := range w.Fields() {
		slot := slotOf(r, f.Name(), missing)
		to := f.Type()
		if slot >= 0 {
			to = r.Fields()[slot].Type()
			delete(missing, slot)
		}
		part, err := c.of(f.Type(), to)
		if err != nil {
			delete(c.records, pair{w, r})
			return nil, base.Wrap(err, "field %s", f.Name())
		}
		out.names, out.parts, out.slots = append(out.names, f.Name()), append(out.parts, part), append(out.slots, slot)
		out.ordered = out.ordered && slot == i
	}
	for i := range missing {
		f := r.Fields()[i]
		if !f.HasDefault() {
			delete(c.records, pair{w, r})
			return nil, incompatible("the reader's field %s is not in the writer's schema, and has no default", f.Name())
		}
		value, err := encodeDefault(nil, f.Type(), f.Default())
		if err != nil {
			return nil, base.Wrap(err, "default of field %s", f.Name())
		}
		out.defaults[i] = append([]byte{}, value...) // not nil, even if the value takes no bytes
	}
	return out, nil
}

// slotOf returns the number of the field in the reader's record r for the writer's field called
// name. This is the field with the same name, or else a field that has the name as an alias. It
// returns -1 if there is none. missing has the numbers of the reader's fields for which no writer's
// field was found yet.
func slotOf(r *hamba.RecordSchema, name string, missing map[int]bool) int {
	alias := -1
	for i, f := range r.Fields() {
		switch {
		case !missing[i]:
		case f.Name() == name:
			return i
		case alias < 0 && slices.Contains(f.Aliases(), name):
			alias = i
		}
	}
	return alias
}

// encodeDefault appends v, the default value of a field of type s, to b in Avro's encoding. hamba
// (the schema parser) has checked the value.
func encodeDefault(b []byte, s hamba.Schema, v any) (_ []byte, err error) {
	switch s := whole(s).(type) {
	case *hamba.NullSchema:
		return b, nil
	case *hamba.UnionSchema: // the default of a union is a value of its first branch
		return encodeDefault(binary.AppendVarint(b, 0), s.Types()[0], v)
	case *hamba.RecordSchema:
		values, _ := v.(map[string]any)
		for _, f := range s.Fields() {
			if b, err = encodeDefault(b, f.Type(), values[f.Name()]); err != nil {
				return nil, base.Wrap(err, "field %s", f.Name())
			}
		}
		return b, nil
	case *hamba.ArraySchema:
		values, _ := v.([]any)
		if len(values) > 0 {
			b = binary.AppendVarint(b, int64(len(values)))
		}
		for _, v := range values {
			if b, err = encodeDefault(b, s.Items(), v); err != nil {
				return nil, err
			}
		}
		return binary.AppendVarint(b, 0), nil
	case *hamba.MapSchema:
		values, _ := v.(map[string]any)
		if len(values) > 0 {
			b = binary.AppendVarint(b, int64(len(values)))
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if b, err = encodeDefault(encodeText(b, key), s.Values(), values[key]); err != nil {
				return nil, err
			}
		}
		return binary.AppendVarint(b, 0), nil
	case *hamba.EnumSchema:
		if name, ok := v.(string); ok {
			return binary.AppendVarint(b, int64(slices.Index(s.Symbols(), name))), nil
		}
	case *hamba.FixedSchema:
		out, err := hamba.Marshal(s, v)
		if err != nil {
			return nil, base.Errorf(base.Invalid, "%w", err)
		}
		return append(b, out...), nil
	}
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, 1), nil
		}
		return append(b, 0), nil
	case int:
		return binary.AppendVarint(b, int64(v)), nil
	case int64:
		return binary.AppendVarint(b, v), nil
	case float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v)), nil
	case float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v)), nil
	case string:
		return encodeText(b, v), nil
	case []byte:
		return encodeText(b, string(v)), nil
	}
	return nil, base.Errorf(base.Invalid, "%v (%T) is not a value of type %s", v, v, s.Type())
}

func encodeText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}
