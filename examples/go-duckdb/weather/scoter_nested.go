package weather

import (
	"reflect"
)

// scList reads a list whose elements are not NULL or have a nil of their own.
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

// scListNull reads a list whose elements may be NULL.
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

// scPairs is a map of a database in its order.
type scPairs [][2]any

// scPairsOf makes pairs of what JSON has for a map: an object, or a list of key
// and value where the keys are no text.
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

// scMap reads a map whose values are not NULL or have a nil of their own.
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

// scPointer reads into a pointer, for values of a map that may be NULL.
func scPointer[T any](read func(any) (T, error)) func(any) (*T, error) {
	return func(raw any) (*T, error) {
		v, err := read(raw)
		return &v, err
	}
}

// scStruct is a struct of the generated code.
type scStruct interface {
	// scFields are the names and values in order.
	scFields() (names []string, values []any)
}

// scFieldsOf is a decoder over the fields of a nested value.
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
