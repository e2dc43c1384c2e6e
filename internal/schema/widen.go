package schema

// Widen returns the smallest type that has every value of both types without loss. It returns false
// if no such type exists. VARCHAR counts only if both types are kinds of text (see textual). The
// order of the arguments decides only the order of fields and enum values in the result, which is
// that of the first argument.
func Widen(a, b Type) (Type, bool) {
	switch {
	case a.Equal(b), b.Kind == Null:
		return a, true
	case a.Kind == Null:
		return b, true
	}
	if nested(a.Kind) || nested(b.Kind) {
		return widenNested(a, b)
	}
	if a.Kind == Enum && b.Kind == Enum {
		return widenEnum(a, b), true
	}
	if textual(a.Kind) && textual(b.Kind) {
		return Of(Varchar), true
	}
	if widened, ok := widenNumber(a, b); ok {
		return widened, true
	}
	if widened, ok := widenNumber(b, a); ok {
		return widened, true
	}
	if ra, rb := coarse[a.Kind], coarse[b.Kind]; ra > 0 && rb > 0 {
		return [...]Type{1: Of(TimestampS), 2: Of(TimestampMS), 3: Of(Timestamp)}[max(ra, rb)], true
	}
	return Type{}, false
}

// ExactInDouble reports whether one type has 64-bit integers and the other has floating-point
// numbers. Then DOUBLE has all values of the floating-point type, but only some of the integers.
func ExactInDouble(integers, floats Type) bool {
	return (integers.Kind == BigInt || integers.Kind == UBigInt) && (floats.Kind == Double || floats.Kind == Float)
}

// coarse has a rank for each type of timestamps that fits into a TIMESTAMP of microseconds. The
// ranks ascend from the largest unit of time to the smallest. TIMESTAMP_NS is not one of them,
// because its range is smaller.
var coarse = map[Kind]int{TimestampS: 1, TimestampMS: 2, Timestamp: 3}

func nested(k Kind) bool { return k >= List }

// textual reports whether values of a kind are text. Such a kind can be widened to VARCHAR.
func textual(k Kind) bool { return k == Varchar || k == JSON || k == Enum }

// widenNumber returns the type that two different numeric types can be widened to. It handles only
// one order of the two types, so the caller also calls it with a and b exchanged.
func widenNumber(a, b Type) (Type, bool) {
	switch {
	case a.Kind.IsInteger() && b.Kind.IsInteger():
		return widenInt(a.Kind, b.Kind)
	case a.Kind == Float && b.Kind == Double:
		return b, true
	case a.Kind.IsInteger() && b.Kind == Float && a.Kind.bits() <= 16:
		return b, true
	case a.Kind.IsInteger() && (b.Kind == Float || b.Kind == Double) && a.Kind.bits() <= 32:
		return Of(Double), true
	case a.Kind.IsInteger() && b.Kind == Decimal:
		return widenDecimal(a.Kind.digits(), 0, b)
	case a.Kind == Decimal && b.Kind == Decimal:
		return widenDecimal(int(a.Width-a.Scale), int(a.Scale), b)
	}
	return Type{}, false
}

func widenInt(a, b Kind) (Type, bool) {
	if a.isSignedInt() == b.isSignedInt() {
		return Of(max(a, b)), true
	}
	if a.isUnsignedInt() {
		a, b = b, a
	}
	if b == UHugeInt {
		return Type{}, false
	}
	// A signed type has all values of an unsigned type of half its width.
	return Of(max(a, TinyInt+(b-UTinyInt)+1)), true
}

// widenDecimal returns a DECIMAL that has all values of b, and all numbers with the given numbers
// of digits before the point (whole) and after it (scale). It returns false if no DECIMAL has
// enough digits.
func widenDecimal(whole, scale int, b Type) (Type, bool) {
	whole, scale = max(whole, int(b.Width-b.Scale)), max(scale, int(b.Scale))
	if whole+scale > 38 {
		return Type{}, false
	}
	return DecimalOf(uint8(whole+scale), uint8(scale)), true
}

func widenEnum(a, b Type) Type {
	seen := make(map[string]bool, len(a.Values))
	for _, v := range a.Values {
		seen[v] = true
	}
	values := a.Values[:len(a.Values):len(a.Values)]
	for _, v := range b.Values {
		if !seen[v] {
			values = append(values, v)
		}
	}
	return EnumOf(values...)
}

func widenNested(a, b Type) (Type, bool) {
	listLike := func(k Kind) bool { return k == List || k == Array }
	switch {
	case listLike(a.Kind) && listLike(b.Kind):
		elem, ok := Widen(*a.Elem, *b.Elem)
		if !ok {
			return Type{}, false
		}
		if a.Kind == Array && b.Kind == Array && a.Size == b.Size {
			return ArrayOf(elem, a.Size), true
		}
		return ListOf(elem), true
	case a.Kind == Map && b.Kind == Map:
		key, ok := Widen(*a.Key, *b.Key)
		if !ok {
			return Type{}, false
		}
		value, ok := Widen(*a.Elem, *b.Elem)
		return MapOf(key, value), ok
	case a.Kind == Struct && b.Kind == Struct:
		return widenStruct(a, b)
	}
	return Type{}, false
}

func widenStruct(a, b Type) (Type, bool) {
	fields := append([]Field(nil), a.Fields...)
	at := make(map[string]int, len(fields))
	for i, f := range fields {
		at[Fold(f.Name)] = i
	}
	for _, f := range b.Fields {
		i, known := at[Fold(f.Name)]
		if !known {
			at[Fold(f.Name)] = len(fields)
			fields = append(fields, f)
			continue
		}
		t, ok := Widen(fields[i].Type, f.Type)
		if !ok {
			return Type{}, false
		}
		fields[i].Type = t
	}
	return StructOf(fields...), true
}
