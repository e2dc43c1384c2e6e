package scoter

import (
	"reflect"
)

// scList returns a function that reads a list. The function read reads one element. scList is for
// lists whose elements are never NULL, or whose element type can be nil in Go.
func scList[T any](read func(any) (T, error)) func(any) ([]T, error) {
	return func(raw any) ([]T, error) {
		items, err := scItems(raw)
		list := make([]T, len(items))
		for i, item := range items {
			if item == nil || err != nil {
				continue
			}
			list[i], err = read(item)
		}
		return list, err
	}
}

// scListNull returns a function that reads a list whose elements may be NULL. The function read
// reads one element.
func scListNull[T any](read func(any) (T, error)) func(any) ([]*T, error) {
	return func(raw any) ([]*T, error) {
		items, err := scItems(raw)
		list := make([]*T, len(items))
		for i, item := range items {
			if item == nil || err != nil {
				continue
			}
			var v T
			v, err = read(item)
			list[i] = &v
		}
		return list, err
	}
}

func scItems(raw any) ([]any, error) {
	switch v := raw.(type) {
	case []any:
		return v, nil
	case string:
		return scParseArray(v)
	}
	if r := reflect.ValueOf(raw); r.Kind() == reflect.Slice {
		items := make([]any, r.Len())
		for i := range items {
			items[i] = r.Index(i).Interface()
		}
		return items, nil
	}
	return scBad[[]any](raw)
}

// scPairs are the keys and values of a map of the database, in the database's order.
type scPairs [][2]any

// scPairsOf returns the keys and values of a map from its JSON. The JSON is an object, or, if the
// keys are not text, a list of objects with a key and a value each.
func scPairsOf(raw any) (scPairs, bool) {
	switch v := raw.(type) {
	case scPairs:
		return v, true
	case map[string]any:
		pairs := make(scPairs, 0, len(v))
		for k, e := range v {
			pairs = append(pairs, [2]any{k, e})
		}
		return pairs, true
	case []any:
		pairs := make(scPairs, 0, len(v))
		for _, e := range v {
			entry, ok := e.(map[string]any)
			if !ok {
				return nil, false
			}
			pairs = append(pairs, [2]any{entry["key"], entry["value"]})
		}
		return pairs, true
	}
	return nil, false
}

// scMap returns a function that reads a map. The functions key and value read one key and one
// value. scMap is for maps whose values are never NULL, or whose value type can be nil in Go.
func scMap[K comparable, V any](key func(any) (K, error), value func(any) (V, error)) func(any) (map[K]V, error) {
	return func(raw any) (map[K]V, error) {
		pairs, ok := scPairsOf(raw)
		if !ok {
			return scBad[map[K]V](raw)
		}
		m := make(map[K]V, len(pairs))
		for _, p := range pairs {
			k, err := key(p[0])
			if err != nil {
				return nil, err
			}
			var v V
			if p[1] != nil {
				if v, err = value(p[1]); err != nil {
					return nil, err
				}
			}
			m[k] = v
		}
		return m, nil
	}
}

// scPointer returns a function that reads a value and returns a pointer to it. It is for values of
// a map that may be NULL.
func scPointer[T any](read func(any) (T, error)) func(any) (*T, error) {
	return func(raw any) (*T, error) {
		v, err := read(raw)
		return &v, err
	}
}

// scStruct is implemented by the structs of generated code.
type scStruct interface {
	// scFields returns the names and the values of the struct's fields, in order.
	scFields() (names []string, values []any)
}

// scFieldsOf returns a decoder that reads the fields of a struct value, in the order of names.
func scFieldsOf(raw any, names ...string) (*scDecoder, error) {
	switch v := raw.(type) {
	case map[string]any:
		d := &scDecoder{}
		for _, n := range names {
			d.raw = append(d.raw, v[n])
		}
		return d, nil
	case string:
		fields, err := scParseFields(v)
		if err == nil && len(fields) == len(names) {
			return &scDecoder{raw: fields}, nil
		}
	}
	return scBad[*scDecoder](raw)
}
